"""Perform an action on the affected bag: REJECT, REPLACE or RANDOM (Figures 8, 9 and 10), or one of section X.

Each kernel has one function, which gets a `Target` and returns the state after the write."""

from collections.abc import Sequence
from typing import Any, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import is_always, is_certain, map_of, removes_records, write_of
from acompass.language.program.kernels import ONE, Constant, Kernel, Labels, Map, Uniform, Weighted
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import NEVER, Action, Assertion, Project, Remove, Requirement, Result, Write
from acompass.language.program.types import INTEGER, TEXT, Value, to_text
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import PLAIN_KINDS, conversions, schema_after, text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Affected, Context
from acompass.plan.run.ranks import DecidedOutcomes, decide_outcomes, rank_records, store_state


@dataclass(frozen=True)
class LabelTable:
    """The labels of GENERALIZE, looked up by distinct value (X2)."""

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


@dataclass(frozen=True)
class Target:
    """Where a kernel writes: a column of the affected records of a state."""

    context: Context
    state: State
    requirement: Requirement
    affected: Affected  # at least one record
    column: int

    def constant(self, value: Value) -> Sql:
        """A constant of the policy, as the column stores it."""
        type_ = self.requirement.after[self.column].type
        return self.context.session.dialect.constant(sql.stored_value(value, type_))

    def write(self, value: Sql, *joins: exp.Join) -> State:
        """Write a value into the affected records. The types of all records change (D12, retyping)."""
        new_types = _conversions(self.context, self.requirement)
        if not is_always(self.requirement):
            old = new_types.get(self.column, sql.column(self.column, "t"))
            value = exp.Case(ifs=[exp.If(this=self.affected.predicate, true=value)], default=old)
        typed = _with_types_after(self.state, self.requirement)
        return typed.derive({**new_types, self.column: value}, joins=[*self.affected.joins, *joins])


def perform(
    context: Context,
    state: State,
    requirement: Requirement,
    affected: Affected,
    labels: LabelTable | None = None,
) -> State:
    """The state after the requirement: types change (D12, retyping), then the action is performed.

    `labels` are the labels of GENERALIZE, if they have been looked up already.
    """
    action = requirement.action
    if action is None:
        return convert_types(context, state, requirement)
    match action.effect:
        case Project():
            return _with_types_after(state, requirement).overwrite(_conversions(context, requirement))
        case Remove() | Write() if affected.count == 0:
            return convert_types(context, state, requirement)
        case Remove() | Write() if not is_certain(action):
            return _perform_sometimes(context, state, requirement, action, affected)
        case Remove():
            rest = state.derive({}, joins=affected.joins, where=sql.negate(affected.predicate))
            return replace(rest, records=state.records - affected.count)
        case Write(columns, kernel):
            return _write(Target(context, state, requirement, affected, columns[0]), kernel, labels)
        case _:
            assert_never(action.effect)


def _write(target: Target, kernel: Kernel, labels: LabelTable | None) -> State:
    match kernel:
        case Constant(value) if is_always(target.requirement):
            return _with_types_after(target.state, target.requirement).overwrite(
                {target.column: target.constant(value)}
            )
        case Constant(value):
            return target.write(target.constant(value))
        case Uniform():
            return _randomize(target, kernel)
        case Weighted():
            return _draw(target, kernel)
        case Labels(map_):
            labels = labels or _look_up(target, map_)
            if not labels.changes:
                return convert_types(target.context, target.state, target.requirement)
            return target.write(exp.column("label", table="m"), labels.join(target.context))
        case _:
            assert_never(kernel)


def convert_types(context: Context, state: State, requirement: Requirement) -> State:
    """The state after a requirement that affects no record: only types change."""
    new = _conversions(context, requirement)
    return _with_types_after(state, requirement).derive(new) if new else state


def _conversions(context: Context, requirement: Requirement) -> dict[int, Sql]:
    return conversions(context.session.dialect, (requirement,))


def _with_types_after(state: State, requirement: Requirement) -> State:
    return replace(state, schema=schema_after(state.schema, (requirement,)))


