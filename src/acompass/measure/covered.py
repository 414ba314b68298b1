"""How many rows of a hierarchy a text of a released table stands for."""

import datetime
from bisect import bisect_left
from collections.abc import Hashable
from decimal import Decimal

from acompass.checked.maps import numerals
from acompass.checked.maps.map import SUPPRESSED
from acompass.checked.maps.numerals import Interval, Place
from acompass.propose.ladder import Levels
from acompass.propose.values import is_number

#: numbers are compared in units of their 18th decimal
SCALE = 18


class Covered:
    """With `intervals`, a label of bands that no level has, such as `80+`, stands for the numbers in it."""

    def __init__(self, levels: Levels, intervals: bool):
        self._levels = levels
        self._texts = {_meaning(text): text for text in levels.hierarchy.lowest_level}
        values = [row[0] for row in levels.hierarchy.rows if row[0] != SUPPRESSED]
        self._units = sorted(map(_unit, values)) if intervals and all(map(is_number, values)) else []

    def rows(self, text: str) -> int:
        """0 if the text is on no level. Another file may spell a number or a time in another way."""
        size = self._levels.size
        return size(text) or size(self._texts.get(_meaning(text), "")) or self._within(text)

    def _within(self, text: str) -> int:
        interval = interval_of(text)
        if interval is None:
            return 0
        lower, upper = interval
        first = 0 if lower is None else bisect_left(self._units, lower.ceiling)
        end = len(self._units) if upper is None else bisect_left(self._units, upper.ceiling)
        return end - first


def interval_of(text: str) -> Interval | None:
    """The numbers that a label of bands stands for, in units; None for another text."""
    bounds = numerals.integers(text)
    if bounds is None:
        return numerals.half_open(text, SCALE) or numerals.open_ended(text, SCALE)
    lower, upper = (bound and Place(bound.floor * 10**SCALE, bound.exact) for bound in bounds)
    return lower, upper


def _unit(text: str) -> int:
    place = numerals.place(text, SCALE)
    assert place is not None, "a number"
    return place.floor


def _meaning(text: str) -> Hashable:
    """The number or the time that a text denotes; the text itself if it denotes neither."""
    if is_number(text):
        return Decimal(text)
    if text[4:5] != "-" or text[7:8] != "-":
        return text
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text
