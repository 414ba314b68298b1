"""The values of random tables: few, so that they collide, and each has broken some engine."""

import datetime
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType

from acompass.checked.constants import scale_of
from acompass.checked.exact import at_scale, shortest
from acompass.checked.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    MOST_DIGITS,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    Value,
    decimal,
)

KINDS: tuple[Kind, ...] = tuple(kind for kind in Kind if kind not in (Kind.OPAQUE, Kind.DROPPED))

#: kinds of numbers whose text a text column may have
_EXACT = (Kind.INTEGER, Kind.DECIMAL)
_SCALES = (0, 1, 2, 4, 10)
#: digits left free in a decimal, so that a sum over a table fits
_SUM_DIGITS = 2

_INTEGERS = (
    *(0, 1, 2, 3, 5, -1, -7, 80, 10, 100),
    *(2**31 - 1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63 - 2, -(2**63)),
)
_DECIMALS = (
    "0",
    "1",
    "-1",
    "0.1",
    "0.25",
    "2.5",
    "-3.75",
    "10",
    "9.9999",
    "0.99999",
    "-0.5",
    "0.0000000001",
    "123456789012345678",
)
_FLOATS = (
    *(0.0, -0.0, 0.1, 0.2, 0.3, 1.0, -2.5, 1e16, 1e300, -1e300, 5e-324, 2.2250738585072014e-308),
    *(float("inf"), float("-inf")),
)
_TEXTS = (
    *("", " ", "a", "a ", " a", "A", "b", "B", "ab", "a-b", "Z", "z"),
    *("é", "e\u0301", "ä", "ß", "SS", "\ufb00", "\uff5e", "𐀀", "𝒳", "😀"),
    *(
        "NA",
        "NULL",
        "null",
        "nan",
        "*",
        "**",
        "%",
        "_",
        "?",
        "\\",
        "it's",
        "''",
        'say "hi"',
        "a,b",
        "a;b: --c",
    ),
    *(
        "21201",
        "212**",
        "01234",
        "10",
        "9",
        "-1",
        "1e3",
        "1.0",
        "true",
        "2024-02-29",
        "tab\there",
        "$1",
        "{x}",
    ),
)
_DATES = ("0001-01-01", "1582-10-10", "1899-12-31", "1970-01-01", "2000-02-29", "2024-12-31", "9999-12-31")
_TIMESTAMPS = (
    *("0001-01-01T00:00:00", "1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", "2000-02-29T12:30:00"),
    *("2000-02-29T12:30:00.000001", "2024-03-31T02:30:00", "2024-12-31T23:59:59.500000"),
)

_POOLS: Mapping[Kind, Sequence[Value]] = MappingProxyType(
    {
        Kind.INTEGER: _INTEGERS,
        Kind.FLOAT: _FLOATS,
        Kind.TEXT: _TEXTS,
        Kind.BOOLEAN: (False, True),
        Kind.DATE: tuple(datetime.date.fromisoformat(text) for text in _DATES),
        Kind.TIMESTAMP: tuple(datetime.datetime.fromisoformat(text) for text in _TIMESTAMPS),
    }
)

_TYPES: Mapping[Kind, Type] = MappingProxyType(
    {
        Kind.INTEGER: INTEGER,
        Kind.FLOAT: FLOAT,
        Kind.TEXT: TEXT,
        Kind.BOOLEAN: BOOLEAN,
        Kind.DATE: DATE,
        Kind.TIMESTAMP: TIMESTAMP,
    }
)


def random_type(rng: random.Random, kinds: Sequence[Kind]) -> Type:
    """Some numbers are those of a text column, which keep their spelling (D26)."""
    kind = rng.choice(kinds)
    type_ = decimal(_random_scale(rng)) if kind is Kind.DECIMAL else _TYPES[kind]
    return replace(type_, spelled=rng.random() < 0.4) if kind in _EXACT else type_


def _random_scale(rng: random.Random) -> int:
    return rng.choice((*_SCALES, rng.randint(0, MOST_DIGITS), rng.randint(0, MOST_DIGITS)))


def random_value(rng: random.Random, type_: Type) -> Value:
    if type_.kind is Kind.DECIMAL:
        values = [at_scale(Decimal(text), type_.scale) for text in _DECIMALS]
        value = rng.choice(
            [value or abs(value) for value in values if digits_of(value) <= _most_digits(type_)]
        )
        return _random_spelling(rng, value) if type_.spelled else value
    return rng.choice(_POOLS[type_.kind])


def _random_spelling(rng: random.Random, value: Decimal) -> Decimal:
    """The number with some of the zeros at its end."""
    scale = rng.randint(scale_of(shortest(value)), scale_of(value))
    spelled = at_scale(value, scale)
    return -spelled if not value and rng.random() < 0.2 else spelled


def digits_of(value: Decimal) -> int:
    """The digits of the narrowest column of the value's scale that holds it."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(value.adjusted() + 1, 0) - exponent


def _most_digits(type_: Type) -> int:
    return max(MOST_DIGITS - _SUM_DIGITS, type_.scale)


def sum_fits(type_: Type, values: Sequence[Decimal]) -> bool:
    """Whether a decimal column of these values has room for any sum over a table."""
    return max(digits_of(at_scale(value, type_.scale)) for value in values) <= MOST_DIGITS - _SUM_DIGITS
