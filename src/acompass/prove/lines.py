"""The values of a type as points on a line: which lie strictly between two constants, and how many.

Every type but text is discrete: its values are the integers of some rank, `place`. A constant that is no
value of the type (3.5 against integers) has a place between two ranks. Text is dense but for one thing:
nothing lies between a text and the same text followed by NUL.
"""

import datetime
import math
import struct
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, assert_never

from acompass.checked.types import Kind, Type, Value

#: a discrete value's rank, or the text itself
Place: TypeAlias = Any

#: wide enough that no decimal is ever rounded
_EXACT = Context(prec=10_000)

#: what cardinality says of an infinite set
INFINITE = math.inf


class Line(Protocol):
    def place(self, value: Value) -> Place: ...

    def is_value(self, place: Place) -> bool: ...

    def value(self, place: Place) -> Value: ...

    def ends(self, low: Place | None, high: Place | None) -> tuple[Place | None, Place | None]:
        """The first and the last place strictly between, None for no end."""

    def count(self, low: Place | None, high: Place | None) -> float:
        """How many values lie strictly between; None is no bound."""

    def some(self, low: Place | None, high: Place | None, wanted: int) -> list[Value]:
        """Up to `wanted` distinct values strictly between, the simplest first."""


class DiscreteLine:
    """Ranks `lowest` … `highest`, None for no end."""

    def __init__(self, type_: Type, lowest: int | None = None, highest: int | None = None):
        self._type = type_
        self._lowest = lowest
        self._highest = highest

    def place(self, value: Value) -> Place:
        return _rank(value, self._type)

    def is_value(self, place: Place) -> bool:
        low = self._lowest is None or self._lowest <= place
        high = self._highest is None or place <= self._highest
        return bool(place == math.floor(place)) and low and high

    def value(self, place: Place) -> Value:
        return _unrank(place, self._type)

    def count(self, low: Place | None, high: Place | None) -> float:
        first, last = self.ends(low, high)
        return INFINITE if first is None or last is None else max(0, last - first + 1)

    def some(self, low: Place | None, high: Place | None, wanted: int) -> list[Value]:
        first, last = self.ends(low, high)
        start = _usual_rank(self._type)
        start = start if first is None else max(start, first)
        start = start if last is None else min(start, last)
        stop = start + wanted if last is None else min(start + wanted, last + 1)
        bottom = start - wanted if first is None else max(start - wanted, first)
        ranks = (*range(start, stop), *range(start - 1, bottom - 1, -1))
        return [_unrank(rank, self._type) for rank in ranks[:wanted]]

    def ends(self, low: Place | None, high: Place | None) -> tuple[int | None, int | None]:
        first = None if low is None else math.floor(low) + 1
        last = None if high is None else math.ceil(high) - 1
        if self._lowest is not None:
            first = self._lowest if first is None else max(first, self._lowest)
        if self._highest is not None:
            last = self._highest if last is None else min(last, self._highest)
        return first, last


def _usual_rank(type_: Type) -> int:
    """The rank of a value that people would take for an example."""
    match type_.kind:
        case Kind.DATE | Kind.TIMESTAMP:
            return int(_rank(datetime.datetime(2000, 1, 1), type_))
        case _:
            return 0


class TextLine:
    def place(self, value: Value) -> Place:
        assert isinstance(value, str)
        return value

    def is_value(self, place: Place) -> bool:
        return True

    def value(self, place: Place) -> Value:
        return str(place)

    def ends(self, low: Place | None, high: Place | None) -> tuple[Place | None, Place | None]:
        raise AssertionError("texts have no next one")

    def count(self, low: Place | None, high: Place | None) -> float:
        """(t, t + NUL × n) holds n - 1 texts; (nothing, NUL × n) holds n."""
        if high is None:
            return INFINITE
        start = "" if low is None else low
        rest = high.removeprefix(start) if high.startswith(start) else None
        if rest is None or rest.strip("\0"):
            return INFINITE
        return len(rest) if low is None else len(rest) - 1

    def some(self, low: Place | None, high: Place | None, wanted: int) -> list[Value]:
        start = "" if low is None else low
        found: list[Value] = []
        for text in _texts(start):
            inside = (low is None or text > low) and (high is None or text < high)
            if inside and text not in found:
                found.append(text)
            if len(found) == wanted:
                break
        return found


def _texts(start: str) -> list[str]:
    """Texts close above `start`, readable ones first; one of the NULs fits wherever anything does."""
    words = ["a", "b", "c", "x", "y", "z", "0", "1", "2", "9", " ", "!"]
    above = [chr(ord(start[0]) + 1)] if start and start[0] < "y" else []
    return [
        *above,
        *words,
        *(start + word for word in words),
        start,
        *(start + "\0" * n for n in range(1, 9)),
    ]


def _rank(value: Any, type_: Type) -> Place:
    match type_.kind:
        case Kind.INTEGER | Kind.BOOLEAN:
            return _exact(Fraction(value))
        case Kind.DECIMAL:
            return _exact(Fraction(value) * 10**type_.scale)
        case Kind.FLOAT:
            return _float_rank(float(value))
        case Kind.DATE:
            return value.toordinal()
        case Kind.TIMESTAMP:
            return (value - datetime.datetime.min) // datetime.timedelta(microseconds=1)
        case Kind.TEXT | Kind.OPAQUE:
            raise AssertionError("text and opaque values have no rank")
        case _:
            assert_never(type_.kind)


def _exact(rank: Fraction) -> int | Fraction:
    return rank.numerator if rank.denominator == 1 else rank


def _unrank(rank: int, type_: Type) -> Value:
    match type_.kind:
        case Kind.INTEGER:
            return rank
        case Kind.BOOLEAN:
            return bool(rank)
        case Kind.DECIMAL:
            return Decimal(rank).scaleb(-type_.scale, context=_EXACT)
        case Kind.FLOAT:
            return _float_of_rank(rank)
        case Kind.DATE:
            return datetime.date.fromordinal(rank)
        case Kind.TIMESTAMP:
            return datetime.datetime.min + datetime.timedelta(microseconds=rank)
        case Kind.TEXT | Kind.OPAQUE:
            raise AssertionError("text and opaque values have no rank")
        case _:
            assert_never(type_.kind)


def _float_rank(value: float) -> int:
    """Floats in order as integers: the bits of a float, read as an integer, grow with its magnitude."""
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(value)))
    return int(-bits if value < 0 else bits)


def _float_of_rank(rank: int) -> float:
    (magnitude,) = struct.unpack("<d", struct.pack("<q", abs(rank)))
    return float(-magnitude if rank < 0 else magnitude)


_INFINITY_RANK = _float_rank(math.inf)


def line_of(type_: Type) -> Line:
    match type_.kind:
        case Kind.TEXT:
            return TextLine()
        case Kind.INTEGER | Kind.DECIMAL:
            return DiscreteLine(type_)
        case Kind.BOOLEAN:
            return DiscreteLine(type_, 0, 1)
        case Kind.FLOAT:
            return DiscreteLine(type_, -_INFINITY_RANK, _INFINITY_RANK)
        case Kind.DATE:
            return DiscreteLine(type_, 1, datetime.date.max.toordinal())
        case Kind.TIMESTAMP:
            return DiscreteLine(type_, 0, _rank(datetime.datetime.max, type_))
        case Kind.OPAQUE:
            raise AssertionError("an opaque column is never named")
        case _:
            assert_never(type_.kind)


def counting_line() -> Line:
    """The counts of groups: 1, 2, … as a group is never empty (D16)."""
    return DiscreteLine(Type(Kind.INTEGER), 1)
