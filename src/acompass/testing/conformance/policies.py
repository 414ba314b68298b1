"""Write random policies as text, with random values, probabilities and weights.

Each requirement is well typed for the columns that the earlier ones produce. The values are few, so that they
collide, and each of them has broken some engine."""

import datetime
import math
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

from acompass.dataclasses import dataclass, replace
from acompass.language.program.constants import digits_before_point, scale_of
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    MOST_DIGITS,
    SHARE,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    Value,
    at_scale,
    convert,
    decimal,
    shortest_decimal,
    to_text,
)
from acompass.language.text.tokens import spell_string

_OPERATORS = ("<", ">", "=", "<=", ">=", "≤", "≥")
_ALIASES = (("Class Size", "Class Size"), ("n", "n"), ("C (1)", '"C (1)"'), ("Sum", "Sum"), ("value", "value"))
_PARAMETERS = ("k", "l", "t", "bound", "seuil_é")
_BOUNDS = ((0, 0), (1, 3), (-2, 2), (3000, 4000), (9, 10), (-(2**63), 2**63 - 1), (2**53, 2**53 + 2))
_ORDERED = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT, Kind.TEXT, Kind.DATE, Kind.TIMESTAMP})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column at some point in a policy."""

    name: str
    spelling: str  # its name as a policy writes it
    type: Type
    pool: list[Any]  # some values that it may have there


KINDS: tuple[Kind, ...] = tuple(kind for kind in Kind if kind not in (Kind.SHARE, Kind.OPAQUE, Kind.DROPPED))


class PolicyWriter:
    """Writes requirements. REPLACE and RANDOM update `attributes`, whose types they may change (D12, retyping);
    every column keeps to one of `kinds`."""

    def __init__(self, rng: random.Random, attributes: list[Attribute], kinds: Sequence[Kind] = KINDS):
        self._kinds = kinds
        self.params: dict[str, Any] = {}
        self._rng = rng
        self._attributes = attributes

    def requirement(self) -> str:
        assertion = self._assertion()
        action = self._rng.choice((self._reject, self._replace, self._replace, self._random, self._nothing))()
        comment = self._rng.choice(("", "", "", " -- why", "\n/* ; */"))
        return f"{assertion}{action};{comment}"

    def _assertion(self) -> str:
        quantifier = self._rng.choice(("EACH", "EACH", "EACH", "each", "SOME"))
        result, visible = self._rng.choice((self._everything, self._filter, self._process, self._process))()
        return f"{quantifier} {result} : {self._condition(visible)}"

    def _everything(self) -> tuple[str, list[Attribute]]:
        return self._rng.choice(("RESULT", "RESULT", "RECORD")), self._attributes

    def _filter(self) -> tuple[str, list[Attribute]]:
        return f"FILTER {self._condition(self._attributes)}", self._attributes

    def _process(self) -> tuple[str, list[Attribute]]:
        groups = self._rng.sample(self._attributes, self._rng.randint(0, min(3, len(self._attributes))))
        aggregates = self._aggregates(groups)
        named = ", ".join(f"{written} AS {value.spelling}" for written, value in aggregates)
        where = f" WHERE {self._condition(self._attributes)}" if self._rng.random() < 0.35 else ""
        group_by = self._rng.choice((" GROUP BY ", " GROUP_BY ", " group by "))
        keys = group_by + ", ".join(group.spelling for group in groups) if groups else ""
        return f"PROCESS {named}{where}{keys}", [*groups, *(value for _, value in aggregates)]

    def _aggregates(self, groups: list[Attribute]) -> list[tuple[str, Attribute]]:
        return [self._aggregate(groups)]

    def _aggregate(self, groups: list[Attribute]) -> tuple[str, Attribute]:
        """The text of the aggregate, and its alias as an attribute for the condition."""
        column = self._rng.choice(self._attributes)
        counts = list(range(5))
        options: list[tuple[str, Type, list[Any]]] = [
            ("COUNT(*)", INTEGER, counts),
            (f"COUNT DISTINCT {column.spelling}", INTEGER, counts),
            (f"COUNT DISTINCT({column.spelling})", INTEGER, counts),
        ]
        if column.type.kind in _ORDERED:
            options += [(f"{f}({column.spelling})", column.type, column.pool) for f in ("MIN", "MAX")]
        if column.type.is_number and (column.type.kind is not Kind.DECIMAL or sum_fits(column.type, column.pool)):
            sums = [self._some_sum(column) for _ in range(3)]
            options += [(f"SUM({column.spelling})", column.type, sums)] * 2
        written, type_, pool = self._rng.choice(options)
        name, spelling = self._alias(groups, column)
        return written, Attribute(name, spelling, type_, pool)

    def _some_sum(self, column: Attribute) -> Any:
        addends = [self._rng.choice(column.pool) for _ in range(self._rng.randint(1, 3))]
        return sum(addends[1:], start=addends[0])

    def _alias(self, groups: list[Attribute], column: Attribute) -> tuple[str, str]:
        """The alias must differ only from the grouping columns, so the aggregated column's name is a candidate too."""
        taken = {group.name.casefold() for group in groups}
        candidates = [*_ALIASES, (column.name, column.spelling)]
        return self._rng.choice([alias for alias in candidates if alias[0].casefold() not in taken])

    def _condition(self, visible: list[Attribute], depth: int = 3) -> str:
        if depth == 0 or self._rng.random() < 0.45:
            return self._comparison(visible)
        left = self._condition(visible, depth - 1)
        if self._rng.random() < 0.3:
            return f"NOT ({left})"
        right = self._condition(visible, depth - 1)
        both, either = f"{left} AND {right}", f"{left} OR {right}"
        return self._rng.choice((both, either, f"({either})", f"({left}) and not ({right})"))

    def _comparison(self, visible: list[Attribute]) -> str:
        attribute = self._rng.choice(visible)
        negation = self._rng.choice(("", "", "", "", "NOT "))
        constant = self._constant(self._near(attribute), attribute.type)
        return f"{negation}{attribute.spelling} {self._rng.choice(_OPERATORS)} {constant}"

    def _near(self, attribute: Attribute) -> Value:
        """Usually a value of the column; sometimes one close to it, or any value of its type."""
        value: Value = self._rng.choice(attribute.pool)
        roll = self._rng.random()
        if roll < 0.15:
            return random_value(self._rng, attribute.type)
        if roll < 0.3 and attribute.type.kind in (Kind.INTEGER, Kind.DECIMAL):
            assert isinstance(value, int | Decimal)
            return value + self._rng.choice((1, -1, Decimal("0.5"), Decimal("-0.001")))
        return value

    def _constant(self, value: Value, type_: Type) -> str:
        """The constant as text, or sometimes a parameter bound to it."""
        if isinstance(value, float) and not math.isfinite(value):
            value = 0.0
        if self._rng.random() < 0.08 and type_.kind in (Kind.INTEGER, Kind.TEXT):
            return self._parameter(value)
        return literal(value, type_)

    def _parameter(self, value: Value) -> str:
        name = self._rng.choice(_PARAMETERS)
        if self.params.setdefault(name, value) == value and isinstance(value, type(self.params[name])):
            return name
        return literal(value, TEXT if isinstance(value, str) else INTEGER)

    def _nothing(self) -> str:
        return ""

    def _reject(self) -> str:
        return " : REJECT"

    def _replace(self) -> str:
        """REPLACE with a value of the column's type, or with one that changes the type (D12, retyping)."""
        column = self._rng.choice(self._attributes)
        if not _fits(0, column.type) and Kind.TEXT not in self._kinds:
            return self._reject()
        value, type_ = self._replacement(column)
        if column.type.kind is Kind.TEXT and self._rng.random() < 0.15:
            value, written = self._rng.choice((("80", "80"), ("-1.50", "-1.50"), ("0.10", "+0.10")))
        else:
            written = literal(value, type_) if type_ != column.type else self._constant(value, type_)
        self._update(column, type_, value)
        return f" : REPLACE {column.spelling} WITH {written}"

    def _replacement(self, column: Attribute) -> tuple[Value, Type]:
        roll = self._rng.random() if _fits(0, column.type) else 0.0
        if roll < 0.12 and column.type.kind is not Kind.TEXT and Kind.TEXT in self._kinds:
            return self._rng.choice(("*", "212**", "", "été", "n/a ")), TEXT
        exact = (Kind.INTEGER, Kind.DECIMAL)
        if roll < 0.2 and column.type.kind in exact and Kind.DECIMAL in self._kinds:
            scale = column.type.scale + min(self._rng.randint(1, 2), _room(column))
            return Decimal(5).scaleb(-scale), replace(column.type, kind=Kind.DECIMAL, scale=scale)
        value: Value = self._rng.choice((*column.pool, random_value(self._rng, column.type)))
        finite = not isinstance(value, float) or math.isfinite(value)
        return value if finite else 0.0, column.type

    def _random(self) -> str:
        """RANDOM, or REJECT where no column can hold an integer."""
        holders = tuple(a for a in self._attributes if _holds_integers(a.type))
        if not holders:
            return self._reject()
        column = self._rng.choice(holders)
        lower, upper = self._rng.choice(
            [bounds for bounds in _BOUNDS if all(_fits(bound, column.type) for bound in bounds)]
        )
        for bound in (lower, upper):
            self._update(column, column.type, convert(bound, INTEGER, column.type))
        return f" : RANDOM {column.spelling} {lower} {upper}"

    def _update(self, column: Attribute, type_: Type, value: Value) -> None:
        """Give the column a type and one more possible value, from the next requirement on."""
        position = next(i for i, a in enumerate(self._attributes) if a.name == column.name)
        current = self._attributes[position]
        pool = [convert(old, current.type, type_) for old in current.pool]
        self._attributes[position] = replace(current, type=type_, pool=[*pool, value])


