"""A result as the HTML table that a notebook displays."""

from html import escape

from acompass.report.words import affected_of, records_in_and_out, verdict
from acompass.result import RequirementOutcome, Result

_HEADER = ("line", "requirement", "verdict", "affected", "action")


def result_html(result: Result) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    body = "".join(_row(outcome) for outcome in result.requirements)
    caption = records_in_and_out(result)
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(outcome: RequirementOutcome) -> str:
    cells = (
        str(outcome.line),
        f"<code>{escape(outcome.text)}</code>",
        verdict(outcome),
        affected_of(outcome),
        outcome.action or "",
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
