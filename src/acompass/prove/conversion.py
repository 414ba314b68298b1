"""Where values go when their column changes its type (D12), and what a RANDOM can write into it (D14).

The image of a region is a set of regions of the new type. It never leaves out a region that some value
reaches; between numbers it is exact, and into text it is exact but for floats.
"""

import datetime
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from acompass.checked.convert import convert, to_text
from acompass.checked.types import INTEGER, Kind, Type, Value
from acompass.prove.lines import Place, line_of
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.prove.written import is_monotone, reaches

#: a gap of up to this many values is converted one by one
FEW = 256

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def image(region: int, source: Regions, source_type: Type, target: Regions, target_type: Type) -> Mask:
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


def drawn(lower: int, upper: int, target: Regions, target_type: Type) -> Mask:
    """What random(lower, upper, ρ) can be in a column of this type."""
    if lower == upper:
        return 1 << target.region_of(convert(lower, INTEGER, target_type))
    integers = Regions(line_of(INTEGER), (lower - 1, upper + 1))
    return image(_BETWEEN_TWO, integers, INTEGER, target, target_type)


#: the gap between the only two constants of a line
_BETWEEN_TWO = 2


def _is_reached(
    candidate: int,
    low: Place | None,
    high: Place | None,
    source_type: Type,
    target: Regions,
    target_type: Type,
) -> bool:
    """Whether a value strictly between two places of a numeric type converts into the candidate."""
    if target_type.kind is Kind.FLOAT:
        return _is_rounded_into(candidate, low, high, target)
    ratio = 10 ** (target_type.scale - source_type.scale)
    line = line_of(source_type)
    constant = target.constant(candidate)
    if constant is not None:
        place = line.place(constant)
        return line.is_value(place) and (low is None or low < place) and (high is None or place < high)
    below, above = (_scaled(bound, ratio) for bound in target.bounds(candidate))
    return line.count(_last(low, below), _first(high, above)) > 0


def _is_rounded_into(candidate: int, low: Place, high: Place, target: Regions) -> bool:
    """Whether an integer strictly between two others becomes a float of the candidate; their order stays."""
    first, end = low + 1, high
    while first < end:
        middle = (first + end) // 2
        if target.region_of(float(middle)) < candidate:
            first = middle + 1
        else:
            end = middle
    return bool(first < high and target.region_of(float(first)) == candidate)


def _scaled(place: Place | None, ratio: int) -> Place | None:
    return None if place is None else Fraction(place) / ratio


def _last(one: Place | None, other: Place | None) -> Place | None:
    return max((place for place in (one, other) if place is not None), default=None)


def _first(one: Place | None, other: Place | None) -> Place | None:
    return min((place for place in (one, other) if place is not None), default=None)


def _image_in_text(region: int, source: Regions, source_type: Type, target: Regions) -> Mask:
    if source.cardinality(1 << region) <= FEW:
        values = source.values(region, FEW)
        return _union(1 << target.region_of(to_text(value, source_type)) for value in values)
    return _union(
        1 << candidate
        for candidate in regions_in(target.full)
        if _is_written_in(candidate, target, region, source, source_type)
    )


def _is_written_in(candidate: int, target: Regions, region: int, source: Regions, source_type: Type) -> bool:
    constant = target.constant(candidate)
    if constant is not None:
        return _comes_from(str(constant), region, source, source_type)
    return not is_monotone(source_type) or reaches(region, source, source_type, *target.bounds(candidate))


def _union(masks: Iterable[Mask]) -> Mask:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _comes_from(text: str, region: int, source: Regions, source_type: Type) -> bool:
    value = _read(text, source_type)
    return value is not None and to_text(value, source_type) == text and source.region_of(value) == region


def _read(text: str, type_: Type) -> Value | None:
    """The value that is written so, if there is one."""
    try:
        match type_.kind:
            case Kind.INTEGER:
                return int(text) if _NUMBER.fullmatch(text) else None
            case Kind.DECIMAL:
                return Decimal(text) if _NUMBER.fullmatch(text) else None
            case Kind.FLOAT:
                return float(text)
            case Kind.DATE:
                return datetime.date.fromisoformat(text)
            case Kind.TIMESTAMP:
                return datetime.datetime.fromisoformat(text)
            case _:
                return None
    except (ValueError, InvalidOperation):
        return None
