"""A result as text: one line per requirement, then the number of records in and out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from acompass.report.rows.result import action_taken, verdict_on_all
from acompass.report.text.columns import left_aligned
from acompass.report.text.style import BOLD, GREEN, PLAIN, RED, YELLOW, Style
from acompass.report.words import (
    RELEASED,
    UNNAMED,
    VIOLATED,
    affected_of,
    counted,
    dropped,
    note_text,
    on_one_line,
    policy_line,
    records_in_and_out,
    repair_word,
    verdict,
)
from acompass.result import RequirementOutcome, Result


@dataclass(frozen=True, slots=True)
class _Row:
    line: str
    verdict: str
    affected: str
    action: str
    text: str
    tint: str


_HEADER = _Row("line", "verdict", "affected", "action", "requirement", BOLD)


def run_text(result: Result, style: Style = PLAIN) -> str:
    word = repair_word(result)
    rows = [_row(outcome, verdict(outcome, word), action_taken(outcome)) for outcome in result.requirements]
    trace = f", {counted(result.trace_used, 'value')} of the trace used" if result.trace_used else ""
    return _report(rows, [*remarks(result, RELEASED), f"{records_in_and_out(result)}{trace}"], style)


def check_text(result: Result, style: Style = PLAIN) -> str:
    samples = "".join(map(_sample, result.requirements))
    records = counted(result.records_in, "record") + dropped(result)
    summary = [*remarks(result, UNNAMED), f"{records}, {verdict_on_all(result)}"]
    return intended_text(result.requirements, summary, style) + samples


def intended_text(
    outcomes: Sequence[RequirementOutcome], summary: Iterable[str], style: Style, repaired: str = VIOLATED
) -> str:
    """The requirements with the actions they ask for, whether or not these were performed."""
    rows = [_row(outcome, verdict(outcome, repaired), outcome.action or "") for outcome in outcomes]
    return _report(rows, summary, style)


def remarks(result: Result, heading: str) -> Iterator[str]:
    """The notes (D29), then the columns that the policy never names, after a heading (D30)."""
    yield from (f"note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield f"{heading}: {', '.join(map(on_one_line, result.unnamed))}"


def _row(outcome: RequirementOutcome, word: str, action: str) -> _Row:
    tint = GREEN if outcome.holds else RED if word == VIOLATED else YELLOW if outcome.is_violated else ""
    text = policy_line(outcome.text)
    return _Row(str(outcome.line), word, affected_of(outcome), action, text, tint)


def _report(rows: list[_Row], summary: Iterable[str], style: Style) -> str:
    return "".join(f"{line}\n" for line in (*_table(rows, style), *summary))


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
            f"{row.line:>{line}}  {style.tinted(f'{row.verdict:<{verdict_}}', row.tint)}"
            f"  {row.affected:>{affected}}  {row.action:<{action}}  {text}"
            for row, text in zip(table, _cut([row.text for row in table], room), strict=True)
        ),
        "",
    ]


def _cut(texts: Sequence[str], room: int | None) -> Iterator[str]:
    """A text that would look like the one before it, as a step of a THEN does, begins where they differ."""
    for before, text in pairwise(["", *texts]):
        if room is not None and len(text) > room and text[: room - 1] == before[: room - 1]:
            yield _cut_at_end("…" + _difference(before, text), room)
        else:
            yield _cut_at_end(text, room)


def _cut_at_end(text: str, room: int | None) -> str:
    return text if room is None or len(text) <= room else text[: max(room - 1, 0)] + "…"


def _difference(before: str, text: str) -> str:
    """The text from the last colon before it differs from the other one."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    return text[max(text.rfind(" : ", 0, same), 0) :]


def _sample(outcome: RequirementOutcome) -> str:
    """Violating classes or records, if the call asked for them."""
    if outcome.sample is None:
        return ""
    rows = [[on_one_line(str(value)) for value in row] for row in outcome.sample.rows]
    lines = left_aligned([outcome.sample.columns, *rows])
    return f"\nline {outcome.line} is violated by\n" + "".join(f"  {line}\n" for line in lines)
