"""Compare a released table with the table before: what its labels still say, and how distributions moved.

A label stands for the original values that it covers, and `*` for all of them. Neither is a value of its own: a cell
with the label of a set S keeps −log2 P(S) bits, where P is the distribution of the column before. Summed over the
cells, this is the non-uniform entropy of Gionis and Tassa (2009), which needs no link between records: more general
labels, `*` and dropped records never keep more. It is unknown for values that cover none of the original ones, such as
random numbers.
"""

import heapq
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.program.label_maps import SUPPRESSED, Dates, Prefix
from acompass.language.program.types import Kind, nearest_multiple
from acompass.language.text.tree import DateUnit
from acompass.measure.answer import Classes, ColumnChange, Persons, TableChange
from acompass.measure.hierarchy import ByFile, Spec, is_number, sound_hierarchy
from acompass.measure.labels import is_prefix, label_interval, meaning, number_place
from acompass.measure.loss import MOST_VALUES, PolicyLevels, count_cells
from acompass.measure.records import Records, pair_counts
from acompass.measure.roles import Positions
from acompass.plan.lowering.sql import Sql

#: distances of columns with labels are sums of doubles, whose last digits depend on the order
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Meanings:
    """How to read the labels of a release: by the policy that wrote it, and by the levels of the call."""

    policy: PolicyLevels
    specs: Mapping[str, Spec]  # by name of a quasi-identifier

    def hierarchy(self, name: str) -> tuple[Hierarchy | None, str | None]:
        """The hierarchy of a column, and the label of the values that it lacks."""
        spec = self.specs.get(name)
        with suppress(CallError):  # the policy's file may be elsewhere
            if isinstance(spec, ByFile):
                return sound_hierarchy(spec.path), None
            found = self.policy.hierarchy(name)
            return (None, None) if found is None else found[1:]
        return None, None


