"""Images of regions: the regions that values reach when their column changes type, and under each kernel.

Columns change type as D12 (retyping) says. An image includes every region that some value reaches; it may include more.
"""

import datetime
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from typing import assert_never

from acompass.language.program.bands import Bands
from acompass.language.program.kernels import AddRandom, Labels, Map, Nearest, Pseudonym, Shift
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix, is_iso_date
from acompass.language.program.types import INTEGER, Kind, Type, convert, round_away, to_text
from acompass.language.text.tree import DateUnit
from acompass.prove.diagrams import cuts
from acompass.prove.diagrams.regions import Bound, Extent, Mask, Rank, Regions, regions_in, unite_masks, value_order

_MICROSECONDS_PER_DAY = 86_400_000_000
#: the values of a gap up to this size are converted individually
FEW = 256

#: kinds whose values form runs in which texts sort like the values (`reaches_between`)
_WITH_ORDERED_TEXTS = (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP)
#: intervals of text that contain the text of every number
_NUMERALS = (("-", "."), ("0", ":"))
#: intervals of text that contain every label of bands but `*`: `-2 to -1`, `0-3`, `<0`, `[0,1)`
_BAND_BEGINNINGS = (*_NUMERALS, ("<", "="), ("[", "\\"))
#: the gap between the cuts of regions that have two
_BETWEEN_THE_CUTS = 2
#: numbers have no leading zeros (D25, leading zeros)
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
    """The image in text of numbers of any scale: 2 may be written `2` or `2.00`. It includes every gap with a text that
    starts like a number."""

    def is_reached(candidate: int) -> bool:
        text = target.constant(candidate)
        if text is None:
            return may_be_number(*target.bounds(candidate))
        return bool(_PLAIN.fullmatch(str(text))) and source.region_of(Decimal(str(text))) == region

    return sum(1 << candidate for candidate in regions_in(target.full) if is_reached(candidate))


def image_of_random(lower: int, upper: int, target: Regions, target_type: Type) -> Mask:
    """The regions that random(lower, upper, ρ) reaches in a column of the target type (D14, RANDOM in text)."""
    if lower == upper:
        return 1 << target.region_of(convert(lower, INTEGER, target_type))
    integers = Regions(value_order(INTEGER), (lower - 1, upper + 1))
    return image(_BETWEEN_THE_CUTS, integers, INTEGER, target, target_type)


def image_of_write(
    kernel: Labels | Nearest | Pseudonym | Shift | AddRandom,
    region: int,
    source: Regions,
    before: Type,
    target: Regions,
    after: Type,
) -> Mask:
    """The regions that the kernel can turn the values of a region into; `before` and `after` are the column's types.
    Nothing is known about the texts of pseudonyms (X15)."""
    match kernel:
        case Labels():
            raise AssertionError("labels have images of their own: `LabelImages`")
        case Pseudonym():
            return target.full
        case Nearest() | AddRandom() if after.kind is Kind.FLOAT:
            return _image_in_floats(kernel, region, source, target, after)
        case Nearest(step):
            ranks_before, ranks_after = (Fraction(step) * 10**type_.scale for type_ in (before, after))
            return _image_of_nearest(ranks_before, ranks_after, region, source, target)
        case AddRandom():
            return _image_of_sums(kernel, region, source, target, after)
        case Shift(days=days) if after.kind is Kind.TEXT:
            return _image_of_shifted_text(days, region, source, target)
        case Shift(days=days):
            unit = days if after.kind is Kind.DATE else days * _MICROSECONDS_PER_DAY
            return target.regions_within(_shift_extent(source.extent(1 << region), -unit, unit))
        case _:
            assert_never(kernel)


def _image_in_floats(kernel: Nearest | AddRandom, region: int, source: Regions, target: Regions, after: Type) -> Mask:
    """Rounding is monotone, so the ends of the region bound the image."""
    constant = source.constant(region)
    ends = source.ends(region) if constant is None else (constant, constant)
    assert ends is not None, "there is a least and a greatest float"
    first, last = ends
    match kernel:
        case Nearest():
            return target.between(kernel.nearest(first, after), kernel.nearest(last, after))
        case AddRandom(lower, upper):
            return target.between(kernel.sum(first, lower, after), kernel.sum(last, upper, after))
        case _:
            assert_never(kernel)


