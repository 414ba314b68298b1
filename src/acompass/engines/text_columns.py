"""Determine the types of text columns from the policy and their values (D10)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from acompass.checked.types import INTEGER, MOST_DIGITS, TEXT, Type, decimal
from acompass.checked.uses import ColumnUse, Use
from acompass.engines.facts import Facts, count_where
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.numbers import NUMBER_PATTERN

#: numbers of up to this many digits fit in 64 bits, which makes decimal arithmetic fast
_FAST_DIGITS = 18

#: finds the file and line of the first value in a column that is not a number
FirstBad = Callable[[int], tuple[str, int]]


@dataclass(frozen=True)
class TypedText:
    """The type of a text column, and SQL for its value in that type."""

    type: Type
    value: Sql


@dataclass(frozen=True)
class TextColumns:
    """The text columns of a table. `values` is SQL over the relation of `facts`."""

    facts: Facts
    dialect: Dialect
    names: Sequence[str]
    values: Sequence[Sql]
    first_bad: FirstBad

    def typed(self, uses: Mapping[int, ColumnUse]) -> dict[int, TypedText]:
        """The columns that the policy uses, typed."""
        candidates = [position for position, use in uses.items() if use.use is not Use.TEXT]
        integers = self.integers(candidates)
        typed = {position: TypedText(TEXT, self.values[position]) for position in uses}
        for position in candidates:
            if position in integers:
                typed[position] = TypedText(INTEGER, sql.cast(self.values[position], "BIGINT"))
            elif uses[position].use is Use.NUMBER:
                typed[position] = self._as_decimal(position, uses[position])
        return typed

    def integers(self, positions: Sequence[int]) -> frozenset[int]:
        """The columns in which every value is a canonical 64-bit integer."""
        answers = self.facts.ask([_are_integers(self.values[position]) for position in positions])
        return frozenset(p for p, holds in zip(positions, answers, strict=True) if holds)

    def _as_decimal(self, position: int, use: ColumnUse) -> TypedText:
        value = self.values[position]
        bad, whole, scale = self.facts.ask([self._not_numbers(value), *_digits(value)])
        if bad:
            raise errors.not_numbers(self.names[position], *self.first_bad(position), bad, use.span)
        digits = (whole or 0) + (scale or 0)
        if digits > MOST_DIGITS:
            raise errors.number_too_long(self.names[position], digits)
        width = _FAST_DIGITS if digits <= _FAST_DIGITS else MOST_DIGITS
        return TypedText(decimal(scale or 0), sql.cast(value, f"DECIMAL({width}, {scale or 0})"))

    def _not_numbers(self, value: Sql) -> Sql:
        pattern = exp.Literal.string(f"^{NUMBER_PATTERN}{self.dialect.end_of_text}")
        return count_where(exp.Not(this=exp.RegexpLike(this=value.copy(), expression=pattern)))


def _are_integers(value: Sql) -> Sql:
    """SQL for whether every value is the canonical text of a 64-bit integer; missing values are ignored."""
    number = exp.TryCast(this=value.copy(), to=exp.DataType.build("BIGINT"), safe=True)
    same = exp.NullSafeEQ(this=sql.cast(number, "TEXT"), expression=value.copy())
    return exp.Coalesce(this=sql.call("bool_and", same), expressions=[sql.TRUE.copy()])


def _digits(value: Sql) -> list[Sql]:
    """SQL for the largest number of digits before the decimal point, and after it."""
    whole, fraction = (
        sql.call("split_part", value.copy(), exp.Literal.string("."), sql.integer(part)) for part in (1, 2)
    )
    leading = exp.Trim(this=whole, expression=exp.Literal.string("+-0"), position="LEADING")
    return [sql.call("max", sql.call("length", leading)), sql.call("max", sql.call("length", fraction))]
