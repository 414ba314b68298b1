"""Requirements that read what others in the stage write.

Each requirement adds a flag to the records: whether it affects them. The action reads the flag. So does the
count, once the records are stored. No condition is evaluated twice.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import perform
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.running.records import Asked, asked_of
from acompass.plan.stages import TangleStage

#: returns a state with the same records, stored
Store: TypeAlias = Callable[[State], State]


def run_tangle(context: Context, state: State, stage: TangleStage, store: Store) -> State:
    asked: list[tuple[State, Asked]] = []
    for requirement in stage.requirements:
        asked.append((state, asked_of(state, requirement)))
        state = state.flagged(asked[-1][1].both)
        # how many records are affected is known later; the flag alone decides what happens to them
        affected = Affected(exp.column(state.flags[-1], table="t"), state.records)
        state = perform(context, state, requirement, affected)
    stored = store(state)
    for (before, each), count in zip(asked, _counts(context, stored), strict=True):
        selects_none = count == 0 and _selects_none(context, before, each)
        _, context.verdicts[each.requirement.index] = each.answered(count, selects_none)
    return stored.without_flags()


def _counts(context: Context, stored: State) -> Sequence[int]:
    columns = [stored.count_where(exp.column(flag, table="t")) for flag in stored.flags]
    (row,) = context.session.fetch(sql.query(columns, stored.source()))
    return [int(count) for count in row]


def _selects_none(context: Context, before: State, asked: Asked) -> bool:
    if asked.seen is None:
        return False
    query = sql.query([exp.Count(this=exp.Star())], before.source(), asked.seen.copy())
    return not context.session.fetch(query)[0][0]
