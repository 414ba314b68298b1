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
from acompass.prove.value_order import Rank, ValueOrder
from acompass.syntax.tree import Operator

Mask: TypeAlias = int


class Regions:
    def __init__(self, order: ValueOrder, constants: Iterable[Value]):
        self._order = order
        self._cuts: list[Rank] = sorted({order.rank(constant) for constant in constants})
        self._counts = [self._count(region) for region in range(2 * len(self._cuts) + 1)]
        self.full: Mask = sum(1 << region for region, count in enumerate(self._counts) if count)

    def bounds(self, region: int) -> tuple[Rank | None, Rank | None]:
        """The cuts on either side of a gap."""
        at = region // 2
        low = self._cuts[at - 1] if at > 0 else None
        high = self._cuts[at] if at < len(self._cuts) else None
        return low, high

    def _count(self, region: int) -> float:
        if region % 2:
            return 1 if self._order.is_value(self._cuts[region // 2]) else 0
        return self._order.count(*self.bounds(region))

    def region_of(self, value: Value) -> int:
        return self.region_at(self._order.rank(value))

    def region_at(self, rank: Rank) -> int:
        at = bisect_left(self._cuts, rank)
        is_point = at < len(self._cuts) and self._cuts[at] == rank
        return 2 * at + 1 if is_point else 2 * at

    def lower_rank(self, region: int) -> Rank | None:
        """A rank that every value of the region reaches or exceeds."""
        return self._cuts[region // 2] if region % 2 else self.bounds(region)[0]

    def upper_rank(self, region: int) -> Rank | None:
        return self._cuts[region // 2] if region % 2 else self.bounds(region)[1]

    def first_and_last(self, region: int) -> tuple[Rank | None, Rank | None]:
        """The first and the last rank in a gap of a discrete type, each None where there is none."""
        return self._order.first_and_last(*self.bounds(region))

    def ends(self, region: int) -> tuple[Value, Value] | None:
        """The least and the greatest value in a gap of a discrete type; None where one of them is missing."""
        first, last = self.first_and_last(region)
        return None if first is None or last is None else (self._order.value(first), self._order.value(last))

    def constant(self, region: int) -> Value | None:
        """The value of a point; None for a gap."""
        return self._order.value(self._cuts[region // 2]) if region % 2 else None

    def cut(self, at: int) -> Rank:
        return self._cuts[at]

    def cut_value(self, at: int) -> Value:
        """The constant that makes the cut, unless it is a number that the type cannot hold."""
        return self._order.value(self._cuts[at])

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

    def all_values(self, mask: Mask) -> list[Value]:
        """All values of a finite set of regions."""
        return [
            value for region in regions_in(mask) for value in self.values(region, int(self._counts[region]))
        ]

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
