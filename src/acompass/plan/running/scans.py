"""Requirements that read nothing of what others in the stage write: one scan counts all affected bags."""

from collections.abc import Sequence

from acompass.checked.effects import generalize_of, is_always
from acompass.checked.program import Requirement
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import perform
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.running.labels import Labels, look_up
from acompass.plan.running.records import Asked, asked_of
from acompass.plan.stages import ScanStage


def run_scan(context: Context, state: State, stage: ScanStage) -> State:
    asked = [asked_of(state, requirement) for requirement in stage.requirements]
    counts = _counted(context, state, asked)
    # a second scan only for these: an engine that finds a condition twice may evaluate it for every record
    uncertain = [each for each, count in zip(asked, counts, strict=True) if count == 0]
    select_none = _that_select_none(context, state, uncertain)
    before = state
    for each, count in zip(asked, counts, strict=True):
        index = each.requirement.index
        affected, context.verdicts[index] = each.answered(count, index in select_none)
        labels = _labels(context, before, each.requirement, affected)
        state = perform(context, state, each.requirement, affected, labels)
    return state


def _labels(context: Context, before: State, requirement: Requirement, affected: Affected) -> Labels | None:
    """The labels of GENERALIZE. Its column is the same before the stage, where no join takes time."""
    generalize = generalize_of(requirement.action)
    if generalize is None or affected.count == 0:
        return None
    return look_up(context, before, requirement, generalize, affected)


def _counted(context: Context, state: State, asked: Sequence[Asked]) -> list[int]:
    """The number of records that answers each requirement. ALWAYS needs no scan."""
    scanned = [each for each in asked if not is_always(each.requirement)]
    found = iter(_counts(context, state, [each.both for each in scanned]) if scanned else [])
    return [state.records if is_always(each.requirement) else next(found) for each in asked]


def _that_select_none(context: Context, state: State, asked: Sequence[Asked]) -> set[int]:
    """The indexes of the requirements whose FILTER selects no record."""
    filters = {each.requirement.index: each.seen for each in asked if each.seen is not None}
    selected = _counts(context, state, list(filters.values())) if filters else []
    return {index for index, count in zip(filters, selected, strict=True) if count == 0}


def _counts(context: Context, state: State, conditions: Sequence[Sql]) -> list[int]:
    """The number of records that satisfy each condition."""
    columns = [state.count_where(condition) for condition in conditions]
    (row,) = context.session.fetch(sql.query(columns, state.source()))
    return [int(count) for count in row]
