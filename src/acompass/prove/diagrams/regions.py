"""Regions: a column's values, cut at the constants that the column is compared with.

`ValueOrder` says which values of a type lie between two constants, and how many; `Extent` bounds numbers and their
sums.
"""

import datetime
import math
import struct
from bisect import bisect_left
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import chain, islice
from operator import or_
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.types import EXACT, Kind, Type, Value
from acompass.language.text.tree import Operator

#: a set of regions; bit i stands for region i
Mask: TypeAlias = int
#: the position of a value in its type's order: an integer if the type is discrete, the text itself for text
Rank: TypeAlias = Any
ValueOrder: TypeAlias = "DiscreteOrder | TextOrder"

#: the cardinality of an infinite set
INFINITE = math.inf


@dataclass(frozen=True, slots=True)
class Bound:
    rank: int | Fraction
    is_open: bool = False  # numbers come arbitrarily close to the rank, but do not reach it


@dataclass(frozen=True, slots=True)
class Extent:
    """From `low` to `high`; None means unbounded."""

    low: Bound | None = None
    high: Bound | None = None

    def negate(self) -> "Extent":
        return Extent(_negate_bound(self.high), _negate_bound(self.low))


#: the number of records in a class
ANY_COUNT = Extent(Bound(1))


class Regions:
    """Region 2i + 1 is the point `cuts[i]`, region 2i the gap below it; the last region lies above all cuts."""

    def __init__(self, order: ValueOrder, constants: Iterable[Value]):
        self._order = order
        self.cuts: list[Rank] = sorted({order.rank(constant) for constant in constants})
        self._counts = [self._count(region) for region in range(2 * len(self.cuts) + 1)]
        self._single = mask_of(region for region, count in enumerate(self._counts) if count == 1)
        self.full: Mask = mask_of(region for region, count in enumerate(self._counts) if count)

    def bounds(self, region: int) -> tuple[Rank | None, Rank | None]:
        """The cuts on both sides of a gap."""
        at = region // 2
        low = self.cuts[at - 1] if at > 0 else None
        high = self.cuts[at] if at < len(self.cuts) else None
        return low, high

    def _count(self, region: int) -> float:
        if region % 2:
            return 1 if self._order.is_value(self.cuts[region // 2]) else 0
        return self._order.count(*self.bounds(region))

    def region_of(self, value: Value) -> int:
        return self.region_at(self._order.rank(value))

    def region_at(self, rank: Rank) -> int:
        at = bisect_left(self.cuts, rank)
        is_point = at < len(self.cuts) and self.cuts[at] == rank
        return 2 * at + 1 if is_point else 2 * at

    def extent(self, mask: Mask) -> Extent:
        """The bounds of the numbers in the mask, which must not be empty."""
        return Extent(self._end((mask & -mask).bit_length() - 1, 0), self._end(mask.bit_length() - 1, 1))

    def _end(self, region: int, side: int) -> Bound | None:
        """The lower (`side` 0) or upper (`side` 1) bound of a region."""
        if region % 2:
            return Bound(self.cuts[region // 2])
        is_open = self._order.is_dense
        rank = (self.bounds(region) if is_open else self.first_and_last(region))[side]
        return None if rank is None else Bound(rank, is_open)

    def regions_within(self, extent: Extent) -> Mask:
        """The regions that numbers of the extent can be in."""
        mask = self.full
        if extent.low is not None:
            region = self.region_at(extent.low.rank)
            mask &= ~((2 << region if extent.low.is_open and region % 2 else 1 << region) - 1)
        if extent.high is not None:
            region = self.region_at(extent.high.rank)
            mask &= (1 << region if extent.high.is_open and region % 2 else 2 << region) - 1
        return mask

    def first_and_last(self, region: int) -> tuple[Rank | None, Rank | None]:
        """The first and the last rank in a gap of a discrete type; None if unbounded on that side."""
        return self._order.first_and_last(*self.bounds(region))

    def ends(self, region: int) -> tuple[Value, Value] | None:
        """The least and the greatest value in a gap of a discrete type; None if either does not exist."""
        first, last = self.first_and_last(region)
        return None if first is None or last is None else (self._order.value(first), self._order.value(last))

    def between(self, first: Value | None, last: Value | None) -> Mask:
        """The regions from that of `first` to that of `last`; None means unbounded."""
        mask = self.full if first is None else self.full & ~((1 << self.region_of(first)) - 1)
        return mask if last is None else mask & ((2 << self.region_of(last)) - 1)

    def constant(self, region: int) -> Value | None:
        """The value of a point; None for a gap."""
        return self._order.value(self.cuts[region // 2]) if region % 2 else None

    def satisfying(self, operator: Operator, constant: Value) -> Mask:
        """The regions whose values satisfy `value operator constant`; the constant must be a cut."""
        region = self.region_of(constant)
        assert region % 2, "the constant is not a cut"
        below, point = (1 << region) - 1, 1 << region
        match operator:
            case Operator.LT:
                return below & self.full
            case Operator.LE:
                return (below | point) & self.full
            case Operator.EQ:
                return point & self.full
            case Operator.GE:
                return self.full & ~below
            case Operator.GT:
                return self.full & ~(below | point)
            case _:
                assert_never(operator)

    def equal_to(self, constants: Iterable[Value]) -> Mask:
        """The regions that hold only these values; each must be a cut."""
        return mask_of(map(self.region_of, constants)) & self.full

    def from_lowest(self, mask: Mask) -> Mask:
        """The lowest region of the mask and everything above it."""
        return self.full & ~((mask & -mask) - 1) if mask else 0

    def up_to_highest(self, mask: Mask) -> Mask:
        return self.full & ((1 << mask.bit_length()) - 1)

    def cardinality(self, mask: Mask) -> float:
        return sum(self._counts[region] for region in regions_in(mask))

    def is_single(self, mask: Mask) -> bool:
        """Whether the mask holds exactly one value."""
        return mask & (mask - 1) == 0 and self._counts[mask.bit_length() - 1] == 1 if mask else False

    def are_single(self, mask: Mask) -> bool:
        """Whether each region of the mask holds exactly one value."""
        return not mask & ~self._single

    def values(self, region: int, wanted: int) -> list[Value]:
        if not self._counts[region]:
            return []
        constant = self.constant(region)
        return [constant] if constant is not None else self._order.examples(*self.bounds(region), wanted)


def regions_in(mask: Mask) -> Iterable[int]:
    """In linear time, unlike a loop that shortens the mask bit by bit."""
    bits = f"{mask:b}"[::-1]
    region = bits.find("1")
    while region >= 0:
        yield region
        region = bits.find("1", region + 1)


def mask_of(regions: Iterable[int]) -> Mask:
    """In linear time, unlike a sum of shifted bits."""
    bits = bytearray()
    for region in regions:
        place = region >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (region & 7)
    return int.from_bytes(bits, "little")


def unite_masks(masks: Iterable[Mask]) -> Mask:
    return reduce(or_, masks, 0)


def is_at_most(high: Bound | None, low: Bound | None) -> bool:
    """Whether every number up to `high` is at most every number from `low` upwards."""
    return high is not None and low is not None and high.rank <= low.rank


def _negate_bound(bound: Bound | None) -> Bound | None:
    return None if bound is None else Bound(-bound.rank, bound.is_open)


def sum_extent(counts: Extent, numbers: Extent) -> Extent:
    """The sums of n numbers, for every n in `counts`: between n times the least and n times the greatest number."""
    greatest = _least_sum(counts, numbers.negate())
    return Extent(_least_sum(counts, numbers), _negate_bound(greatest))


def _least_sum(counts: Extent, numbers: Extent) -> Bound | None:
    """The least sum has the fewest addends if no number is negative, otherwise the most."""
    least = numbers.low
    if least is None:
        return None
    count = counts.low if least.rank >= 0 else counts.high
    return None if count is None else Bound(count.rank * least.rank, least.is_open)


class DiscreteOrder:
    """The order of a type's values, with ranks from `lowest` to `highest`. None always means unbounded.

    All types but text and numbers of any scale are discrete: ranks are integers, and adjacent values have adjacent
    ranks. A constant that the type cannot hold, such as 3.5 for integers, ranks between two of them.
    """

    is_dense = False  # whether values come arbitrarily close to every bound

    def __init__(self, type_: Type, lowest: int | None = None, highest: int | None = None):
        self._type = type_
        self._lowest = lowest
        self._highest = highest

    def rank(self, value: Value) -> Rank:
        return _rank(value, self._type)

    def is_value(self, rank: Rank) -> bool:
        low = self._lowest is None or self._lowest <= rank
        high = self._highest is None or rank <= self._highest
        return bool(rank == math.floor(rank)) and low and high

    def value(self, rank: Rank) -> Value:
        return _unrank(rank, self._type)

    def count(self, low: Rank | None, high: Rank | None) -> float:
        """How many values lie strictly between."""
        first, last = self.first_and_last(low, high)
        return INFINITE if first is None or last is None else max(0, last - first + 1)

    def examples(self, low: Rank | None, high: Rank | None, wanted: int) -> list[Value]:
        """Up to `wanted` distinct values strictly between, the simplest first."""
        first, last = self.first_and_last(low, high)
        start = _usual_rank(self._type)
        start = start if first is None else max(start, first)
        start = start if last is None else min(start, last)
        stop = start + wanted if last is None else min(start + wanted, last + 1)
        bottom = start - wanted if first is None else max(start - wanted, first)
        ranks = (*range(start, stop), *range(start - 1, bottom - 1, -1))
        return [_unrank(rank, self._type) for rank in ranks[:wanted]]

    def first_and_last(self, low: Rank | None, high: Rank | None) -> tuple[int | None, int | None]:
        """The first and the last rank strictly between; None if unbounded on that side."""
        first = None if low is None else math.floor(low) + 1
        last = None if high is None else math.ceil(high) - 1
        if self._lowest is not None:
            first = self._lowest if first is None else max(first, self._lowest)
        if self._highest is not None:
            last = self._highest if last is None else min(last, self._highest)
        return first, last


def _usual_rank(type_: Type) -> int:
    """The rank at which examples start: an everyday value of the type."""
    match type_.kind:
        case Kind.DATE | Kind.TIMESTAMP:
            return int(_rank(datetime.datetime(2000, 1, 1), type_))
        case (
            Kind.INTEGER
            | Kind.DECIMAL
            | Kind.FLOAT
            | Kind.BOOLEAN
            | Kind.TEXT
            | Kind.SHARE
            | Kind.OPAQUE
            | Kind.DROPPED
        ):
            return 0
        case _:
            assert_never(type_.kind)


class AnyScaleOrder(DiscreteOrder):
    """Numbers of any scale: infinitely many between any two. Examples have the type's scale."""

    is_dense = True

    def is_value(self, rank: Rank) -> bool:
        return True

    def count(self, low: Rank | None, high: Rank | None) -> float:
        return INFINITE


class ShareOrder(AnyScaleOrder):
    """Fractions from 0 to 1 (X13, SHARE); both are cuts."""

    def is_value(self, rank: Rank) -> bool:
        return bool(0 <= rank <= 1)

    def count(self, low: Rank | None, high: Rank | None) -> float:
        is_inside = (low is None or low < 1) and (high is None or high > 0)
        return INFINITE if is_inside and low is not None and high is not None else 0


class TextOrder:
    """Text is dense, with one exception: nothing lies between a text and the same text followed by NUL."""

    is_dense = True

    def rank(self, value: Value) -> Rank:
        assert isinstance(value, str)
        return value

    def is_value(self, rank: Rank) -> bool:
        return True

    def value(self, rank: Rank) -> Value:
        return str(rank)

    def first_and_last(self, low: Rank | None, high: Rank | None) -> tuple[Rank | None, Rank | None]:
        raise AssertionError("text is not discrete")

    def count(self, low: Rank | None, high: Rank | None) -> float:
        """(t, t + NUL × n) holds n - 1 texts; without a lower bound, (…, NUL × n) holds n."""
        if high is None:
            return INFINITE
        start = "" if low is None else low
        rest = high.removeprefix(start) if high.startswith(start) else None
        if rest is None or rest.strip("\0"):
            return INFINITE
        return len(rest) if low is None else len(rest) - 1

    def examples(self, low: Rank | None, high: Rank | None, wanted: int) -> list[Value]:
        def is_inside(text: str) -> bool:
            return (low is None or text > low) and (high is None or text < high)

        near = list(filter(is_inside, _texts_near("" if low is None else low)))
        longer = (f"{text}{number}" for text in near for number in range(10, 10 + wanted))
        found = dict.fromkeys(chain(near, islice(filter(is_inside, longer), wanted)))
        return list[Value](found)[:wanted]


def _texts_near(start: str) -> list[str]:
    """Texts just above `start`, readable ones first. If any text fits, one of those that end in NULs does."""
    words = ["a", "b", "c", "x", "y", "z", "0", "1", "2", "9", " ", "!"]
    above = [chr(ord(start[0]) + 1)] if start and start[0] < "y" else []
    return [*above, *words, *(start + word for word in words), start, *(start + "\0" * n for n in range(1, 9))]


def _rank(value: Any, type_: Type) -> Rank:
    match type_.kind:
        case Kind.INTEGER | Kind.BOOLEAN | Kind.SHARE:
            return _as_integer_if_whole(Fraction(value))
        case Kind.DECIMAL:
            return _as_integer_if_whole(Fraction(value) * 10**type_.scale)
        case Kind.FLOAT:
            return _float_rank(float(value))
        case Kind.DATE:
            return value.toordinal()
        case Kind.TIMESTAMP:
            return (value - datetime.datetime.min) // datetime.timedelta(microseconds=1)
        case Kind.TEXT | Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("values of this type have no rank")
        case _:
            assert_never(type_.kind)


def _as_integer_if_whole(rank: Fraction) -> int | Fraction:
    return rank.numerator if rank.denominator == 1 else rank


def _unrank(rank: int, type_: Type) -> Value:
    match type_.kind:
        case Kind.INTEGER:
            return rank
        case Kind.BOOLEAN:
            return bool(rank)
        case Kind.DECIMAL:
            return Decimal(rank).scaleb(-type_.scale, context=EXACT)
        case Kind.FLOAT:
            return _unrank_float(rank)
        case Kind.DATE:
            return datetime.date.fromordinal(rank)
        case Kind.TIMESTAMP:
            return datetime.datetime.min + datetime.timedelta(microseconds=rank)
        case Kind.TEXT | Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("values of this type have no rank")
        case _:
            assert_never(type_.kind)


def _float_rank(value: float) -> int:
    """The bits of a float, read as an integer, increase with its magnitude."""
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(value)))
    return int(-bits if value < 0 else bits)


def _unrank_float(rank: int) -> float:
    (magnitude,) = struct.unpack("<d", struct.pack("<q", abs(rank)))
    return float(-magnitude if rank < 0 else magnitude)


_INFINITY_RANK = _float_rank(math.inf)


def value_order(type_: Type) -> ValueOrder:
    match type_.kind:
        case Kind.TEXT:
            return TextOrder()
        case Kind.INTEGER | Kind.DECIMAL:
            return DiscreteOrder(type_)
        case Kind.BOOLEAN:
            return DiscreteOrder(type_, 0, 1)
        case Kind.FLOAT:
            return DiscreteOrder(type_, -_INFINITY_RANK, _INFINITY_RANK)
        case Kind.DATE:
            return DiscreteOrder(type_, 1, datetime.date.max.toordinal())
        case Kind.TIMESTAMP:
            return DiscreteOrder(type_, 0, _rank(datetime.datetime.max, type_))
        case Kind.SHARE:
            return ShareOrder(type_)
        case Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("a policy cannot name an opaque or a dropped column")
        case _:
            assert_never(type_.kind)


def count_order() -> ValueOrder:
    """1, 2, 3, …: a class is never empty (D16)."""
    return DiscreteOrder(Type(Kind.INTEGER), 1)
