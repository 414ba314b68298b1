"""The region that a value lies in (see `regions`), as an expression or a join."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from sqlglot import exp

from acompass.checked.program import Operator
from acompass.checked.types import Kind, Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context


def compare_with_each(value: Sql, type_: Type, constants: Sequence[Value]) -> Sql:
    """Each constant that is reached adds one, and each that is passed another."""
    total: Sql = sql.integer(0)
    for constant in constants:
        for operator in (Operator.GE, Operator.GT):
            step = sql.cast(exp.paren(sql.comparison(value, type_, operator, constant)), "INT")
            total = exp.Add(this=total, expression=step)
    return total


def search(value: Sql, type_: Type, constants: Sequence[Value], low: int, high: int) -> Sql:
    """A binary search, as nested CASEs."""
    if low == high:
        return sql.integer(2 * low)
    middle = (low + high) // 2
    constant = constants[middle]
    below = exp.If(
        this=sql.comparison(value, type_, Operator.LT, constant),
        true=search(value, type_, constants, low, middle),
    )
    equal = exp.If(this=sql.comparison(value, type_, Operator.EQ, constant), true=sql.integer(2 * middle + 1))
    return exp.Case(ifs=[below, equal], default=search(value, type_, constants, middle + 1, high))


@dataclass
class LocatedValues:
    """The distinct combinations of values of some columns: v0, v1, …, their regions k0, k1, …, and n, how
    many records have them."""

    context: Context
    state: State
    columns: tuple[int, ...]
    constants: Mapping[int, Sequence[Value]]

    @cached_property
    def relation(self) -> Sql:
        """To be read as `q`. Kept where the engine joins constants by order; else it is worked out anew."""
        select = exp.select(exp.column("n", table="t"))
        for j, column in enumerate(self.columns):
            select = select.select(exp.alias_(sql.column(column, "t"), f"v{j}"))
        if not self._can_join():
            regions = [self._search(column) for column in self.columns]
            return self._with_regions(select, regions).from_(self._distinct()).subquery("q")
        regions = [_region_of_match(j, column) for j, column in enumerate(self.columns)]
        select = self._with_regions(select, regions).from_(self._distinct())
        for j, column in enumerate(self.columns):
            select.append("joins", self._ordered_join(j, column))
        return sql.table(self.context.session.store(select), "q")

    def _distinct(self) -> Sql:
        columns = [sql.column(column, "t") for column in self.columns]
        count = exp.alias_(exp.Count(this=exp.Star()), "n")
        select = exp.select(*columns, count).from_(self.state.source())
        return select.group_by(*(column.copy() for column in columns)).subquery("t")

    @staticmethod
    def _with_regions(select: exp.Select, regions: list[Sql]) -> exp.Select:
        return select.select(*(exp.alias_(region, f"k{j}") for j, region in enumerate(regions)))

    def _search(self, column: int) -> Sql:
        constants = self.constants[column]
        return search(sql.column(column, "t"), self._type(column), constants, 0, len(constants))

    def _type(self, column: int) -> Type:
        return self.state.schema[column].type

    def _can_join(self) -> bool:
        return self.context.session.dialect.joins_by_order and all(
            _is_of_type(constant, self._type(column))
            for column in self.columns
            for constant in self.constants[column]
        )

    def _ordered_join(self, j: int, column: int) -> exp.Join:
        """Each value with the largest constant that it reaches."""
        rows = [(number, constant) for number, constant in enumerate(self.constants[column])]
        fields = (("j", "INT"), ("constant", sql.type_name(self._type(column))))
        table = self.context.session.upload(fields, rows)
        reached = exp.GTE(this=sql.column(column, "t"), expression=exp.column("constant", table=_match(j)))
        return exp.Join(this=sql.table(table, _match(j)), on=reached, method="ASOF", side="LEFT")


def _match(j: int) -> str:
    return f"m{j}"


def _region_of_match(j: int, column: int) -> Sql:
    number = exp.column("j", table=_match(j))
    doubled = exp.Mul(this=sql.integer(2), expression=number)
    equal = exp.EQ(this=sql.column(column, "t"), expression=exp.column("constant", table=_match(j)))
    return exp.Case(
        ifs=[
            exp.If(this=exp.Is(this=number.copy(), expression=exp.null()), true=sql.integer(0)),
            exp.If(this=equal, true=exp.Add(this=doubled, expression=sql.integer(1))),
        ],
        default=exp.Add(this=doubled.copy(), expression=sql.integer(2)),
    )


def _is_of_type(constant: Value, type_: Type) -> bool:
    """Whether the column's own type can hold the constant it is compared with."""
    match type_.kind:
        case Kind.INTEGER:
            return isinstance(constant, int) and -(2**63) <= constant < 2**63
        case Kind.DECIMAL:
            exact = Decimal(constant) if isinstance(constant, int | Decimal) else Decimal(0)
            return sql.scale_of(exact) <= type_.scale and abs(exact).adjusted() < 38 - type_.scale
        case _:
            return True
