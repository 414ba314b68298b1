"""Actions on an affected bag, as relational expressions (Figures 8 to 10)."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from sqlglot import exp

from acompass.checked.program import Random, Reject, Replace, Requirement
from acompass.checked.types import Kind, Schema, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context
from acompass.plan.running.ranks import ranked
from acompass.plan.stages import type_changes


@dataclass(frozen=True)
class Affected:
    """The affected bag: the records of the state (read as `t`) for which `predicate` is true once `joins` are
    joined, `count` of them. A join never multiplies records."""

    predicate: Sql
    count: int
    joins: list[exp.Join] = field(default_factory=list)


def perform(context: Context, state: State, requirement: Requirement, affected: Affected) -> State:
    """The state after the requirement: types changed as D12 says, then the action on the affected bag."""
    converted = conversions(context, (requirement,))
    changed_schema = replace(state, schema=retyped(state, (requirement,)))
    action = requirement.action
    if affected.count == 0 or action is None:
        return changed_schema.derive(converted) if converted else state
    match action:
        case Reject():
            rest = sql.negated(affected.predicate)
            after = state.derive({}, joins=affected.joins, where=rest)
            return replace(after, records=state.records - affected.count)
        case Replace():
            old = converted.get(action.column, sql.column(action.column, "t"))
            new = exp.Case(ifs=[exp.If(this=affected.predicate, true=sql.literal(action.value))], default=old)
            return changed_schema.derive({**converted, action.column: new}, joins=affected.joins)
        case Random():
            return _randomize(context, state, action, affected)
        case _:
            assert_never(action)


def conversions(context: Context, requirements: tuple[Requirement, ...]) -> dict[int, Sql]:
    return {
        column: context.session.dialect.convert(sql.column(column, "t"), before, after)
        for requirement in requirements
        for column, (before, after) in type_changes(requirement).items()
    }


def retyped(state: State, requirements: tuple[Requirement, ...]) -> Schema:
    changes = {
        column: after
        for requirement in requirements
        for column, (_, after) in type_changes(requirement).items()
    }
    if not changes:
        return state.schema
    return tuple(replace(c, type=changes.get(i, c.type)) for i, c in enumerate(state.schema))


def _randomize(context: Context, state: State, action: Random, affected: Affected) -> State:
    """Only the affected records are ranked; they are kept, so that no later stage ranks them again."""
    session = context.session
    rest = state.derive(
        {}, joins=[join.copy() for join in affected.joins], where=sql.negated(affected.predicate.copy())
    )
    hit = replace(state.derive({}, joins=affected.joins, where=affected.predicate), records=affected.count)
    drawn = context.trace.draw(session, context.trace_used, affected.count, action.lower, action.upper)
    context.trace_used += affected.count
    numbered = replace(hit, select=ranked(context, hit))
    new_value = _as_type(context, drawn.value, state.schema[action.column].type)
    replaced = numbered.derive({action.column: new_value}, joins=[drawn.join])
    kept = replace(state, select=sql.everything(sql.table(session.store(replaced.select))))
    both = exp.union(rest.select, kept.projection(), distinct=False)
    union = sql.everything(both.subquery("t"))
    return replace(state, select=union, depth=rest.depth, in_order=False)


def _as_type(context: Context, value: Sql, type_: Type) -> Sql:
    match type_.kind:
        case Kind.INTEGER:
            return value
        case Kind.TEXT:
            return context.session.dialect.plain_text(value)
        case Kind.DECIMAL:
            return sql.cast(value, sql.decimal_type(type_.scale))
        case Kind.FLOAT:
            return sql.cast(value, "DOUBLE")
        case _:
            raise AssertionError(f"RANDOM on a column of type {type_}")