def _room(column: Attribute) -> int:
    """How many decimal places the column's type can gain."""
    return max(MOST_DIGITS - column.type.scale - max(map(digits_before_point, column.pool)), 0)


def _holds_integers(type_: Type) -> bool:
    return type_.kind is Kind.TEXT or (type_.is_number and _fits(0, type_))


def _fits(number: int, type_: Type) -> bool:
    """Whether a policy may write the number into a column of the type."""
    return digits_before_point(number) + type_.scale <= MOST_DIGITS


def literal(value: Any, type_: Type) -> str:
    """The value as a policy writes it."""
    if type_.is_number or type_ == SHARE:
        return format(Decimal(repr(value)) if isinstance(value, float) else Decimal(value), "f")
    return spell_string(to_text(value, type_))


#: kinds of numbers that a text column may contain as text
_EXACT_KINDS = (Kind.INTEGER, Kind.DECIMAL)
_SCALES = (0, 1, 2, 4, 10)
#: digits left free in a decimal, so that a sum over a table fits
_SUM_DIGITS = 2

_INTEGERS = (
    *(0, 1, 2, 3, 5, -1, -7, 80, 10, 100),
    *(2**31 - 1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63 - 2, -(2**63)),
)
_DECIMALS = (
    *("0", "1", "-1", "0.1", "0.25", "2.5", "-3.75", "10", "9.9999", "0.99999", "-0.5"),
    *("0.0000000001", "123456789012345678"),
)
_FLOATS = (
    *(0.0, -0.0, 0.1, 0.2, 0.3, 1.0, -2.5, 1e16, 1e300, -1e300, 5e-324, 2.2250738585072014e-308),
    *(float("inf"), float("-inf")),
)
_TEXTS = (
    *("", " ", "a", "a ", " a", "A", "b", "B", "ab", "a-b", "Z", "z"),
    *("é", "e\u0301", "ä", "ß", "SS", "\ufb00", "\uff5e", "𐀀", "𝒳", "😀"),
    *("NA", "NULL", "null", "nan", "*", "**", "%", "_", "?", "\\"),
    *("it's", "''", 'say "hi"', "a,b", "a;b: --c"),
    *("21201", "212**", "01234", "10", "9", "-1", "1e3", "1.0"),
    *("true", "2024-02-29", "tab\there", "$1", "{x}"),
)
_DATES = ("0001-01-01", "1582-10-10", "1899-12-31", "1970-01-01", "2000-02-29", "2024-12-31", "9999-12-31")
_TIMESTAMPS = (
    *("0001-01-01T00:00:00", "1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", "2000-02-29T12:30:00"),
    *("2000-02-29T12:30:00.000001", "2024-03-31T02:30:00", "2024-12-31T23:59:59.500000"),
)
#: texts that are dates, as a file has them
DATE_TEXTS = (
    *("1970-01-01", "2024-02-29", "1899-12-31", "2024-12-31T23:59:59.5", "2000-02-29 12:30", "1582-10-10"),
    *("2024-03-31T02:30:00", "0001-01-01", "9999-12-31"),
)
_SHARES = (
    *("0", "0.5", "1", "1.0", "0.25", "0.33", "0.6666", "0.67", "2", "-1"),
    *("0." + "3" * 60, "0.99999999999999999999"),
)

