"""The groups of a table in another engine, as integers: no value of a record leaves that engine.

The engine groups the records and numbers the values of each column in ascending order, missing values first.
Only these numbers and the counts come to the DuckDB that computes the measures.
"""

from collections.abc import Iterator, Sequence

import duckdb
from sqlglot import exp

from acompass.checked.types import Kind
from acompass.engines.duckdb.session import DuckDBSession
from acompass.measure.records import Records
from acompass.measure.values import NUMBER, NUMBER_TYPE, Order, has_order
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.running.session import Session

#: rows that are fetched at once, about
AT_ONCE = 1_000_000


def bring_groups(
    con: duckdb.DuckDBPyConnection, records: Records, keys: Sequence[int], values: Sequence[int], table: str
) -> list[Order]:
    """Create a table in DuckDB with a row for each combination: q0, q1, … of the keys, s0, s1, … of the
    values, all as numbers, and n. Return the orders of the values."""
    columns = (*keys, *values)
    groups = records.session.store(records.grouped([records.value(position) for position in columns]))
    rows, are_numbers = _facts(records, columns, groups)
    names = [*(f"q{i}" for i in range(len(keys))), *(f"s{i}" for i in range(len(values)))]
    local = DuckDBSession(con)
    parts = [
        local.upload([(name, "BIGINT") for name in (*names, "n")], part)
        for part in _fetched(records.session, _coded(groups, names, are_numbers), rows)
    ]
    union = " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {union}")
    local.clear()
    kinds = [records.schema[position].type.kind for position in values]
    numbers = are_numbers[len(keys) :]
    return [Order(has_order(kind, is_number)) for kind, is_number in zip(kinds, numbers, strict=True)]


def _facts(records: Records, columns: Sequence[int], groups: str) -> tuple[int, list[bool]]:
    """The number of groups, and whether each column is text that has numbers only: these are then ordered as
    numbers (D10)."""
    kinds = [records.schema[position].type.kind for position in columns]
    pattern = exp.Literal.string(f"^{NUMBER}{records.session.dialect.end_of_text}")
    questions: list[Sql] = [
        sql.call("bool_and", exp.RegexpLike(this=_value(place), expression=pattern.copy()))
        if kind is Kind.TEXT
        else sql.FALSE.copy()
        for place, kind in enumerate(kinds)
    ]
    counted = sql.query([exp.Count(this=exp.Star()), *questions], sql.table(groups, "t"))
    ((rows, *answers),) = records.session.fetch(counted)
    return int(rows), [bool(answer) for answer in answers]


def _coded(groups: str, names: Sequence[str], are_numbers: Sequence[bool]) -> exp.Select:
    """The groups with the number of each value; a missing value has 0."""
    numbers = [
        sql.named(exp.Coalesce(this=exp.column("number", table=name), expressions=[sql.integer(0)]), name)
        for name in names
    ]
    select = sql.query([*numbers, exp.column("n", table="t")], sql.table(groups, "t"))
    for place, name in enumerate(names):
        same = exp.EQ(this=_value(place), expression=exp.column("value", table=name))
        codes = _numbered(groups, place, are_numbers[place]).subquery(name, copy=False)
        select.append("joins", exp.Join(this=codes, on=same, side="LEFT"))
    return select


def _numbered(groups: str, place: int, is_number: bool) -> exp.Select:
    """The values of a column with their numbers from 1. Two texts of one number are ordered as texts."""
    is_there = exp.Not(this=exp.Is(this=_value(place), expression=exp.null()))
    values = sql.query([sql.named(_value(place), "value")], sql.table(groups, "t"), is_there)
    value = exp.column("value", table="d")
    keys = [sql.cast(value.copy(), NUMBER_TYPE), value.copy()] if is_number else [value.copy()]
    order = exp.Order(expressions=[exp.Ordered(this=key, desc=False, nulls_first=True) for key in keys])
    number = sql.named(exp.Window(this=exp.RowNumber(), order=order), "number")
    return sql.query([value, number], values.distinct(copy=False).subquery("d", copy=False))


def _fetched(session: Session, select: exp.Select, rows: int) -> Iterator[list[tuple[int, ...]]]:
    """The rows of a query, not all of them at once, so that they take little memory."""
    parts = -(-rows // AT_ONCE)
    if parts <= 1:
        yield session.fetch(select)
        return
    names = [each.alias for each in select.expressions[:-1]]
    table = session.store(select)
    for part in range(parts):
        yield session.fetch(sql.query([exp.Star()], sql.table(table, "t"), _is_part(names, part, parts)))
    session.drop(table)


def _is_part(names: Sequence[str], part: int, parts: int) -> Sql:
    """The numbers of all columns together spread the rows evenly."""
    total: Sql = sql.cast(sql.integer(0), "BIGINT")
    for name in names:
        total = exp.Add(this=total, expression=exp.column(name, table="t"))
    rest = exp.Mod(this=exp.paren(total), expression=sql.cast(sql.integer(parts), "BIGINT"))
    return exp.EQ(this=rest, expression=sql.cast(sql.integer(part), "BIGINT"))


def _value(place: int) -> exp.Column:
    return exp.column(f"v{place}", table="t")
