"""The actions REJECT, REPLACE and RANDOM on an affected bag (Figures 8, 9 and 10)."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from sqlglot import exp

from acompass.checked.program import Random, Reject, Replace, Requirement
from acompass.checked.types import INTEGER
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.lowering.type_changes import conversions, retyped
from acompass.plan.running.context import Context
from acompass.plan.running.ranks import ranked


@dataclass(frozen=True)
class Affected:
    """The affected bag: the `count` records of the state, called `t`, that satisfy `predicate` after
    `joins`. No join multiplies records."""

    predicate: Sql
    count: int
    joins: list[exp.Join] = field(default_factory=list)


def perform(context: Context, state: State, requirement: Requirement, affected: Affected) -> State:
    """The state after the requirement: types change as D12 says, then the action is performed."""
    match requirement.action:
        case None:
            return _converted(context, state, requirement)
        case Reject() | Replace() | Random() if affected.count == 0:
            return _converted(context, state, requirement)
        case Reject():
            return _reject(state, affected)
        case Replace() as action:
            return _replace(context, state, requirement, action, affected)
        case Random() as action:
            return _randomize(context, state, action, affected)
        case _:
            assert_never(requirement.action)


def _converted(context: Context, state: State, requirement: Requirement) -> State:
    new = conversions(context.session.dialect, (requirement,))
    return _with_types_after(state, requirement).derive(new) if new else state


def _with_types_after(state: State, requirement: Requirement) -> State:
    return replace(state, schema=retyped(state.schema, (requirement,)))


def _reject(state: State, affected: Affected) -> State:
    rest = state.derive({}, joins=affected.joins, where=sql.negated(affected.predicate))
    return replace(rest, records=state.records - affected.count)


def _replace(
    context: Context, state: State, requirement: Requirement, action: Replace, affected: Affected
) -> State:
    converted = conversions(context.session.dialect, (requirement,))
    old = converted.get(action.column, sql.column(action.column, "t"))
    stored = sql.stored_value(action.value, requirement.after[action.column].type)
    new = exp.Case(ifs=[exp.If(this=affected.predicate, true=sql.literal(stored))], default=old)
    changed = {**converted, action.column: new}
    return _with_types_after(state, requirement).derive(changed, joins=affected.joins)


def _randomize(context: Context, state: State, action: Random, affected: Affected) -> State:
    """Rank and change only the affected records. They are stored, so that no later stage ranks them again."""
    session = context.session
    rest = state.derive(
        {}, joins=[join.copy() for join in affected.joins], where=sql.negated(affected.predicate.copy())
    )
    hit = replace(state.derive({}, joins=affected.joins, where=affected.predicate), records=affected.count)
    drawn = context.trace.draw(session, context.trace_used, affected.count, action.lower, action.upper)
    context.trace_used += affected.count
    numbered = replace(hit, select=ranked(context, hit))
    new_value = session.dialect.convert(drawn.value, INTEGER, state.schema[action.column].type)
    replaced = numbered.derive({action.column: new_value}, joins=[drawn.join])
    kept = state.stored_as(session.store(replaced.select))
    both = exp.union(rest.select, kept.projection(), distinct=False)
    union = sql.everything(both.subquery("t"))
    return replace(state, select=union, depth=rest.depth, in_order=False)
