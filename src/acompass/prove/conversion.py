"""The images of regions: where values go when their column changes its type (D12), and the results of RANDOM.

The image of a region is a set of regions of the new type. It includes every region that some value reaches.
Between numbers it is exact; into text, it is exact except for floats and numbers of any scale.
"""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from acompass.checked.convert import convert, to_text
from acompass.checked.types import INTEGER, Kind, Type
from acompass.prove.reading import read_text
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.prove.text_images import has_ordered_texts, may_be_number, reaches_between
from acompass.prove.value_order import Rank, order_of

#: the values of a gap up to this size are converted individually
FEW = 256

#: numbers have no leading zeros (D25)
_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def image(region: int, source: Regions, source_type: Type, target: Regions, target_type: Type) -> Mask:
    if target_type.kind is Kind.TEXT and source_type.is_spelled_decimal:
        return image_of_any_scale(region, source, target)
    constant = source.constant(region)
    if constant is not None:
        return 1 << target.region_of(convert(constant, source_type, target_type))
    if target_type.kind is Kind.TEXT:
        return _image_in_text(region, source, source_type, target)
    low, high = source.bounds(region)
    reached = (
        1 << candidate
        for candidate in regions_in(target.full)
        if _is_reached(candidate, low, high, source_type, target, target_type)
    )
    return sum(reached)


def image_of_any_scale(region: int, source: Regions, target: Regions) -> Mask:
    """The texts of numbers of any scale: 2 may be written `2` or `2.00`. Every gap in which a text begins as
    a number is taken to be reached."""

    def is_reached(candidate: int) -> bool:
        text = target.constant(candidate)
        if text is None:
            return may_be_number(*target.bounds(candidate))
        return bool(_PLAIN.fullmatch(str(text))) and source.region_of(Decimal(str(text))) == region

    return _union(1 << candidate for candidate in regions_in(target.full) if is_reached(candidate))


def image_of_random(lower: int, upper: int, target: Regions, target_type: Type) -> Mask:
    """The regions that random(lower, upper, ρ) reaches in a column of the target type (D14)."""
    if lower == upper:
        return 1 << target.region_of(convert(lower, INTEGER, target_type))
    integers = Regions(order_of(INTEGER), (lower - 1, upper + 1))
    return image(_BETWEEN_THE_CUTS, integers, INTEGER, target, target_type)


#: the gap between the cuts of regions that have two
_BETWEEN_THE_CUTS = 2


def _is_reached(
    candidate: int,
    low: Rank | None,
    high: Rank | None,
    source_type: Type,
    target: Regions,
    target_type: Type,
) -> bool:
    """Whether a value strictly between two ranks of a numeric type converts into the candidate region."""
    if target_type.kind is Kind.FLOAT:
        return _is_rounded_into(candidate, low, high, target)
    ratio = 10 ** (target_type.scale - source_type.scale)
    order = order_of(source_type)
    constant = target.constant(candidate)
    if constant is not None:
        rank = order.rank(constant)
        return order.is_value(rank) and (low is None or low < rank) and (high is None or rank < high)
    below, above = (_scaled(bound, ratio) for bound in target.bounds(candidate))
    return order.count(_greater(low, below), _lesser(high, above)) > 0


def _is_rounded_into(candidate: int, low: Rank, high: Rank, target: Regions) -> bool:
    """Whether an integer strictly between two others becomes a float of the candidate region.

    A binary search, as rounding keeps the order.
    """
    first, end = low + 1, high
    while first < end:
        middle = (first + end) // 2
        if target.region_of(float(middle)) < candidate:
            first = middle + 1
        else:
            end = middle
    return bool(first < high and target.region_of(float(first)) == candidate)


def _scaled(rank: Rank | None, ratio: int) -> Rank | None:
    return None if rank is None else Fraction(rank) / ratio


def _greater(one: Rank | None, other: Rank | None) -> Rank | None:
    return max((rank for rank in (one, other) if rank is not None), default=None)


def _lesser(one: Rank | None, other: Rank | None) -> Rank | None:
    return min((rank for rank in (one, other) if rank is not None), default=None)


def _image_in_text(region: int, source: Regions, source_type: Type, target: Regions) -> Mask:
    if source.cardinality(1 << region) <= FEW:
        values = source.values(region, FEW)
        return _union(1 << target.region_of(to_text(value, source_type)) for value in values)
    return _union(
        1 << candidate
        for candidate in regions_in(target.full)
        if _has_text_in(candidate, target, region, source, source_type)
    )


def _has_text_in(candidate: int, target: Regions, region: int, source: Regions, source_type: Type) -> bool:
    constant = target.constant(candidate)
    if constant is not None:
        return _is_text_of(str(constant), region, source, source_type)
    if source_type.kind is Kind.FLOAT:
        return _has_float_text(*target.bounds(candidate), source.region_of(math.inf) == region)
    if not has_ordered_texts(source_type):
        return True
    return reaches_between(region, source, source_type, *target.bounds(candidate))


def _has_float_text(low: str | None, high: str | None, has_infinity: bool) -> bool:
    """Whether a float can have a text between the two: it begins with a digit or a sign, or is `inf`."""
    is_infinity = (low is None or low < "inf") and (high is None or high > "inf")
    return may_be_number(low, high) or (has_infinity and is_infinity)


def _union(masks: Iterable[Mask]) -> Mask:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _is_text_of(text: str, region: int, source: Regions, source_type: Type) -> bool:
    value = read_text(text, source_type)
    return value is not None and source.region_of(value) == region
