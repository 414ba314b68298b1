"""Compares a table with an earlier one: how each column's distribution changed, and the information lost.

Tables are bags, so records are not paired; only distributions are compared.
"""

from collections.abc import Sequence
from fractions import Fraction

import duckdb

from acompass.checked.types import Column, Kind
from acompass.measure.columns import Positions
from acompass.measure.query import one_row
from acompass.measure.view import View, comparable, count_records
from acompass.measures import Classes, ColumnChange, Comparison


def compare(
    con: duckdb.DuckDBPyConnection,
    after: View,
    ours: Positions,
    before: View,
    theirs: Positions,
    classes: Classes,
) -> Comparison:
    """`classes` are the equivalence classes of `after`."""
    records = count_records(con, before)
    return Comparison(
        records_before=records,
        records_after=classes.records,
        columns=tuple(_change(con, after, a, before, b) for a, b in _shared(after, before)),
        only_before=_only_in(before, after),
        only_after=_only_in(after, before),
        entropy_before=_entropy(con, before, theirs.quasi_identifiers),
        entropy_after=_entropy(con, after, ours.quasi_identifiers),
        discernibility=classes.discernibility + max(0, records - classes.records) * records,
    )


def _shared(after: View, before: View) -> list[tuple[int, int]]:
    """The positions, in both tables, of the columns that both have."""
    places = {before.schema[b].name: b for b in range(len(before.schema)) if _shown(before, b)}
    return [
        (a, places[column.name])
        for a, column in enumerate(after.schema)
        if _shown(after, a) and column.name in places
    ]


def _only_in(view: View, other: View) -> tuple[str, ...]:
    names = {column.name for column in other.schema}
    return tuple(column.name for column in view.schema if column.name not in names)


def _shown(view: View, position: int) -> bool:
    return position != view.weight and view.schema[position].type.kind is not Kind.OPAQUE


def _histogram(view: View, position: int, other: Column) -> str:
    value = comparable(view, position, other)
    return f"(SELECT {value} AS value, {view.count} AS n FROM {view.relation} GROUP BY value)"


def _bits(n: str) -> str:
    """SQL for the entropy of a histogram with counts `n`; 0 without records."""
    return f"greatest(0, coalesce(log2(sum({n})) - fsum({n} * log2({n})) / sum({n}), 0))"


def _change(con: duckdb.DuckDBPyConnection, after: View, a: int, before: View, b: int) -> ColumnChange:
    after_total, before_total, moved, *rest = one_row(
        con,
        f"""
        WITH both_tables AS (
            SELECT coalesce(a.n, 0)::HUGEINT AS after_n, coalesce(b.n, 0)::HUGEINT AS before_n
            FROM {_histogram(after, a, before.schema[b])} AS a
            FULL JOIN {_histogram(before, b, after.schema[a])} AS b ON a.value IS NOT DISTINCT FROM b.value),
        totals AS (SELECT sum(after_n) AS after_total, sum(before_n) AS before_total FROM both_tables)
        SELECT any_value(after_total), any_value(before_total),
               sum(greatest(0, after_n * before_total - before_n * after_total)),
               count(*) FILTER (before_n > 0), count(*) FILTER (after_n > 0),
               {_bits("nullif(before_n, 0)")}, {_bits("nullif(after_n, 0)")}
        FROM both_tables, totals
    """,
    )
    distance = _distance(after_total or 0, before_total or 0, moved or 0)
    return ColumnChange(after.schema[a].name, distance, *rest)


def _distance(after_total: int, before_total: int, moved: int) -> Fraction:
    """The total variation distance; 1 if exactly one of the tables is empty."""
    if not after_total or not before_total:
        return Fraction(int(after_total != before_total))
    return Fraction(moved, after_total * before_total)


def _entropy(con: duckdb.DuckDBPyConnection, view: View, positions: Sequence[int]) -> float:
    """The joint entropy of the columns, in bits."""
    (bits,) = one_row(
        con,
        f"""
        SELECT {_bits("n")} FROM
        (SELECT {view.values(positions, "q")}, {view.count} AS n FROM {view.relation} GROUP BY ALL)
    """,
    )
    return float(bits)
