"""Infer the types of text columns from the policy and the values (D10).

Comparisons that would silently order numbers as text are rejected. Numbers keep their spelling, except where it would
distinguish members of a class (D26).
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.engines.reading import Facts, count_words, fitting_formats
from acompass.errors.diagnostics import TableError, option_text
from acompass.language.program.constants import scale_of
from acompass.language.program.keys import PSEUDONYM_DIGITS
from acompass.language.program.types import INTEGER, MOST_DIGITS, TEXT, Kind, Type, decimal
from acompass.language.program.uses import ColumnUse, TextComparison, Use
from acompass.language.text.tree import Operator
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.formats import BAND_LABEL, COMMA, COMMA_NUMBER, FRACTIONS, INTEGERS, NUMBER_PATTERN, is_number

#: finds the file and line of the first value in a column that satisfies a condition; None without a file
FirstPlace = Callable[[int, Callable[[str], bool]], tuple[str, int] | None]

#: a number without leading zeros and without a plus sign (D25)
_PLAIN_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_ISO_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
#: the number of comparisons to count in one scan of the table
_AT_ONCE = 50
_COMPARE = {Operator.LT: operator.lt, Operator.LE: operator.le, Operator.GE: operator.ge, Operator.GT: operator.gt}


@dataclass(frozen=True)
class TypedText:
    """A text column with the type that was inferred for it."""

    type: Type
    value: Sql  # the value as a state stores it
    respelled: int = 0  # the number of values that are written in another spelling (D26)


@dataclass(frozen=True)
class TextColumns:
    """The text columns of a table."""

    facts: Facts
    names: Sequence[str]
    values: Sequence[Sql]  # over the relation of `facts`
    first_place: FirstPlace
    #: the decimal mark of a CSV file; None if the table has types
    mark: str | None = None

    def infer_types(self, uses: Mapping[int, ColumnUse]) -> dict[int, TypedText]:
        candidates = [position for position, use in uses.items() if use.use is not Use.TEXT]
        integers = self.integers(candidates)
        typed = {position: TypedText(TEXT, self.values[position]) for position in uses}
        for position, use in uses.items():
            value = self.values[position]
            if self.has_pseudonyms(position, use):
                numbers = Kind.DECIMAL if use.use is Use.NUMBER or use.banded else None
                typed[position] = TypedText(replace(TEXT, numbers=numbers, pseudonyms=True), value)
            elif position in integers:
                typed[position] = TypedText(_integer_type(self.facts, value, use), sql.cast(value, "BIGINT"))
            elif use.banded and (use.use is Use.TEXT or self.facts.count(self._not(NUMBER_PATTERN, value))):
                typed[position] = self._as_labels(position, use)
            elif use.use is Use.NUMBER:
                typed[position] = self._as_decimal(position, use)
        return typed

    def has_pseudonyms(self, position: int, use: ColumnUse) -> bool:
        if not use.may_have_pseudonyms:
            return False
        is_pseudonym = self._is(f"[0-9a-f]{{{PSEUDONYM_DIGITS}}}", self.values[position])
        return bool(self.facts.count(sql.count_where(is_pseudonym)))

    def integers(self, positions: Sequence[int]) -> frozenset[int]:
        """The columns in which every value is a canonical 64-bit integer."""
        answers = self.facts.ask([self._are_integers(self.values[position]) for position in positions])
        return frozenset(p for p, holds in zip(positions, answers, strict=True) if holds)

    def _are_integers(self, value: Sql) -> Sql:
        """SQL for whether every value that is not missing is the canonical text of a 64-bit integer."""
        is_integer = self.facts.dialect.is_integer_text(value.copy())
        return exp.Coalesce(this=sql.call("bool_and", is_integer), expressions=[sql.TRUE.copy()])

    def _as_labels(self, position: int, use: ColumnUse) -> TypedText:
        """Type a column that may contain labels of bands and `*` as well as numbers (X2)."""
        value, name = self.values[position], self.names[position]
        others, fractions, integers = self.facts.ask(
            [
                self._not(f"({_PLAIN_NUMBER}|{BAND_LABEL})", value),
                sql.count_where(self._is(FRACTIONS, value)),
                sql.count_where(self._is(INTEGERS, value)),
            ]
        )
        if others:
            is_known = re.compile(f"{_PLAIN_NUMBER}|{BAND_LABEL}", re.ASCII).fullmatch
            place = self.first_place(position, lambda text: not is_known(text))
            raise errors.neither_numbers_nor_labels(name, place, others, use.span)
        # `*` alone may come from bands of either kind, and bands of decimals accept any constants
        numbers = Kind.INTEGER if integers and not fractions else Kind.DECIMAL
        return TypedText(replace(TEXT, numbers=numbers), value)

    def _as_decimal(self, position: int, use: ColumnUse) -> TypedText:
        value = self.values[position]
        bad, padded, whole, scale = self.facts.ask(
            [self._not(NUMBER_PATTERN, value), self._not(_PLAIN_NUMBER, value), *_digits(value)]
        )
        name = self.names[position]
        if bad and use.may_have_labels:
            return TypedText(replace(TEXT, numbers=Kind.DECIMAL), value)
        if bad:
            place = self.first_place(position, lambda text: not is_number(text))
            raise errors.not_numbers(name, place, bad, use.span, self._help_on_others(value, bad))
        if padded:
            place = self.first_place(position, lambda text: not re.fullmatch(_PLAIN_NUMBER, text, re.ASCII))
            raise errors.leading_zeros(name, place, padded, use.span, use.banded)
        digits = (whole or 0) + (scale or 0)
        if digits > MOST_DIGITS:
            raise errors.number_too_long(name, digits)
        return _keep_spelling(self.facts, scale or 0, value, use)

    def _help_on_others(self, value: Sql, bad: int) -> str | None:
        """Help for values that are words for missing values, or not numbers only because of their decimal mark."""
        (words,) = count_words(self.facts, [value])
        if words:
            others = [errors.not_numbers_help()] if sum(words.values()) < bad else []
            return "; ".join([*errors.words_help(words), *others])
        if self.mark == COMMA:
            return f"with `{option_text('decimal', ',')}`, a number has a comma and no point, as in `-12,50`"
        commas = 0 if self.mark is None else self.facts.count(sql.count_where(self._is(COMMA_NUMBER, value)))
        return f"read numbers with a decimal comma: `{option_text('decimal', ',')}`" if commas == bad else None

    def require_plain_text(self, uses: Mapping[int, ColumnUse]) -> None:
        """Raise if text that means numbers or local dates would be compared with a number or a date as text."""
        for position, use in uses.items():
            if use.use is Use.TEXT and not self.has_pseudonyms(position, use):
                self._require_date(position, use.texts)
                self._require_order(position, [each for each in use.texts if _orders_number(each)])

    def _require_order(self, position: int, comparisons: Sequence[TextComparison]) -> None:
        """Raise if all values are numbers or `*`, and text and numbers are ordered differently (D24)."""
        value = self.values[position]
        widths = self.facts.ask(self._widths(value)) if comparisons else []
        doubtful = [each for each in comparisons if not _have_one_width(each.text, *widths)]
        if not doubtful:
            return
        others, whole, scale = self.facts.ask([self._neither(NUMBER_PATTERN, value), *_digits(value)])
        if others or (whole or 0) + (scale or 0) > MOST_DIGITS:
            return
        for start in range(0, len(doubtful), _AT_ONCE):
            asked = doubtful[start : start + _AT_ONCE]
            counts = self.facts.ask([self._count_disordered(value, scale or 0, each) for each in asked])
            for comparison, wrong in zip(asked, counts, strict=True):
                if wrong:
                    raise self._order_error(position, comparison, wrong)

    def _count_disordered(self, value: Sql, scale: int, comparison: TextComparison) -> Sql:
        """SQL for the number of values that compare differently as text and as numbers."""
        operator, constant, type_ = comparison.operator, Decimal(comparison.text), decimal(scale)
        as_text = sql.comparison(value, TEXT, operator, comparison.text)
        as_number = sql.comparison(sql.cast(value.copy(), sql.type_name(type_)), type_, operator, constant)
        differ = exp.NEQ(this=exp.paren(as_text), expression=exp.paren(as_number))
        return sql.count_where(exp.Case(ifs=[exp.If(this=self._is(NUMBER_PATTERN, value), true=differ)]))

    def _order_error(self, position: int, comparison: TextComparison, wrong: int) -> TableError:
        place = self.first_place(position, lambda text: _orders_differ(text, comparison))
        others = self.facts.count(self._not(_PLAIN_NUMBER, self.values[position]))
        return errors.numbers_ordered_as_text(self.names[position], place, wrong, comparison, others)

    def _widths(self, value: Sql) -> list[Sql]:
        """SQL for the shortest and the longest length, and the number of values that are not only digits; `*` is
        ignored."""
        length = exp.If(this=exp.Not(this=_is_star(value)), true=sql.call("length", value.copy()))
        lengths = [sql.call(function, exp.Case(ifs=[length.copy()])) for function in ("min", "max")]
        return [*lengths, self._neither("[0-9]+", value)]

    def _neither(self, pattern: str, value: Sql) -> Sql:
        """SQL for the number of values that neither match nor are `*`."""
        return sql.count_where(exp.Not(this=exp.paren(exp.or_(self._is(pattern, value), _is_star(value)))))

    def _require_date(self, position: int, comparisons: Sequence[TextComparison]) -> None:
        """Raise if text without a single ISO date is compared with an ISO date (D28)."""
        comparison = next((each for each in comparisons if re.fullmatch(_ISO_DATE, each.text, re.ASCII)), None)
        if comparison is None:
            return
        value = self.values[position]
        is_present = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
        values, dates = self.facts.ask([sql.count_where(is_present), sql.count_where(self._begins(_ISO_DATE, value))])
        if values and not dates:
            formats = fitting_formats(self.facts, value)
            raise errors.not_iso_dates(self.names[position], comparison, formats)

    def _not(self, pattern: str, value: Sql) -> Sql:
        """SQL for the number of values that do not match; missing values are ignored."""
        return sql.count_where(exp.Not(this=self._is(pattern, value)))

    def _is(self, pattern: str, value: Sql) -> Sql:
        return self._begins(f"{pattern}{self.facts.dialect.end_of_text}", value)

    def _begins(self, pattern: str, value: Sql) -> Sql:
        return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(f"^{pattern}"))


def _is_star(value: Sql) -> Sql:
    return exp.EQ(this=value.copy(), expression=exp.Literal.string("*"))


def _orders_number(comparison: TextComparison) -> bool:
    """Whether the comparison orders text by a number, and the policy does not allow it."""
    orders = comparison.operator in _COMPARE and is_number(comparison.text)
    return orders and errors.ORDERED_AS_TEXT not in comparison.allowed


def _have_one_width(text: str, shortest: int | None, longest: int | None, others: int) -> bool:
    """Whether the values and the constant are digits of the same length, so that both orders agree."""
    return not others and shortest == longest == len(text) and text.isdecimal()


def _orders_differ(text: str, comparison: TextComparison) -> bool:
    if not is_number(text):
        return False
    compare, number = _COMPARE[comparison.operator], Decimal(comparison.text)
    return compare(text, comparison.text) is not compare(Decimal(text), number)


def _digits(value: Sql) -> list[Sql]:
    """SQL for the largest number of digits before the decimal point, and after it."""
    whole, fraction = (
        sql.call("split_part", value.copy(), exp.Literal.string("."), sql.integer(part)) for part in (1, 2)
    )
    leading = exp.Trim(this=whole, expression=exp.Literal.string("+-0"), position="LEADING")
    return [sql.call("max", sql.call("length", leading)), sql.call("max", sql.call("length", fraction))]


Bounds: TypeAlias = tuple[Decimal, Decimal]


def _integer_type(facts: Facts, text: Sql, use: ColumnUse) -> Type:
    """The type of a column of integers. Only a constant such as `2.0` spells one of them differently."""
    numbers = _Numbers(facts, replace(INTEGER, spelled=True), text)
    if not use.forms_classes:
        return numbers.type
    if use.computed:
        return INTEGER
    return numbers.with_shortened([value for value in use.written if scale_of(value)], use.drawn)


def _keep_spelling(facts: Facts, scale: int, text: Sql, use: ColumnUse) -> TypedText:
    """Type a column of decimals, which keep their spelling. If the policy groups by the column or counts its distinct
    values, a number with two spellings gets the shortest one; if the policy also computes numbers from those in the
    column, all of them get the column's digits after the point, as the computed ones."""
    numbers = _Numbers(facts, replace(decimal(scale), spelled=True), text)
    if not use.forms_classes:
        return TypedText(numbers.type, text)
    if use.computed:
        fixed = facts.dialect.to_text(numbers.number, decimal(scale))
        differs = exp.NEQ(this=exp.paren(fixed), expression=text.copy())
        return TypedText(decimal(scale), numbers.number, facts.count(sql.count_where(differs)))
    type_ = numbers.with_shortened(use.written, use.drawn)
    conditions = [numbers.equal(value) for value in sorted(type_.shortened)]
    conditions += [numbers.may_be_drawn(*bounds) for bounds in use.drawn]
    if numbers.have_two_spellings():
        conditions.append(numbers.are_spelled_twice())
    if not conditions:
        return TypedText(type_, text)
    short = exp.If(this=sql.any_of(*conditions), true=sql.shortest_number(text))
    respelled = exp.Case(ifs=[short], default=text.copy())
    differs = exp.NEQ(this=exp.paren(respelled.copy()), expression=text.copy())
    return TypedText(type_, respelled, facts.count(sql.count_where(differs)))


