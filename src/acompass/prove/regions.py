"""A column's values, cut into regions by the constants that the column is compared with.

Constants c₁ < … < cₙ make 2n + 1 regions: the gap below c₁, the point c₁, the gap between c₁ and c₂, and so
on. No condition can distinguish two values of the same region. A set of regions is a bit mask: bit 2j is the
gap below cⱼ₊₁, bit 2j + 1 the point cⱼ₊₁. Masks leave out regions without values, such as the gap between the
integers 3 and 4.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import TypeAlias, assert_never

from acompass.checked.types import Value
from acompass.prove.extents import Bound, Extent
from acompass.prove.value_order import Rank, ValueOrder
from acompass.syntax.tree import Operator

Mask: TypeAlias = int


class Regions:
    def __init__(self, order: ValueOrder, constants: Iterable[Value]):
        self._order = order
        self.cuts: list[Rank] = sorted({order.rank(constant) for constant in constants})
        self._counts = [self._count(region) for region in range(2 * len(self.cuts) + 1)]
        self.full: Mask = sum(1 << region for region, count in enumerate(self._counts) if count)

    def bounds(self, region: int) -> tuple[Rank | None, Rank | None]:
        """The cuts on either side of a gap."""
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
        """How far the numbers of the mask, which must not be empty, reach."""
        return Extent(self._least((mask & -mask).bit_length() - 1), self._greatest(mask.bit_length() - 1))

    def _least(self, region: int) -> Bound | None:
        if region % 2:
            return Bound(self.cuts[region // 2])
        is_open = self._order.is_dense
        low = self.bounds(region)[0] if is_open else self.first_and_last(region)[0]
        return None if low is None else Bound(low, is_open)

    def _greatest(self, region: int) -> Bound | None:
        if region % 2:
            return Bound(self.cuts[region // 2])
        is_open = self._order.is_dense
        high = self.bounds(region)[1] if is_open else self.first_and_last(region)[1]
        return None if high is None else Bound(high, is_open)

    def reached_by(self, extent: Extent) -> Mask:
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
        """The first and the last rank in a gap of a discrete type, each None where there is none."""
        return self._order.first_and_last(*self.bounds(region))

    def ends(self, region: int) -> tuple[Value, Value] | None:
        """The least and the greatest value in a gap of a discrete type; None where one of them is missing."""
        first, last = self.first_and_last(region)
        return None if first is None or last is None else (self._order.value(first), self._order.value(last))

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

    def values(self, region: int, wanted: int) -> list[Value]:
        if not self._counts[region]:
            return []
        constant = self.constant(region)
        return [constant] if constant is not None else self._order.examples(*self.bounds(region), wanted)


def regions_in(mask: Mask) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
