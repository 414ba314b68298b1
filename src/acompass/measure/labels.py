"""The labels of a released column: the hierarchy rows that they cover, their order, and ranges of numbers.

Labels with a form that the language defines are sorted by their meaning. A label that contains another comes first:
`20-39`, `20-29`, `20`. Ranges have round bounds, so that they disclose no record's value.
"""

import datetime
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.language.program import bands
from acompass.language.program.bands import Interval, Place
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import nearest_multiple
from acompass.measure.hierarchy import is_number
from acompass.measure.levels import Levels

#: the sort key of a label; only keys of one kind are compared
Key: TypeAlias = tuple[int | float | str, ...]

#: numbers are compared in units of their 18th decimal
SCALE = 18
_UNIT = 10**SCALE
#: a larger number, in units, is not put into a range
_LARGEST = 10**100
#: about this many ranges for a column
_RANGES = 9
#: the share of the records on each side that may be outside the ranges
OUTLIERS = 0.02
#: labels are pooled if at least this share of them are numbers and intervals
_MOSTLY = Fraction(9, 10)
#: the first month and the number of months, by what follows the year
_MONTHS = {"": (1, 12), "-Q1": (1, 3), "-Q2": (4, 3), "-Q3": (7, 3), "-Q4": (10, 3)}
_PREFIX = re.compile(r"[^*]+\*+")


class LabelCoverage:
    """The rows of a hierarchy that labels cover. With `intervals`, a label of bands that no level has, such as `80+`,
    covers the numbers in it. A number covers all that NEAREST with one of the numbers `rounded` turns into it."""

    def __init__(self, levels: Levels, intervals: bool, rounded: Sequence[Decimal] = ()):
        self._levels = levels
        self._texts = {meaning(text): text for text in levels.hierarchy.lowest_level}
        values = [row[0] for row in levels.hierarchy.rows if row[0] != SUPPRESSED]
        places = [bands.parse_place(text, SCALE) for text in values] if intervals else []
        self._units = sorted(place.floor for place in places if place is not None) if None not in places else []
        numbers = [Fraction(text) for text in values if is_number(text)] if rounded else []
        self._rounded = [Counter(nearest_multiple(number, step) for number in numbers) for step in rounded]

    def rows(self, text: str) -> int:
        """The number of rows; 0 if the text is on no level. Another file may spell a number or a time differently."""
        size = self._levels.size
        found = size(text) or size(self._texts.get(meaning(text), "")) or self._within(text)
        if not self._rounded or not is_number(text):
            return found
        return max(found, *(multiples[Fraction(text)] for multiples in self._rounded))

    def _within(self, text: str) -> int:
        interval = label_interval(text)
        if interval is None:
            return 0
        lower, upper = interval
        first = 0 if lower is None else bisect_left(self._units, lower.ceiling)
        end = len(self._units) if upper is None else bisect_left(self._units, upper.ceiling)
        return end - first


def is_prefix(text: str) -> bool:
    """Whether a text may be the label of PREFIX: characters, then only `*`."""
    return _PREFIX.fullmatch(text) is not None


def number_place(text: str) -> int | None:
    """The number that a text spells, in units; None for any other text."""
    place = bands.parse_place(text, SCALE)
    return None if place is None else place.floor


def label_interval(text: str) -> Interval | None:
    """The numbers that a label of bands covers, in units; None for any other text."""
    bounds = bands.integers(text)
    if bounds is None:
        return bands.half_open(text, SCALE) or bands.open_ended(text, SCALE)
    lower, upper = (bound and Place(bound.floor * 10**SCALE, bound.exact) for bound in bounds)
    return lower, upper


def meaning(text: str) -> Hashable:
    """The number or the time that a text denotes; the text itself if it denotes neither."""
    if is_number(text):
        return Decimal(text)
    if text[4:5] != "-" or text[7:8] != "-":
        return text
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


def order_labels(labels: Sequence[str], known: Mapping[str, Key] | None = None) -> list[int]:
    """The positions of the labels, in their order. `known` has the sort keys of labels in a hierarchy. Labels without a
    meaning come last, in the given order."""
    lengths = {len(label) for label in labels if is_prefix(label)}
    kinds: tuple[Callable[[str], Key | None], ...] = (
        (known or {}).get,
        lambda label: (label,) if len(label) in lengths and label != SUPPRESSED else None,
        number_key,
        _time_key,
    )
    keys = min(([kind(label) for label in labels] for kind in kinds), key=lambda keys: keys.count(None))
    found = [place for place, key in enumerate(keys) if key is not None]
    others = [place for place, key in enumerate(keys) if key is None]
    return sorted(found, key=lambda place: keys[place] or ()) + others


def places_in(hierarchy: Hierarchy) -> dict[str, Key]:
    """The sort key of each text in a hierarchy: its first row, with labels of higher levels first."""
    found: dict[str, Key] = {}
    for number, row in enumerate(hierarchy.rows):
        for level, text in enumerate(row):
            found.setdefault(text, (number, -level))
    found.pop(SUPPRESSED, None)
    return found


