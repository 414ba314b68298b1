"""Requirements that read nothing of what others in the stage write: one scan counts all affected bags."""

from collections.abc import Iterable, Sequence

from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import perform
from acompass.plan.running.context import Context
from acompass.plan.running.records import Asked, asked_of
from acompass.plan.stages import ScanStage


def run_scan(context: Context, state: State, stage: ScanStage) -> State:
    asked = [asked_of(state, requirement) for requirement in stage.requirements]
    for each, (count, selects_none) in zip(asked, _counts(context, state, asked), strict=True):
        affected, verdict = each.answered(count, selects_none)
        context.verdicts[each.requirement.index] = verdict
        state = perform(context, state, each.requirement, affected)
    return state


def _counts(context: Context, state: State, asked: Sequence[Asked]) -> Iterable[tuple[int, bool]]:
    """The number of records that each asks for, and whether its FILTER selects none."""
    columns = [sql.count_where(condition) for each in asked for condition in _conditions(each)]
    (row,) = context.session.fetch(sql.query(columns, state.source()))
    numbers = map(int, row)
    for each in asked:
        count = next(numbers)
        yield count, each.seen is not None and not next(numbers)


def _conditions(asked: Asked) -> list[Sql]:
    return [asked.both] if asked.seen is None else [asked.both, asked.seen]
