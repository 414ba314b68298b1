"""Decide comparisons of SHARE exactly, without division (X13).

The constants that a share is compared with cut its values into regions, as in `plan.stages`: with n constants, region
2j + 1 is constant j, counted from 0, and the even regions are the intervals between constants. SQL finds the region of
a class by comparing products. Where a product could overflow, a sum of floats is too close to a constant, or a value is
infinite, the region is NULL, and the class is *open*: the engine counts its distinct values, and Python decides."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isinf
from typing import Any, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.language.program import program as checked
from acompass.language.program.constants import LARGEST_INTEGER
from acompass.language.program.effects import comparisons
from acompass.language.program.program import Aggregate, Condition, Requirement
from acompass.language.program.types import EXACT, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.stages import process_query

#: the most values that an engine lists to add them
_MOST_LISTED = 1000
#: a table has fewer records
_MOST_RECORDS = 10**10
#: constants of sums are compared in whole multiples of its inverse
_UNITS = 10**9
#: sums below this number of a decimal's smallest units may be multiplied by `_UNITS`, as all engines have 38 digits
_LARGEST_SUM = 10**29
#: `_MOST_RECORDS` amounts below these have a sum that every engine can store
_LARGEST_AMOUNT, _LARGEST_FLOAT = 10**28, 1e290
#: a float from here on times a factor from the other one on does not become 0, which PostgreSQL reports as an error
_SMALLEST_FLOAT, _SMALLEST_FACTOR = 1e-290, 1e-9
#: a sum of `_MOST_RECORDS` floats is off by less than this part of it, in any order of addition
_MARGIN = Fraction(1, 10**5)


@dataclass(frozen=True)
class Share:
    """A SHARE of a requirement, in the classes of `plan.run.classes`."""

    aggregate: Aggregate
    name: str  # of the column with its region
    type: Type  # of the aggregated column
    constants: tuple[Decimal, ...]  # that it is compared with, ascending

    @property
    def column(self) -> int:
        assert self.aggregate.column is not None, "a share is of a column"
        return self.aggregate.column

    @property
    def is_of_amounts(self) -> bool:
        """Whether it is the share of the largest values, not of the most frequent one."""
        return self.aggregate.facts.of_numbers

    @property
    def may_be_open(self) -> bool:
        """Whether SQL may fail to decide it."""
        is_short = all(Fraction(constant) * _UNITS % 1 == 0 for constant in self.constants)
        return self.is_of_amounts and not (is_short and self.type.kind is Kind.INTEGER)

    def needs_window(self, dialect: Dialect) -> bool:
        largest = self.aggregate.largest
        return not self.is_of_amounts or (largest > 1 and (dialect.least_sum is None or largest > _MOST_LISTED))

    def window(self, value: Sql, keys: Sequence[Sql]) -> Sql:
        """For each record, its rank by size in its class, or the number of records of its class with its value."""
        within = [key.copy() for key in keys]
        if self.is_of_amounts:
            order = exp.Order(expressions=[exp.Ordered(this=self._negative(value), desc=False)])
            found = exp.Window(this=exp.RowNumber(), partition_by=within, order=order)
        else:
            found = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[*within, value.copy()])
        return sql.with_alias(found, f"w{self.name}")

    def parts(self, dialect: Dialect, value: Sql, records: Sql) -> Iterator[Sql]:
        """The aggregates of a class that decide its region: numerator and denominator, which is not 0; and the number
        of amounts that are not zero, if sums are not exact."""
        if not self.is_of_amounts:
            yield from self.mode_parts(exp.Max(this=self._part("w", "t")), records)
            return
        total: Sql = exp.Neg(this=self._wide(self._sum(dialect, self._negative(value))))
        number, safe = exp.Neg(this=self._wide(self._largest(dialect, value))), self._is_safe(value, total)
        # 0 of the smallest amount if all are 0
        total = exp.Coalesce(this=sql.call("nullif", total, sql.integer(0)), expressions=[self._units(1)])
        for letter, sum_ in (("n", number), ("d", total)):
            guarded = sum_ if safe is None else sql.when(safe.copy(), sum_)
            yield sql.with_alias(guarded, f"{letter}{self.name}")
        if self.type.kind is Kind.FLOAT:
            is_amount = exp.NEQ(this=value.copy(), expression=sql.literal(0.0))
            yield sql.with_alias(sql.count_where(is_amount), f"z{self.name}")

    def mode_parts(self, most: Sql, records: Sql) -> Iterator[Sql]:
        """Numerator and denominator, if `most` of the records have the most frequent value."""
        yield sql.with_alias(most, f"n{self.name}")
        yield sql.with_alias(records, f"d{self.name}")

    def region(self, table: str) -> Sql:
        """The region of a class; NULL if it is open."""
        cases: list[tuple[Sql, int]] = []
        above: tuple[Sql, ...] = ()
        for j, constant in enumerate(self.constants):
            cut = self._cut(Fraction(constant), table)
            cases += [(sql.all_of(*above, cut.below.copy()), 2 * j), (cut.equal, 2 * j + 1)]
            above = (cut.above,)
        cases.append((sql.all_of(*above), 2 * len(self.constants)))
        return exp.Case(ifs=[exp.If(this=when.copy(), true=sql.integer(number)) for when, number in cases])

    def ratio(self, table: str) -> Sql:
        """The share to the precision of a float, for a reader."""
        number, total = (sql.cast(self._part(each, table), "DOUBLE") for each in "nd")
        return exp.Div(this=number, expression=total)

    def region_of(self, share: Fraction) -> int:
        constants = [Fraction(constant) for constant in self.constants]
        return 2 * sum(constant < share for constant in constants) + (share in constants)

    def _part(self, letter: str, table: str) -> Sql:
        return exp.column(f"{letter}{self.name}", table=table)

    def _negative(self, value: Sql) -> Sql:
        """Minus the absolute value, which has the column's own type even for the smallest integer; no less than minus
        the largest amount, so that no sum overflows. Spark would round minus a larger number."""
        is_positive = exp.GT(this=value.copy(), expression=sql.integer(0))
        if self.type.kind is Kind.INTEGER:
            return sql.when(is_positive, exp.Neg(this=value.copy()), value.copy())
        small = sql.call("least", value.copy(), self._largest_amount)
        negative = sql.when(is_positive, exp.Neg(this=small), value.copy())
        return sql.call("greatest", negative, exp.Neg(this=self._largest_amount))

    @property
    def _largest_amount(self) -> Sql:
        return sql.literal(_LARGEST_FLOAT) if self.type.kind is Kind.FLOAT else self._units(_LARGEST_AMOUNT)

    def _units(self, number: int) -> Sql:
        """A multiple of the smallest unit of the column's type."""
        return sql.literal(EXACT.scaleb(Decimal(number), -self.type.scale))

    def _wide(self, total: Sql) -> Sql:
        return total if self.type.kind is Kind.FLOAT else sql.cast(total, sql.decimal_type(self.type.scale))

    def _sum(self, dialect: Dialect, amounts: Sql) -> Sql:
        return exp.Sum(this=amounts) if self.type.kind is Kind.FLOAT else dialect.exact_sum(amounts, self.type)

    def _largest(self, dialect: Dialect, value: Sql) -> Sql:
        """The sum of the largest amounts, whose negatives are the least."""
        amount, largest = self._negative(value), self.aggregate.largest
        if largest == 1:
            return exp.Min(this=amount)
        if dialect.least_sum is not None and not self.needs_window(dialect):
            return dialect.least_sum(amount, largest)
        is_among = exp.LTE(this=self._part("w", "t"), expression=sql.integer(largest))
        return self._sum(dialect, sql.when(is_among, amount, sql.integer(0)))

    def _is_safe(self, value: Sql, total: Sql) -> Sql | None:
        """Whether the sums are of all amounts, and small enough to be multiplied; None if they always are."""
        if self.type.kind is Kind.INTEGER:
            return None
        is_small = exp.GT(this=exp.Min(this=self._negative(value)), expression=exp.Neg(this=self._largest_amount))
        if self.type.kind is Kind.FLOAT:
            is_zero = exp.EQ(this=total.copy(), expression=sql.literal(0.0))
            is_large = exp.GTE(this=total.copy(), expression=sql.literal(_SMALLEST_FLOAT))
            return sql.all_of(is_small, sql.any_of(is_zero, is_large))
        return sql.all_of(is_small, exp.LT(this=total.copy(), expression=self._units(_LARGEST_SUM)))

    def _cut(self, constant: Fraction, table: str) -> "_Cut":
        if not 0 <= constant <= 1:
            return _Cut(sql.TRUE, sql.FALSE, sql.FALSE) if constant > 1 else _Cut(sql.FALSE, sql.FALSE, sql.TRUE)
        share = _Fraction(self._part("n", table), self._part("d", table))
        if not self.is_of_amounts:
            return _cut_of_records(share, constant)
        if self.type.kind is not Kind.FLOAT:
            return _cut_of_sums(share, constant)
        is_all = exp.LTE(this=self._part("z", table), expression=sql.integer(self.aggregate.largest))
        return _cut_of_floats(share, constant, is_all)


