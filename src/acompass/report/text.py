"""Render results and plans as plain text, with the same layout on a terminal, in a pipe and in a log.

`run` and `check` import this module, so it does not import other kinds of answers: see `text_answers.py`."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from acompass.dataclasses import dataclass
from acompass.errors.display import BOLD, GREEN, PLAIN, RED, YELLOW, Style, count_text, on_one_line
from acompass.language.text.tokens import policy_line
from acompass.report.words import (
    RELEASED,
    TO_REPAIR,
    UNNAMED,
    VIOLATED,
    action_taken,
    affected_count,
    dropped_count,
    note_text,
    records_in_and_out,
    repair_word,
    verdict,
    verdict_on_all,
)
from acompass.result import Plan, RequirementOutcome, Result


@dataclass(frozen=True, slots=True)
class _Row:
    line: str
    verdict: str
    affected: str
    action: str
    text: str
    tint: str


_HEADER = _Row("line", "verdict", "affected", "action", "requirement", BOLD)


def result_text(result: Result, style: Style = PLAIN) -> str:
    return run_text(result, style) if result.performed else check_text(result, style)


def run_text(result: Result, style: Style = PLAIN) -> str:
    word = repair_word(result)
    rows = [_row(outcome, verdict(outcome, word), action_taken(outcome)) for outcome in result.requirements]
    trace = f", {count_text(result.trace_used, 'value')} of the trace used" if result.trace_used else ""
    return _report_text(rows, [*remarks(result, RELEASED), f"{records_in_and_out(result)}{trace}"], style)


def check_text(result: Result, style: Style = PLAIN) -> str:
    samples = "".join(map(_sample_text, result.requirements))
    records = count_text(result.records_in, "record") + dropped_count(result)
    summary = [*remarks(result, UNNAMED), f"{records}, {verdict_on_all(result)}"]
    return requirements_text(result.requirements, summary, style) + samples


def requirements_text(
    outcomes: Sequence[RequirementOutcome], summary: Iterable[str], style: Style, repaired: str = VIOLATED
) -> str:
    """List the requirements with their actions, whether or not these were performed."""
    rows = [_row(outcome, verdict(outcome, repaired), outcome.action or "") for outcome in outcomes]
    return _report_text(rows, summary, style)


def remarks(result: Result, heading: str) -> Iterator[str]:
    """Yield the notes, then the heading with the columns that the policy never names."""
    yield from (f"note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield f"{heading}: {', '.join(map(on_one_line, result.unnamed))}"


def _row(outcome: RequirementOutcome, word: str, action: str) -> _Row:
    tint = GREEN if outcome.holds else RED if word == VIOLATED else YELLOW if outcome.is_violated else ""
    text = policy_line(outcome.text)
    return _Row(str(outcome.line), word, affected_count(outcome), action, text, tint)


def _report_text(rows: list[_Row], summary: Iterable[str], style: Style) -> str:
    return "".join(f"{line}\n" for line in (*_table_lines(rows, style), *summary))


def _table_lines(rows: list[_Row], style: Style) -> list[str]:
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
            f"{row.line:>{line}}  {style.paint(f'{row.verdict:<{verdict_}}', row.tint)}"
            f"  {row.affected:>{affected}}  {row.action:<{action}}  {text}"
            for row, text in zip(table, _cut_texts([row.text for row in table], room), strict=True)
        ),
        "",
    ]


def _cut_texts(texts: Sequence[str], room: int | None) -> Iterator[str]:
    """Shorten texts to the width. A text that would look like the one before, such as a THEN step, starts where it
    differs."""
    for before, text in pairwise(["", *texts]):
        if room is not None and len(text) > room and text[: room - 1] == before[: room - 1]:
            yield _cut_at_end("…" + _difference(before, text), room)
        else:
            yield _cut_at_end(text, room)


def _cut_at_end(text: str, room: int | None) -> str:
    return text if room is None or len(text) <= room else text[: max(room - 1, 0)] + "…"


def _difference(before: str, text: str) -> str:
    """The text from the last colon before the first difference."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    return text[max(text.rfind(" : ", 0, same), 0) :]


def _sample_text(outcome: RequirementOutcome) -> str:
    """The violating classes or records, if the call requested them."""
    if outcome.sample is None:
        return ""
    rows = [[on_one_line(str(value)) for value in row] for row in outcome.sample.rows]
    lines = align_left([outcome.sample.columns, *rows])
    return f"\nline {outcome.line} is violated by\n" + "".join(f"  {line}\n" for line in lines)


def plan_text(planned: Plan, style: Style = PLAIN) -> str:
    result = planned.result
    summary = f"{records_in_and_out(result, 'would be left')}; nothing was written"
    return requirements_text(result.requirements, [*remarks(result, RELEASED), summary], style, TO_REPAIR)


def stages_text(planned: Plan) -> str:
    return "".join(f"{stage}\n" for stage in planned.stages)


def statements_text(planned: Plan) -> str:
    return "".join(f"{statement};\n" for statement in planned.statements)


def align_left(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = _column_widths(rows)
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def align_numbers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align the first column, a label, to the left and the numbers after it to the right."""
    first, *others = _column_widths(rows)
    return ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]).rstrip() for row in rows]


def _column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]
