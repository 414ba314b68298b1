"""The images of regions under GENERALIZE: which regions of text the labels of a region's values reach.

The image includes every region that some label reaches (docs/prove.md, section 7).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, reduce
from operator import or_

from acompass.checked.convert import to_text
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.types import Kind, Type
from acompass.prove.conversion import FEW
from acompass.prove.label_cuts import after_prefix, are_few, band_bounds, is_small, period_bounds
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.syntax.tree import DateUnit

#: intervals of text that include every label of bands but `*`: `-2 to -1`, `0-3`, `<0`, `[0,1)`
_BAND_BEGINNINGS = (("-", "."), ("0", ":"), ("<", "="), ("[", "\\"))


class LabelImages:
    """The images of regions under one map; `texts` are the regions of the column after it.

    `of_numbers` says that the column had numbers at first, and only labels of bands since: then all texts in
    a gap are numbers or labels of bands, because other texts are constants of the policy.
    """

    def __init__(self, map_: Map, texts: Regions, of_numbers: bool = False):
        self._map = map_
        self._texts = texts
        self._of_numbers = of_numbers

    def image(self, region: int, source: Regions, type_: Type, converted: Callable[[], Mask]) -> Mask:
        """`converted` gives the regions that the region's values reach as text (D12)."""
        if type_.kind is Kind.TEXT:
            return self._of_texts(region)
        if self._is_monotone(type_):
            return self._of_values(region, source, type_)
        reached = 0
        for text in regions_in(converted()):
            reached |= self._of_texts(text)
        return reached

    def _is_monotone(self, type_: Type) -> bool:
        """Whether every label belongs to an interval of the type's values."""
        match self._map:
            case Bands():
                return type_.is_number
            case Dates():
                return type_.kind in (Kind.DATE, Kind.TIMESTAMP)
            case _:
                return False

    def _of_values(self, region: int, source: Regions, type_: Type) -> Mask:
        """A gap is cut at the ends of every label that is told apart, so it has one of them or none."""
        is_few = source.cardinality(1 << region) <= FEW
        values = source.values(region, FEW if is_few else 1)
        reached = 0
        for value in values:
            label = self._map.label(to_text(value, type_))
            reached |= 0 if label is None else 1 << self._texts.region_of(label)
        if is_few or reached & self._read_labels:
            return reached
        others = self._texts.full & ~self._read_labels
        match self._map:
            case Dates():
                return others & self._of_period(region, source, type_)
            case Bands():
                return others & self._bands_of_numbers
            case _:
                return others

    def _of_period(self, region: int, source: Regions, type_: Type) -> Mask:
        """The labels of dates are in the order of the dates."""
        ends = source.ends(region)
        assert ends is not None, "there is a first and a last date"
        first, last = (self._map.label(to_text(end, type_)) for end in ends)
        return self._labels & self._between(first, f"{last}\0")

    @cached_property
    def _read_labels(self) -> Mask:
        """The points whose values' bounds are known, and `*`, which no value has as its label."""
        return sum(1 << region for region in regions_in(self._texts.full) if self._is_read(region))

    def _is_read(self, region: int) -> bool:
        text = self._texts.constant(region)
        if text is None:
            return False
        is_label = self._map.label(str(text)) == text
        return not is_label or text == SUPPRESSED or bool(_bounds(self._map, str(text)))

    def _of_texts(self, region: int) -> Mask:
        text = self._texts.constant(region)
        if text is not None:
            label = self._map.label(str(text))
            return 0 if label is None else 1 << self._texts.region_of(label)
        match self._map:
            case Level(otherwise=otherwise) if is_small(self._map):
                return 0 if otherwise is None else 1 << self._texts.region_of(otherwise)
            case Bands() if self._of_numbers and are_few(self._map):
                return self._number_labels
        low, high = _interval(self._map, *self._texts.bounds(region))
        return self._between(low, high) & self._labels & ~self._kept_label

    @cached_property
    def _number_labels(self) -> Mask:
        """The labels of numbers, all of which are points. Those of earlier, finer bands become these, too."""
        points = (region for region in regions_in(self._labels) if region % 2)
        return sum(1 << region for region in points if self._texts.constant(region) != SUPPRESSED)

    @cached_property
    def _kept_label(self) -> Mask:
        """The point `*` under a map that gives this label to no other text."""
        region = self._texts.region_of(SUPPRESSED)
        is_kept = isinstance(self._map, Bands | Dates) and self._texts.constant(region) is not None
        return 1 << region if is_kept else 0

    @cached_property
    def _bands_of_numbers(self) -> Mask:
        """The regions that the labels of numbers can reach, by what they begin with."""
        assert isinstance(self._map, Bands)
        reached = self._beginning_with(_number_beginnings(self._map))
        if self._map.cuts.first is None:
            return reached
        lowest = next(self._map.bands_between(None, None)).label
        return reached | 1 << self._texts.region_of(lowest)

    @cached_property
    def _bands_of_texts(self) -> Mask:
        """The regions that the labels of texts can reach, by what they begin with."""
        return self._beginning_with(_BAND_BEGINNINGS) | 1 << self._texts.region_of(SUPPRESSED)

    def _beginning_with(self, beginnings: Iterable[tuple[str, str]]) -> Mask:
        """The regions with texts in one of the intervals."""
        return reduce(or_, (self._between(low, high) for low, high in beginnings))

    def _between(self, low: str | None, high: str | None) -> Mask:
        """The regions with texts from `low` on and below `high`."""
        first = 0 if low is None else self._texts.region_at(low)
        reached = self._texts.full & ~((1 << first) - 1)
        if high is None:
            return reached
        last = self._texts.region_at(high)
        return reached & ((1 << last) - 1 if last % 2 else (2 << last) - 1)

    @cached_property
    def _labels(self) -> Mask:
        """The regions that can have labels: a label stays what it is."""
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
            case _:
                return True