@dataclass(frozen=True)
class _Fraction:
    """Numerator and denominator of a share, the denominator positive; NULL in an open class."""

    number: Sql
    total: Sql

    def compare(self, node: type[exp.Binary], of_number: Sql, of_total: Sql) -> Sql:
        """The comparison of the share with the quotient `of_total` / `of_number`."""
        left = exp.Mul(this=self.number.copy(), expression=of_number)
        return node(this=left, expression=exp.Mul(this=self.total.copy(), expression=of_total))


@dataclass(frozen=True)
class _Cut:
    """On which side of a constant a share is; none is true if that is unknown."""

    below: Sql
    equal: Sql
    above: Sql


def _cut_of_records(share: _Fraction, constant: Fraction) -> _Cut:
    """No share of so few records lies between the constant and the nearest fraction with as small a denominator."""
    near = constant.limit_denominator(_MOST_RECORDS)
    sql_type = "BIGINT" if near.denominator * _MOST_RECORDS <= LARGEST_INTEGER else sql.decimal_type(0)

    def compare(node: type[exp.Binary]) -> Sql:
        factors = (sql.cast(sql.integer(each), sql_type) for each in (near.denominator, near.numerator))
        return share.compare(node, *factors)

    if near == constant:
        return _Cut(compare(exp.LT), compare(exp.EQ), compare(exp.GT))
    if near < constant:
        return _Cut(compare(exp.LTE), sql.FALSE, compare(exp.GT))
    return _Cut(compare(exp.LT), sql.FALSE, compare(exp.GTE))


