"""The values of one sensitive column: their order, their totals and their counts in each class."""

from dataclasses import dataclass

import duckdb

from acompass.checked.types import Kind, Type
from acompass.measure.classes import CELLS
from acompass.measure.query import one_row

#: a number in canonical form: no plus sign, no leading zeros
_NUMBER = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?"


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


def count_values(con: duckdb.DuckDBPyConnection, index: int, type_: Type) -> Counts:
    """Missing counts as a value of its own, which precedes all others."""
    has_order, key = _order(con, index, type_)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_values AS
        WITH totals AS (SELECT s{index} AS value, sum(n)::BIGINT AS total FROM {CELLS} GROUP BY value),
             placed AS (SELECT value, total, row_number() OVER places - 1 AS position,
                               sum(total) OVER (places ROWS UNBOUNDED PRECEDING) AS reached
                        FROM totals WINDOW places AS (ORDER BY {key} NULLS FIRST, value NULLS FIRST))
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
    return Counts("measure_values", "measure_counts", "measure_summaries", records, area, distinct, has_order)


def _summarize(con: duckdb.DuckDBPyConnection, records: int) -> None:
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_summaries AS
        SELECT class, any_value(size) AS size, count(*) AS kinds, max(n) AS most,
               sum(greatest(0, n::HUGEINT * {records} - total::HUGEINT * size)) AS gained,
               ln(any_value(size)) - fsum(n * ln(n)) / any_value(size) AS entropy
        FROM measure_counts GROUP BY class
    """)


def _order(con: duckdb.DuckDBPyConnection, index: int, type_: Type) -> tuple[bool, str]:
    """Whether the values have an order for distances, and the SQL expression to sort them by."""
    match type_.kind:
        case Kind.TEXT:
            # without a policy, decimals in a CSV are text (D10), but they are ordered as numbers
            (numbers,) = one_row(
                con, f"SELECT bool_and(regexp_full_match(s{index}, '{_NUMBER}')) FROM {CELLS}"
            )
            return bool(numbers), "value::DECIMAL(38, 18)" if numbers else "value"
        case Kind.BOOLEAN:
            return False, "value"
        case _:
            return True, "value"
