"""BANDS: numbers to intervals (X2).

Integers get labels such as `30-34`, decimals and floats such as `[0.5,1.0)`. Outer bands may be open: `65+`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

from acompass.checked.maps import cuts as cuts_of
from acompass.checked.maps import numerals
from acompass.checked.maps.cuts import Cuts, Points, Steps
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.numerals import Interval

Number: TypeAlias = int | Decimal

#: more labels than this are not listed
MOST_LABELS = 100_000


class Band(NamedTuple):
    """The numbers from `lower` on and below `upper`; None: without a bound."""

    label: str
    lower: Number | None
    upper: Number | None


@dataclass(frozen=True, slots=True)
class Bands:
    """`integer` is True for bands of integers. Cuts are in units of 10 ** -scale, and so are labels."""

    cuts: Cuts
    integer: bool
    scale: int = 0

    @classmethod
    def of(cls, width: Decimal, start: Decimal | None, end: Decimal | None, integer: bool) -> "Bands":
        """BANDS OF width FROM start UP TO end. Without FROM, bands go on below 0."""
        scale = _scale([width, start, end], integer)
        first = None if start is None else numerals.units(start, scale)
        last = None if end is None else numerals.units(end, scale)
        return cls(Steps(numerals.units(width, scale), first or 0, first, last), integer, scale)

    @classmethod
    def at(cls, cuts: Sequence[Decimal], integer: bool) -> "Bands":
        """BANDS AT cuts."""
        scale = _scale(cuts, integer)
        return cls(Points(tuple(numerals.units(cut, scale) for cut in cuts)), integer, scale)

    @property
    def help(self) -> str:
        return "labels beside numbers must lie in one band or consist of whole bands; replace others with `*`"

    def label(self, text: str) -> str | None:
        place = numerals.place(text, self.scale)
        if place is not None:
            return self._label_of_unit(place.floor) if place.exact or not self.integer else None
        if text == SUPPRESSED:
            return text
        interval = self._interval(text)
        return self._infinite(text) if interval is None else self._label_of_interval(text, interval)

    def follows(self, earlier: Map) -> bool:
        """Cuts beyond a bound of the earlier map do not matter where this map has none: open labels stay."""
        if not isinstance(earlier, Bands) or self.integer != earlier.integer:
            return False
        own, others = _in_one_unit(self, earlier)
        first = others.first if own.first is None else None
        last = others.last if own.last is None else None
        inside = own.within(first, last)
        return inside is None or cuts_of.are_among(inside, others)

    def labels(self) -> tuple[str, ...] | None:
        """The labels of all numbers, in order; None if they are infinitely many or too many to list.

        A column that already has labels may also keep `*` and labels that are unions of these bands.
        """
        if self.cuts.first is None or self.cuts.last is None:
            return None
        listed = tuple(band.label for band in islice(self.bands_between(None, None), MOST_LABELS + 1))
        return listed if len(listed) <= MOST_LABELS else None

    def bands_between(self, lowest: Number | None, highest: Number | None) -> Iterator[Band]:
        """The bands of the numbers from `lowest` to `highest`, both included, in order; None: no bound.

        Without an upper bound and UP TO, the bands never end. Without FROM, `lowest` must be given.
        """
        assert lowest is not None or self.cuts.first is not None, "infinitely many bands come first"
        lower = None if lowest is None else self.cuts.at_or_below(self._unit(lowest))
        last = None if highest is None else self._unit(highest)
        while True:
            upper = self.cuts.first if lower is None else self.cuts.above(lower)
            yield Band(self._named(lower, upper), self._number(lower), self._number(upper))
            if upper is None or (last is not None and upper > last):
                return
            lower = upper

    def _label_of_unit(self, unit: int) -> str:
        return self._named(self.cuts.at_or_below(unit), self.cuts.above(unit))

    def _named(self, lower: int | None, upper: int | None) -> str:
        """The label of the units from `lower` on and below `upper`."""
        if lower is None:
            assert upper is not None, "there is at least one cut"
            return f"<{numerals.numeral(upper, self.scale)}"
        if upper is None:
            return f"{numerals.numeral(lower, self.scale)}+"
        if not self.integer:
            return f"[{numerals.numeral(lower, self.scale)},{numerals.numeral(upper, self.scale)})"
        if upper == lower + 1:
            return str(lower)
        return f"{lower}-{upper - 1}" if lower >= 0 else f"{lower} to {upper - 1}"

    def _interval(self, text: str) -> Interval | None:
        """The interval that a text is the label of."""
        interval = numerals.open_ended(text, self.scale)
        if interval is None:
            return numerals.integers(text) if self.integer else numerals.half_open(text, self.scale)
        return interval if not self.integer or all(end is None or end.exact for end in interval) else None

    def _label_of_interval(self, text: str, interval: Interval) -> str | None:
        """The band that contains the interval, or the text itself if the interval is a union of bands."""
        lower, upper = interval
        if lower is None:
            assert upper is not None, "no label is open on both sides"
            if self.cuts.first is None:
                return text
            inside = upper.ceiling <= self.cuts.first
            band = self._named(None, self.cuts.first)
        elif upper is None:
            if self.cuts.last is None:
                return text
            inside = lower.floor >= self.cuts.last
            band = self._named(self.cuts.last, None)
        else:
            end = self.cuts.above(lower.floor)
            inside = end is None or upper.ceiling <= end
            band = self._label_of_unit(lower.floor)
        if inside:
            return band
        return text if all(self._is_cut(end) for end in interval) else None

    def _is_cut(self, end: numerals.Place | None) -> bool:
        return end is None or (end.exact and cuts_of.has(self.cuts, end.floor))

    def _infinite(self, text: str) -> str | None:
        """The label of a float that is infinite."""
        if text == "inf" and self.cuts.last is not None and not self.integer:
            return self._named(self.cuts.last, None)
        if text == "-inf" and self.cuts.first is not None and not self.integer:
            return self._named(None, self.cuts.first)
        return None

    def _unit(self, number: Number) -> int:
        place = numerals.place(f"{Decimal(number):f}", self.scale)
        assert place is not None, "a finite number"
        return place.floor

    def _number(self, unit: int | None) -> Number | None:
        if unit is None or self.integer:
            return unit
        return Decimal(numerals.numeral(unit, self.scale))


def problem(width: Decimal, start: Decimal | None, end: Decimal | None, integer: bool) -> str | None:
    """What is wrong with the constants of BANDS OF; None if nothing is."""
    if width <= 0:
        return f"the width of bands must be greater than 0, and {width:f} is not"
    if fraction := _not_an_integer([width, start, end], integer):
        return fraction
    if end is None:
        return None
    if start is not None and end <= start:
        return f"UP TO {end:f} must be above FROM {start:f}"
    scale = _scale([width, start, end], integer)
    distance = numerals.units(end, scale) - numerals.units(start or Decimal(0), scale)
    if distance % numerals.units(width, scale):
        return f"UP TO {end:f} is not {_multiple(width, start)}"
    return None


def problem_of_cuts(cuts: Sequence[Decimal], integer: bool) -> str | None:
    """What is wrong with the constants of BANDS AT; None if nothing is."""
    for earlier, later in pairwise(cuts):
        if later <= earlier:
            return f"the numbers after AT must increase, and {later:f} comes after {earlier:f}"
    return _not_an_integer(cuts, integer)


def nearest_ends(width: Decimal, start: Decimal | None, end: Decimal) -> tuple[Decimal, Decimal]:
    """The last possible end below `end` and the first above it, for help."""
    scale = _scale([width, start, end], integer=False)
    step, origin, last = (numerals.units(number or Decimal(0), scale) for number in (width, start, end))
    below = last - (last - origin) % step
    return Decimal(numerals.numeral(below, scale)), Decimal(numerals.numeral(below + step, scale))


def _multiple(width: Decimal, start: Decimal | None) -> str:
    return f"a multiple of {width:f}" if not start else f"{start:f} plus a multiple of {width:f}"


def _not_an_integer(constants: Sequence[Decimal | None], integer: bool) -> str | None:
    for constant in constants:
        if integer and constant is not None and constant != constant.to_integral_value():
            return f"bands of integers need integers, and {constant:f} is not one"
    return None


def _scale(constants: Sequence[Decimal | None], integer: bool) -> int:
    return 0 if integer else max(_scale_of(constant) for constant in constants if constant is not None)


def _scale_of(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _in_one_unit(one: Bands, other: Bands) -> tuple[Cuts, Cuts]:
    scale = max(one.scale, other.scale)
    return (
        cuts_of.scaled(one.cuts, 10 ** (scale - one.scale)),
        cuts_of.scaled(other.cuts, 10 ** (scale - other.scale)),
    )