@dataclass(frozen=True)
class _Numbers:
    facts: Facts
    type: Type
    text: Sql

    @property
    def number(self) -> Sql:
        return sql.cast(self.text.copy(), sql.type_name(self.type))

    def with_shortened(self, written: Iterable[Decimal], drawn: Sequence[Bounds]) -> Type:
        """The type, with the constants that have another spelling in the table or the policy. RANDOM writes integers in
        their shortest form."""
        positive_zeros = (value or value.copy_abs() for value in written)
        constants = {format(value, "f"): value for value in positive_zeros}
        other_spellings = self.facts.ask([sql.count_where(self._differs(*each)) for each in constants.items()])
        values = list(constants.values())
        twice = [
            value
            for value, count in zip(values, other_spellings, strict=True)
            if count or values.count(value) > 1 or _may_be_drawn(value, drawn)
        ]
        return replace(self.type, shortened=frozenset(twice))

    def _differs(self, spelled: str, value: Decimal) -> Sql:
        """SQL for whether a value is the constant in another spelling."""
        differs = exp.NEQ(this=self.text.copy(), expression=exp.Literal.string(spelled))
        return sql.all_of(self.equal(value), differs)

    def equal(self, value: Decimal) -> Sql:
        return sql.comparison(self.number, self.type, Operator.EQ, value)

    def may_be_drawn(self, lower: Decimal, upper: Decimal) -> Sql:
        """SQL for whether a value is an integer that RANDOM may also write."""
        fraction = sql.call("split_part", self.text.copy(), exp.Literal.string("."), sql.integer(2))
        is_integer = exp.EQ(this=sql.without_end(fraction, "0"), expression=exp.Literal.string(""))
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