def number_key(label: str) -> Key | None:
    """The sort key of a number or an interval. A number is an interval that ends where it begins."""
    place = bands.parse_place(label, SCALE)
    lower, upper = (place, place) if place is not None else label_interval(label) or (None, None)
    if lower is None and upper is None:
        return None
    return -math.inf if lower is None else lower.floor, -math.inf if upper is None else -upper.floor


def _time_key(label: str) -> Key | None:
    """The first day of a date, month, quarter, year or decade, and its negated length in months."""
    if len(label) == 5 and label[:3].isdecimal() and label.endswith("0s"):
        return _from_month(label[:4], 1, 120)
    if label[4:] in _MONTHS:
        return _from_month(label[:4], *_MONTHS[label[4:]])
    if len(label) == 7 and label[4] == "-" and label[5:].isdecimal():
        return _from_month(label[:4], int(label[5:]), 1)
    try:
        return datetime.date.fromisoformat(label).toordinal(), 0
    except ValueError:
        return None


def _from_month(year: str, month: int, months: int) -> Key | None:
    try:
        return datetime.date(int(year), month, 1).toordinal(), -months
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of equal width."""

    start: Fraction
    step: Fraction  # the width
    number: int
    whole: bool  # all values are integers

    @classmethod
    def between(cls, low: Fraction, high: Fraction, whole: bool) -> "Ranges":
        step = _round_step((high - low) / _RANGES)
        step = max(step, Fraction(1)) if whole else step
        start = math.floor(low / step) * step
        return cls(start, step, math.floor((high - start) / step) + 1, whole)

    def label(self, place: int) -> str:
        low = self.start + place * self.step
        if place < 0:
            return f"below {_number_text(self.start)}"
        if place >= self.number:
            return f"{_number_text(low)} and above"
        if self.whole:
            last = low + self.step - 1
            return _number_text(low) if last == low else f"{_number_text(low)} to {_number_text(last)}"
        return f"{_number_text(low)} to below {_number_text(low + self.step)}"

    def place(self, number: Fraction) -> int:
        return max(-1, min(self.number, math.floor((number - self.start) / self.step)))

    def key(self, place: int) -> Key:
        """The sort key of a range among labels of numbers."""
        low = (self.start + place * self.step) * _UNIT
        return (-math.inf if place < 0 else math.floor(low)), -math.floor(low + self.step * _UNIT)


def _number_text(number: Fraction) -> str:
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.6g}"


def _round_step(at_least: Fraction) -> Fraction:
    """The least of 1, 2 and 5 times a power of ten that is large enough."""
    digits = math.log10(at_least.numerator) - math.log10(at_least.denominator)
    power = Fraction(10) ** math.floor(digits)
    return next(power * by for by in (1, 2, 5, 10) if power * by >= at_least)


def pool_labels(labels: Sequence[str], counts: Sequence[int]) -> list[tuple[str, list[int]]] | None:
    """Pool labels of numbers and intervals into ranges: in order, each new label with the positions of its labels.

    A label that fits no single range, such as `20-39` or `*`, stays alone. None if labels are not mostly numbers.
    """
    bounds = [_bounds(label) for label in labels]
    numbers = [(found[0], n) for found, n in zip(bounds, counts, strict=True) if found is not None]
    if len(numbers) < _MOSTLY * len(labels):
        return None
    low, high = _middle(numbers)
    if low == high:
        return None
    ranges = Ranges.between(low, high, all(number.denominator == 1 for number, _ in numbers))
    found: dict[str, list[int]] = {}
    keys: dict[str, Key] = {}
    for at, (label, interval) in enumerate(zip(labels, bounds, strict=True)):
        name, key = label, number_key(label)
        if interval is not None and (place := ranges.place(interval[0])) == ranges.place(interval[1]):
            name, key = ranges.label(place), ranges.key(place)
        found.setdefault(name, []).append(at)
        keys |= {} if key is None else {name: key}
    names = list(found)
    places = order_labels(names, keys)
    return [(names[place], found[names[place]]) for place in places]


def _middle(numbers: Sequence[tuple[Fraction, int]]) -> tuple[Fraction, Fraction]:
    """The bounds of all records except outliers, which must not widen the ranges."""
    ordered = sorted(numbers)
    below = list(accumulate(count for _, count in ordered))
    low, high = (bisect_left(below, share * below[-1]) for share in (OUTLIERS, 1 - OUTLIERS))
    return ordered[low][0], ordered[high][0]


def _bounds(label: str) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest number of a label; None if it has no bounds, or if they are too large to show."""
    place = bands.parse_place(label, SCALE)
    lower, upper = (place, place) if place is not None else label_interval(label) or (None, None)
    if lower is None or upper is None or max(abs(lower.floor), abs(upper.floor)) > _LARGEST:
        return None
    last = upper.floor if place is not None else upper.floor - 1
    return Fraction(lower.floor, _UNIT), Fraction(last, _UNIT)