_POOLS: Mapping[Kind, Sequence[Value]] = {
    Kind.INTEGER: _INTEGERS,
    Kind.FLOAT: _FLOATS,
    Kind.TEXT: _TEXTS,
    Kind.BOOLEAN: (False, True),
    Kind.DATE: tuple(datetime.date.fromisoformat(text) for text in _DATES),
    Kind.TIMESTAMP: tuple(datetime.datetime.fromisoformat(text) for text in _TIMESTAMPS),
    Kind.SHARE: tuple(map(Decimal, _SHARES)),
}
_TYPES = {type_.kind: type_ for type_ in (INTEGER, FLOAT, TEXT, BOOLEAN, DATE, TIMESTAMP)}


def random_type(rng: random.Random, kinds: Sequence[Kind]) -> Type:
    """Some numbers come from a text column, and so keep their spelling (D26, spellings)."""
    kind = rng.choice(kinds)
    if kind is Kind.DECIMAL:
        type_ = decimal(rng.choice((*_SCALES, rng.randint(0, MOST_DIGITS), rng.randint(0, MOST_DIGITS))))
    else:
        type_ = _TYPES[kind]
    return replace(type_, spelled=rng.random() < 0.4) if kind in _EXACT_KINDS else type_


def random_value(rng: random.Random, type_: Type) -> Value:
    if type_.kind is Kind.DECIMAL:
        values = [at_scale(Decimal(text), type_.scale) for text in _DECIMALS]
        value = rng.choice([value or abs(value) for value in values if digit_count(value) <= _most_digits(type_)])
        return _random_spelling(rng, value) if type_.spelled else value
    return rng.choice(_POOLS[type_.kind])


