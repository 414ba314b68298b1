"""Where bands begin and end (X2). A cut is an integer: it counts units of the last digit of the constants."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Steps:
    """BANDS OF: origin + i * width for every integer i, from `first` to `last` if they are given."""

    width: int
    origin: int
    first: int | None
    last: int | None

    def at_or_below(self, unit: int) -> int | None:
        """The last cut that is not above a unit."""
        if self.first is not None and unit < self.first:
            return None
        if self.last is not None and unit >= self.last:
            return self.last
        return unit - (unit - self.origin) % self.width

    def above(self, unit: int) -> int | None:
        """The first cut above a unit."""
        if self.first is not None and unit < self.first:
            return self.first
        if self.last is not None and unit >= self.last:
            return None
        return unit - (unit - self.origin) % self.width + self.width

    def within(self, first: int | None, last: int | None) -> "Steps | None":
        """The cuts from `first` to `last`; None if there are none."""
        lowest = self.first if first is None else self._from(first)
        highest = self.last if last is None else self.at_or_below(last)
        if lowest is not None and highest is not None and lowest > highest:
            return None
        if (first is not None and lowest is None) or (last is not None and highest is None):
            return None
        return Steps(self.width, self.origin, lowest, highest)

    def _from(self, unit: int) -> int | None:
        """The first cut that is not below a unit."""
        return self.above(unit - 1)


@dataclass(frozen=True, slots=True)
class Points:
    """BANDS AT: one or more cuts, strictly increasing."""

    points: tuple[int, ...]

    @property
    def first(self) -> int:
        return self.points[0]

    @property
    def last(self) -> int:
        return self.points[-1]

    def at_or_below(self, unit: int) -> int | None:
        index = bisect_right(self.points, unit)
        return self.points[index - 1] if index else None

    def above(self, unit: int) -> int | None:
        index = bisect_right(self.points, unit)
        return self.points[index] if index < len(self.points) else None

    def within(self, first: int | None, last: int | None) -> "Points | None":
        start = 0 if first is None else bisect_left(self.points, first)
        end = len(self.points) if last is None else bisect_right(self.points, last)
        return Points(self.points[start:end]) if start < end else None


Cuts: TypeAlias = Steps | Points


def has(cuts: Cuts, unit: int) -> bool:
    return cuts.at_or_below(unit) == unit


def scaled(cuts: Cuts, factor: int) -> Cuts:
    """The same cuts in units that are `factor` times smaller."""
    match cuts:
        case Steps(width, origin, first, last):
            return Steps(
                width * factor,
                origin * factor,
                None if first is None else first * factor,
                None if last is None else last * factor,
            )
        case Points(points):
            return Points(tuple(point * factor for point in points))
        case _:
            assert_never(cuts)


def are_among(cuts: Cuts, others: Cuts) -> bool:
    """Whether every cut is one of the others."""
    match cuts:
        case Points(points):
            return all(has(others, point) for point in points)
        case Steps():
            return _steps_are_among(cuts, others)
        case _:
            assert_never(cuts)


def _steps_are_among(steps: Steps, others: Cuts) -> bool:
    match others:
        case Steps():
            return _are_among_steps(steps, others)
        case Points(points):
            if steps.first is None or steps.last is None:
                return False
            cuts = range(steps.first, steps.last + 1, steps.width)
            return len(cuts) <= len(points) and all(has(others, cut) for cut in cuts)
        case _:
            assert_never(others)


def _are_among_steps(steps: Steps, others: Steps) -> bool:
    if steps.first is not None and steps.first == steps.last:
        return has(others, steps.first)
    if not (_covers(others.first, steps.first, 1) and _covers(others.last, steps.last, -1)):
        return False
    return steps.width % others.width == 0 and (steps.origin - others.origin) % others.width == 0


def _covers(outer: int | None, inner: int | None, sign: int) -> bool:
    """Whether cuts that end at `outer` go as far as cuts that end at `inner`; None: they do not end."""
    return outer is None or (inner is not None and sign * outer <= sign * inner)
