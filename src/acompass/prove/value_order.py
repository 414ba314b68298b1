"""The order of a type's values: which values lie strictly between two constants, and how many.

Every type is discrete, except text and numbers of any scale: the rank of a value is an integer, and
neighbouring values have neighbouring ranks. A constant that the type cannot hold, such as 3.5 for integers,
ranks between two of them. Text is dense, with one exception: nothing lies between a text and the same text
followed by NUL.
"""

import datetime
import math
import struct
from decimal import Decimal
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias, assert_never

from acompass.checked.exact import EXACT
from acompass.checked.types import Kind, Type, Value

#: the rank of a discrete value; for text, the text itself
Rank: TypeAlias = Any

#: the cardinality of an infinite set
INFINITE = math.inf


class ValueOrder(Protocol):
    """In every method, `low` and `high` are None where there is no bound. An order `is_dense` if values can
    come arbitrarily close to a bound."""

    @property
    def is_dense(self) -> bool: ...

    def rank(self, value: Value) -> Rank: ...

    def is_value(self, rank: Rank) -> bool: ...

    def value(self, rank: Rank) -> Value: ...

    def first_and_last(self, low: Rank | None, high: Rank | None) -> tuple[Rank | None, Rank | None]:
        """The first and the last rank strictly between, each None where there is none."""

    def count(self, low: Rank | None, high: Rank | None) -> float:
        """How many values lie strictly between."""

    def examples(self, low: Rank | None, high: Rank | None, wanted: int) -> list[Value]:
        """Up to `wanted` distinct values strictly between, the simplest first."""


class DiscreteOrder:
    """Ranks from `lowest` to `highest`; None where the type has no end."""

    is_dense = False

    def __init__(self, type_: Type, lowest: int | None = None, highest: int | None = None):
        self._type = type_
        self._lowest = lowest
        self._highest = highest

    def rank(self, value: Value) -> Rank:
        return _rank(value, self._type)

    def is_value(self, rank: Rank) -> bool:
        low = self._lowest is None or self._lowest <= rank
        high = self._highest is None or rank <= self._highest
        return bool(rank == math.floor(rank)) and low and high

    def value(self, rank: Rank) -> Value:
        return _unrank(rank, self._type)

    def count(self, low: Rank | None, high: Rank | None) -> float:
        first, last = self.first_and_last(low, high)
        return INFINITE if first is None or last is None else max(0, last - first + 1)

    def examples(self, low: Rank | None, high: Rank | None, wanted: int) -> list[Value]:
        first, last = self.first_and_last(low, high)
        start = _usual_rank(self._type)
        start = start if first is None else max(start, first)
        start = start if last is None else min(start, last)
        stop = start + wanted if last is None else min(start + wanted, last + 1)
        bottom = start - wanted if first is None else max(start - wanted, first)
        ranks = (*range(start, stop), *range(start - 1, bottom - 1, -1))
        return [_unrank(rank, self._type) for rank in ranks[:wanted]]

    def first_and_last(self, low: Rank | None, high: Rank | None) -> tuple[int | None, int | None]:
        first = None if low is None else math.floor(low) + 1
        last = None if high is None else math.ceil(high) - 1
        if self._lowest is not None:
            first = self._lowest if first is None else max(first, self._lowest)
        if self._highest is not None:
            last = self._highest if last is None else min(last, self._highest)
        return first, last


def _usual_rank(type_: Type) -> int:
    """The rank of a value that a reader would expect in an example."""
    match type_.kind:
        case Kind.DATE | Kind.TIMESTAMP:
            return int(_rank(datetime.datetime(2000, 1, 1), type_))
        case Kind.INTEGER | Kind.DECIMAL | Kind.FLOAT | Kind.BOOLEAN | Kind.TEXT | Kind.OPAQUE | Kind.DROPPED:
            return 0
        case _:
            assert_never(type_.kind)


class AnyScaleOrder(DiscreteOrder):
    """Numbers of any scale: infinitely many between any two. The examples have the scale of the type."""

    is_dense = True

    def is_value(self, rank: Rank) -> bool:
        return True

    def count(self, low: Rank | None, high: Rank | None) -> float:
        return INFINITE


