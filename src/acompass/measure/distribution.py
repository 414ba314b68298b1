"""The distribution of each column's values, in one table or in the tables before and after.

Readers know the released table, so a count from the table before would reveal by how much a value's count changed, and
a change of 1 to SMALLEST - 1 records is a small count. `withhold_counts` makes sure that it cannot be computed, either
directly or by subtracting the shown counts from the total.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import duckdb

from acompass.dataclasses import dataclass, field
from acompass.language.program.types import Kind
from acompass.measure.answer import SMALLEST, Bar, Distribution, Persons
from acompass.measure.classes import one_row
from acompass.measure.labels import OUTLIERS, Key, Ranges, order_labels, pool_labels
from acompass.measure.records import Records, is_same_kind

#: the largest number of bars for one column
MOST_BARS = 12
MOST_BARS_FOR_CURATORS = 20
#: a value that fewer records have belongs to one person
_SHARED = 2
#: a column with more labels has bars only for the most frequent ones
MOST_LABELS = 10_000
#: ranges of larger floats would have bounds that are not floats
_LARGEST = 1e300

#: the label of a bar, and its count in each table
_Row: TypeAlias = tuple[str, tuple[Persons, ...]]


@dataclass(frozen=True, slots=True)
class Showing:
    """Who sees the distributions, and what the policy does to the columns. Column names are case-folded."""

    curator: bool = False
    #: the columns that the policy writes; None if any column may have been written
    written: frozenset[str] | None = frozenset()
    #: the order of the labels of each column with a hierarchy
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
    label: str
    counts: tuple[int, ...]  # in each table, in units of its view


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in one table or two."""

    name: str
    series: tuple[str, ...]  # the names of the tables
    views: Sequence[Records]
    values: Sequence[str]  # an SQL expression for each view
    is_number: bool
    showing: Showing

    @property
    def lead(self) -> int:
        """The position of the view that decides which values have bars. For a curator, it is the table before: a column
        that is not written can only lose values."""
        return 0 if self.showing.curator else len(self.views) - 1

    def histogram(self, key: str) -> str:
        """SQL for rows (key, n0, n1) with the keys of the lead; `key` is an SQL expression over the value `v`."""
        keyed = [
            f"(SELECT {key} AS key, {view.duckdb_count} AS n FROM (SELECT *, {value} AS v FROM {view.duckdb_source}) "
            "AS t GROUP BY key)"
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
    def least_count(self) -> int:
        """The smallest count of a bar in the lead, in units."""
        return self.showing.smallest * self.views[self.lead].unit

    def has_only_names(self, bars: Sequence[_Bar]) -> bool:
        """Whether there are many values and no two records share one, so that bars would say nothing."""
        shared = _SHARED * self.views[self.lead].unit
        return len(bars) >= self.showing.most_bars and bars[0].counts[self.lead] < shared

    def frequent(self, bars: Sequence[_Bar]) -> list[_Bar]:
        """The most frequent bars with enough records, in their order."""
        enough = [bar for bar in bars if bar.counts[self.lead] >= self.least_count]
        most = sorted(enough, key=lambda bar: -bar.counts[self.lead])[: self.showing.most_bars]
        return [bar for bar in enough if bar in most]

    def persons(self, counts: Sequence[int]) -> tuple[Persons, ...]:
        return tuple(view.persons(n) for view, n in zip(self.views, counts, strict=True))


def distributions(
    con: duckdb.DuckDBPyConnection, views: Sequence[Records], showing: Showing | None = None
) -> tuple[Distribution, ...]:
    """The distributions of the columns of one table, or of the tables before and after, in the order of the last table.
    A column can have one for both tables, or one for each."""
    names = ("table",) if len(views) == 1 else ("before", "after")
    columns = list(_columns(dict(zip(names, views, strict=True)), showing or Showing()))
    totals = {name: _count_records(con, view) for name, view in zip(names, views, strict=True)}
    return tuple(_distribution(con, column, totals) for column in columns)


def _count_records(con: duckdb.DuckDBPyConnection, view: Records) -> Persons:
    (units,) = one_row(con, f"SELECT {view.duckdb_count} FROM {view.duckdb_source}")
    return view.persons(int(units or 0))


def _columns(views: Mapping[str, Records], showing: Showing) -> Iterator[_Column]:
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
        for column in views[before[0]].schema:
            if _place(views[last], column.name) is None:  # it was dropped
                yield from _column({"before": views[before[0]]}, column.name, showing)


def _column(views: Mapping[str, Records], name: str, showing: Showing) -> Iterator[_Column]:
    """The column in these tables; nothing if a table lacks it, or if its values cannot be compared."""
    pairs = [(view, place) for view in views.values() if (place := _place(view, name)) is not None]
    kinds = [view.schema[place].type.kind for view, place in pairs]
    is_weight = any(place == view.weight for view, place in pairs)
    if len(pairs) < len(views) or Kind.OPAQUE in kinds or is_weight:
        return
    shared = tuple(view for view, _ in pairs)
    values = [_grouping_value(view, place, shared) for view, place in pairs]
    is_number = all(view.schema[place].type.is_number for view, place in pairs)
    yield _Column(name, tuple(views), shared, values, is_number, showing)


def _place(view: Records, name: str) -> int | None:
    return next((i for i, column in enumerate(view.schema) if column.name == name), None)


def _grouping_value(view: Records, place: int, views: Sequence[Records]) -> str:
    """SQL for the value to group by; dates and timestamps are reduced to their year."""
    name = view.schema[place].name
    others = [other.schema[at] for other in views if (at := _place(other, name)) is not None]
    if all(other.type.kind in (Kind.DATE, Kind.TIMESTAMP) for other in others):
        return f"year({view.duckdb_value(place)})"
    is_comparable = all(is_same_kind(view.schema[place].type, other.type) for other in others)
    return view.duckdb_value(place) if is_comparable else view.text(place).sql("duckdb")


def _distribution(con: duckdb.DuckDBPyConnection, column: _Column, all_totals: Mapping[str, Persons]) -> Distribution:
    totals = tuple(all_totals[name] for name in column.series)
    ranges = _ranges(con, column) if column.is_number else None
    rows = _values(con, column) if ranges is None else _in_ranges(con, column, ranges)
    other = tuple(total - sum(counts[i] for _, counts in rows) for i, total in enumerate(totals))
    bars = tuple(Bar(label, counts) for label, counts in rows)
    if column.showing.curator:
        return Distribution(column.name, bars, other, totals, column.series, 1 if rows else _SHARED)
    if len(totals) == 1:
        return Distribution(column.name, bars, _withhold_rare(other), totals, column.series)
    before, other_before = withhold_counts([Pair(*counts) for _, counts in rows], Pair(*other))
    bars = tuple(Bar(label, (n, counts[1])) for (label, counts), n in zip(rows, before, strict=True))
    return Distribution(column.name, bars, (other_before, *_withhold_rare(other[1:])), totals, column.series)


def _withhold_rare(others: tuple[Persons, ...]) -> tuple[Persons | None, ...]:
    return tuple(None if 0 < other < SMALLEST else other for other in others)


def _values(con: duckdb.DuckDBPyConnection, column: _Column) -> list[_Row]:
    """The most frequent values, in the order of their meaning."""
    rows = con.execute(
        f"SELECT CAST(key AS VARCHAR), {column.counts} FROM {column.histogram('v')} "
        f"ORDER BY n{column.lead} DESC, key LIMIT {MOST_LABELS + 1}"
    ).fetchall()
    found = [_Bar("missing" if label is None else label, tuple(counts)) for label, *counts in rows]
    if column.has_only_names(found):
        return []
    order = column.showing.order(column.name)
    can_be_pooled = order is None and column.showing.most_bars < len(found) <= MOST_LABELS
    lead_counts = [bar.counts[column.lead] for bar in found]
    pools = pool_labels([bar.label for bar in found], lead_counts) if can_be_pooled else None
    if pools is not None:
        found = [_pool([found[place] for place in places], label) for label, places in pools]
    shown = column.frequent(found)
    if pools is None:
        shown = [shown[place] for place in order_labels([bar.label for bar in shown], order)]
    return [(bar.label, column.persons(bar.counts)) for bar in shown]


def _pool(bars: Sequence[_Bar], label: str) -> _Bar:
    return _Bar(label, tuple(map(sum, zip(*(bar.counts for bar in bars), strict=True))))


def _ranges(con: duckdb.DuckDBPyConnection, column: _Column) -> Ranges | None:
    """The ranges of a column of numbers, without outliers; None if each value can have its own bar."""
    lead = column.lead
    numbers = f"SELECT CAST({column.values[lead]} AS DOUBLE) AS v FROM {column.views[lead].duckdb_source}"
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
        f"SELECT key, {column.counts} FROM {column.histogram(key)} "
        f"WHERE n{column.lead} >= {column.least_count} ORDER BY key"
    ).fetchall()
    return [("missing" if key is None else ranges.label(key), column.persons(counts)) for key, *counts in rows]


