"""Determine the types of text columns from the policy and their values (D10), and refuse what would silently
mean something else: numbers with leading zeros (D25), numbers ordered as text (D24), local dates (D28)."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from acompass.checked.program import Operator
from acompass.checked.types import MOST_DIGITS, TEXT, Kind, Type, decimal
from acompass.checked.uses import ColumnUse, TextComparison, Use
from acompass.diagnostics import TableError
from acompass.engines.facts import Facts
from acompass.engines.local_dates import fitting_formats
from acompass.engines.spelling import spelled_decimal, spelled_integer
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.decimal_comma import COMMA_NUMBER
from acompass.tables.file_format import COMMA
from acompass.tables.numbers import BAND_LABEL, FRACTIONS, INTEGERS, NUMBER_PATTERN, is_number

#: finds the file and line of the first value in a column that satisfies a condition; None without a file
FirstPlace = Callable[[int, Callable[[str], bool]], tuple[str, int] | None]

#: D25: as a number is written, without leading zeros and without a plus sign
_PLAIN_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_ISO_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
#: the comparisons that one scan of the table counts
_AT_ONCE = 50
_COMPARE = {
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GE: operator.ge,
    Operator.GT: operator.gt,
}


@dataclass(frozen=True)
class TypedText:
    """The type of a text column, SQL for its value as a state stores it, and the number of values that lose
    their spelling (D26)."""

    type: Type
    value: Sql
    respelled: int = 0


@dataclass(frozen=True)
class TextColumns:
    """The text columns of a table. `values` is SQL over the relation of `facts`."""

    facts: Facts
    names: Sequence[str]
    values: Sequence[Sql]
    first_place: FirstPlace
    #: the decimal mark of a CSV file; None if the table has types
    mark: str | None = None

    def typed(self, uses: Mapping[int, ColumnUse]) -> dict[int, TypedText]:
        """The columns that the policy uses, typed."""
        candidates = [position for position, use in uses.items() if use.use is not Use.TEXT]
        integers = self.integers(candidates)
        typed = {position: TypedText(TEXT, self.values[position]) for position in uses}
        for position, use in uses.items():
            if position in integers:
                typed[position] = self._as_integer(position, use)
            elif use.banded and (use.use is Use.TEXT or self._has_labels(position)):
                typed[position] = self._as_labels(position, use)
            elif use.use is Use.NUMBER:
                typed[position] = self._as_decimal(position, use)
        return typed

    def integers(self, positions: Sequence[int]) -> frozenset[int]:
        """The columns in which every value is a canonical 64-bit integer."""
        answers = self.facts.ask([self._are_integers(self.values[position]) for position in positions])
        return frozenset(p for p, holds in zip(positions, answers, strict=True) if holds)

    def _are_integers(self, value: Sql) -> Sql:
        """SQL for whether every value that is there is the canonical text of a 64-bit integer."""
        is_integer = self.facts.dialect.is_integer_text(value.copy())
        return exp.Coalesce(this=sql.call("bool_and", is_integer), expressions=[sql.TRUE.copy()])

    def _as_integer(self, position: int, use: ColumnUse) -> TypedText:
        value = self.values[position]
        return TypedText(spelled_integer(self.facts, value, use), sql.cast(value, "BIGINT"))

    def _has_labels(self, position: int) -> bool:
        return self.facts.count(self._not(NUMBER_PATTERN, self.values[position])) > 0

    def _as_labels(self, position: int, use: ColumnUse) -> TypedText:
        """Text in which labels of bands and `*` stand beside numbers, or in place of them (X2)."""
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
            raise errors.not_numbers(name, place, bad, use.span, self._help_on_marks(value, bad))
        if padded:
            place = self.first_place(position, lambda text: not re.fullmatch(_PLAIN_NUMBER, text, re.ASCII))
            raise errors.leading_zeros(name, place, padded, use.span, use.banded)
        digits = (whole or 0) + (scale or 0)
        if digits > MOST_DIGITS:
            raise errors.number_too_long(name, digits)
        spelled = spelled_decimal(self.facts, scale or 0, value, use)
        return TypedText(spelled.type, spelled.text, spelled.respelled)

    def _help_on_marks(self, value: Sql, bad: int) -> str | None:
        """What to do if the decimal mark is why values are not numbers."""
        if self.mark == COMMA:
            return "with `--decimal ,`, a number has a comma and no point, as in `-12,50`"
        commas = 0 if self.mark is None else self.facts.count(sql.count_where(self._is(COMMA_NUMBER, value)))
        return "read numbers with a decimal comma: `--decimal ,`" if commas == bad else None

    def require_plain_text(self, uses: Mapping[int, ColumnUse]) -> None:
        """Raise where a text column is compared with a number or a date as text, and means something else."""
        for position, use in uses.items():
            if use.use is Use.TEXT:
                for comparison in use.texts:
                    self._require_date(position, comparison)
                self._require_order(position, [each for each in use.texts if _orders_number(each)])

    def _require_order(self, position: int, comparisons: Sequence[TextComparison]) -> None:
        """D24: the order of text and the order of numbers must agree where all values are numbers or `*`."""
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
            counts = self.facts.ask([self._disordered(value, scale or 0, each) for each in asked])
            for comparison, wrong in zip(asked, counts, strict=True):
                if wrong:
                    raise self._ordered_as_text(position, comparison, wrong)

    def _disordered(self, value: Sql, scale: int, comparison: TextComparison) -> Sql:
        """SQL for the number of values that are ordered otherwise as text than as numbers."""
        operator, constant, type_ = comparison.operator, Decimal(comparison.text), decimal(scale)
        as_text = sql.comparison(value, TEXT, operator, comparison.text)
        as_number = sql.comparison(sql.cast(value.copy(), sql.type_name(type_)), type_, operator, constant)
        differ = exp.NEQ(this=exp.paren(as_text), expression=exp.paren(as_number))
        return sql.count_where(exp.Case(ifs=[exp.If(this=self._is(NUMBER_PATTERN, value), true=differ)]))

    def _ordered_as_text(self, position: int, comparison: TextComparison, wrong: int) -> TableError:
        place = self.first_place(position, lambda text: _orders_differ(text, comparison))
        unlike = self.facts.count(self._not(_PLAIN_NUMBER, self.values[position]))
        return errors.ordered_as_text(self.names[position], place, wrong, comparison, unlike)

    def _widths(self, value: Sql) -> list[Sql]:
        """SQL for the lengths of the shortest and the longest value, and the number of values that are not
        digits alone, each without `*`."""
        length = exp.If(this=exp.Not(this=_is_star(value)), true=sql.call("length", value.copy()))
        lengths = [sql.call(function, exp.Case(ifs=[length.copy()])) for function in ("min", "max")]
        return [*lengths, self._neither("[0-9]+", value)]

    def _neither(self, pattern: str, value: Sql) -> Sql:
        """SQL for the number of values that neither match nor are `*`."""
        return sql.count_where(exp.Not(this=exp.paren(exp.or_(self._is(pattern, value), _is_star(value)))))

    def _require_date(self, position: int, comparison: TextComparison) -> None:
        """D28: text compared with an ISO date must have ISO dates among its values, if it has values."""
        if re.fullmatch(_ISO_DATE, comparison.text, re.ASCII) is None:
            return
        value = self.values[position]
        there = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
        values, dates = self.facts.ask(
            [sql.count_where(there), sql.count_where(self._begins(_ISO_DATE, value))]
        )
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
    """Whether the comparison orders text by a number, and is not allowed to."""
    orders = comparison.operator in _COMPARE and is_number(comparison.text)
    return orders and errors.ORDERED_AS_TEXT not in comparison.allowed


def _have_one_width(text: str, shortest: int | None, longest: int | None, others: int) -> bool:
    """Whether the values and the constant are digits of one length: then both orders agree."""
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
