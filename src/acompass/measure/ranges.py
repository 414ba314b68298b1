"""Ranges of numbers with round bounds, so that they disclose no record's value."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from acompass.checked.maps import numerals
from acompass.checked.maps.numerals import Place
from acompass.measure.covered import SCALE, interval_of
from acompass.measure.label_order import Key, in_order, number_key

#: about this many ranges for a column
_RANGES = 9
#: labels are pooled if this share of them are numbers and intervals
_MOSTLY = Fraction(9, 10)
_UNIT = 10**SCALE
#: a larger number, in units, is not put into a range
_LARGEST = 10**100
#: the share of the records on each side that may lie outside of the ranges
OUTLIERS = 0.02


@dataclass(frozen=True, slots=True)
class Ranges:
    """`number` ranges of width `step`, starting at `start`. `whole` means that all values are integers."""

    start: Fraction
    step: Fraction
    number: int
    whole: bool

    @classmethod
    def between(cls, low: Fraction, high: Fraction, whole: bool) -> "Ranges":
        step = _round_step((high - low) / _RANGES)
        step = max(step, Fraction(1)) if whole else step
        start = math.floor(low / step) * step
        return cls(start, step, math.floor((high - start) / step) + 1, whole)

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

    def place(self, number: Fraction) -> int:
        return max(-1, min(self.number, math.floor((number - self.start) / self.step)))

    def key(self, place: int) -> Key:
        """Where a range stands among labels of numbers."""
        low = (self.start + place * self.step) * _UNIT
        return (-math.inf if place < 0 else math.floor(low)), -math.floor(low + self.step * _UNIT)


def _plain(number: Fraction) -> str:
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.6g}"


def _round_step(at_least: Fraction) -> Fraction:
    """The least of 1, 2 and 5 times a power of ten that is large enough."""
    digits = math.log10(at_least.numerator) - math.log10(at_least.denominator)
    power = Fraction(10) ** math.floor(digits)
    return next(power * by for by in (1, 2, 5, 10) if power * by >= at_least)


def pooled(labels: Sequence[str], counts: Sequence[int]) -> list[tuple[str, list[int]]] | None:
    """Labels of numbers and intervals in ranges, in order: the new label, and the places of those in it.

    A label that lies in no range, such as `20-39` or `*`, keeps to itself. None if labels mean anything else.
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
    places = in_order(names, keys)
    return [(names[place], found[names[place]]) for place in places]


def _middle(numbers: Sequence[tuple[Fraction, int]]) -> tuple[Fraction, Fraction]:
    """The numbers between which most records lie: outliers do not widen the ranges."""
    ordered = sorted(numbers)
    below = list(accumulate(count for _, count in ordered))
    low, high = (bisect_left(below, share * below[-1]) for share in (OUTLIERS, 1 - OUTLIERS))
    return ordered[low][0], ordered[high][0]


def _bounds(label: str) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest number of a label; None if it has none, or if they are too large to show."""
    place = numerals.place(label, SCALE)
    lower, upper = (place, place) if place is not None else interval_of(label) or (None, None)
    if lower is None or upper is None or max(abs(lower.floor), abs(upper.floor)) > _LARGEST:
        return None
    return _number(lower), _number(upper) if place is not None else Fraction(upper.floor - 1, _UNIT)


def _number(place: Place) -> Fraction:
    return Fraction(place.floor, _UNIT)