@dataclass(frozen=True, slots=True)
class Pair:
    """The counts of a bar, or of all records without a bar, before and after."""

    before: Persons
    after: Persons

    @property
    def change(self) -> Persons:
        return self.before - self.after


def withhold_counts(bars: Sequence[Pair], other: Pair) -> tuple[list[Persons | None], Persons | None]:
    """The count before for each bar and for the other records; None if it is withheld.

    The total is known, and with it the sum over the withheld bars and the other records. While their combined change is
    a small count, further bars are withheld, least changed first.
    """
    withheld = {i for i, bar in enumerate(bars) if _is_small(bar.change) or _is_small(bar.before)}
    while not _is_safe([bars[i] for i in withheld], other):
        candidates = [i for i in range(len(bars)) if i not in withheld]
        if not candidates:
            break
        withheld.add(min(candidates, key=lambda i: (bars[i].change == 0, abs(bars[i].change))))
    counts = [None if i in withheld else bar.before for i, bar in enumerate(bars)]
    hides_other = withheld or _is_small(other.before) or _is_small(other.change)
    return counts, None if hides_other else other.before


def _is_safe(withheld: Sequence[Pair], other: Pair) -> bool:
    """Whether the withheld counts cannot be computed. A reader may know from the policy which counts can only grow, so
    losses and gains are considered separately."""
    pool = (*withheld, other)
    lost = sum(max(pair.change, 0) for pair in pool)
    gained = sum(max(-pair.change, 0) for pair in pool)
    before = sum(pair.before for pair in withheld) + other.before
    return not (_is_small(lost) or _is_small(gained) or (withheld and _is_small(before)))


def _is_small(count: Persons) -> bool:
    return -SMALLEST < count < SMALLEST and count != 0
