"""The actions on an affected bag: REJECT, REPLACE and RANDOM (Figures 8, 9 and 10), GENERALIZE and DROP (X2,
X3), WITH PROBABILITY and RANDOM … FROM (X5, X6)."""

from dataclasses import replace
from typing import TypeAlias, assert_never

from sqlglot import exp

from acompass.checked.effects import drops_records, is_always
from acompass.checked.program import (
    NEVER,
    Assertion,
    Draw,
    Drop,
    Generalize,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
    Sometimes,
)
from acompass.checked.types import INTEGER, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.lowering.type_changes import conversions, retyped
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.running.labels import Labels, label, look_up
from acompass.plan.running.outcomes import Decided, decide, stored
from acompass.plan.running.ranks import ranked

#: an action that changes or drops the affected records
_OnRecords: TypeAlias = Reject | Replace | Random | Draw | Generalize | Sometimes


def perform(
    context: Context,
    state: State,
    requirement: Requirement,
    affected: Affected,
    labels: Labels | None = None,
) -> State:
    """The state after the requirement: types change as D12 says, then the action is performed.

    `labels` are those of GENERALIZE, where they are known already.
    """
    action = requirement.action
    match action:
        case None:
            return converted(context, state, requirement)
        case Drop():
            return _with_types_after(state, requirement).overwritten(_conversions(context, requirement))
        case Reject() | Replace() | Random() | Draw() | Generalize() | Sometimes():
            if affected.count == 0:
                return converted(context, state, requirement)
            return _act(context, state, requirement, action, affected, labels)
        case _:
            assert_never(action)


def _act(
    context: Context,
    state: State,
    requirement: Requirement,
    action: _OnRecords,
    affected: Affected,
    labels: Labels | None,
) -> State:
    match action:
        case Reject():
            return _reject(state, affected)
        case Replace():
            return _replace(context, state, requirement, action, affected)
        case Random():
            return _randomize(context, state, action, affected)
        case Draw():
            return _draw(context, state, requirement, action, affected)
        case Generalize():
            known = look_up(context, state, requirement, action, affected) if labels is None else labels
            return _generalize(context, state, requirement, action, affected, known)
        case Sometimes():
            return _sometimes(context, state, requirement, action, affected)
        case _:
            assert_never(action)


def converted(context: Context, state: State, requirement: Requirement) -> State:
    """The state after a requirement that affects no record: only types change."""
    new = _conversions(context, requirement)
    return _with_types_after(state, requirement).derive(new) if new else state


def _conversions(context: Context, requirement: Requirement) -> dict[int, Sql]:
    return conversions(context.session.dialect, (requirement,))


def _with_types_after(state: State, requirement: Requirement) -> State:
    return replace(state, schema=retyped(state.schema, (requirement,)))


def _reject(state: State, affected: Affected) -> State:
    rest = state.derive({}, joins=affected.joins, where=sql.negated(affected.predicate))
    return replace(rest, records=state.records - affected.count)


def _replace(
    context: Context, state: State, requirement: Requirement, action: Replace, affected: Affected
) -> State:
    typed = _with_types_after(state, requirement)
    constant = _constant(context, requirement, action.column, action.value)
    if is_always(requirement):
        return typed.overwritten({action.column: constant})
    new_types = _conversions(context, requirement)
    old = new_types.get(action.column, sql.column(action.column, "t"))
    new = exp.Case(ifs=[exp.If(this=affected.predicate, true=constant)], default=old)
    return typed.derive({**new_types, action.column: new}, joins=affected.joins)


def _constant(context: Context, requirement: Requirement, column: int, value: Value) -> Sql:
    """A constant of the policy, as the column stores it."""
    type_ = requirement.after[column].type
    return context.session.dialect.constant(sql.stored_value(value, type_))


def _generalize(
    context: Context,
    state: State,
    requirement: Requirement,
    action: Generalize,
    affected: Affected,
    labels: Labels,
) -> State:
    if not labels.changes:
        return converted(context, state, requirement)
    new_types = _conversions(context, requirement)
    new = label()
    if not is_always(requirement):
        old = new_types.get(action.column, sql.column(action.column, "t"))
        new = exp.Case(ifs=[exp.If(this=affected.predicate, true=new)], default=old)
    joins = [*affected.joins, labels.joined(context)]
    changed = {**new_types, action.column: new}
    return _with_types_after(state, requirement).derive(changed, joins=joins)


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
    both = exp.union(rest.select, kept.projection(), distinct=False, copy=False)
    union = sql.everything(both.subquery("t", copy=False))
    return replace(state, select=union, depth=rest.depth, in_order=False)


def _draw(
    context: Context, state: State, requirement: Requirement, action: Draw, affected: Affected
) -> State:
    decided = decide(context, state, requirement, affected, action.cuts).stored(context)
    values = [_constant(context, requirement, action.column, ball.value) for ball in action.balls]
    value = decided.one_of(values, action.column)
    return decided.with_others(decided.affected.derive({action.column: value}))


def _sometimes(
    context: Context, state: State, requirement: Requirement, action: Sometimes, affected: Affected
) -> State:
    decided = decide(context, state, requirement, affected, (action.probability,))
    if drops_records(action):
        return _without_drawn(context, requirement, decided)
    decided = decided.stored(context)
    drawn = decided.affected.derive({}, where=decided.is_below(0))
    drawn = replace(drawn, records=_count(context, drawn))
    missed = decided.affected.derive({}, where=sql.negated(decided.is_below(0)))
    missed = replace(missed, records=affected.count - drawn.records)
    context.missed[requirement.index] = missed
    return decided.with_others(missed, _on_all(context, drawn, requirement, action))


def _without_drawn(context: Context, requirement: Requirement, decided: Decided) -> State:
    """Only the records that are left are stored: they may be few."""
    missed = stored(context, decided.affected.derive({}, where=sql.negated(decided.is_below(0))))
    missed = replace(missed, records=_count(context, missed))
    context.missed[requirement.index] = missed
    return decided.with_others(missed)


def _on_all(context: Context, drawn: State, requirement: Requirement, action: Sometimes) -> State:
    """The inner action on all records of a state, whose types have changed already."""
    everybody = Assertion(Quantifier.EACH, Result(), NEVER, requirement.after)
    inner = replace(requirement, assertion=everybody, action=action.action, before=requirement.after)
    return perform(context, drawn, inner, Affected(sql.TRUE.copy(), drawn.records))


def _count(context: Context, state: State) -> int:
    return int(context.session.fetch(sql.query([state.count()], state.source()))[0][0])