class TextOrder:
    is_dense = True

    def rank(self, value: Value) -> Rank:
        assert isinstance(value, str)
        return value

    def is_value(self, rank: Rank) -> bool:
        return True

    def value(self, rank: Rank) -> Value:
        return str(rank)

    def first_and_last(self, low: Rank | None, high: Rank | None) -> tuple[Rank | None, Rank | None]:
        raise AssertionError("text is not discrete")

    def count(self, low: Rank | None, high: Rank | None) -> float:
        """(t, t + NUL × n) holds n - 1 texts; without a lower bound, (…, NUL × n) holds n."""
        if high is None:
            return INFINITE
        start = "" if low is None else low
        rest = high.removeprefix(start) if high.startswith(start) else None
        if rest is None or rest.strip("\0"):
            return INFINITE
        return len(rest) if low is None else len(rest) - 1

    def examples(self, low: Rank | None, high: Rank | None, wanted: int) -> list[Value]:
        def is_inside(text: str) -> bool:
            return (low is None or text > low) and (high is None or text < high)

        near = list(filter(is_inside, _texts_near("" if low is None else low)))
        longer = (f"{text}{number}" for text in near for number in range(10, 10 + wanted))
        found = dict.fromkeys(chain(near, islice(filter(is_inside, longer), wanted)))
        return list[Value](found)[:wanted]


def _texts_near(start: str) -> list[str]:
    """Texts just above `start`, readable ones first. Where any text fits, one of those with NULs does."""
    words = ["a", "b", "c", "x", "y", "z", "0", "1", "2", "9", " ", "!"]
    above = [chr(ord(start[0]) + 1)] if start and start[0] < "y" else []
    return [
        *above,
        *words,
        *(start + word for word in words),
        start,
        *(start + "\0" * n for n in range(1, 9)),
    ]


def _rank(value: Any, type_: Type) -> Rank:
    match type_.kind:
        case Kind.INTEGER | Kind.BOOLEAN:
            return _as_integer_if_whole(Fraction(value))
        case Kind.DECIMAL:
            return _as_integer_if_whole(Fraction(value) * 10**type_.scale)
        case Kind.FLOAT:
            return _float_rank(float(value))
        case Kind.DATE:
            return value.toordinal()
        case Kind.TIMESTAMP:
            return (value - datetime.datetime.min) // datetime.timedelta(microseconds=1)
        case Kind.TEXT | Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("these values have no rank")
        case _:
            assert_never(type_.kind)


def _as_integer_if_whole(rank: Fraction) -> int | Fraction:
    return rank.numerator if rank.denominator == 1 else rank


def _unrank(rank: int, type_: Type) -> Value:
    match type_.kind:
        case Kind.INTEGER:
            return rank
        case Kind.BOOLEAN:
            return bool(rank)
        case Kind.DECIMAL:
            return Decimal(rank).scaleb(-type_.scale, context=EXACT)
        case Kind.FLOAT:
            return _float_of_rank(rank)
        case Kind.DATE:
            return datetime.date.fromordinal(rank)
        case Kind.TIMESTAMP:
            return datetime.datetime.min + datetime.timedelta(microseconds=rank)
        case Kind.TEXT | Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("these values have no rank")
        case _:
            assert_never(type_.kind)


def _float_rank(value: float) -> int:
    """The bits of a float, read as an integer, grow with its magnitude."""
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(value)))
    return int(-bits if value < 0 else bits)


def _float_of_rank(rank: int) -> float:
    (magnitude,) = struct.unpack("<d", struct.pack("<q", abs(rank)))
    return float(-magnitude if rank < 0 else magnitude)


_INFINITY_RANK = _float_rank(math.inf)


def order_of(type_: Type) -> ValueOrder:
    match type_.kind:
        case Kind.TEXT:
            return TextOrder()
        case Kind.INTEGER | Kind.DECIMAL:
            return DiscreteOrder(type_)
        case Kind.BOOLEAN:
            return DiscreteOrder(type_, 0, 1)
        case Kind.FLOAT:
            return DiscreteOrder(type_, -_INFINITY_RANK, _INFINITY_RANK)
        case Kind.DATE:
            return DiscreteOrder(type_, 1, datetime.date.max.toordinal())
        case Kind.TIMESTAMP:
            return DiscreteOrder(type_, 0, _rank(datetime.datetime.max, type_))
        case Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("a policy cannot name an opaque or a dropped column")
        case _:
            assert_never(type_.kind)


def order_of_counts() -> ValueOrder:
    """1, 2, 3, …: a class is never empty (D16)."""
    return DiscreteOrder(Type(Kind.INTEGER), 1)