def _number_beginnings(map_: Bands) -> Iterator[tuple[str, str]]:
    """Intervals of text that include every label of a number that is above the first cut."""
    first, last = map_.cuts.first, map_.cuts.last
    if not map_.integer:
        yield "[", "\\"
    if map_.integer or last is not None:
        yield "0", ":"
        yield from () if first is not None and first >= 0 else [("-", ".")]


def _bounds(map_: Map, label: str) -> object:
    match map_:
        case Bands():
            return band_bounds(label)
        case Dates():
            return period_bounds(label)
        case _:
            return None


def _interval(map_: Map, low: str | None, high: str | None) -> tuple[str | None, str | None]:
    """From the first text on and below the second lie the labels of all texts strictly between two bounds."""
    match map_:
        case Prefix(length):
            return _with_prefix(length, low, high, SUPPRESSED)
        case Dates(DateUnit.MONTH):
            return None if low is None else low[:7], high
        case Dates(DateUnit.YEAR):
            return None if low is None else low[:4], high
        case Dates(DateUnit.QUARTER):
            return _with_prefix(4, low, high, "-Q9")
        case Dates(DateUnit.DECADE):
            return _with_prefix(3, low, high, "0s")
        case _:
            return None, None


def _with_prefix(length: int, low: str | None, high: str | None, most: str) -> tuple[str | None, str | None]:
    """Labels keep the first characters; what follows these is at most `most`."""
    lowest = None if low is None else low[:length]
    if high is None or len(high) <= length:
        return lowest, high
    return lowest, max(high, after_prefix(high[:length] + most) or high)


def _has_date_label(unit: DateUnit, low: str | None, high: str | None) -> bool:
    labels = _date_labels(unit)
    at = 0 if low is None else bisect_right(labels, low)
    return at < len(labels) and (high is None or labels[at] < high)


@cache
def _date_labels(unit: DateUnit) -> list[str]:
    """Every label of a unit and of the coarser ones, in the order of text."""
    units = tuple(DateUnit)
    found = [SUPPRESSED, *(f"{decade:03}0s" for decade in range(1000))]
    if units.index(unit) <= units.index(DateUnit.YEAR):
        found += [f"{year:04}" for year in range(1, 10_000)]
    if units.index(unit) <= units.index(DateUnit.QUARTER):
        found += [f"{year:04}-Q{quarter}" for year in range(1, 10_000) for quarter in range(1, 5)]
    if unit is DateUnit.MONTH:
        found += [f"{year:04}-{month:02}" for year in range(1, 10_000) for month in range(1, 13)]
    return sorted(found)