def _cut_of_sums(share: _Fraction, constant: Fraction) -> _Cut:
    """A constant with more digits than `_UNITS` leaves the shares next to it open."""
    low, high = floor(constant * _UNITS), ceil(constant * _UNITS)

    def compare(node: type[exp.Binary], bound: int) -> Sql:
        return share.compare(node, sql.integer(_UNITS), sql.integer(bound))

    return _Cut(compare(exp.LT, low), compare(exp.EQ, low) if low == high else sql.FALSE, compare(exp.GT, high))


def _cut_of_floats(share: _Fraction, constant: Fraction, is_all: Sql) -> _Cut:
    """Only 0 and 1 are surely equal to a share: no amount is left, or no other than the largest (`is_all`)."""
    is_some = exp.GT(this=share.number.copy(), expression=sql.literal(0.0))
    if constant == 0:
        return _Cut(sql.FALSE, exp.EQ(this=share.number.copy(), expression=sql.literal(0.0)), is_some)

    def compare(node: type[exp.Binary], bound: Fraction) -> Sql:
        factor = float(bound) if bound > _SMALLEST_FACTOR else 0.0
        return share.compare(node, sql.literal(1.0), sql.literal(factor))

    below, above = compare(exp.LT, constant - _MARGIN), compare(exp.GT, constant + _MARGIN)
    return _Cut(below, sql.all_of(is_some, is_all), sql.FALSE) if constant == 1 else _Cut(below, sql.FALSE, above)


def shares_of(requirement: Requirement, names: Sequence[str]) -> list[Share]:
    """The shares among the aggregates of a requirement, whose columns have these names."""
    process, seen = process_query(requirement), requirement.assertion
    found = []
    for place, (aggregate, name) in enumerate(zip(process.aggregates, names, strict=True), len(process.group_by)):
        if aggregate.facts.is_share:
            assert aggregate.column is not None, "a share is of a column"
            compared = {each.value for each in comparisons(seen.condition) if each.column == place}
            constants = tuple(sorted(value for value in compared if isinstance(value, Decimal)))
            found.append(Share(aggregate, name, requirement.before[aggregate.column].type, constants))
    return found


def by_region(condition: Condition, shares: Mapping[int, Share]) -> Condition:
    """The condition with numbers of regions in place of shares, which stand at these positions."""
    match condition:
        case checked.Comparison(column, operator, Decimal() as value) if column in shares:
            return checked.Comparison(column, operator, shares[column].region_of(Fraction(value)))
        case checked.Comparison():
            return condition
        case checked.Not(operand):
            return checked.Not(by_region(operand, shares))
        case checked.And(operands):
            return checked.And(tuple(by_region(each, shares) for each in operands))
        case checked.Or(operands):
            return checked.Or(tuple(by_region(each, shares) for each in operands))
        case _:
            assert_never(condition)


def exact_share(aggregate: Aggregate, counts: Mapping[Any, int]) -> Fraction:
    """The share in a class, from the number of records with each value."""
    if not aggregate.facts.of_numbers:
        return Fraction(max(counts.values()), sum(counts.values()))
    infinite = sum(number for value, number in counts.items() if isinstance(value, float) and isinf(value))
    if infinite:
        return Fraction(min(aggregate.largest, infinite), infinite)
    total, largest, left = Fraction(0), Fraction(0), aggregate.largest
    for amount, number in sorted(((abs(Fraction(value)), number) for value, number in counts.items()), reverse=True):
        total += amount * number
        largest += amount * min(number, left)
        left -= min(number, left)
    return largest / total if total else Fraction(0)
