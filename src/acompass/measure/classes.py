"""Group the records of a table into equivalence classes, in a single pass.

The classes are stored in DuckDB, which computes the measures. Another engine groups its records itself and numbers the
values of each column in ascending order, missing values first; only these numbers and the counts are fetched, so that
no value of a record leaves that engine.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.engines.duckdb.session import DuckDBSession
from acompass.language.program.types import Kind, Type
from acompass.measure.records import Records
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.run.context import Session

#: a table with a row for each equivalence class: q0, q1, …, size, class
CLASSES = "measure_classes"
#: a table with a row for each equivalence class and combination of sensitive values: class, size, s0, s1, …, n
CELLS = "measure_cells"
_GROUPS = "measure_groups"
#: about this many rows are fetched at once
AT_ONCE = 1_000_000

#: a number in canonical form, without a plus sign and leading zeros, and a type that can hold it
NUMBER = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?"
NUMBER_TYPE = "DECIMAL(38, 18)"


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a sensitive column's values."""

    is_meaningful: bool  # whether distances between values mean anything
    key: str = "value"  # an SQL expression to sort by


@dataclass(frozen=True, slots=True)
class Counts:
    """Names of three DuckDB tables, and totals."""

    #: in ascending order: position, total, reached (records up to this value), area (Σ reached up to this value)
    values: str
    #: class, size, position, total, n (records of the class with this value)
    counts: str
    #: for each class: class, size, kinds (number of values), most (records with the most frequent value),
    #: gained (Σ max(0, q − p), times size · records), entropy (a double, to select candidates)
    summaries: str
    records: int
    area: int
    distinct: int
    has_order: bool


def count_values(con: duckdb.DuckDBPyConnection, index: int, order: Order) -> Counts:
    """Count the values of a sensitive column in each class. Missing counts as a value, which precedes all others."""
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_values AS
        WITH totals AS (SELECT s{index} AS value, sum(n)::BIGINT AS total FROM {CELLS} GROUP BY value),
             placed AS (SELECT value, total, row_number() OVER places - 1 AS position,
                               sum(total) OVER (places ROWS UNBOUNDED PRECEDING) AS reached
                        FROM totals WINDOW places AS (ORDER BY {order.key} NULLS FIRST, value NULLS FIRST))
        SELECT *, sum(reached) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS area FROM placed
    """)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_counts AS
        SELECT class, any_value(size) AS size, position, any_value(total) AS total, sum(n)::BIGINT AS n
        FROM {CELLS} JOIN measure_values ON s{index} IS NOT DISTINCT FROM value
        GROUP BY class, position
    """)
    records, area, distinct = one_row(con, "SELECT max(reached), max(area), count(*) FROM measure_values")
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_summaries AS
        SELECT class, any_value(size) AS size, count(*) AS kinds, max(n) AS most,
               sum(greatest(0, n::HUGEINT * {records} - total::HUGEINT * size)) AS gained,
               ln(any_value(size)) - fsum(n * ln(n)) / any_value(size) AS entropy
        FROM measure_counts GROUP BY class
    """)
    tables = ("measure_values", "measure_counts", "measure_summaries")
    return Counts(*tables, records, area, distinct, order.is_meaningful)


def find_order(con: duckdb.DuckDBPyConnection, index: int, type_: Type) -> Order:
    """The order of a sensitive column whose values are in CELLS."""
    if type_.kind is not Kind.TEXT:
        return Order(has_order(type_.kind))
    # without a policy, decimals in a CSV are text (D10), but they are ordered as numbers
    (numbers,) = one_row(con, f"SELECT bool_and(regexp_full_match(s{index}, '{NUMBER}')) FROM {CELLS}")
    return Order(True, f"value::{NUMBER_TYPE}") if numbers else Order(False)


def has_order(kind: Kind, are_numbers: bool = False) -> bool:
    """Whether distances between values of this kind mean anything; `are_numbers` if all texts are numbers."""
    return are_numbers or kind not in (Kind.TEXT, Kind.BOOLEAN)


def group(
    con: duckdb.DuckDBPyConnection,
    records: Records,
    quasi_identifiers: Sequence[int],
    sensitive: Sequence[int],
) -> list[Order]:
    """Scan the table once, create CLASSES and CELLS, and return the orders of the sensitive columns. All measures are
    computed from them. They contain the values themselves, or their numbers if another engine has the table."""
    keys = [f"q{i}" for i in range(len(quasi_identifiers))]
    attributes = [f"s{i}" for i in range(len(sensitive))]
    orders = []
    if records.relation is None:
        orders = fetch_groups(con, records, quasi_identifiers, sensitive, _GROUPS)
    else:
        positions = zip((*keys, *attributes), (*quasi_identifiers, *sensitive), strict=True)
        columns = [f"{records.duckdb_value(position)} AS {name}" for name, position in positions]
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {_GROUPS} AS
            SELECT {", ".join(columns)}, {records.duckdb_count} AS n FROM {records.duckdb_source} GROUP BY ALL
        """)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE {CLASSES} AS
        SELECT {", ".join(keys)}, sum(n)::BIGINT AS size, row_number() OVER () AS class
        FROM {_GROUPS} GROUP BY {", ".join(keys)}
    """)
    if attributes:
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {CELLS} AS
            SELECT class, size, {", ".join(f"g.{name}" for name in attributes)}, n
            FROM {_GROUPS} AS g JOIN {CLASSES} AS c
              ON {" AND ".join(f"g.{key} IS NOT DISTINCT FROM c.{key}" for key in keys)}
        """)
    con.execute(f"DROP TABLE {_GROUPS}")
    types = [records.schema[position].type for position in sensitive]
    return orders or [find_order(con, index, type_) for index, type_ in enumerate(types)]


