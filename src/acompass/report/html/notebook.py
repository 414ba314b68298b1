"""A result as the HTML table that a notebook displays."""

from html import escape

from acompass.report.words import UNNAMED, affected_of, note_text, records_in_and_out, verdict
from acompass.result import RequirementOutcome, Result

_HEADER = ("line", "requirement", "verdict", "affected", "action")


def result_html(result: Result) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    body = "".join(_row(outcome) for outcome in result.requirements)
    caption = records_in_and_out(result)
    notes = "".join(f"<p>Note: {escape(note_text(note))}</p>" for note in result.notes)
    unnamed = f"<p>{UNNAMED.capitalize()}: {escape(', '.join(result.unnamed))}</p>" if result.unnamed else ""
    table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return table + notes + unnamed


def _row(outcome: RequirementOutcome) -> str:
    cells = (
        str(outcome.line),
        f"<code>{escape(outcome.text)}</code>",
        verdict(outcome),
        affected_of(outcome),
        outcome.action or "",
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
