"""A result as Markdown: the verdict on all requirements, then a row for each of them.

It has no value of a record, except the samples that a call asked for.
"""

from collections.abc import Iterator

from acompass.report.markdown.elements import (
    Markdown,
    bullets,
    captioned,
    code,
    document,
    headline,
    listed,
    marked,
    prose,
    table,
)
from acompass.report.rows.result import action_taken, verdict_on_all
from acompass.report.words import (
    RELEASED,
    REPAIRED,
    UNNAMED,
    VIOLATED,
    affected_of,
    counted,
    dropped,
    note_text,
    policy_line,
    records_in_and_out,
    shown,
    verdict,
)
from acompass.result import RequirementOutcome, Result

_HEADER = ("line", "verdict", "affected", "action", "requirement")


def result_markdown(result: Result, name: str | None = None) -> str:
    return run_markdown(result, name) if result.performed else check_markdown(result, name)


def check_markdown(result: Result, name: str | None = None) -> str:
    top = headline("Check", name, verdict_on_all(result), result.ok)
    records = counted(result.records_in, "record") + dropped(result)
    return document([top, prose(records), *_details(result, UNNAMED, is_run=False)])


def run_markdown(result: Result, name: str | None = None, not_written: str | None = None) -> str:
    """`not_written` says why there is no output."""
    failed = sum(outcome.is_violated and outcome.action is None for outcome in result.requirements)
    records = records_in_and_out(result)
    verdicts = f"{counted(failed, 'requirement')} without an action violated" if failed else records
    remarks = [records] if failed else []
    remarks += [] if not_written is None else [not_written]
    top = headline("Run", name, verdicts, result.ok)
    return document([top, *map(prose, remarks), *_details(result, RELEASED, is_run=True)])


def _details(result: Result, unnamed: str, is_run: bool) -> Iterator[Markdown]:
    if result.requirements:
        yield table([_HEADER, *(_row(each, is_run) for each in result.requirements)], numbers=(0, 2))
    yield bullets(_remarks(result, unnamed))
    for outcome in result.requirements:
        yield from _sample(outcome)


def _row(outcome: RequirementOutcome, is_run: bool) -> tuple[str, ...]:
    verdict_ = marked(_sign(outcome, is_run), verdict(outcome, REPAIRED if is_run else VIOLATED))
    action = action_taken(outcome) if is_run else outcome.action or ""
    return str(outcome.line), verdict_, affected_of(outcome), action, code(policy_line(outcome.text))


def _sign(outcome: RequirementOutcome, is_run: bool) -> bool | None:
    """In a run, a violated requirement with an action is neither good nor bad."""
    return None if is_run and outcome.is_violated and outcome.action is not None else outcome.holds


def _remarks(result: Result, unnamed: str) -> Iterator[str]:
    if result.trace_used:
        yield f"{counted(result.trace_used, 'value')} of the trace used"
    yield from (f"note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield Markdown(f"{unnamed}: {listed(result.unnamed)}")


def _sample(outcome: RequirementOutcome) -> Iterator[Markdown]:
    """Violating classes or records, if the call asked for them."""
    if outcome.sample is not None:
        rows = [[code(shown(value)) for value in row] for row in outcome.sample.rows]
        header = [code(name) for name in outcome.sample.columns]
        yield from captioned(f"Line {outcome.line} is violated by", [header, *rows])
