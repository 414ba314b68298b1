"""Perform an action on the affected bag: REJECT, REPLACE or RANDOM (Figures 8, 9 and 10), or one of section X.

GENERALIZE looks labels up by distinct value (X2)."""

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import drops_records, is_always
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import (
    NEVER,
    Assertion,
    Draw,
    Drop,
    Generalize,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
    Sometimes,
)
from acompass.language.program.types import INTEGER, TEXT, Value, to_text
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import PLAIN_KINDS, conversions, schema_after, text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Affected, Context
from acompass.plan.run.ranks import DecidedOutcomes, decide_outcomes, rank_records, store_state

#: an action that changes or drops the affected records
_OnRecords: TypeAlias = Reject | Replace | Random | Draw | Generalize | Sometimes


@dataclass(frozen=True)
class Labels:
    rows: Sequence[tuple[Any, str]]  # the distinct values of the affected records, with their labels
    value: Sql  # the value of a record of the state, named `t`
    type: str  # its SQL type
    changes: bool  # whether a label differs from its value

    def join(self, context: Context) -> exp.Join:
        """A join with the labels, named `m`."""
        columns = (("value", self.type), ("label", sql.type_name(TEXT)))
        table = context.session.upload(columns, self.rows)
        on = exp.EQ(this=self.value.copy(), expression=exp.column("value", table="m"))
        return exp.Join(this=sql.table(table, "m"), on=on, side="LEFT")


def perform(
    context: Context,
    state: State,
    requirement: Requirement,
    affected: Affected,
    labels: Labels | None = None,
) -> State:
    """The state after the requirement: types change (D12, retyping), then the action is performed.

    `labels` are the labels of GENERALIZE, if they have been looked up already.
    """
    action = requirement.action
    match action:
        case None:
            return convert_types(context, state, requirement)
        case Drop():
            return _with_types_after(state, requirement).overwrite(_conversions(context, requirement))
        case Reject() | Replace() | Random() | Draw() | Generalize() | Sometimes():
            if affected.count == 0:
                return convert_types(context, state, requirement)
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


def convert_types(context: Context, state: State, requirement: Requirement) -> State:
    """The state after a requirement that affects no record: only types change."""
    new = _conversions(context, requirement)
    return _with_types_after(state, requirement).derive(new) if new else state


def _conversions(context: Context, requirement: Requirement) -> dict[int, Sql]:
    return conversions(context.session.dialect, (requirement,))


def _with_types_after(state: State, requirement: Requirement) -> State:
    return replace(state, schema=schema_after(state.schema, (requirement,)))


def _reject(state: State, affected: Affected) -> State:
    rest = state.derive({}, joins=affected.joins, where=sql.negate(affected.predicate))
    return replace(rest, records=state.records - affected.count)


def _replace(context: Context, state: State, requirement: Requirement, action: Replace, affected: Affected) -> State:
    typed = _with_types_after(state, requirement)
    constant = _constant(context, requirement, action.column, action.value)
    if is_always(requirement):
        return typed.overwrite({action.column: constant})
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
        return convert_types(context, state, requirement)
    new_types = _conversions(context, requirement)
    new: Sql = exp.column("label", table="m")
    if not is_always(requirement):
        old = new_types.get(action.column, sql.column(action.column, "t"))
        new = exp.Case(ifs=[exp.If(this=affected.predicate, true=new)], default=old)
    joins = [*affected.joins, labels.join(context)]
    changed = {**new_types, action.column: new}
    return _with_types_after(state, requirement).derive(changed, joins=joins)


def _randomize(context: Context, state: State, action: Random, affected: Affected) -> State:
    """Rank, change and store only the affected records. They are stored so that no later stage ranks them again."""
    session = context.session
    rest = state.derive({}, joins=[join.copy() for join in affected.joins], where=sql.negate(affected.predicate.copy()))
    bag = replace(state.derive({}, joins=affected.joins, where=affected.predicate), records=affected.count)
    drawn = context.trace.draw(session, context.trace_used, affected.count, action.lower, action.upper)
    context.trace_used += affected.count
    numbered = replace(bag, select=rank_records(context, bag))
    new_value = session.dialect.convert(drawn.value, INTEGER, state.schema[action.column].type)
    replaced = numbered.derive({action.column: new_value}, joins=[drawn.join])
    kept = state.read_from(session.store(replaced.select))
    both = exp.union(rest.select, kept.projection(), distinct=False, copy=False)
    union = sql.select_all(both.subquery("t", copy=False))
    return replace(state, select=union, depth=rest.depth, in_order=False)


