"""The texts of numbers, and of the labels of bands, as intervals of units (X2)."""

import re
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple, TypeAlias

from acompass.checked.exact import EXACT

#: texts longer than this are no number of any table
_LONGEST = 1_000
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_PLAIN = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_WITH_EXPONENT = re.compile(_INTEGER + r"(?:\.[0-9]+)?[eE][+-]?[0-9]{1,4}")
_INTEGERS = re.compile(rf"(?:(0|[1-9][0-9]*)-|({_INTEGER}) to )({_INTEGER})")
_HALF_OPEN = re.compile(r"\[([^,]+),([^,]+)\)")


class Place(NamedTuple):
    """The last unit that is not above a number, and whether it is the number."""

    floor: int
    exact: bool

    @property
    def ceiling(self) -> int:
        return self.floor if self.exact else self.floor + 1


#: the numbers from the first place on and below the second; None: without a bound
Interval: TypeAlias = tuple[Place | None, Place | None]


def place(text: str, scale: int) -> Place | None:
    """The place of a number in units of 10 ** -scale; None if the text is not a number."""
    if len(text) > _LONGEST:
        return None
    if scale == 0 and text.isdecimal() and text.isascii() and (text[0] != "0" or text == "0"):
        return Place(int(text), True)  # most values of most tables
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
    if units.adjusted() < 0:  # the digits of 1e-9999 would be many
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
    lower, upper = place(label[1], scale), place(label[2], scale)
    if lower is None or upper is None or Decimal(label[1]) >= Decimal(label[2]):
        return None
    return lower, upper


def open_ended(text: str, scale: int) -> Interval | None:
    """The interval of `<18` or `65+`."""
    if text.startswith("<"):
        upper = place(text[1:], scale)
        return None if upper is None else (None, upper)
    if text.endswith("+"):
        lower = place(text[:-1], scale)
        return None if lower is None else (lower, None)
    return None
