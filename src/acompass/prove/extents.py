"""Extents: how far numbers reach, by rank, and how far the sums of that many numbers do."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Bound:
    """A rank that numbers reach; if it `is_open`, they only come arbitrarily close."""

    rank: int | Fraction
    is_open: bool = False

    def negated(self) -> "Bound":
        return Bound(-self.rank, self.is_open)


@dataclass(frozen=True, slots=True)
class Extent:
    """From `low` to `high`; None where there is no bound."""

    low: Bound | None = None
    high: Bound | None = None

    def negated(self) -> "Extent":
        return Extent(_negated(self.high), _negated(self.low))


def is_at_most(high: Bound | None, low: Bound | None) -> bool:
    """Whether no number up to `high` is above a number from `low` on."""
    return high is not None and low is not None and high.rank <= low.rank


#: a class has at least one record
ANY_COUNT = Extent(Bound(1))


def sum_extent(counts: Extent, numbers: Extent) -> Extent:
    """The sums of so many numbers: at least n times the least of them, at most n times the greatest."""
    greatest = _least_sum(counts, numbers.negated())
    return Extent(_least_sum(counts, numbers), _negated(greatest))


def _least_sum(counts: Extent, numbers: Extent) -> Bound | None:
    """Few numbers make the least sum if none is negative; many if some are."""
    least = numbers.low
    if least is None:
        return None
    count = counts.low if least.rank >= 0 else counts.high
    return None if count is None else Bound(count.rank * least.rank, least.is_open)


def _negated(bound: Bound | None) -> Bound | None:
    return None if bound is None else bound.negated()