def _image_of_nearest(step: Fraction, multiple: Fraction, region: int, source: Regions, target: Regions) -> Mask:
    """The regions with a multiple of the step between the multiples that are nearest to the ends of the region. `step`
    is in ranks of the source, `multiple` the same in ranks of the target."""
    extent = source.extent(1 << region)
    first, last = (None if end is None else round_away(end.rank / step) for end in (extent.low, extent.high))

    def is_reached(candidate: int) -> bool:
        if candidate % 2:
            number = Fraction(target.cuts[candidate // 2]) / multiple
            return number.denominator == 1 and (first is None or first <= number) and (last is None or number <= last)
        low, high = target.bounds(candidate)
        starts = (first, None if low is None else math.floor(low / multiple) + 1)
        ends = (last, None if high is None else math.ceil(high / multiple) - 1)
        start = max((each for each in starts if each is not None), default=None)
        end = min((each for each in ends if each is not None), default=None)
        return start is None or end is None or start <= end

    return sum(1 << candidate for candidate in regions_in(target.full) if is_reached(candidate))


def _image_of_sums(kernel: AddRandom, region: int, source: Regions, target: Regions, after: Type) -> Mask:
    """The sums lie between those of the ends; each sum of a single value is known."""
    constant = source.constant(region)
    drawn = range(kernel.lower, kernel.upper + 1)
    if constant is not None and kernel.upper - kernel.lower < FEW:
        sums = (kernel.sum(constant, each, after) for each in drawn)
        return unite_masks(1 << target.region_of(each) for each in sums if each is not None)
    unit = 10**after.scale
    return target.regions_within(_shift_extent(source.extent(1 << region), kernel.lower * unit, kernel.upper * unit))


def _shift_extent(extent: Extent, down: int, up: int) -> Extent:
    low = None if extent.low is None else Bound(extent.low.rank + down, extent.low.is_open)
    return Extent(low, None if extent.high is None else Bound(extent.high.rank + up, extent.high.is_open))


def _image_of_shifted_text(days: int, region: int, source: Regions, target: Regions) -> Mask:
    """Texts in ISO form have the order of their dates. A run stops at any other text."""
    constant = source.constant(region)
    if constant is not None and not is_iso_date(str(constant)):
        return 0
    low, high = source.bounds(region) if constant is None else (str(constant), str(constant))
    # the text of a time on the last day is below that of the next day
    reached = target.between(shifted_text(low, -days), shifted_text(high, days + 1))
    return sum(1 << candidate for candidate in regions_in(reached) if _may_be_date(candidate, target))


def shifted_text(text: str | None, days: int) -> str | None:
    """The date of a text in ISO form plus a number of days; None if there is none."""
    if text is None or not is_iso_date(text):
        return None
    day = datetime.date.fromisoformat(text[:10]).toordinal() + days
    last = datetime.date.max.toordinal()
    return datetime.date.fromordinal(day).isoformat() if 1 <= day <= last else None


def _may_be_date(candidate: int, target: Regions) -> bool:
    text = target.constant(candidate)
    return may_be_number(*target.bounds(candidate)) if text is None else is_iso_date(str(text))


def _is_reached(
    candidate: int, low: Rank | None, high: Rank | None, source_type: Type, target: Regions, target_type: Type
) -> bool:
    """Whether a value strictly between two ranks of a numeric type converts into the candidate region."""
    if target_type.kind is Kind.FLOAT:
        return _is_rounded_into(candidate, low, high, target)
    ratio = 10 ** (target_type.scale - source_type.scale)
    order = value_order(source_type)
    constant = target.constant(candidate)
    if constant is not None:
        rank = order.rank(constant)
        return order.is_value(rank) and (low is None or low < rank) and (high is None or rank < high)
    below, above = (None if bound is None else Fraction(bound) / ratio for bound in target.bounds(candidate))
    greatest_low = max((rank for rank in (low, below) if rank is not None), default=None)
    least_high = min((rank for rank in (high, above) if rank is not None), default=None)
    return order.count(greatest_low, least_high) > 0


def _is_rounded_into(candidate: int, low: Rank, high: Rank, target: Regions) -> bool:
    """Whether an integer strictly between two others becomes a float in the candidate region.

    Rounding is monotone, so a binary search finds it.
    """
    first, end = low + 1, high
    while first < end:
        middle = (first + end) // 2
        if target.region_of(float(middle)) < candidate:
            first = middle + 1
        else:
            end = middle
    return bool(first < high and target.region_of(float(first)) == candidate)


def _image_in_text(region: int, source: Regions, source_type: Type, target: Regions) -> Mask:
    if source.cardinality(1 << region) <= FEW:
        values = source.values(region, FEW)
        return unite_masks(1 << target.region_of(to_text(value, source_type)) for value in values)
    return sum(
        1 << candidate
        for candidate in regions_in(target.full)
        if _has_text_in(candidate, target, region, source, source_type)
    )


def _has_text_in(candidate: int, target: Regions, region: int, source: Regions, source_type: Type) -> bool:
    constant = target.constant(candidate)
    if constant is not None:
        value = cuts.read_text(str(constant), source_type)
        return value is not None and source.region_of(value) == region
    if source_type.kind is Kind.FLOAT:
        return _has_float_text(*target.bounds(candidate), source.region_of(math.inf) == region)
    if source_type.kind not in _WITH_ORDERED_TEXTS:
        return True
    return reaches_between(region, source, source_type, *target.bounds(candidate))


def _has_float_text(low: str | None, high: str | None, has_infinity: bool) -> bool:
    """Whether a float can have a text between the two: it starts with a digit or a sign, or is `inf`."""
    is_infinity = (low is None or low < "inf") and (high is None or high > "inf")
    return may_be_number(low, high) or (has_infinity and is_infinity)


def may_be_number(low: str | None, high: str | None) -> bool:
    """Whether a text strictly between `low` and `high` can start with a minus sign or a digit."""
    return any((low is None or low < end) and (high is None or high > first) for first, end in _NUMERALS)


def reaches_between(region: int, source: Regions, type_: Type, low: str | None, high: str | None) -> bool:
    """Whether the text of some value in the gap `region` lies strictly between `low` and `high`.

    Numbers with the same sign and the same number of digits before the point sort like their texts, and so do all dates
    and all timestamps. A binary search in each such run finds the value.
    """
    if not may_be_number(low, high):  # dates begin with a digit, too
        return False
    first, last = source.first_and_last(region)
    longest = max(len(low or ""), len(high or ""), len(str(first)), len(str(last))) + 1
    return any(
        _run_reaches(start, stop, sign, type_, low, high) for start, stop, sign in _runs(first, last, type_, longest)
    )


def _runs(first: Rank | None, last: Rank | None, type_: Type, longest: int) -> Iterator[tuple[int, int, int]]:
    """Runs of magnitudes, each with its sign, whose texts ascend. Numbers with more than `longest` digits are omitted:
    they reach no other interval."""
    if type_.kind in (Kind.DATE, Kind.TIMESTAMP):
        assert first is not None
        assert last is not None
        yield first, last, 1
        return
    for digits in range(1, longest + 1):
        smallest = 0 if digits == 1 else 10 ** (digits - 1 + type_.scale)
        largest = 10 ** (digits + type_.scale) - 1
        yield from _clip_runs(smallest, largest, first, last, 1)
        lowest, highest = (None if rank is None else -rank for rank in (last, first))
        yield from _clip_runs(max(smallest, 1), largest, lowest, highest, -1)


def _clip_runs(
    smallest: int, largest: int, first: Rank | None, last: Rank | None, sign: int
) -> Iterator[tuple[int, int, int]]:
    start = smallest if first is None else max(smallest, first)
    stop = largest if last is None else min(largest, last)
    if start <= stop:
        yield start, stop, sign


def _run_reaches(start: int, stop: int, sign: int, type_: Type, low: str | None, high: str | None) -> bool:
    order = value_order(type_)

    def text(magnitude: int) -> str:
        return to_text(order.value(sign * magnitude), type_)

    if (high is not None and text(start) >= high) or (low is not None and text(stop) <= low):
        return False
    return low is None or high is None or text(_first_above(start, stop, text, low)) < high


def _first_above(start: int, stop: int, text: Callable[[int], str], low: str) -> int:
    """The least magnitude whose text is above `low`; that of `stop` is."""
    end = stop
    while start < end:
        middle = (start + end) // 2
        if text(middle) > low:
            end = middle
        else:
            start = middle + 1
    return start


class LabelImages:
    """The images of regions under one map (docs/prove.md, section 7); `texts` are the regions of the column after it.

    `of_numbers` means that the column started as numbers and has held only labels of bands since: all texts in a gap
    are then numbers or labels of bands, because other texts are constants of the policy.
    """

    def __init__(self, map_: Map, texts: Regions, of_numbers: bool = False):
        self._map = map_
        self._texts = texts
        self._of_numbers = of_numbers

    def image(self, region: int, source: Regions, type_: Type, converted: Callable[[], Mask]) -> Mask:
        """The image of a region; `converted` returns the regions that its values reach as text (D12, retyping)."""
        if type_.kind is Kind.TEXT:
            return self._of_texts(region)
        if self._is_monotone(type_):
            return self._of_values(region, source, type_)
        return unite_masks(self._of_texts(text) for text in regions_in(converted()))

    def _is_monotone(self, type_: Type) -> bool:
        """Whether every label belongs to an interval of the type's values."""
        match self._map:
            case Bands():
                return type_.is_number
            case Dates():
                return type_.kind in (Kind.DATE, Kind.TIMESTAMP)
            case Level() | Prefix():
                return False
            case _:
                assert_never(self._map)

    def _of_values(self, region: int, source: Regions, type_: Type) -> Mask:
        """The bounds of every distinguished label are cuts, so the values of a gap share one of these labels or have
        none of them."""
        is_few = source.cardinality(1 << region) <= FEW
        values = source.values(region, FEW if is_few else 1)
        reached = unite_masks(self._label_region(to_text(value, type_)) for value in values)
        if is_few or reached & self._readable_labels:
            return reached
        others = self._texts.full & ~self._readable_labels
        match self._map:
            case Dates():
                return others & self._of_period(region, source, type_)
            case Bands():
                return others & self._bands_of_numbers(self._map)
            case Level() | Prefix():
                return others
            case _:
                assert_never(self._map)

    def _label_region(self, text: str) -> Mask:
        label = self._map.label(text)
        return 0 if label is None else 1 << self._texts.region_of(label)

    def _of_period(self, region: int, source: Regions, type_: Type) -> Mask:
        """Labels of dates sort like the dates."""
        ends = source.ends(region)
        assert ends is not None, "there is a first and a last date"
        first, last = (self._map.label(to_text(end, type_)) for end in ends)
        return self._labels & self._between(first, f"{last}\0")

    @cached_property
    def _readable_labels(self) -> Mask:
        """The points whose values have known bounds, and `*`, which is not the label of any value."""
        return sum(1 << region for region in regions_in(self._texts.full) if self._is_readable(region))

    def _is_readable(self, region: int) -> bool:
        text = self._texts.constant(region)
        if text is None:
            return False
        is_label = self._map.label(str(text)) == text
        return not is_label or text == SUPPRESSED or bool(_bounds(self._map, str(text)))

    def _of_texts(self, region: int) -> Mask:
        text = self._texts.constant(region)
        if text is not None:
            return self._label_region(str(text))
        match self._map:
            case Level(otherwise=otherwise) if cuts.is_small_hierarchy(self._map):
                return 0 if otherwise is None else 1 << self._texts.region_of(otherwise)
            case Bands() if self._of_numbers and cuts.has_few_labels(self._map):
                return self._number_labels
            case Level() | Bands() | Dates() | Prefix():
                low, high = _interval(self._map, *self._texts.bounds(region))
                return self._between(low, high) & self._labels & ~self._suppressed_label
            case _:
                assert_never(self._map)

    @cached_property
    def _number_labels(self) -> Mask:
        """The labels of numbers, all of which are points. The labels of earlier, finer bands also become these."""
        points = (region for region in regions_in(self._labels) if region % 2)
        return sum(1 << region for region in points if self._texts.constant(region) != SUPPRESSED)

    @cached_property
    def _suppressed_label(self) -> Mask:
        """The point `*`, if the map gives this label to no other text."""
        match self._map:
            case Bands() | Dates():
                region = self._texts.region_of(SUPPRESSED)
                return 1 << region if self._texts.constant(region) is not None else 0
            case Level() | Prefix():
                return 0
            case _:
                assert_never(self._map)

    def _bands_of_numbers(self, map_: Bands) -> Mask:
        """The regions that the labels of numbers can reach, judging by their first characters."""
        reached = self._beginning_with(_number_beginnings(map_))
        if map_.cuts.first is None:
            return reached
        lowest = next(map_.bands_between(None, None)).label
        return reached | 1 << self._texts.region_of(lowest)

    @cached_property
    def _bands_of_texts(self) -> Mask:
        """The regions that the labels of texts can reach, judging by their first characters."""
        return self._beginning_with(_BAND_BEGINNINGS) | 1 << self._texts.region_of(SUPPRESSED)

    def _beginning_with(self, beginnings: Iterable[tuple[str, str]]) -> Mask:
        """The regions with texts in one of the intervals."""
        return unite_masks(self._between(low, high) for low, high in beginnings)

    def _between(self, low: str | None, high: str | None) -> Mask:
        """The regions with texts that are at least `low` and below `high`."""
        first = 0 if low is None else self._texts.region_at(low)
        reached = self._texts.full & ~((1 << first) - 1)
        if high is None:
            return reached
        last = self._texts.region_at(high)
        return reached & ((1 << last) - 1 if last % 2 else (2 << last) - 1)

    @cached_property
    def _labels(self) -> Mask:
        """The regions that can contain labels: maps are idempotent, so a label is its own label."""
        return sum(1 << region for region in regions_in(self._texts.full) if self._has_label(region))

    def _has_label(self, region: int) -> bool:
        text = self._texts.constant(region)
        if text is not None:
            return self._map.label(str(text)) == text
        match self._map:
            case Dates(unit):
                return _has_date_label(unit, *self._texts.bounds(region))
            case Bands():
                return bool(self._bands_of_texts >> region & 1)
            case Level() | Prefix():
                return True
            case _:
                assert_never(self._map)


def _number_beginnings(map_: Bands) -> Iterator[tuple[str, str]]:
    """Intervals of text that include every label of a number above the first cut."""
    first, last = map_.cuts.first, map_.cuts.last
    if not map_.integer:
        yield "[", "\\"
    if map_.integer or last is not None:
        yield "0", ":"
        yield from () if first is not None and first >= 0 else [("-", ".")]


def _bounds(map_: Map, label: str) -> object:
    match map_:
        case Bands():
            return cuts.band_bounds(label)
        case Dates():
            return cuts.period_bounds(label)
        case Level() | Prefix():
            return None
        case _:
            assert_never(map_)


def _interval(map_: Map, low: str | None, high: str | None) -> tuple[str | None, str | None]:
    """The labels of all texts strictly between two bounds are at least the first result and below the second."""
    match map_:
        case Prefix(length):
            return _with_prefix(length, low, high, SUPPRESSED)
        case Dates(unit):
            return _period_interval(unit, low, high)
        case Bands() | Level():
            return None, None
        case _:
            assert_never(map_)


def _period_interval(unit: DateUnit, low: str | None, high: str | None) -> tuple[str | None, str | None]:
    match unit:
        case DateUnit.MONTH:
            return None if low is None else low[:7], high
        case DateUnit.YEAR:
            return None if low is None else low[:4], high
        case DateUnit.QUARTER:
            return _with_prefix(4, low, high, "-Q9")
        case DateUnit.DECADE:
            return _with_prefix(3, low, high, "0s")
        case _:
            assert_never(unit)


def _with_prefix(length: int, low: str | None, high: str | None, most: str) -> tuple[str | None, str | None]:
    """The interval for labels that keep the first characters and continue with at most `most`."""
    lowest = None if low is None else low[:length]
    if high is None or len(high) <= length:
        return lowest, high
    return lowest, max(high, cuts.after_prefix(high[:length] + most) or high)


def _has_date_label(unit: DateUnit, low: str | None, high: str | None) -> bool:
    labels = _date_labels(unit)
    at = 0 if low is None else bisect_right(labels, low)
    return at < len(labels) and (high is None or labels[at] < high)


@cache
def _date_labels(unit: DateUnit) -> list[str]:
    """Every label of a unit and of the coarser ones, sorted as text."""
    units = tuple(DateUnit)
    found = [SUPPRESSED, *(f"{decade:03}0s" for decade in range(1000))]
    if units.index(unit) <= units.index(DateUnit.YEAR):
        found += [f"{year:04}" for year in range(1, 10_000)]
    if units.index(unit) <= units.index(DateUnit.QUARTER):
        found += [f"{year:04}-Q{quarter}" for year in range(1, 10_000) for quarter in range(1, 5)]
    if unit is DateUnit.MONTH:
        found += [f"{year:04}-{month:02}" for year in range(1, 10_000) for month in range(1, 13)]
    return sorted(found)
