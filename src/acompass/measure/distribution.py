"""How a column's values are distributed, in one table or two.

For whoever receives the last table, that table alone decides which values and ranges have bars, so that no
value of the table before is shown that the released table does not contain. Values with counts below SMALLEST
are pooled as "other", and `withhold` says which counts of the table before are left out. Of a column that a
line of the policy writes, nothing is shown of the table before. The curator sees both tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import duckdb

from acompass.checked.types import Kind
from acompass.measure.label_order import Key, in_order
from acompass.measure.query import one_row
from acompass.measure.ranges import OUTLIERS, Ranges, pooled
from acompass.measure.view import View, comparable, count_records
from acompass.measure.withhold import Pair, shown_before
from acompass.measures import SMALLEST, Bar, Distribution, Persons

#: the largest number of bars for one column
MOST_BARS = 12
MOST_BARS_FOR_CURATORS = 20
#: a value of fewer records belongs to one person
_SHARED = 2

#: a column with more labels has bars for the most frequent alone
MOST_LABELS = 10_000

#: ranges of larger floats would have bounds that are not floats
_LARGEST = 1e300

#: the label of a bar, and its count in each table
_Row: TypeAlias = tuple[str, tuple[Persons, ...]]


@dataclass(frozen=True, slots=True)
class Showing:
    """Who sees the distributions, and which columns a policy writes, by their names without case; None if any
    column may have been written. `orders` has the order of labels of columns with a hierarchy."""

    curator: bool = False
    written: frozenset[str] | None = frozenset()
    orders: Mapping[str, Mapping[str, Key]] = field(default_factory=dict)

    def is_written(self, name: str) -> bool:
        return self.written is None or name.casefold() in self.written

    def order(self, name: str) -> Mapping[str, Key] | None:
        return self.orders.get(name.casefold())

    @property
    def most_bars(self) -> int:
        return MOST_BARS_FOR_CURATORS if self.curator else MOST_BARS

    @property
    def smallest(self) -> int:
        return 1 if self.curator else SMALLEST


@dataclass(frozen=True, slots=True)
class _Bar:
    """A value, and its count in each table in units of its view."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in one table or two, which `series` names; `values` has one SQL expression per view. The view
    at position `lead` decides which values have bars."""

    name: str
    series: tuple[str, ...]
    views: Sequence[View]
    values: Sequence[str]
    is_number: bool
    showing: Showing

    @property
    def lead(self) -> int:
        """A line that writes nothing can only remove values, so the table before has them all."""
        return 0 if self.showing.curator else len(self.views) - 1

    def histogram(self, key: str) -> str:
        """SQL for rows (key, n0, n1) with the keys of the lead; `key` is an SQL expression over `v`."""
        keyed = [
            f"(SELECT {key} AS key, {view.count} AS n FROM (SELECT *, {value} AS v FROM {view.relation}) "
            "GROUP BY key)"
            for view, value in zip(self.views, self.values, strict=True)
        ]
        lead = f"t{self.lead}"
        others = "".join(
            f" LEFT JOIN {table} AS t{i} ON t{i}.key IS NOT DISTINCT FROM {lead}.key"
            for i, table in enumerate(keyed)
            if i != self.lead
        )
        counts = ", ".join(f"coalesce(t{i}.n, 0) AS n{i}" for i in range(len(keyed)))
        return f"(SELECT {lead}.key AS key, {counts} FROM {keyed[self.lead]} AS {lead}{others})"

    @property
    def counts(self) -> str:
        return ", ".join(f"n{i}" for i in range(len(self.views)))

    @property
    def is_frequent(self) -> str:
        return f"n{self.lead} >= {self.showing.smallest * self.views[self.lead].unit}"

    def is_names(self, bars: Sequence[_Bar]) -> bool:
        """Whether no value belongs to two records and there are many: a list of names tells nothing."""
        return len(bars) >= self.showing.most_bars and bars[0].counts[self.lead] < _SHARED * self._unit

    def led(self, bar: _Bar) -> tuple[str, int]:
        """The label of a bar, and its count in the table that decides."""
        return bar.label, bar.counts[self.lead]

    def frequent(self, bars: Sequence[_Bar]) -> list[_Bar]:
        """The most frequent ones that enough records have, in their order."""
        enough = [bar for bar in bars if bar.counts[self.lead] >= self.showing.smallest * self._unit]
        most = sorted(enough, key=lambda bar: -bar.counts[self.lead])[: self.showing.most_bars]
        return [bar for bar in enough if bar in most]

    @property
    def _unit(self) -> int:
        return self.views[self.lead].unit

    def persons(self, counts: Sequence[int]) -> tuple[Persons, ...]:
        return tuple(view.persons(n) for view, n in zip(self.views, counts, strict=True))


def distributions(
    con: duckdb.DuckDBPyConnection, views: Sequence[View], showing: Showing | None = None
) -> tuple[Distribution, ...]:
    """The distributions of the columns of one table, or of the table before and the released table, in the
    order of the last one. A column can have one for both tables, or one for each."""
    names = ("table",) if len(views) == 1 else ("before", "after")
    columns = list(_columns(dict(zip(names, views, strict=True)), showing or Showing()))
    totals = {name: count_records(con, view) for name, view in zip(names, views, strict=True)}
    return tuple(_distribution(con, column, totals) for column in columns)


def _columns(views: Mapping[str, View], showing: Showing) -> Iterator[_Column]:
    *before, last = views
    for column in views[last].schema:
        if not before or (showing.is_written(column.name) and not showing.curator):
            yield from _column({last: views[last]}, column.name, showing)
        elif showing.is_written(column.name):
            for name, view in views.items():
                yield from _column({name: view}, column.name, showing)
        else:
            yield from _column(views, column.name, showing)
    if before and showing.curator:
        yield from _only_before(views[before[0]], views[last], showing)


def _only_before(before: View, last: View, showing: Showing) -> Iterator[_Column]:
    """The columns that were dropped."""
    for column in before.schema:
        if _place(last, column.name) is None:
            yield from _column({"before": before}, column.name, showing)


def _column(views: Mapping[str, View], name: str, showing: Showing) -> Iterator[_Column]:
    """The column in these tables; nothing if one of them lacks it, or its values cannot be compared."""
    pairs = [(view, place) for view in views.values() if (place := _place(view, name)) is not None]
    kinds = [view.schema[place].type.kind for view, place in pairs]
    is_weight = any(place == view.weight for view, place in pairs)
    if len(pairs) < len(views) or Kind.OPAQUE in kinds or is_weight:
        return
    shared = tuple(view for view, _ in pairs)
    values = [_value(view, place, shared) for view, place in pairs]
    is_number = all(view.schema[place].type.is_number for view, place in pairs)
    yield _Column(name, tuple(views), shared, values, is_number, showing)


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
    con: duckdb.DuckDBPyConnection, column: _Column, all_totals: Mapping[str, Persons]
) -> Distribution:
    totals = tuple(all_totals[name] for name in column.series)
    ranges = _ranges(con, column) if column.is_number else None
    rows = _values(con, column) if ranges is None else _in_ranges(con, column, ranges)
    other = tuple(total - sum(counts[i] for _, counts in rows) for i, total in enumerate(totals))
    if column.showing.curator:
        bars, others = tuple(Bar(label, counts) for label, counts in rows), tuple[Persons | None, ...](other)
        return Distribution(column.name, bars, others, totals, column.series, _smallest(rows))
    if len(totals) == 1:
        bars = tuple(Bar(label, counts) for label, counts in rows)
        return Distribution(column.name, bars, _rare(other), totals, column.series)
    before, other_before = shown_before([Pair(*counts) for _, counts in rows], Pair(*other))
    bars = tuple(Bar(label, (n, counts[1])) for (label, counts), n in zip(rows, before, strict=True))
    return Distribution(column.name, bars, (other_before, *_rare(other[1:])), totals, column.series)


def _smallest(rows: Sequence[_Row]) -> int:
    return 1 if rows else _SHARED


def _rare(others: tuple[Persons, ...]) -> tuple[Persons | None, ...]:
    return tuple(None if 0 < other < SMALLEST else other for other in others)


def _values(con: duckdb.DuckDBPyConnection, column: _Column) -> list[_Row]:
    """The most frequent values, in the order of what they mean."""
    rows = con.execute(
        f"SELECT CAST(key AS VARCHAR), {column.counts} FROM {column.histogram('v')} "
        f"ORDER BY n{column.lead} DESC, key LIMIT {MOST_LABELS + 1}"
    ).fetchall()
    found = [_Bar("missing" if label is None else label, tuple(counts)) for label, *counts in rows]
    if column.is_names(found):
        return []
    order = column.showing.order(column.name)
    can_be_pooled = order is None and column.showing.most_bars < len(found) <= MOST_LABELS
    pools = pooled(*zip(*(column.led(bar) for bar in found), strict=True)) if can_be_pooled else None
    if pools is not None:
        found = [_Bar(label, _added([found[place] for place in places])) for label, places in pools]
    shown = column.frequent(found)
    if pools is None:
        shown = [shown[place] for place in in_order([bar.label for bar in shown], order)]
    return [(bar.label, column.persons(bar.counts)) for bar in shown]


def _added(bars: Sequence[_Bar]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*(bar.counts for bar in bars), strict=True)))


def _ranges(con: duckdb.DuckDBPyConnection, column: _Column) -> Ranges | None:
    """None if each value can have its own bar. Outliers do not widen the ranges."""
    lead = column.lead
    numbers = f"SELECT CAST({column.values[lead]} AS DOUBLE) AS v FROM {column.views[lead].relation}"
    kinds, low, high, whole = one_row(
        con,
        f"SELECT approx_count_distinct(v), quantile_disc(v, {OUTLIERS}), quantile_disc(v, {1 - OUTLIERS}), "
        f"bool_and(v = floor(v)) FROM ({numbers}) WHERE isfinite(v)",
    )
    if low is None or kinds <= MOST_BARS or low == high or max(-low, high) > _LARGEST:
        return None
    return Ranges.between(Fraction(low), Fraction(high), whole)


def _in_ranges(con: duckdb.DuckDBPyConnection, column: _Column, ranges: Ranges) -> list[_Row]:
    offset = f"floor((CAST(v AS DOUBLE) - {float(ranges.start)!r}) / {float(ranges.step)!r})"
    key = f"CAST(greatest(-1, least({ranges.number}, {offset})) AS BIGINT)"
    rows = con.execute(
        f"SELECT key, {column.counts} FROM {column.histogram(key)} WHERE {column.is_frequent} ORDER BY key"
    ).fetchall()
    return [
        ("missing" if key is None else ranges.label(key), column.persons(counts)) for key, *counts in rows
    ]
