"""How a column's values are distributed, in one table or two.

The last table alone decides which values and ranges have bars, so that no value of the table before is shown
that the released table does not contain. Values with counts below SMALLEST are pooled as "other", and
`withhold` says which counts of the table before are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import duckdb

from acompass.checked.types import Kind
from acompass.measure.query import one_row
from acompass.measure.view import View, comparable, count_records
from acompass.measure.withhold import Pair, shown_before
from acompass.measures import SMALLEST, Bar, Distribution, Persons

#: the largest number of bars for one column
MOST_BARS = 12

#: the label of a bar, and its count in each table
_Row: TypeAlias = tuple[str, tuple[Persons, ...]]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in one table or two; `values` has one SQL expression per view."""

    name: str
    views: Sequence[View]
    values: Sequence[str]

    def histogram(self, key: str) -> str:
        """SQL for rows (key, n0, n1) with the keys of the last table; `key` is an SQL expression over `v`."""
        keyed = [
            f"(SELECT {key} AS key, {view.count} AS n FROM (SELECT *, {value} AS v FROM {view.relation}) "
            "AS t GROUP BY key)"
            for view, value in zip(self.views, self.values, strict=True)
        ]
        if len(keyed) == 1:
            return f"(SELECT key, n AS n0 FROM {keyed[0]})"
        both = f"{keyed[1]} AS b LEFT JOIN {keyed[0]} AS a ON a.key IS NOT DISTINCT FROM b.key"
        return f"(SELECT b.key AS key, coalesce(a.n, 0) AS n0, b.n AS n1 FROM {both})"

    @property
    def counts(self) -> str:
        return ", ".join(f"n{i}" for i in range(len(self.views)))

    @property
    def is_frequent(self) -> str:
        return f"{self.last_count} >= {SMALLEST * self.views[-1].unit}"

    @property
    def last_count(self) -> str:
        return f"n{len(self.views) - 1}"

    def persons(self, counts: Sequence[int]) -> tuple[Persons, ...]:
        return tuple(view.persons(n) for view, n in zip(self.views, counts, strict=True))


def distributions(
    con: duckdb.DuckDBPyConnection, views: Sequence[View], drawn: frozenset[str] = frozenset()
) -> tuple[Distribution, ...]:
    """The distribution of each column that all views have, in the order of the last view. For the columns in
    `drawn`, by their names without case, nothing is shown of the table before."""
    columns = _shared(views)
    totals = tuple(count_records(con, view) for view in views)
    found = (_distribution(con, column, is_number, totals) for column, is_number in columns)
    return tuple(_without_before(each) if each.column.casefold() in drawn else each for each in found)


def _without_before(distribution: Distribution) -> Distribution:
    """Both counts together would say how many values were drawn (X5)."""
    bars = tuple(Bar(bar.label, (None, *bar.counts[1:])) for bar in distribution.bars)
    return replace(distribution, bars=bars, other=(None, *distribution.other[1:]))


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
    con: duckdb.DuckDBPyConnection, column: _Column, is_number: bool, totals: tuple[Persons, ...]
) -> Distribution:
    ranges = _ranges(con, column) if is_number else None
    rows = _values(con, column) if ranges is None else _in_ranges(con, column, ranges)
    other = tuple(total - sum(counts[i] for _, counts in rows) for i, total in enumerate(totals))
    if len(totals) == 1:
        bars = tuple(Bar(label, counts) for label, counts in rows)
        return Distribution(column.name, bars, _rare(other), totals)
    before, other_before = shown_before([Pair(*counts) for _, counts in rows], Pair(*other))
    bars = tuple(Bar(label, (n, counts[1])) for (label, counts), n in zip(rows, before, strict=True))
    return Distribution(column.name, bars, (other_before, *_rare(other[1:])), totals)


def _rare(others: tuple[Persons, ...]) -> tuple[Persons | None, ...]:
    return tuple(None if 0 < other < SMALLEST else other for other in others)


def _values(con: duckdb.DuckDBPyConnection, column: _Column) -> list[_Row]:
    rows = con.execute(
        f"SELECT CAST(key AS VARCHAR), {column.counts} FROM {column.histogram('v')} "
        f"WHERE {column.is_frequent} ORDER BY {column.last_count} DESC, key LIMIT {MOST_BARS}"
    ).fetchall()
    return [("missing" if label is None else label, column.persons(counts)) for label, *counts in rows]


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
    numbers = f"SELECT CAST({column.values[-1]} AS DOUBLE) AS v FROM {column.views[-1].relation}"
    kinds, low, high, whole = one_row(
        con,
        "SELECT approx_count_distinct(v), quantile_disc(v, 0.02), quantile_disc(v, 0.98), "
        f"bool_and(v = floor(v)) FROM ({numbers}) WHERE isfinite(v)",
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


def _in_ranges(con: duckdb.DuckDBPyConnection, column: _Column, ranges: _Ranges) -> list[_Row]:
    offset = f"floor((CAST(v AS DOUBLE) - {float(ranges.start)!r}) / {float(ranges.step)!r})"
    key = f"CAST(greatest(-1, least({ranges.number}, {offset})) AS BIGINT)"
    rows = con.execute(
        f"SELECT key, {column.counts} FROM {column.histogram(key)} WHERE {column.is_frequent} ORDER BY key"
    ).fetchall()
    return [
        ("missing" if key is None else ranges.label(key), column.persons(counts)) for key, *counts in rows
    ]
