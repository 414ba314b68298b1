"""A column's values cut into regions by the constants it is compared with.

With constants c₁ < … < cₙ there are 2n + 1 regions: the gap below c₁, the point c₁, the gap up to c₂, and
so on. No condition tells two values of a region apart. A set of regions is a mask: bit 2j is the gap
before cⱼ₊₁, bit 2j + 1 the point cⱼ₊₁. A region without values (no integer lies between 3 and 4) is in no
mask.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import TypeAlias, assert_never

from acompass.checked.types import Value
from acompass.prove.lines import Line, Place
from acompass.syntax.tree import Operator

Mask: TypeAlias = int


class Regions:
    def __init__(self, line: Line, constants: Iterable[Value]):
        self.line = line
        self._places: list[Place] = sorted({line.place(constant) for constant in constants})
        self._counts = [self._count(region) for region in range(2 * len(self._places) + 1)]
        self.full: Mask = sum(1 << region for region, count in enumerate(self._counts) if count)

    def bounds(self, region: int) -> tuple[Place | None, Place | None]:
        """The constants on either side of a gap."""
        at = region // 2
        low = self._places[at - 1] if at > 0 else None
        high = self._places[at] if at < len(self._places) else None
        return low, high

    def _count(self, region: int) -> float:
        if region % 2:
            return 1 if self.line.is_value(self._places[region // 2]) else 0
        return self.line.count(*self.bounds(region))

    def region_of(self, value: Value) -> int:
        return self.region_at(self.line.place(value))

    def region_at(self, place: Place) -> int:
        at = bisect_left(self._places, place)
        is_point = at < len(self._places) and self._places[at] == place
        return 2 * at + 1 if is_point else 2 * at

    def lower_place(self, region: int) -> Place | None:
        """What no value of the region is below."""
        return self._places[region // 2] if region % 2 else self.bounds(region)[0]

    def upper_place(self, region: int) -> Place | None:
        return self._places[region // 2] if region % 2 else self.bounds(region)[1]

    def ends(self, region: int) -> tuple[Place | None, Place | None]:
        """The first and the last place in a gap of a discrete line, None for no end."""
        return self.line.ends(*self.bounds(region))

    def constant(self, region: int) -> Value | None:
        """The value of a point, None for a gap."""
        return self.line.value(self._places[region // 2]) if region % 2 else None

    def compared(self, operator: Operator, constant: Value) -> Mask:
        """The regions whose values stand in this relation to one of the constants."""
        region = self.region_of(constant)
        assert region % 2, "only constants that cut the line are compared"
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
        """Everything from the lowest region of the mask up."""
        return self.full & ~((mask & -mask) - 1) if mask else 0

    def up_to_highest(self, mask: Mask) -> Mask:
        return self.full & ((1 << mask.bit_length()) - 1)

    def cardinality(self, mask: Mask) -> float:
        return sum(self._counts[region] for region in regions_in(mask))

    def is_single(self, mask: Mask) -> bool:
        """Whether the mask holds one value and no more."""
        return mask & (mask - 1) == 0 and self._counts[mask.bit_length() - 1] == 1 if mask else False

    def values(self, region: int, wanted: int) -> list[Value]:
        if not self._counts[region]:
            return []
        constant = self.constant(region)
        return [constant] if constant is not None else self.line.some(*self.bounds(region), wanted)


def regions_in(mask: Mask) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
