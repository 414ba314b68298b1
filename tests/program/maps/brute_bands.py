"""Bands by enumeration: a second definition, which tries all bands of a small range."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from acompass.language.program.bands import Bands

INFINITY = Decimal("Infinity")
#: more than any number of the tests
REACH = 1_000


@dataclass(frozen=True)
class Spec:
    """The constants of BANDS OF or, with `at`, of BANDS AT."""

    integer: bool
    width: Decimal = Decimal(1)
    start: Decimal | None = None
    end: Decimal | None = None
    at: tuple[Decimal, ...] = ()

    def map(self) -> Bands:
        if self.at:
            return Bands.at(self.at, self.integer)
        return Bands.of(self.width, self.start, self.end, self.integer)

    def scale(self) -> int:
        constants = [c for c in (self.width, self.start, self.end, *self.at) if c is not None]
        return 0 if self.integer else max(len(f"{c:f}".partition(".")[2]) for c in constants)

    def is_open(self) -> tuple[bool, bool]:
        """Whether it has an open band below and above."""
        return (True, True) if self.at else (self.start is not None, self.end is not None)

    def bands(self) -> list[tuple[Decimal, Decimal]]:
        """Every band that can contain a number of the tests, in order."""
        steps = range(-int(REACH / self.width), int(REACH / self.width))
        cuts = self.at or [(self.start or Decimal(0)) + step * self.width for step in steps]
        low, high = self.start, self.end
        kept = [c for c in cuts if (low is None or c >= low) and (high is None or c <= high)]
        below, above = self.is_open()
        ends = [-INFINITY] * below + list(kept) + [INFINITY] * above
        return list(pairwise(ends))


def find_label(spec: Spec, number: Decimal) -> str | None:
    if spec.integer and Fraction(number).denominator != 1:
        return None
    (band,) = [(low, high) for low, high in spec.bands() if low <= number < high]
    return band_name(spec, *band)


def relabel(spec: Spec, text: str, low: Decimal, high: Decimal) -> str | None:
    """The label that `text` gets, itself a label of the numbers from `low` to below `high`."""
    below, above = spec.is_open()
    if (low == -INFINITY and not below) or (high == INFINITY and not above):
        return text
    met = [(first, end) for first, end in spec.bands() if first < high and low < end]
    if len(met) == 1:
        return band_name(spec, *met[0])
    return text if all(low <= first and end <= high for first, end in met) else None


def band_name(spec: Spec, low: Decimal, high: Decimal) -> str:
    digits = f".{spec.scale()}f"
    if low == -INFINITY:
        return "<" + format(high, digits)
    if high == INFINITY:
        return format(low, digits) + "+"
    if not spec.integer:
        return "[" + format(low, digits) + "," + format(high, digits) + ")"
    numbers = range(int(low), int(high))
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{numbers[0]}{'-' if low >= 0 else ' to '}{numbers[-1]}"