def _draw(context: Context, state: State, requirement: Requirement, action: Draw, affected: Affected) -> State:
    decided = decide_outcomes(context, state, requirement, affected, action.cuts).store(context)
    values = [_constant(context, requirement, action.column, each.value) for each in action.values]
    value = decided.drawn_value(values, action.column)
    return decided.add_others(decided.affected.derive({action.column: value}))


def _sometimes(
    context: Context, state: State, requirement: Requirement, action: Sometimes, affected: Affected
) -> State:
    decided = decide_outcomes(context, state, requirement, affected, (action.probability,))
    if drops_records(action):
        return _without_drawn(context, requirement, decided)
    decided = decided.store(context)
    drawn = decided.affected.derive({}, where=decided.is_below(0))
    drawn = replace(drawn, records=_count(context, drawn))
    missed = decided.affected.derive({}, where=sql.negate(decided.is_below(0)))
    missed = replace(missed, records=affected.count - drawn.records)
    context.missed[requirement.index] = missed
    return decided.add_others(missed, _perform_on_all(context, drawn, requirement, action))


def _without_drawn(context: Context, requirement: Requirement, decided: DecidedOutcomes) -> State:
    """Drop the drawn records, and store only the others: they may be few."""
    missed = store_state(context, decided.affected.derive({}, where=sql.negate(decided.is_below(0))))
    missed = replace(missed, records=_count(context, missed))
    context.missed[requirement.index] = missed
    return decided.add_others(missed)


def _perform_on_all(context: Context, drawn: State, requirement: Requirement, action: Sometimes) -> State:
    """Perform the inner action on all records of a state, whose types have changed already."""
    every_record = Assertion(Quantifier.EACH, Result(), NEVER, requirement.after)
    inner = replace(requirement, assertion=every_record, action=action.action, before=requirement.after)
    return perform(context, drawn, inner, Affected(sql.TRUE.copy(), drawn.records))


def _count(context: Context, state: State) -> int:
    return int(context.session.fetch(sql.query([state.count()], state.source()))[0][0])


def look_up(context: Context, state: State, requirement: Requirement, action: Generalize, affected: Affected) -> Labels:
    """The labels of the affected values. A value without a label ends the run."""
    type_ = state.schema[action.column].type
    value, key_type = text_key(context.session.dialect, sql.column(action.column, "t"), type_)
    texts = [
        (fetched, to_text(fetched, key_type), int(count))
        for fetched, count in context.session.fetch(_distinct_values(state, action.column, value, affected))
    ]
    labels = [action.map.label(text) for _, text, _ in texts]
    without = sum(count for (_, _, count), found in zip(texts, labels, strict=True) if found is None)
    if without:
        raise UnlabeledValueError(requirement.index, without)
    rows = [(fetched, found) for (fetched, _, _), found in zip(texts, labels, strict=True) if found is not None]
    # a dry run fetches no values, but labels may differ from the values that a run finds
    changes = not texts or any(text != found for (_, text, _), found in zip(texts, labels, strict=True))
    return Labels(rows, value, sql.type_name(key_type), changes)


def _distinct_values(state: State, column: int, value: Sql, affected: Affected) -> exp.Select:
    """The distinct values of the affected records, with the number of records."""
    if column in affected.distinct and state.schema[column].type.kind in PLAIN_KINDS:
        return affected.distinct[column]
    columns = [sql.with_alias(value.copy(), "value"), state.count()]
    where = None if affected.predicate == sql.TRUE else affected.predicate.copy()
    select = sql.query(columns, state.source(), where)
    for join in affected.joins:
        select.append("joins", join.copy())
    return select.group_by(value.copy(), copy=False)
