"""The values of one sensitive column: their order, their totals and their counts in each class."""

from dataclasses import dataclass

import duckdb

from acompass.checked.types import Kind, Type
from acompass.measure.query import one_row

#: one row per equivalence class and combination of sensitive values: class, size, s0, s1, …, n
CELLS = "measure_cells"

#: a number in canonical form, without a plus sign and leading zeros, and a type that holds it
NUMBER = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?"
NUMBER_TYPE = "DECIMAL(38, 18)"


@dataclass(frozen=True, slots=True)
class Order:
    """Whether the values of a column have an order for distances, and the SQL expression to sort them by."""

    is_meaningful: bool
    key: str = "value"


@dataclass(frozen=True, slots=True)
class Counts:
    """Names of three tables, and totals.

    `values`, in ascending order: position, total, reached (records up to this value), area (Σ reached up to
    this value).
    `counts`: class, size, position, total, n (records of the class with this value).
    `summaries`, one row per class: class, size, kinds (number of values), most (records with the most
    frequent value), gained (Σ max(0, q − p), times size · records), entropy (a double, to select candidates).
    """

    values: str
    counts: str
    summaries: str
    records: int
    area: int
    distinct: int
    has_order: bool


def count_values(con: duckdb.DuckDBPyConnection, index: int, order: Order) -> Counts:
    """Missing counts as a value of its own, which precedes all others."""
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
    _summarize(con, records)
    tables = ("measure_values", "measure_counts", "measure_summaries")
    return Counts(*tables, records, area, distinct, order.is_meaningful)


def _summarize(con: duckdb.DuckDBPyConnection, records: int) -> None:
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_summaries AS
        SELECT class, any_value(size) AS size, count(*) AS kinds, max(n) AS most,
               sum(greatest(0, n::HUGEINT * {records} - total::HUGEINT * size)) AS gained,
               ln(any_value(size)) - fsum(n * ln(n)) / any_value(size) AS entropy
        FROM measure_counts GROUP BY class
    """)


def order_of(con: duckdb.DuckDBPyConnection, index: int, type_: Type) -> Order:
    """The order of a sensitive column whose values are in CELLS."""
    if type_.kind is not Kind.TEXT:
        return Order(has_order(type_.kind))
    # without a policy, decimals in a CSV are text (D10), but they are ordered as numbers
    (numbers,) = one_row(con, f"SELECT bool_and(regexp_full_match(s{index}, '{NUMBER}')) FROM {CELLS}")
    return Order(True, f"value::{NUMBER_TYPE}") if numbers else Order(False)


def has_order(kind: Kind, are_numbers: bool = False) -> bool:
    """Whether distances between values of this kind mean anything; texts may all be numbers."""
    return are_numbers or kind not in (Kind.TEXT, Kind.BOOLEAN)
