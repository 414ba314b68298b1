"""Group the records of a table into equivalence classes, in a single pass.

If a column tells persons apart, the size of a class is its number of distinct persons (D35, persons). A person with
records in several classes is counted in each, and one with several values of a sensitive column is counted with each.

The classes are stored in DuckDB, which computes the measures. Another engine groups its records itself and numbers the
values of each column in ascending order, missing values first; only these numbers and the counts are fetched, so that
no value of a record leaves that engine.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.engines.duckdb.session import DuckDBSession
from acompass.errors.diagnostics import Diagnostic, TableError
from acompass.language.program.types import Kind, Type
from acompass.measure.answer import Classes, People
from acompass.measure.records import Records
from acompass.measure.roles import Positions
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.run.context import Session

#: a table with a row for each equivalence class: q0, q1, …, size, class
CLASSES = "measure_classes"
#: a table with a row for each equivalence class and combination of sensitive values: class, size, s0, s1, …, n; if
#: persons are counted, also for each person
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
class Grouping:
    """The names of the columns in CLASSES and CELLS."""

    keys: tuple[str, ...]
    attributes: tuple[str, ...]
    person: str | None  # None if records are counted

    @classmethod
    def of(cls, found: Positions) -> "Grouping":
        names = tuple(f"s{i}" for i in range(len(found.sensitive) + 1))
        keys = tuple(f"q{i}" for i in range(len(found.quasi_identifiers)))
        return cls(keys, names[:-1], None if found.person is None else names[-1])

    @property
    def values(self) -> tuple[str, ...]:
        return self.attributes if self.person is None else (*self.attributes, self.person)

    @property
    def count(self) -> str:
        """SQL for the size of a group of rows of CELLS, in units."""
        return "sum(n)::BIGINT" if self.person is None else f"count(DISTINCT {self.person})"


@dataclass(frozen=True, slots=True)
class Counts:
    """Names of three DuckDB tables, and totals. Without a person, every record is one."""

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


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """The counts of a sensitive column as three groups of models read them. They are equal, unless persons are counted
    and a person has several values in a class."""

    persons: Counts  # β-likeness and δ-disclosure: the persons that have a value, among those of the class
    #: (α,k)-anonymity and l-diversity: each person has only one of their values, so that the class is least diverse
    worst: Counts
    pairs: Counts  # t-closeness: the distinct pairs of a person and a value


def count_values(con: duckdb.DuckDBPyConnection, grouping: Grouping, index: int, order: Order) -> ColumnCounts:
    """Count the values of a sensitive column in each class. Missing counts as a value, which precedes all others."""
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_values AS
        WITH totals AS (SELECT s{index} AS value, {grouping.count} AS total FROM {CELLS} GROUP BY value),
             placed AS (SELECT value, total, row_number() OVER places - 1 AS position,
                               sum(total) OVER (places ROWS UNBOUNDED PRECEDING) AS reached
                        FROM totals WINDOW places AS (ORDER BY {order.key} NULLS FIRST, value NULLS FIRST))
        SELECT *, sum(reached) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS area FROM placed
    """)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_counts AS
        SELECT class, any_value(size) AS size, position, any_value(total) AS total, {grouping.count} AS n
        FROM {CELLS} JOIN measure_values ON s{index} IS NOT DISTINCT FROM value
        GROUP BY class, position
    """)
    pairs, area, distinct = one_row(con, "SELECT max(reached), max(area), count(*) FROM measure_values")
    records = pairs if grouping.person is None else one_row(con, f"SELECT {grouping.count} FROM {CELLS}")[0]

    def summarize(counts: str, whole: int) -> Counts:
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {counts}_summaries AS
            SELECT class, any_value(size) AS size, count(*) AS kinds, max(n) AS most,
                   sum(greatest(0, n::HUGEINT * {whole} - total::HUGEINT * size)) AS gained,
                   ln(any_value(size)) - fsum(n * ln(n)) / any_value(size) AS entropy
            FROM {counts} GROUP BY class
        """)
        tables = ("measure_values", counts, f"{counts}_summaries")
        return Counts(*tables, whole, area, distinct, order.is_meaningful)

    found = summarize("measure_counts", records)
    if grouping.person is None:
        return ColumnCounts(found, found, found)
    con.execute("""
        CREATE OR REPLACE TEMP TABLE measure_worst AS
        WITH placed AS (SELECT *, coalesce(sum(n) OVER (PARTITION BY class ORDER BY n DESC, position
                                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::BIGINT AS before
                        FROM measure_counts)
        SELECT class, size, position, total, least(n, size - before) AS n FROM placed WHERE before < size
    """)
    con.execute("""
        CREATE OR REPLACE TEMP TABLE measure_pairs AS
        SELECT class, sum(n) OVER (PARTITION BY class)::BIGINT AS size, position, total, n FROM measure_counts
    """)
    return ColumnCounts(found, summarize("measure_worst", records), summarize("measure_pairs", pairs))


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