def _random_spelling(rng: random.Random, value: Decimal) -> Decimal:
    """The number with some of its trailing zeros."""
    scale = rng.randint(scale_of(shortest_decimal(value)), scale_of(value))
    spelled = at_scale(value, scale)
    return -spelled if not value and rng.random() < 0.2 else spelled


def digit_count(value: Decimal) -> int:
    """The precision that a decimal column of the value's scale needs to store it."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(value.adjusted() + 1, 0) - exponent


def _most_digits(type_: Type) -> int:
    return max(MOST_DIGITS - _SUM_DIGITS, type_.scale)


def sum_fits(type_: Type, values: Sequence[Decimal]) -> bool:
    """Whether a decimal column of these values can store any sum over a table."""
    return max(digit_count(at_scale(value, type_.scale)) for value in values) <= MOST_DIGITS - _SUM_DIGITS


#: trace values are multiples of one over this number, as is every multiple of 2⁻⁵²
_STEP = 10**60
#: 2⁻³², the lowest probability that a policy may give an outcome (X7, rare outcomes), and its complement
_RAREST = "0.00000000023283064365386962890625"
_ALMOST_SURE = "0.99999999976716935634613037109375"
_PROBABILITIES = ("0.5", "0.25", "0.75", "0.1", "0.9", "0.50", "0.3", "0.999")
_PRIMES = (2, 3, 5, 7, 11, 13, 97, 7919, 104_729, 1_000_003)


def random_probability(rng: random.Random) -> str:
    many_digits = f"0.{rng.randrange(10**39, 10**40 - 10**39)}"
    return rng.choice((*_PROBABILITIES, many_digits, many_digits, many_digits, _RAREST, _ALMOST_SURE))


def random_weights(rng: random.Random, count: int) -> list[int]:
    small, large = (lambda: rng.randint(1, 9)), (lambda: 10**40 + rng.randrange(10**40))
    draw = rng.choice((lambda: 1, small, lambda: rng.choice(_PRIMES), lambda: 2 ** rng.randint(0, 20), large))
    return [draw() for _ in range(count)]


def trace_value_near(rng: random.Random, cuts: Sequence[Fraction]) -> Fraction:
    """A trace value at one of the cuts, or just before or after it."""
    steps = floor(rng.choice(cuts) * _STEP) + rng.choice((-1, 0, 0, 1))
    return Fraction(min(max(steps, 0), _STEP - 1), _STEP)
