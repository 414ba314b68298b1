"""A value of each region of a column: no condition of the policy can tell two values of a region apart."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from acompass.checked.constants import scale_of
from acompass.checked.types import Kind, Type, Value
from acompass.prove.regions import Regions, regions_in
from acompass.prove.value_order import order_of, order_of_counts

#: more combinations of values of several columns than this are not looked at
MOST_CELLS = 20_000


def representatives(type_: Type, constants: Sequence[Value]) -> list[Value]:
    """Of the regions that the constants cut, in their order. Values that the type holds are preferred."""
    own, finer = (Regions(order_of(each), constants) for each in (type_, _finer(type_, constants)))
    return [(own.values(region, 1) or finer.values(region, 1))[0] for region in regions_in(finer.full)]


def counts(constants: Sequence[Value]) -> list[Value]:
    """Of the regions of 1, 2, 3, …"""
    regions = Regions(order_of_counts(), constants)
    return [regions.values(region, 1)[0] for region in regions_in(regions.full)]


def _finer(type_: Type, constants: Iterable[Value]) -> Type:
    """A decimal of any scale has values between any two constants: a type with more digits than they have."""
    if type_.kind is not Kind.DECIMAL:
        return type_
    scales = [scale_of(constant) for constant in constants if isinstance(constant, Decimal)]
    return replace(type_, scale=max([type_.scale, *scales]) + 1)
