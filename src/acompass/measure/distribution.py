"""How a column's values are distributed, in one table or two.

Counts below SMALLEST are never disclosed: such values are pooled as "other".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from acompass.checked.types import Kind
from acompass.measure.query import one_row
from acompass.measure.view import View, comparable, count_records
from acompass.measures import SMALLEST, Bar, Distribution

#: the largest number of bars for one column
MOST_BARS = 12


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in one table or two; `values` has one SQL expression per view."""

    name: str
    views: Sequence[View]
    values: Sequence[str]

    def histogram(self, key: str) -> str:
        """SQL for rows (key, n0, n1); `key` is an SQL expression over the value `v`."""
        keyed = [
            f"(SELECT {key} AS key, {view.count} AS n FROM (SELECT *, {value} AS v FROM {view.relation}) "
            "GROUP BY key)"
            for view, value in zip(self.views, self.values, strict=True)
        ]
        if len(keyed) == 1:
            return f"(SELECT key, n AS n0 FROM {keyed[0]})"
        both = f"{keyed[0]} AS a FULL JOIN {keyed[1]} AS b ON a.key IS NOT DISTINCT FROM b.key"
        return (
            "(SELECT CASE WHEN a.n IS NULL THEN b.key ELSE a.key END AS key, "
            f"coalesce(a.n, 0) AS n0, coalesce(b.n, 0) AS n1 FROM {both})"
        )

    @property
    def counts(self) -> str:
        return ", ".join(f"n{i}" for i in range(len(self.views)))


def distributions(con: duckdb.DuckDBPyConnection, views: Sequence[View]) -> tuple[Distribution, ...]:
    """The distribution of each column that all views have, in the order of the last view."""
    columns = _shared(views)
    totals = tuple(count_records(con, view) for view in views)
    return tuple(_distribution(con, column, is_number, totals) for column, is_number in columns)


def _shared(views: Sequence[View]) -> list[tuple[_Column, bool]]:
    """Each shared column, and whether it is numeric in every table."""
    found = []
    for position, column in enumerate(views[-1].schema):
        places = [_place(view, column.name) for view in views]
        if None in places or column.type.kind is Kind.OPAQUE or position == views[-1].weight:
            continue
        pairs = [(view, place) for view, place in zip(views, places, strict=True) if place is not None]
        types = [view.schema[place].type for view, place in pairs]
        if Kind.OPAQUE in {type_.kind for type_ in types}:
            continue
        values = [_value(view, place, views) for view, place in pairs]
        found.append((_Column(column.name, views, values), all(type_.is_number for type_ in types)))
    return found


def _place(view: View, name: str) -> int | None:
    return next((i for i, column in enumerate(view.schema) if column.name == name), None)


def _value(view: View, place: int, views: Sequence[View]) -> str:
    """SQL for the value to group by; dates and timestamps are reduced to their year."""
    name = view.schema[place].name
    others = [other.schema[at] for other in views if (at := _place(other, name)) is not None]
    if all(other.type.kind in (Kind.DATE, Kind.TIMESTAMP) for other in others):
        return f"year({view.value(place)})"
    unlike = next((other for other in others if other.type.kind is not view.schema[place].type.kind), None)
    return view.value(place) if unlike is None else comparable(view, place, unlike)


def _distribution(
    con: duckdb.DuckDBPyConnection, column: _Column, is_number: bool, totals: tuple[int, ...]
) -> Distribution:
    ranges = _ranges(con, column) if is_number else None
    bars = _values(con, column) if ranges is None else _in_ranges(con, column, ranges)
    shown = [sum(bar.counts[i] or 0 for bar in bars) for i in range(len(totals))]
    other = tuple(total - part for total, part in zip(totals, shown, strict=True))
    return Distribution(column.name, tuple(bars), other, totals)


def _values(con: duckdb.DuckDBPyConnection, column: _Column) -> list[Bar]:
    most = f"greatest({column.counts}, 0)"
    rows = con.execute(
        f"SELECT CAST(key AS VARCHAR), {column.counts} FROM {column.histogram('v')} "
        f"WHERE {most} >= {SMALLEST} ORDER BY {most} DESC, key LIMIT {MOST_BARS}"
    ).fetchall()
    return [Bar("missing" if label is None else label, _shown(counts)) for label, *counts in rows]


def _shown(counts: Sequence[int]) -> tuple[int | None, ...]:
    return tuple(None if 0 < count < SMALLEST else count for count in counts)


@dataclass(frozen=True, slots=True)
class _Ranges:
    """`number` ranges of width `step`, starting at `start`. Their bounds are round numbers, so that they
    disclose no record's value. `whole` means that all values are integers."""

    start: Fraction
    step: Fraction
    number: int
    whole: bool

    def label(self, place: int) -> str:
        low = self.start + place * self.step
        if place < 0:
            return f"below {_plain(self.start)}"
        if place >= self.number:
            return f"{_plain(low)} and above"
        if self.whole:
            last = low + self.step - 1
            return _plain(low) if last == low else f"{_plain(low)} to {_plain(last)}"
        return f"{_plain(low)} to below {_plain(low + self.step)}"


def _plain(number: Fraction) -> str:
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.6g}"


def _ranges(con: duckdb.DuckDBPyConnection, column: _Column) -> _Ranges | None:
    """None if each value can have its own bar. Outliers do not widen the ranges."""
    both = " UNION ALL ".join(
        f"(SELECT CAST({value} AS DOUBLE) AS v FROM {view.relation})"
        for view, value in zip(column.views, column.values, strict=True)
    )
    kinds, low, high, whole = one_row(
        con,
        "SELECT approx_count_distinct(v), quantile_disc(v, 0.02), quantile_disc(v, 0.98), "
        f"bool_and(v = floor(v)) FROM ({both}) WHERE isfinite(v)",
    )
    if low is None or kinds <= MOST_BARS or low == high:
        return None
    step = _round_step((high - low) / (MOST_BARS - 3))
    step = max(step, Fraction(1)) if whole else step
    start = math.floor(Fraction(low) / step) * step
    number = math.floor((Fraction(high) - start) / step) + 1
    return _Ranges(start, step, number, whole)


def _round_step(at_least: float) -> Fraction:
    """The least of 1, 2 and 5 times a power of ten that is large enough."""
    power = Fraction(10) ** math.floor(math.log10(at_least))
    return next(power * by for by in (1, 2, 5, 10) if power * by >= at_least)


def _in_ranges(con: duckdb.DuckDBPyConnection, column: _Column, ranges: _Ranges) -> list[Bar]:
    offset = f"floor((CAST(v AS DOUBLE) - {float(ranges.start)!r}) / {float(ranges.step)!r})"
    key = f"CAST(greatest(-1, least({ranges.number}, {offset})) AS BIGINT)"
    rows = con.execute(f"SELECT key, {column.counts} FROM {column.histogram(key)} ORDER BY key").fetchall()
    bars = [Bar("missing" if key is None else ranges.label(key), _shown(counts)) for key, *counts in rows]
    return [bar for bar in bars if any(bar.counts)]