def group(con: duckdb.DuckDBPyConnection, records: Records, found: Positions) -> tuple[list[Order], People | None]:
    """Scan the table once, create CLASSES and CELLS, and return the orders of the sensitive columns and, if persons are
    counted, their numbers. All measures are computed from them. They contain the values themselves, or their numbers if
    another engine has the table."""
    grouping, values = Grouping.of(found), (*found.sensitive, *found.persons)
    orders = []
    if records.relation is None:
        orders = fetch_groups(con, records, found.quasi_identifiers, values, _GROUPS)
    else:
        positions = zip((*grouping.keys, *grouping.values), (*found.quasi_identifiers, *values), strict=True)
        columns = [f"{records.duckdb_value(position)} AS {name}" for name, position in positions]
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {_GROUPS} AS
            SELECT {", ".join(columns)}, {records.duckdb_count} AS n FROM {records.duckdb_source} GROUP BY ALL
        """)
    if found.person is not None:
        _require_persons(con, grouping, records.schema[found.person].name, is_coded=records.relation is None)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE {CLASSES} AS
        SELECT {", ".join(grouping.keys)}, {grouping.count} AS size, row_number() OVER () AS class
        FROM {_GROUPS} GROUP BY {", ".join(grouping.keys)}
    """)
    if grouping.values:
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {CELLS} AS
            SELECT class, size, {", ".join(f"g.{name}" for name in grouping.values)}, n
            FROM {_GROUPS} AS g JOIN {CLASSES} AS c
              ON {" AND ".join(f"g.{key} IS NOT DISTINCT FROM c.{key}" for key in grouping.keys)}
        """)
    con.execute(f"DROP TABLE {_GROUPS}")
    types = [records.schema[position].type for position in found.sensitive]
    orders = orders[: len(types)] or [find_order(con, index, type_) for index, type_ in enumerate(types)]
    return orders, None if found.person is None else _people(con, grouping, records.schema[found.person].name)


def _require_persons(con: duckdb.DuckDBPyConnection, grouping: Grouping, column: str, is_coded: bool) -> None:
    unknown = f"{grouping.person} = 0" if is_coded else f"{grouping.person} IS NULL"
    (records,) = one_row(con, f"SELECT coalesce(sum(n), 0)::BIGINT FROM {_GROUPS} WHERE {unknown}")
    if records:
        values = "1 record has no value" if records == 1 else f"{records:,} records have no value"
        message = f"column `{column}` cannot tell persons apart: {values} in it"
        help_ = "give every record the value of its person, or remove those records first"
        raise TableError([Diagnostic("AC617", message, help=help_)])


def _people(con: duckdb.DuckDBPyConnection, grouping: Grouping, column: str) -> People:
    persons, records, several = one_row(
        con,
        f"""SELECT count(*), coalesce(sum(n), 0)::BIGINT, count(*) FILTER (classes > 1)
            FROM (SELECT sum(n) AS n, count(DISTINCT class) AS classes FROM {CELLS} GROUP BY {grouping.person})""",
    )
    return People(column, persons, records, several)


def class_sizes(con: duckdb.DuckDBPyConnection, records: Records, grouping: Grouping) -> Classes:
    (found,) = merged_classes(con, records, grouping, [grouping.keys])
    return found


def merged_classes(
    con: duckdb.DuckDBPyConnection, records: Records, grouping: Grouping, wanted: Sequence[Sequence[str]]
) -> list[Classes]:
    """The classes by each of these lists of keys. Without keys, all records form one class, if there are any."""
    sizes = _fetch_pairs(con, (_sizes_sql(grouping, keys) for keys in wanted), len(wanted))
    if grouping.person is None:
        return [Classes(tuple((records.persons(size), n) for size, n in each)) for each in sizes]
    smallest = _fetch_pairs(con, (_smallest_sql(grouping, keys) for keys in wanted), len(wanted))
    return [Classes(tuple(each), smallest=tuple(least)) for each, least in zip(sizes, smallest, strict=True)]


def _fetch_pairs(con: duckdb.DuckDBPyConnection, queries: Iterable[str], number: int) -> list[list[tuple[int, int]]]:
    """The numbers of rows by size of each query."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(number)]
    counted = (
        f"SELECT {place} AS place, size, count(*) AS rows FROM ({query}) GROUP BY size"
        for place, query in enumerate(queries)
    )
    for place, size, rows in con.execute(f"{' UNION ALL '.join(counted)} ORDER BY place, size").fetchall():
        found[place].append((size, rows))
    return found


def _sizes_sql(grouping: Grouping, keys: Sequence[str]) -> str:
    """SQL for the size of each class. Records of classes can be added, but a person may be in several of them."""
    by = f"GROUP BY {', '.join(keys)}" if keys else "HAVING count(*) > 0"
    if grouping.person is None:
        return f"SELECT sum(size)::BIGINT AS size FROM {CLASSES} {by}"
    return f"SELECT {grouping.count} AS size FROM {CELLS} JOIN {CLASSES} USING (class) {by}"


def _smallest_sql(grouping: Grouping, keys: Sequence[str]) -> str:
    """SQL for the size of the smallest class of each person."""
    by = f"PARTITION BY {', '.join(keys)}" if keys else ""
    members = f"SELECT DISTINCT {', '.join((*keys, str(grouping.person)))} FROM {CELLS} JOIN {CLASSES} USING (class)"
    sized = f"SELECT {grouping.person}, count(*) OVER ({by}) AS size FROM ({members})"
    return f"SELECT min(size) AS size FROM ({sized}) GROUP BY {grouping.person}"


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
