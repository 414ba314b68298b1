"""Numbers of a text column keep their spelling, except where it would tell members of a class apart (D26)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from acompass.checked.constants import scale_of
from acompass.checked.program import Operator
from acompass.checked.types import INTEGER, Type, decimal
from acompass.checked.uses import ColumnUse
from acompass.engines.facts import Facts
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql

Bounds: TypeAlias = tuple[Decimal, Decimal]


@dataclass(frozen=True)
class Spelled:
    """The type of a column of decimals, SQL for their text, and how many of them lose their own spelling."""

    type: Type
    text: Sql
    respelled: int = 0


def spelled_integer(facts: Facts, text: Sql, use: ColumnUse) -> Type:
    """The type of a column of integers. Only a constant such as `2.0` spells one of them in another way."""
    numbers = _Numbers(facts, replace(INTEGER, spelled=True), text)
    if not use.forms_classes:
        return numbers.type
    return numbers.with_shortened([value for value in use.written if scale_of(value)], use.drawn)


def spelled_decimal(facts: Facts, scale: int, text: Sql, use: ColumnUse) -> Spelled:
    """In a column that the policy groups by, or whose distinct values it counts, a number that is spelled in
    two ways is written in its shortest form."""
    numbers = _Numbers(facts, replace(decimal(scale), spelled=True), text)
    if not use.forms_classes:
        return Spelled(numbers.type, text)
    type_ = numbers.with_shortened(use.written, use.drawn)
    conditions = [numbers.equal(value) for value in sorted(type_.shortened)]
    conditions += [numbers.may_be_drawn(*bounds) for bounds in use.drawn]
    if numbers.have_two_spellings():
        conditions.append(numbers.are_spelled_twice())
    if not conditions:
        return Spelled(type_, text)
    short = exp.If(this=sql.any_of(*conditions), true=_shortest(text))
    respelled = exp.Case(ifs=[short], default=text.copy())
    differs = exp.NEQ(this=exp.paren(respelled.copy()), expression=text.copy())
    return Spelled(type_, respelled, facts.count(sql.count_where(differs)))


@dataclass(frozen=True)
class _Numbers:
    facts: Facts
    type: Type
    text: Sql

    @property
    def number(self) -> Sql:
        return sql.cast(self.text.copy(), sql.type_name(self.type))

    def with_shortened(self, written: Iterable[Decimal], drawn: Sequence[Bounds]) -> Type:
        """The type with the constants that the table, or the policy itself, spells in another way. RANDOM
        writes integers in their shortest form."""
        positive_zeros = (value or value.copy_abs() for value in written)
        constants = {format(value, "f"): value for value in positive_zeros}
        unlike = self.facts.ask([sql.count_where(self._unlike(*constant)) for constant in constants.items()])
        values = list(constants.values())
        twice = [
            value
            for value, count in zip(values, unlike, strict=True)
            if count or values.count(value) > 1 or _may_be_drawn(value, drawn)
        ]
        return replace(self.type, shortened=frozenset(twice))

    def _unlike(self, spelled: str, value: Decimal) -> Sql:
        """Whether a value is the constant in another spelling."""
        differs = exp.NEQ(this=self.text.copy(), expression=exp.Literal.string(spelled))
        return sql.all_of(self.equal(value), differs)

    def equal(self, value: Decimal) -> Sql:
        return sql.comparison(self.number, self.type, Operator.EQ, value)

    def may_be_drawn(self, lower: Decimal, upper: Decimal) -> Sql:
        """Whether a value is an integer that RANDOM may write as well."""
        fraction = sql.call("split_part", self.text.copy(), exp.Literal.string("."), sql.integer(2))
        is_integer = exp.EQ(this=_without_end(fraction, "0"), expression=exp.Literal.string(""))
        above = sql.comparison(self.number, self.type, Operator.GE, lower)
        below = sql.comparison(self.number, self.type, Operator.LE, upper)
        return sql.all_of(above, below, is_integer)

    def have_two_spellings(self) -> bool:
        spellings, numbers = self.facts.ask([_distinct(self.text.copy()), _distinct(self.number)])
        return bool(spellings > numbers)

    def are_spelled_twice(self) -> Sql:
        twice = exp.GT(this=_distinct(self.text.copy()), expression=sql.integer(1))
        numbers = self.facts.select([self.number]).group_by(self.number).having(twice)
        return exp.In(this=self.number, query=numbers.subquery())


def _may_be_drawn(value: Decimal, drawn: Sequence[Bounds]) -> bool:
    return value == value.to_integral_value() and any(lower <= value <= upper for lower, upper in drawn)


def _distinct(value: Sql) -> Sql:
    return exp.Count(this=exp.Distinct(expressions=[value]))


def _shortest(text: Sql) -> Sql:
    """SQL for the shortest spelling of a number, as `checked.exact.shortest` makes it."""
    without_zeros = _without_end(_without_end(text.copy(), "0"), ".")
    fraction = exp.GT(
        this=sql.call("length", sql.call("split_part", text.copy(), exp.Literal.string("."), sql.integer(2))),
        expression=sql.integer(0),
    )
    short = exp.Case(ifs=[exp.If(this=fraction, true=without_zeros)], default=text.copy())
    zero = exp.EQ(this=exp.paren(short), expression=exp.Literal.string("-0"))
    return exp.Case(ifs=[exp.If(this=zero, true=exp.Literal.string("0"))], default=short.copy())


def _without_end(text: Sql, letter: str) -> Sql:
    return exp.Trim(this=text, expression=exp.Literal.string(letter), position="TRAILING")
