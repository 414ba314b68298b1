"""The region that a value lies in (see `regions`), as an expression."""

from collections.abc import Sequence
from decimal import Decimal

from sqlglot import exp

from acompass.checked.constants import is_64_bit, scale_of
from acompass.checked.program import Operator
from acompass.checked.types import MOST_DIGITS, Kind, Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql


def compare_with_each(value: Sql, type_: Type, constants: Sequence[Value]) -> Sql:
    """The number of constants that the value reaches, plus the number of those that it exceeds."""
    total: Sql = sql.integer(0)
    for constant in constants:
        for operator in (Operator.GE, Operator.GT):
            step = sql.cast(exp.paren(sql.comparison(value, type_, operator, constant)), "INT")
            total = exp.Add(this=total, expression=step)
    return total


def search(value: Sql, type_: Type, constants: Sequence[Value]) -> Sql:
    """A binary search, as nested CASEs."""
    return _search_between(value, type_, constants, 0, len(constants))


def _search_between(value: Sql, type_: Type, constants: Sequence[Value], low: int, high: int) -> Sql:
    if low == high:
        return sql.integer(2 * low)
    middle = (low + high) // 2
    constant = constants[middle]
    below = exp.If(
        this=sql.comparison(value, type_, Operator.LT, constant),
        true=_search_between(value, type_, constants, low, middle),
    )
    equal = exp.If(this=sql.comparison(value, type_, Operator.EQ, constant), true=sql.integer(2 * middle + 1))
    return exp.Case(ifs=[below, equal], default=_search_between(value, type_, constants, middle + 1, high))


def ordered_join(value: Sql, constants: str, alias: str) -> exp.Join:
    """Join each value to the largest constant not above it; `constants` is a table of (j, constant)."""
    reached = exp.GTE(this=value, expression=exp.column("constant", table=alias))
    return exp.Join(this=sql.table(constants, alias), on=reached, method="ASOF", side="LEFT")


def region_of_match(value: Sql, alias: str) -> Sql:
    """The region of a value that an `ordered_join` matched with a constant, or with none."""
    number = exp.column("j", table=alias)
    doubled = exp.Mul(this=sql.integer(2), expression=number)
    equal = exp.EQ(this=value, expression=exp.column("constant", table=alias))
    return exp.Case(
        ifs=[
            exp.If(this=exp.Is(this=number.copy(), expression=exp.null()), true=sql.integer(0)),
            exp.If(this=equal, true=exp.Add(this=doubled, expression=sql.integer(1))),
        ],
        default=exp.Add(this=doubled.copy(), expression=sql.integer(2)),
    )


def is_of_type(constant: Value, type_: Type) -> bool:
    """Whether the type of the column can hold a constant that the column is compared with."""
    match type_.kind:
        case Kind.INTEGER:
            return isinstance(constant, int) and is_64_bit(constant)
        case Kind.DECIMAL:
            exact = Decimal(constant) if isinstance(constant, int | Decimal) else Decimal(0)
            return scale_of(exact) <= type_.scale and abs(exact).adjusted() < MOST_DIGITS - type_.scale
        case _:
            return True
