"""BANDS: the map from numbers to intervals (X2).

A cut is a number at which a band begins or ends, as an integer in units of the last digit of the constants: for `BANDS
OF 0.5`, one unit is 0.1."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program.constants import scale_of
from acompass.language.program.label_maps import SUPPRESSED, BaseMap
from acompass.language.program.types import EXACT, shortest_decimal

Number: TypeAlias = int | Decimal

#: more labels than this are not listed
MOST_LABELS = 100_000


class Band(NamedTuple):
    """The numbers in [lower, upper); a bound is None if the band has none."""

    label: str
    lower: Number | None
    upper: Number | None


@dataclass(frozen=True, slots=True)
class Steps:
    """The cuts of BANDS OF: origin + i * width for every integer i, from `first` to `last` if given."""

    width: int
    origin: int
    first: int | None
    last: int | None

    def at_or_below(self, unit: int) -> int | None:
        """The last cut at or below a unit."""
        if self.first is not None and unit < self.first:
            return None
        if self.last is not None and unit >= self.last:
            return self.last
        return unit - (unit - self.origin) % self.width

    def above(self, unit: int) -> int | None:
        """The first cut above a unit."""
        if self.first is not None and unit < self.first:
            return self.first
        if self.last is not None and unit >= self.last:
            return None
        return unit - (unit - self.origin) % self.width + self.width

    def within(self, first: int | None, last: int | None) -> "Steps | None":
        """The cuts from `first` to `last`; None if there are none."""
        lowest = self.first if first is None else self.above(first - 1)
        highest = self.last if last is None else self.at_or_below(last)
        if lowest is not None and highest is not None and lowest > highest:
            return None
        if (first is not None and lowest is None) or (last is not None and highest is None):
            return None
        return Steps(self.width, self.origin, lowest, highest)


@dataclass(frozen=True, slots=True)
class Points:
    """The cuts of BANDS AT."""

    points: tuple[int, ...]  # at least one, strictly increasing

    @property
    def first(self) -> int:
        return self.points[0]

    @property
    def last(self) -> int:
        return self.points[-1]

    def at_or_below(self, unit: int) -> int | None:
        index = bisect_right(self.points, unit)
        return self.points[index - 1] if index else None

    def above(self, unit: int) -> int | None:
        index = bisect_right(self.points, unit)
        return self.points[index] if index < len(self.points) else None

    def within(self, first: int | None, last: int | None) -> "Points | None":
        start = 0 if first is None else bisect_left(self.points, first)
        end = len(self.points) if last is None else bisect_right(self.points, last)
        return Points(self.points[start:end]) if start < end else None


Cuts: TypeAlias = Steps | Points


class Place(NamedTuple):
    """The position of a number among units."""

    floor: int  # the last unit at or below the number
    exact: bool  # whether the number is that unit

    @property
    def ceiling(self) -> int:
        return self.floor if self.exact else self.floor + 1


#: the numbers from the first place up to but not including the second; None without a bound
Interval: TypeAlias = tuple[Place | None, Place | None]


@dataclass(frozen=True, slots=True)
class Bands(BaseMap):
    cuts: Cuts  # in units of 10 ** -scale
    integer: bool  # bands of integers
    scale: int = 0  # digits after the point in labels

    of_numbers = True
    of_dates = False
    listed_texts = None
    otherwise = None
    help = "a label must lie within one band or be a union of bands; replace other labels with `*`"

    @classmethod
    def of(cls, width: Decimal, start: Decimal | None, end: Decimal | None, integer: bool) -> "Bands":
        """BANDS OF width FROM start UP TO end. Without FROM, bands continue below 0."""
        scale = _scale([width, start, end], integer)
        first = None if start is None else units(start, scale)
        last = None if end is None else units(end, scale)
        return cls(Steps(units(width, scale), first or 0, first, last), integer, scale)

    @classmethod
    def at(cls, cuts: Sequence[Decimal], integer: bool) -> "Bands":
        scale = _scale(cuts, integer)
        return cls(Points(tuple(units(cut, scale) for cut in cuts)), integer, scale)

    @property
    def step(self) -> int | None:
        match self.cuts:
            case Steps(width, origin) if self.integer and origin % width == 0:
                return width
            case Steps() | Points():
                return None
            case _:
                assert_never(self.cuts)

    def label(self, text: str) -> str | None:
        place = parse_place(text, self.scale)
        if place is not None:
            return self._label_of_unit(place.floor) if place.exact or not self.integer else None
        if text == SUPPRESSED:
            return text
        interval = self._interval(text)
        return self._infinite(text) if interval is None else self._label_of_interval(text, interval)

    def follows(self, earlier: BaseMap) -> bool:
        """Where this map is unbounded, its cuts beyond a bound of the earlier map do not matter: open labels stay."""
        if not isinstance(earlier, Bands) or self.integer != earlier.integer:
            return False
        own, others = _in_one_unit(self, earlier)
        first = others.first if own.first is None else None
        last = others.last if own.last is None else None
        inside = own.within(first, last)
        return inside is None or are_among(inside, others)

    def labels(self) -> tuple[str, ...] | None:
        """The labels of all numbers, in order; None if there are infinitely many or too many to list.

        A column that already has labels may also keep `*` and labels that are unions of these bands.
        """
        if self.cuts.first is None or self.cuts.last is None:
            return None
        listed = tuple(band.label for band in islice(self.bands_between(None, None), MOST_LABELS + 1))
        return listed if len(listed) <= MOST_LABELS else None

    def examples(self) -> Iterator[str]:
        """A number inside a band; then one below the first and one above the last, if these exist."""
        cuts = self.cuts
        match cuts:
            case Steps(width):
                first, last = (None if cut is None else self._shortest(cut) for cut in (cuts.first, cuts.last))
                yield from _examples_of_steps(self._shortest(width), first, last)
            case Points(points):
                yield from _examples_of_points([self._shortest(point) for point in points])
            case _:
                assert_never(cuts)

    def bands_between(self, lowest: Number | None, highest: Number | None) -> Iterator[Band]:
        """The bands of the numbers from `lowest` to `highest`, both included, in order; None for no bound.

        Without `highest` and UP TO, the bands never end. Without FROM, `lowest` is required.
        """
        assert lowest is not None or self.cuts.first is not None, "infinitely many bands precede the first"
        lower = None if lowest is None else self.cuts.at_or_below(self._unit(lowest))
        last = None if highest is None else self._unit(highest)
        while True:
            upper = self.cuts.first if lower is None else self.cuts.above(lower)
            yield Band(self._band_label(lower, upper), self._number(lower), self._number(upper))
            if upper is None or (last is not None and upper > last):
                return
            lower = upper

    def without_ends(self) -> "Bands":
        """Bands of the same width everywhere, without FROM and UP TO; BANDS AT stay as they are."""
        match self.cuts:
            case Steps(width, origin):
                return replace(self, cuts=Steps(width, origin % width, None, None))
            case Points():
                return self
            case _:
                assert_never(self.cuts)

    def _label_of_unit(self, unit: int) -> str:
        return self._band_label(self.cuts.at_or_below(unit), self.cuts.above(unit))

    def _band_label(self, lower: int | None, upper: int | None) -> str:
        """The label of the units in [lower, upper)."""
        if lower is None:
            assert upper is not None, "there is at least one cut"
            return f"<{numeral(upper, self.scale)}"
        if upper is None:
            return f"{numeral(lower, self.scale)}+"
        if not self.integer:
            return f"[{numeral(lower, self.scale)},{numeral(upper, self.scale)})"
        if upper == lower + 1:
            return str(lower)
        return f"{lower}-{upper - 1}" if lower >= 0 else f"{lower} to {upper - 1}"

    def _interval(self, text: str) -> Interval | None:
        """The interval that a label stands for; None if the text is not a label."""
        interval = open_ended(text, self.scale)
        if interval is None:
            return integers(text) if self.integer else half_open(text, self.scale)
        return interval if not self.integer or all(end is None or end.exact for end in interval) else None

    def _label_of_interval(self, text: str, interval: Interval) -> str | None:
        """The band that contains the interval, or the text itself if the interval is a union of bands."""
        lower, upper = interval
        if lower is None:
            assert upper is not None, "no label is open on both sides"
            if self.cuts.first is None:
                return text
            inside = upper.ceiling <= self.cuts.first
            band = self._band_label(None, self.cuts.first)
        elif upper is None:
            if self.cuts.last is None:
                return text
            inside = lower.floor >= self.cuts.last
            band = self._band_label(self.cuts.last, None)
        else:
            end = self.cuts.above(lower.floor)
            inside = end is None or upper.ceiling <= end
            band = self._label_of_unit(lower.floor)
        if inside:
            return band
        return text if all(self._is_cut(end) for end in interval) else None

    def _is_cut(self, end: Place | None) -> bool:
        return end is None or (end.exact and has_cut(self.cuts, end.floor))

    def _infinite(self, text: str) -> str | None:
        """The label of an infinite float."""
        if text == "inf" and self.cuts.last is not None and not self.integer:
            return self._band_label(self.cuts.last, None)
        if text == "-inf" and self.cuts.first is not None and not self.integer:
            return self._band_label(None, self.cuts.first)
        return None

    def _unit(self, number: Number) -> int:
        place = parse_place(f"{Decimal(number):f}", self.scale)
        assert place is not None, "a finite number"
        return place.floor

    def _number(self, unit: int | None) -> Number | None:
        if unit is None or self.integer:
            return unit
        return Decimal(numeral(unit, self.scale))

    def _shortest(self, unit: int) -> Decimal:
        return shortest_decimal(Decimal(numeral(unit, self.scale)))


def _examples_of_steps(width: Decimal, start: Decimal | None, end: Decimal | None) -> Iterator[str]:
    origin = start or Decimal(0)
    inside = origin + _round_like(width * 37 / 10, width)
    yield f"{inside if end is None or inside < end else origin + _round_like(width / 2, width):f}"
    if start is not None:
        yield f"{start - width:f}"
    if end is not None:
        yield f"{end + _round_like(width / 2, width):f}"


def _examples_of_points(cuts: Sequence[Decimal]) -> Iterator[str]:
    if len(cuts) > 1:
        yield f"{cuts[0] + _round_like((cuts[1] - cuts[0]) / 2, cuts[0]):f}"
    yield f"{cuts[0] - 1:f}"
    yield f"{cuts[-1] + 1:f}"


def _round_like(number: Decimal, like: Decimal) -> Decimal:
    """Round down to as many decimal places as `like` has."""
    return number.quantize(like, ROUND_FLOOR)


def bands_problem(width: Decimal, start: Decimal | None, end: Decimal | None, integer: bool) -> str | None:
    """What is wrong with the constants of BANDS OF; None if nothing is."""
    if width <= 0:
        return f"the width of bands must be greater than 0, found {width:f}"
    if fraction := _not_an_integer([width, start, end], integer):
        return fraction
    if end is None:
        return None
    if start is not None and end <= start:
        return f"UP TO {end:f} must be above FROM {start:f}"
    scale = _scale([width, start, end], integer)
    distance = units(end, scale) - units(start or Decimal(0), scale)
    if distance % units(width, scale):
        return f"UP TO {end:f} is not {f'{start:f} plus ' if start else ''}a multiple of {width:f}"
    return None


def cuts_problem(cuts: Sequence[Decimal], integer: bool) -> str | None:
    """What is wrong with the constants of BANDS AT; None if nothing is."""
    for earlier, later in pairwise(cuts):
        if later <= earlier:
            return f"the numbers after AT must increase, but {later:f} follows {earlier:f}"
    return _not_an_integer(cuts, integer)


def _not_an_integer(constants: Sequence[Decimal | None], integer: bool) -> str | None:
    for constant in constants:
        if integer and constant is not None and constant != constant.to_integral_value():
            return f"bands of integers need integer bounds, found {constant:f}"
    return None


def _scale(constants: Sequence[Decimal | None], integer: bool) -> int:
    return 0 if integer else max(scale_of(constant) for constant in constants if constant is not None)


def _in_one_unit(one: Bands, other: Bands) -> tuple[Cuts, Cuts]:
    scale = max(one.scale, other.scale)
    return (
        scale_cuts(one.cuts, 10 ** (scale - one.scale)),
        scale_cuts(other.cuts, 10 ** (scale - other.scale)),
    )


def has_cut(cuts: Cuts, unit: int) -> bool:
    return cuts.at_or_below(unit) == unit


def scale_cuts(cuts: Cuts, factor: int) -> Cuts:
    """The same cuts in units that are `factor` times smaller."""
    match cuts:
        case Steps(width, origin, first, last):
            return Steps(
                width * factor,
                origin * factor,
                None if first is None else first * factor,
                None if last is None else last * factor,
            )
        case Points(points):
            return Points(tuple(point * factor for point in points))
        case _:
            assert_never(cuts)


def are_among(cuts: Cuts, others: Cuts) -> bool:
    """Whether every cut is one of the others."""
    match cuts:
        case Points(points):
            return all(has_cut(others, point) for point in points)
        case Steps():
            return _steps_are_among(cuts, others)
        case _:
            assert_never(cuts)


def _steps_are_among(steps: Steps, others: Cuts) -> bool:
    match others:
        case Steps():
            return _are_among_steps(steps, others)
        case Points(points):
            if steps.first is None or steps.last is None:
                return False
            cuts = range(steps.first, steps.last + 1, steps.width)
            return len(cuts) <= len(points) and all(has_cut(others, cut) for cut in cuts)
        case _:
            assert_never(others)


def _are_among_steps(steps: Steps, others: Steps) -> bool:
    if steps.first is not None and steps.first == steps.last:
        return has_cut(others, steps.first)
    if not (_covers(others.first, steps.first, 1) and _covers(others.last, steps.last, -1)):
        return False
    return steps.width % others.width == 0 and (steps.origin - others.origin) % others.width == 0


def _covers(outer: int | None, inner: int | None, sign: int) -> bool:
    """Whether cuts that end at `outer` reach as far as cuts that end at `inner`; None for cuts without an end."""
    return outer is None or (inner is not None and sign * outer <= sign * inner)


#: longer texts are not numbers
_LONGEST = 1_000
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_PLAIN = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_WITH_EXPONENT = re.compile(_INTEGER + r"(?:\.[0-9]+)?[eE][+-]?[0-9]{1,4}")
_INTEGERS = re.compile(rf"(?:(0|[1-9][0-9]*)-|({_INTEGER}) to )({_INTEGER})")
_HALF_OPEN = re.compile(r"\[([^,]+),([^,]+)\)")


def parse_place(text: str, scale: int) -> Place | None:
    """The place of a number in units of 10 ** -scale; None if the text is not a number."""
    if len(text) > _LONGEST:
        return None
    if scale == 0 and text.isdecimal() and text.isascii() and (text[0] != "0" or text == "0"):
        return Place(int(text), True)  # a fast path for most values of most tables
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return _place_of_decimal(Decimal(text), scale) if _WITH_EXPONENT.fullmatch(text) else None
    sign, whole, fraction = plain.groups("")
    unit = int(whole + fraction[:scale].ljust(scale, "0"))
    exact = not fraction[scale:].strip("0")
    if not sign:
        return Place(unit, exact)
    return Place(-unit if exact else -unit - 1, exact)


def _place_of_decimal(value: Decimal, scale: int) -> Place:
    units = EXACT.scaleb(value, scale)
    if units.adjusted() < 0:  # 1e-9999 would have too many digits
        return Place(-1 if units < 0 else 0, not units)
    floor = units.to_integral_value(ROUND_FLOOR, EXACT)
    return Place(int(floor), floor == units)


def units(value: Decimal, scale: int) -> int:
    """A number of at most `scale` digits after the point, in units."""
    return int(EXACT.scaleb(value, scale))


def numeral(unit: int, scale: int) -> str:
    if scale == 0:
        return str(unit)
    digits = str(abs(unit)).rjust(scale + 1, "0")
    return f"{'-' * (unit < 0)}{digits[:-scale]}.{digits[-scale:]}"


def integers(text: str) -> Interval | None:
    """The interval of `30-34` or `-5 to -1`."""
    label = _INTEGERS.fullmatch(text) if len(text) <= _LONGEST else None
    if label is None:
        return None
    lowest, highest = int(label[1] or label[2]), int(label[3])
    return (Place(lowest, True), Place(highest + 1, True)) if lowest <= highest else None


def half_open(text: str, scale: int) -> Interval | None:
    """The interval of `[0.5,1.0)`."""
    label = _HALF_OPEN.fullmatch(text)
    if label is None:
        return None
    lower, upper = parse_place(label[1], scale), parse_place(label[2], scale)
    if lower is None or upper is None or Decimal(label[1]) >= Decimal(label[2]):
        return None
    return lower, upper


def open_ended(text: str, scale: int) -> Interval | None:
    """The interval of `<18` or `65+`."""
    if text.startswith("<"):
        upper = parse_place(text[1:], scale)
        return None if upper is None else (None, upper)
    if text.endswith("+"):
        lower = parse_place(text[:-1], scale)
        return None if lower is None else (lower, None)
    return None