def _randomize(target: Target, kernel: Uniform) -> State:
    """Rank, change and store only the affected records. They are stored so that no later stage ranks them again."""
    context, state, affected = target.context, target.state, target.affected
    session = context.session
    rest = state.derive({}, joins=[join.copy() for join in affected.joins], where=sql.negate(affected.predicate.copy()))
    bag = replace(state.derive({}, joins=affected.joins, where=affected.predicate), records=affected.count)
    drawn = context.trace.draw(session, context.trace_used, affected.count, kernel.lower, kernel.upper)
    context.trace_used += affected.count
    numbered = replace(bag, select=rank_records(context, bag))
    new_value = session.dialect.convert(drawn.value, INTEGER, state.schema[target.column].type)
    replaced = numbered.derive({target.column: new_value}, joins=[drawn.join])
    kept = state.read_from(session.store(replaced.select))
    both = exp.union(rest.select, kept.projection(), distinct=False, copy=False)
    union = sql.select_all(both.subquery("t", copy=False))
    return replace(state, select=union, depth=rest.depth, in_order=False)


def _draw(target: Target, kernel: Weighted) -> State:
    cuts = kernel.trace_cuts()
    decided = decide_outcomes(target.context, target.state, target.requirement, target.affected, cuts)
    decided = decided.store(target.context)
    value = decided.drawn_value([target.constant(each.value) for each in kernel.values], target.column)
    return decided.add_others(decided.affected.derive({target.column: value}))


def _perform_sometimes(
    context: Context, state: State, requirement: Requirement, action: Action, affected: Affected
) -> State:
    """Perform the action on the records that WITH PROBABILITY draws (X5)."""
    decided = decide_outcomes(context, state, requirement, affected, (action.probability,))
    if removes_records(action):
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


def _perform_on_all(context: Context, drawn: State, requirement: Requirement, action: Action) -> State:
    """Perform the action on all records of a state, whose types have changed already."""
    every_record = Assertion(Quantifier.EACH, Result(), NEVER, requirement.after)
    certain = replace(action, probability=ONE)
    inner = replace(requirement, assertion=every_record, action=certain, before=requirement.after)
    return perform(context, drawn, inner, Affected(sql.TRUE.copy(), drawn.records))


def _count(context: Context, state: State) -> int:
    return int(context.session.fetch(sql.query([state.count()], state.source()))[0][0])


def look_up_labels(context: Context, state: State, requirement: Requirement, affected: Affected) -> LabelTable | None:
    """The labels that a requirement writes into its affected records; None if it writes none."""
    write, map_ = write_of(requirement.action), map_of(requirement.action)
    if write is None or map_ is None or affected.count == 0:
        return None
    return _look_up(Target(context, state, requirement, affected, write.column), map_)


def _look_up(target: Target, map_: Map) -> LabelTable:
    """The labels of the affected values. A value without a label ends the run."""
    context = target.context
    type_ = target.state.schema[target.column].type
    value, key_type = text_key(context.session.dialect, sql.column(target.column, "t"), type_)
    texts = [
        (fetched, to_text(fetched, key_type), int(count))
        for fetched, count in context.session.fetch(_distinct_values(target, value))
    ]
    labels = [map_.label(text) for _, text, _ in texts]
    without = sum(count for (_, _, count), found in zip(texts, labels, strict=True) if found is None)
    if without:
        raise UnlabeledValueError(target.requirement.index, without)
    rows = [(fetched, found) for (fetched, _, _), found in zip(texts, labels, strict=True) if found is not None]
    # a dry run fetches no values, but labels may differ from the values that a run finds
    changes = not texts or any(text != found for (_, text, _), found in zip(texts, labels, strict=True))
    return LabelTable(rows, value, sql.type_name(key_type), changes)


def _distinct_values(target: Target, value: Sql) -> exp.Select:
    """The distinct values of the affected records, with the number of records."""
    state, affected, column = target.state, target.affected, target.column
    if column in affected.distinct and state.schema[column].type.kind in PLAIN_KINDS:
        return affected.distinct[column]
    columns = [sql.with_alias(value.copy(), "value"), state.count()]
    where = None if affected.predicate == sql.TRUE else affected.predicate.copy()
    select = sql.query(columns, state.source(), where)
    for join in affected.joins:
        select.append("joins", join.copy())
    return select.group_by(value.copy(), copy=False)