def compare(after: Records, ours: Positions, before: Records, theirs: Positions, meanings: Meanings) -> TableChange:
    """Compare two tables, in records: what a release loses does not depend on whose records they are."""
    sizes, left = before.class_sizes(theirs.quasi_identifiers), after.class_sizes(ours.quasi_identifiers)
    classes = Classes(tuple((after.persons(size), number) for size, number in left))
    records = before.persons(sum(size * number for size, number in sizes))
    keys = list(zip(ours.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    shared = _shared_columns(after, before)
    changes = {pair: _column_change((after, pair[0]), (before, pair[1]), meanings) for pair in {*keys, *shared}}
    lost = [changes[pair] for pair in keys]
    return TableChange(
        records_before=records,
        records_after=classes.records,
        columns=tuple(changes[pair] for pair in shared),
        only_before=_only_in(before, after),
        only_after=_only_in(after, before),
        information_before=math.fsum(each.information_before for each in lost),
        information_left=_sum_known([each.information_left for each in lost]),
        discernibility=classes.discernibility + max(0, records - classes.records) * records,
    )


def _sum_known(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return math.fsum(known) if len(known) == len(numbers) else None


def _shared_columns(after: Records, before: Records) -> list[tuple[int, int]]:
    """The positions, in both tables, of the columns that both have."""
    places = {before.schema[b].name: b for b in range(len(before.schema)) if _is_compared(before, b)}
    return [
        (a, places[column.name])
        for a, column in enumerate(after.schema)
        if _is_compared(after, a) and column.name in places
    ]


def _only_in(records: Records, other: Records) -> tuple[str, ...]:
    names = {column.name for column in other.schema}
    return tuple(column.name for column in records.schema if column.name not in names)


def _is_compared(records: Records, position: int) -> bool:
    return position != records.weight and records.schema[position].type.kind is not Kind.OPAQUE


@dataclass(frozen=True, slots=True)
class _Marks:
    """The records of a column without a value: NULL, the empty text and `*`, in units."""

    null: int = 0
    empty: int = 0
    suppressed: int = 0

    @property
    def each(self) -> tuple[int, int, int]:
        return self.null, self.empty, self.suppressed


def _count_marks(records: Records, position: int) -> _Marks:
    value = records.value(position)
    tests: list[tuple[str, Sql]] = [("null", exp.Is(this=value, expression=exp.null()))]
    if records.schema[position].type.kind is Kind.TEXT:
        marks = (("empty", ""), ("suppressed", SUPPRESSED))
        tests += [(name, exp.EQ(this=value.copy(), expression=exp.Literal.string(text))) for name, text in marks]
    mark = exp.Case(ifs=[exp.If(this=test, true=exp.Literal.string(name)) for name, test in tests])
    found = {name: int(units) for name, units in records.session.fetch(records.group([mark])) if name is not None}
    return _Marks(**found)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column before and after. A missing value is a value if the table before has it, and otherwise like `*`."""

    records: Persons  # in the table before
    known: Persons  # those with a value: neither missing nor `*`
    missing: tuple[Persons, Persons]  # before and after
    suppressed: Persons  # `*` in the table after
    #: (records before, records after, number of such values) of the values, without missing ones and `*`
    values: Sequence[tuple[Persons, Persons, int]]

    @property
    def released(self) -> Persons:
        return sum(later * times for _, later, times in self.values) + self.missing[1] + self.suppressed

    @property
    def whole(self) -> Persons:
        """The records of the table before that have a value or lack one, but not `*`."""
        return self.known + self.missing[0]

    @property
    def still_missing(self) -> Persons:
        return min(self.missing)

    @property
    def unknown(self) -> Persons:
        """The released cells that could have any value."""
        return self.suppressed + self.missing[1] - self.still_missing


def _column_change(after: tuple[Records, int], before: tuple[Records, int], meanings: Meanings) -> ColumnChange:
    name = after[0].schema[after[1]].name
    column = _count_column(after, before)
    new = sum(times for earlier, later, times in column.values if later and not earlier)
    texts = sum(times for _, _, times in column.values)
    labels = None
    if new and texts <= MOST_VALUES:
        labels = _Labels.of(name, count_cells(*before).persons, count_cells(*after).persons, meanings)
    kept = [(earlier, later, times) for earlier, later, times in column.values if earlier]
    left: float | None
    distance: float | None
    if labels is not None:
        cells, fits = labels.cells, labels.fits
        distance = labels.distance(column)
    else:
        cells = [(earlier, later, times) for earlier, later, times in kept if later]
        fits = not new and all(later <= earlier for earlier, later, _ in kept)
        distance = float(_distance(column)) if not new else None
    original = _bits([(n, n, times) for n, _, times in kept], column.missing[0], column)
    is_release = fits and column.released <= column.records and not meanings.policy.is_rewritten(name)
    left = min(original, _bits(cells, column.still_missing, column)) if is_release else None
    return ColumnChange(
        column=name,
        distance=distance,
        values_before=sum(times for _, _, times in kept) + (column.missing[0] > 0),
        values_after=sum(times for _, later, times in column.values if later) + (column.missing[1] > 0),
        information_before=original,
        information_left=left,
    )


def _count_column(after: tuple[Records, int], before: tuple[Records, int]) -> _Column:
    """Only counts leave the engine."""
    (ours, a), (theirs, b) = after, before
    here, then = _count_marks(ours, a), _count_marks(theirs, b)
    rows = {(later, earlier): times for later, earlier, times in pair_counts(ours, theirs, [(a, b)])}
    for pair in zip(here.each, then.each, strict=True):
        if any(pair):
            rows[pair] -= 1
    values = [(theirs.persons(earlier), ours.persons(later), times) for (later, earlier), times in sorted(rows.items())]
    known = sum(earlier * times for earlier, _, times in values)
    missing = theirs.persons(then.null + then.empty), ours.persons(here.null + here.empty)
    records = known + missing[0] + theirs.persons(then.suppressed)
    return _Column(records, known, missing, ours.persons(here.suppressed), [row for row in values if row[2]])


def _bits(cells: Iterable[tuple[Persons, Persons, int]], missing: Persons, column: _Column) -> float:
    """The bits that cells keep, per record of the table before. Each is (records before that a label covers, records
    with this label, number of such labels). `fsum` rounds once, so that the digits do not depend on the order."""
    if not column.whole:
        return 0.0
    whole = math.log2(column.whole)
    kept = [*cells, (column.missing[0], missing, 1)] if missing else cells
    return math.fsum(float(n * times) * (whole - math.log2(covered)) for covered, n, times in kept) / column.records


def _distance(column: _Column) -> Fraction:
    """The total variation distance of a column whose values all are in the table before, or that is empty."""
    released, whole = column.released, column.whole
    if not released or not whole:
        return Fraction(int(bool(released) != bool(column.records)))
    readable = released - column.unknown
    pairs = [*column.values, (column.missing[0], column.still_missing, 1)]
    moved = sum(max(0, later * whole - earlier * readable) * times for earlier, later, times in pairs)
    return Fraction(moved) / (released * whole)


class _Labels:
    """The labels of a released column, read by the values of the column before."""

    def __init__(self, values: "_Values", after: Mapping[str, Persons]):
        texts = sorted(text for text in after if text != SUPPRESSED)
        found = {text: values.covered(text) for text in texts}
        self._values = values
        self._read = [(covered, after[text]) for text, covered in found.items() if covered]
        self._unread = sum(after[text] for text, covered in found.items() if not covered)

    @classmethod
    def of(
        cls, name: str, before: Mapping[str, Persons], after: Mapping[str, Persons], meanings: Meanings
    ) -> "_Labels":
        plain = {text: n for text, n in before.items() if text != SUPPRESSED}
        values = _Values(plain, after, *meanings.hierarchy(name), meanings.policy.rounded(name))
        return cls(values, after)

    @property
    def cells(self) -> list[tuple[Persons, Persons, int]]:
        return [(self._values.count(covered), n, 1) for covered, n in self._read]

    @property
    def fits(self) -> bool:
        """Whether each cell can be the label of a record of its own in the table before; False if one cannot be read.
        The labels that end first take the first records."""
        starts = sorted(self._read, key=lambda each: (each[0].start, each[0].stop), reverse=True)
        waiting: list[tuple[int, Persons]] = []
        for place, free in enumerate(self._values.counts):
            while starts and starts[-1][0].start == place:
                covered, n = starts.pop()
                heapq.heappush(waiting, (covered.stop, n))
            while free and waiting:
                stop, n = heapq.heappop(waiting)
                taken = min(free, n)
                free -= taken
                if n > taken:
                    heapq.heappush(waiting, (stop, n - taken))
            if waiting and waiting[0][0] == place + 1:
                return False
        return not self._unread

    def distance(self, column: _Column) -> float:
        """The total variation distance, with the cells of a label divided among its values as in the table before. A
        text that cannot be read is another value."""
        released, whole = column.released, column.whole
        if not released or not whole:
            return float(bool(released) != bool(column.records))
        steps = [0.0] * (len(self._values.counts) + 1)
        for covered, n in self._read:
            share = float(n / Fraction(self._values.count(covered)))
            steps[covered.start] += share
            steps[covered.stop] -= share
        lower = float((column.unknown - released) / Fraction(whole))
        moved = [
            max(0.0, n * (share + lower)) for n, share in zip(self._values.counts, accumulate(steps), strict=False)
        ]
        moved.append(max(0.0, float(column.still_missing + column.missing[0] * lower)))
        return round(math.fsum([*moved, float(self._unread)]) / float(released), _DIGITS)


class _Values:
    """The values of a column before, in an order in which each label covers a run of them."""

    def __init__(
        self,
        counts: Mapping[str, Persons],
        labels: Iterable[str],
        hierarchy: Hierarchy | None,
        otherwise: str | None,
        rounded: Sequence[Decimal],
    ):
        self._rows = {} if hierarchy is None else {row[0]: row for row in hierarchy.rows}
        has_prefixes = hierarchy is None and any(map(is_prefix, labels))
        texts = sorted(counts, key=lambda text: self._order(text, has_prefixes))
        self.counts = [counts[text] for text in texts]
        self._until = [0, *accumulate(self.counts)]
        self._texts, self._hierarchy, self._otherwise, self._rounded = texts, hierarchy, otherwise, rounded
        self._places = {meaning(text): place for place, text in enumerate(texts)}
        self._places |= {text: place for place, text in enumerate(texts)}
        self._numbers = [each for each in map(number_place, texts) if each is not None]
        self._known_runs: dict[object, dict[str, range | None]] = {}

    def _order(self, text: str, has_prefixes: bool) -> tuple[object, ...]:
        """Numbers come first, in their order."""
        if self._rows:
            row = self._rows.get(text)
            return (1, text) if row is None else (0, *reversed(row))
        number = number_place(text)
        return (1, len(text) * has_prefixes, text) if number is None else (0, number, text)

    def count(self, covered: range) -> Persons:
        return self._until[covered.stop] - self._until[covered.start]

    def covered(self, text: str) -> range | None:
        """The values that a text stands for; None if it cannot be read."""
        if self._rounded and is_number(text):
            return self._that_round_to(Fraction(text))
        place = self._places.get(text, self._places.get(meaning(text)))
        if place is not None:
            return range(place, place + 1)
        if self._hierarchy is not None:
            return self._in_hierarchy(self._hierarchy, text)
        interval = label_interval(text)
        if interval is not None:
            return self._within(*(bound and bound.ceiling for bound in interval))
        if is_prefix(text):
            return self._runs(Prefix(len(text.rstrip(SUPPRESSED)))).get(text)
        units = (self._runs(Dates(unit)).get(text) for unit in DateUnit)
        return next((found for found in units if found is not None), None)

    def _that_round_to(self, number: Fraction) -> range | None:
        texts = [(place, Fraction(text)) for place, text in enumerate(self._texts) if is_number(text)]
        return _run(
            place
            for place, value in texts
            if value == number or any(nearest_multiple(value, step) == number for step in self._rounded)
        )

    def _in_hierarchy(self, hierarchy: Hierarchy, text: str) -> range | None:
        level = hierarchy.lowest_level.get(text)
        if level is not None:
            return self._runs_by(level, lambda value: self._rows[value][level] if value in self._rows else None).get(
                text
            )
        absent = (place for place, value in enumerate(self._texts) if value not in self._rows)
        return _run(absent) if text == self._otherwise else None

    def _within(self, lower: int | None, upper: int | None) -> range | None:
        first = 0 if lower is None else bisect_left(self._numbers, lower)
        end = len(self._numbers) if upper is None else bisect_left(self._numbers, upper)
        return range(first, end) if first < end else None

    def _runs(self, map_: Prefix | Dates) -> dict[str, range | None]:
        return self._runs_by(map_, map_.label)

    def _runs_by(self, key: object, label: Callable[[str], str | None]) -> dict[str, range | None]:
        """The runs of all labels of a level."""
        if key not in self._known_runs:
            places: dict[str, list[int]] = {}
            for place, text in enumerate(self._texts):
                found = label(text)
                if found is not None:
                    places.setdefault(found, []).append(place)
            self._known_runs[key] = {each: _run(found) for each, found in places.items()}
        return self._known_runs[key]


def _run(places: Iterable[int]) -> range | None:
    """The ascending places, if they are consecutive."""
    found = list(places)
    if not found or found[-1] - found[0] + 1 != len(found):
        return None
    return range(found[0], found[-1] + 1)
