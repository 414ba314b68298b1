"""Look up single records by row key, and the equivalence classes that they are in."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sqlglot import exp

from acompass.checked.program import Condition, Requirement
from acompass.checked.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.classes import Classes
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.session import Session

#: the number of records in a class, and its aggregate values for each requirement index
ClassValues: TypeAlias = tuple[int, dict[int, tuple[Any, ...]]]

_KEY = exp.column(ROW_KEY, table="t")


def nth_row_key(session: Session, state: State, place: int) -> list[int]:
    """The row key of the record at a position from 1; empty where there is none."""
    query = exp.select(_KEY.copy()).from_(state.source()).order_by(_KEY.copy()).limit(1).offset(place - 1)
    return [int(key) for (key,) in session.fetch(query)]


def matching_row_keys(session: Session, state: State, condition: Condition, most: int) -> list[int]:
    """The row keys of the first records that satisfy a condition. A missing value satisfies none."""
    satisfied = sql.condition(condition, state.schema, state.values())
    query = exp.select(_KEY.copy()).from_(state.source()).where(satisfied).order_by(_KEY.copy()).limit(most)
    return [int(key) for (key,) in session.fetch(query)]


def places(session: Session, state: State, row_keys: Sequence[int]) -> dict[int, int]:
    """The position of each record in the input, from 1: the number of row keys up to its own."""
    if not row_keys:
        return {}
    reached = [sql.count_where(exp.LTE(this=_KEY.copy(), expression=sql.integer(key))) for key in row_keys]
    (counts,) = session.fetch(sql.query(reached, state.source()))
    return {key: int(place) for key, place in zip(row_keys, counts, strict=True)}


def records_by_key(session: Session, state: State, row_keys: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """The records that the state still contains, by row key."""
    query = exp.select(_KEY.copy(), *state.columns()).from_(state.source()).where(_among(row_keys))
    return {int(key): state.record(row) for key, *row in session.fetch(query)}


def classes_by_key(
    session: Session, state: State, requirements: tuple[Requirement, ...], row_keys: Sequence[int]
) -> dict[int, ClassValues]:
    """The class of each record that PROCESS selects; the requirements have the same WHERE and GROUP BY."""
    classes = Classes(session.dialect, state, requirements)
    members = exp.select(_KEY.copy(), *state.columns()).from_(state.source())
    selected = members.where(exp.and_(_among(row_keys), classes.where)).subquery("t")
    values = {requirement.index: classes.aggregates(requirement, "v") for requirement in requirements}
    found = [value for of_requirement in values.values() for value in of_requirement]
    query = exp.select(_KEY.copy(), exp.column("n", table="v"), *found).from_(selected)
    pairs = zip(classes.process.group_by, classes.keys("v"), strict=True)
    same = [exp.EQ(this=state.value(g), expression=key) for g, key in pairs]
    join = exp.Join(this=classes.grouped("v"), on=sql.all_of(*same))
    query.append("joins", join)
    types = {r.index: _aggregate_types(r, len(values[r.index])) for r in requirements}
    return {
        int(key): (int(records), _by_requirement(types, row)) for key, records, *row in session.fetch(query)
    }


def _aggregate_types(requirement: Requirement, count: int) -> tuple[Type, ...]:
    """The aggregates are the last columns of what PROCESS yields."""
    schema = requirement.assertion.schema
    return tuple(column.type for column in schema[len(schema) - count :])


def _by_requirement(types: Mapping[int, Sequence[Type]], row: Sequence[Any]) -> dict[int, tuple[Any, ...]]:
    """A row of aggregates, cut into those of each requirement. Some engines add integers as decimals."""
    rest = iter(row)
    return {
        index: tuple(int(next(rest)) if each.kind is Kind.INTEGER else next(rest) for each in of_requirement)
        for index, of_requirement in types.items()
    }


def _among(row_keys: Sequence[int]) -> exp.In:
    return exp.In(this=_KEY.copy(), expressions=[sql.integer(key) for key in row_keys])
