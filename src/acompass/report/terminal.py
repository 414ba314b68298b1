"""A result for people: one line a requirement, then the records in and out.

The layout is the same on a terminal and in a pipe; a terminal adds colour and cuts long lines.
"""

from dataclasses import dataclass

from acompass.report.words import (
    affected_of,
    counted,
    done,
    dropped,
    on_one_line,
    records_in_and_out,
    verdict,
)
from acompass.result import RequirementOutcome, Result

_GREEN, _RED, _BOLD, _RESET = "\x1b[32m", "\x1b[31m", "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """`width` is that of the terminal, None where nothing need be cut."""

    color: bool = False
    width: int | None = None


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class _Row:
    line: str
    verdict: str
    affected: str
    action: str
    text: str
    tint: str


_HEADER = _Row("line", "verdict", "affected", "action", "requirement", _BOLD)


def run_text(result: Result, style: Style = PLAIN) -> str:
    rows = [_row(outcome, _what_was_done(outcome)) for outcome in result.requirements]
    trace = f", {counted(result.trace_used, 'value')} of the trace used" if result.trace_used else ""
    return _report(rows, f"{records_in_and_out(result)}{trace}", style)


def check_text(result: Result, style: Style = PLAIN) -> str:
    rows = [_row(outcome, outcome.action or "") for outcome in result.requirements]
    violated = sum(not outcome.holds for outcome in result.requirements)
    of_all = f"{violated:,} of {counted(len(rows), 'requirement')} violated"
    verdicts = of_all if violated else "every requirement holds"
    samples = "".join(map(_sample, result.requirements))
    records = counted(result.records_in, "record") + dropped(result)
    return _report(rows, f"{records}, {verdicts}", style) + samples


def plan_text(result: Result, style: Style = PLAIN) -> str:
    rows = [_row(outcome, outcome.action or "") for outcome in result.requirements]
    records = records_in_and_out(result, "would be left")
    return _report(rows, f"{records}; nothing was written", style)


def _what_was_done(outcome: RequirementOutcome) -> str:
    return "nothing" if outcome.holds and outcome.action is not None else done(outcome.action)


def _row(outcome: RequirementOutcome, action: str) -> _Row:
    tint = _GREEN if outcome.holds else _RED
    text = on_one_line(outcome.text)
    return _Row(str(outcome.line), verdict(outcome), affected_of(outcome), action, text, tint)


def _report(rows: list[_Row], summary: str, style: Style) -> str:
    return "".join(f"{line}\n" for line in (*_table(rows, style), summary))


def _table(rows: list[_Row], style: Style) -> list[str]:
    if not rows:
        return []
    table = [_HEADER, *rows]
    line = max(len(row.line) for row in table)
    verdict_ = max(len(row.verdict) for row in table)
    affected = max(len(row.affected) for row in table)
    action = max(len(row.action) for row in table)
    room = None if style.width is None else style.width - line - verdict_ - affected - action - 8
    return [
        *(
            f"{row.line:>{line}}  {_tinted(f'{row.verdict:<{verdict_}}', row.tint, style)}"
            f"  {row.affected:>{affected}}  {row.action:<{action}}  {_cut(row.text, room)}"
            for row in table
        ),
        "",
    ]


def _tinted(text: str, tint: str, style: Style) -> str:
    return f"{tint}{text}{_RESET}" if style.color else text


def _cut(text: str, room: int | None) -> str:
    return text if room is None or len(text) <= room else text[: max(room - 1, 0)] + "…"


def _sample(outcome: RequirementOutcome) -> str:
    """Violating classes or records, where they were asked for."""
    if outcome.sample is None:
        return ""
    table = [
        outcome.sample.columns,
        *([on_one_line(str(value)) for value in row] for row in outcome.sample.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return f"\nline {outcome.line} is violated by\n" + "".join(f"  {line}\n" for line in lines)
