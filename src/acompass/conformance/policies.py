"""Random policies as text. Each requirement is well typed for the columns as earlier ones leave them."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from acompass.checked.constants import digits_before_point
from acompass.checked.convert import convert, to_text
from acompass.checked.types import INTEGER, MOST_DIGITS, TEXT, Kind, Type, Value
from acompass.conformance.values import KINDS, random_value, sum_fits
from acompass.syntax.spelling import spell_string

_OPERATORS = ("<", ">", "=", "<=", ">=", "≤", "≥")
_ALIASES = (
    ("Class Size", "Class Size"),
    ("n", "n"),
    ("C (1)", '"C (1)"'),
    ("Sum", "Sum"),
    ("value", "value"),
)
_PARAMETERS = ("k", "l", "t", "bound", "seuil_é")
_BOUNDS = ((0, 0), (1, 3), (-2, 2), (3000, 4000), (9, 10), (-(2**63), 2**63 - 1), (2**53, 2**53 + 2))
_ORDERED = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT, Kind.TEXT, Kind.DATE, Kind.TIMESTAMP})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column at some point in a policy; `pool` has values that it may have there."""

    name: str
    spelling: str
    type: Type
    pool: list[Any]


class PolicyWriter:
    """Writes requirements. `attributes` is updated with the changes that REPLACE and RANDOM make to the
    columns (D12); every column stays of one of `kinds`."""

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
        """The text of the aggregate, and C as the condition sees it."""
        column = self._rng.choice(self._attributes)
        counts = list(range(5))
        options: list[tuple[str, Type, list[Any]]] = [
            ("COUNT(*)", INTEGER, counts),
            (f"COUNT DISTINCT {column.spelling}", INTEGER, counts),
            (f"COUNT DISTINCT({column.spelling})", INTEGER, counts),
        ]
        if column.type.kind in _ORDERED:
            options += [(f"{f}({column.spelling})", column.type, column.pool) for f in ("MIN", "MAX")]
        if column.type.is_number and (
            column.type.kind is not Kind.DECIMAL or sum_fits(column.type, column.pool)
        ):
            sums = [self._some_sum(column) for _ in range(3)]
            options += [(f"SUM({column.spelling})", column.type, sums)] * 2
        written, type_, pool = self._rng.choice(options)
        name, spelling = self._alias(groups, column)
        return written, Attribute(name, spelling, type_, pool)

    def _some_sum(self, column: Attribute) -> Any:
        addends = [self._rng.choice(column.pool) for _ in range(self._rng.randint(1, 3))]
        return sum(addends[1:], start=addends[0])

    def _alias(self, groups: list[Attribute], column: Attribute) -> tuple[str, str]:
        """C must differ from the groups only, so the name of the aggregated column is a candidate too."""
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
        return self._rng.choice(
            (
                f"{left} AND {right}",
                f"{left} OR {right}",
                f"({left} OR {right})",
                f"({left}) and not ({right})",
            )
        )

    def _comparison(self, visible: list[Attribute]) -> str:
        attribute = self._rng.choice(visible)
        negation = self._rng.choice(("", "", "", "", "NOT "))
        constant = self._constant(self._near(attribute), attribute.type)
        return f"{negation}{attribute.spelling} {self._rng.choice(_OPERATORS)} {constant}"

    def _near(self, attribute: Attribute) -> Value:
        """Usually a value of the column, otherwise one close to it or any value of its type."""
        value: Value = self._rng.choice(attribute.pool)
        roll = self._rng.random()
        if roll < 0.15:
            return random_value(self._rng, attribute.type)
        if roll < 0.3 and attribute.type.kind in (Kind.INTEGER, Kind.DECIMAL):
            assert isinstance(value, int | Decimal)
            return value + self._rng.choice((1, -1, Decimal("0.5"), Decimal("-0.001")))
        return value

    def _constant(self, value: Value, type_: Type) -> str:
        """The text of the constant, or sometimes a parameter bound to it."""
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
        """REPLACE with a value of the column's type, or with one that changes the type (D12)."""
        column = self._rng.choice(self._attributes)
        if not _fits(0, column.type) and Kind.TEXT not in self._kinds:
            return self._reject()
        value, type_ = self._replacement(column)
        if column.type.kind is Kind.TEXT and self._rng.random() < 0.15:
            value, written = self._rng.choice((("80", "80"), ("-1.50", "-1.50"), ("0.10", "+0.10")))
        else:
            written = literal(value, type_) if type_ != column.type else self._constant(value, type_)
        self._become(column, type_, value)
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
            self._become(column, column.type, convert(bound, INTEGER, column.type))
        return f" : RANDOM {column.spelling} {lower} {upper}"

    def _become(self, column: Attribute, type_: Type, value: Value) -> None:
        """From the next requirement on, the column has type `type_`, and `value` is one of its values."""
        position = next(i for i, a in enumerate(self._attributes) if a.name == column.name)
        current = self._attributes[position]
        pool = [convert(old, current.type, type_) for old in current.pool]
        self._attributes[position] = replace(current, type=type_, pool=[*pool, value])


def _room(column: Attribute) -> int:
    """The digits that are left for a larger scale."""
    return max(MOST_DIGITS - column.type.scale - max(map(digits_before_point, column.pool)), 0)


def _holds_integers(type_: Type) -> bool:
    return type_.kind is Kind.TEXT or (type_.is_number and _fits(0, type_))


def _fits(number: int, type_: Type) -> bool:
    """Whether a policy may write the number into a column of the type."""
    return digits_before_point(number) + type_.scale <= MOST_DIGITS


def literal(value: Any, type_: Type) -> str:
    """The text of a value in a policy."""
    writer = _LITERALS.get(type_.kind, _string)
    return writer(value, type_)


def _string(value: Value, type_: Type) -> str:
    return spell_string(to_text(value, type_))


def _number(value: Any, _: Type) -> str:
    return format(Decimal(repr(value)) if isinstance(value, float) else Decimal(value), "f")


_LITERALS: dict[Kind, Callable[[Any, Type], str]] = {
    Kind.INTEGER: _number,
    Kind.DECIMAL: _number,
    Kind.FLOAT: _number,
}