def class_sizes(con: duckdb.DuckDBPyConnection) -> tuple[tuple[int, int], ...]:
    """Pairs (size in units, number of classes) in ascending order of size."""
    rows = con.execute(f"SELECT size, count(*) FROM {CLASSES} GROUP BY size ORDER BY size").fetchall()
    return tuple((size, classes) for size, classes in rows)


def fetch_groups(
    con: duckdb.DuckDBPyConnection, records: Records, keys: Sequence[int], values: Sequence[int], table: str
) -> list[Order]:
    """Create a table in DuckDB with a row for each combination: q0, q1, … for the keys, s0, s1, … for the values, all
    as numbers, and n. Return the orders of the values."""
    columns = (*keys, *values)
    groups = records.session.store(records.group([records.value(position) for position in columns]))
    rows, are_numbers = _group_facts(records, columns, groups)
    names = [*(f"q{i}" for i in range(len(keys))), *(f"s{i}" for i in range(len(values)))]
    local = DuckDBSession(con)
    parts = [
        local.upload([(name, "BIGINT") for name in (*names, "n")], part)
        for part in _fetch_parts(records.session, _coded_groups(groups, names, are_numbers), rows)
    ]
    union = " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {union}")
    local.clear()
    kinds = [records.schema[position].type.kind for position in values]
    numbers = are_numbers[len(keys) :]
    return [Order(has_order(kind, is_number)) for kind, is_number in zip(kinds, numbers, strict=True)]


def _group_facts(records: Records, columns: Sequence[int], groups: str) -> tuple[int, list[bool]]:
    """The number of groups, and for each column whether it is text with only numbers, to be ordered by size (D10)."""
    kinds = [records.schema[position].type.kind for position in columns]
    pattern = exp.Literal.string(f"^{NUMBER}{records.session.dialect.end_of_text}")
    questions: list[Sql] = [
        sql.call("bool_and", exp.RegexpLike(this=_group_value(place), expression=pattern.copy()))
        if kind is Kind.TEXT
        else sql.FALSE.copy()
        for place, kind in enumerate(kinds)
    ]
    counted = sql.query([exp.Count(this=exp.Star()), *questions], sql.table(groups, "t"))
    ((rows, *answers),) = records.session.fetch(counted)
    return int(rows), [bool(answer) for answer in answers]


def _coded_groups(groups: str, names: Sequence[str], are_numbers: Sequence[bool]) -> exp.Select:
    """The groups, with the number of each value; 0 for a missing value."""
    numbers = [
        sql.with_alias(exp.Coalesce(this=exp.column("number", table=name), expressions=[sql.integer(0)]), name)
        for name in names
    ]
    select = sql.query([*numbers, exp.column("n", table="t")], sql.table(groups, "t"))
    for place, name in enumerate(names):
        same = exp.EQ(this=_group_value(place), expression=exp.column("value", table=name))
        codes = _value_numbers(groups, place, are_numbers[place]).subquery(name, copy=False)
        select.append("joins", exp.Join(this=codes, on=same, side="LEFT"))
    return select


def _value_numbers(groups: str, place: int, is_number: bool) -> exp.Select:
    """The values of a column, numbered from 1. Two spellings of the same number are ordered as text."""
    is_present = exp.Not(this=exp.Is(this=_group_value(place), expression=exp.null()))
    values = sql.query([sql.with_alias(_group_value(place), "value")], sql.table(groups, "t"), is_present)
    value = exp.column("value", table="d")
    keys = [sql.cast(value.copy(), NUMBER_TYPE), value.copy()] if is_number else [value.copy()]
    order = exp.Order(expressions=[exp.Ordered(this=key, desc=False, nulls_first=True) for key in keys])
    number = sql.with_alias(exp.Window(this=exp.RowNumber(), order=order), "number")
    return sql.query([value, number], values.distinct(copy=False).subquery("d", copy=False))


def _fetch_parts(session: Session, select: exp.Select, rows: int) -> Iterator[list[tuple[int, ...]]]:
    """Fetch the rows of a query in parts, to limit memory."""
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
    """The condition for the rows of a part. The sum of a row's numbers spreads the rows evenly."""
    total: Sql = sql.cast(sql.integer(0), "BIGINT")
    for name in names:
        total = exp.Add(this=total, expression=exp.column(name, table="t"))
    rest = exp.Mod(this=exp.paren(total), expression=sql.cast(sql.integer(parts), "BIGINT"))
    return exp.EQ(this=rest, expression=sql.cast(sql.integer(part), "BIGINT"))


def _group_value(place: int) -> exp.Column:
    return exp.column(f"v{place}", table="t")


def one_row(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = con.execute(sql).fetchone()
    assert row is not None
    return row
