"""Canonical order (Definition 3, D18) and ranks in it."""

from sqlglot import exp

from acompass.checked.types import Kind
from acompass.plan import sql
from acompass.plan.context import Context
from acompass.plan.sql import Sql
from acompass.plan.state import State


def canonical_order(context: Context, state: State) -> list[Sql]:
    """The sort keys of the state read as `t`: column by column, missing first."""
    return [
        exp.Ordered(this=_key(context, state, position), desc=False, nulls_first=True)
        for position in range(len(state.schema))
    ]


def _key(context: Context, state: State, position: int) -> Sql:
    column = sql.column(position, "t")
    if position in context.integers:
        return sql.cast(column, "BIGINT")
    if state.schema[position].type.kind is Kind.FLOAT:
        return context.session.dialect.float_order(column)
    return column


def ranked(context: Context, state: State) -> exp.Select:
    """The state with `i`, each record's place in canonical order, from 1."""
    order = exp.Order(expressions=canonical_order(context, state))
    place = exp.Window(this=exp.RowNumber(), order=order)
    return state.projection().select(exp.alias_(place, "i"))
