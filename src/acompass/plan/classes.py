"""The classes that PROCESS makes, with their sizes and aggregate values."""

from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from acompass.checked.program import Function, Process, Requirement, seen_schema
from acompass.checked.types import Kind, Type
from acompass.plan import sql
from acompass.plan.context import Context
from acompass.plan.sql import Sql
from acompass.plan.stages import process_of
from acompass.plan.state import State


@dataclass
class Classes:
    """The classes of some requirements with the same WHERE and GROUP BY: `grouped` yields g0, g1, …, n (the
    number of records) and one aggregate value a requirement."""

    context: Context
    state: State
    requirements: tuple[Requirement, ...]
    two_levels: bool = False

    @property
    def process(self) -> Process:
        return process_of(self.requirements[0])

    @property
    def where(self) -> Sql:
        condition = self.process.where
        if condition is None:
            return sql.TRUE.copy()
        return sql.condition(condition, self.state.schema, self.state.columns())

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"g{j}", table=table) for j in range(len(self.process.group_by))]

    @property
    def grouped(self) -> exp.Select:
        return self._grouped_twice() if self.two_levels else self._grouped_once()

    def _grouped_once(self) -> exp.Select:
        keys = [sql.column(g, "t") for g in self.process.group_by]
        select = exp.select(
            *(exp.alias_(key, f"g{j}") for j, key in enumerate(keys)),
            exp.alias_(exp.Count(this=exp.Star()), "n"),
            *(exp.alias_(self._aggregate(r), f"a{r.index}") for r in self.requirements),
        ).from_(self.state.source())
        if self.process.where is not None:
            select = select.where(self.where)
        if keys:
            return select.group_by(*(key.copy() for key in keys))
        # no record, no result: an aggregate of nothing is no record (D16)
        return select.having(exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0)))

    def _grouped_twice(self) -> exp.Select:
        """By class and value, then by class: see `count_in_two_levels`."""
        columns = (process_of(r).column for r in self.requirements)
        counted = next(sql.column(column, "t") for column in columns if column is not None)
        keys = [sql.column(g, "t") for g in self.process.group_by]
        values = exp.select(
            *(exp.alias_(key, f"g{j}") for j, key in enumerate(keys)),
            exp.alias_(exp.Count(this=exp.Star()), "n"),
        ).from_(self.state.source())
        if self.process.where is not None:
            values = values.where(self.where)
        size = sql.cast(exp.Sum(this=exp.column("n", table="i")), "BIGINT")
        aggregates = {Function.COUNT: size, Function.COUNT_DISTINCT: exp.Count(this=exp.Star())}
        return (
            exp.select(
                *self.keys("i"),
                exp.alias_(size.copy(), "n"),
                *(
                    exp.alias_(aggregates[process_of(r).function].copy(), f"a{r.index}")
                    for r in self.requirements
                ),
            )
            .from_(values.group_by(*(key.copy() for key in keys), counted).subquery("i"))
            .group_by(*self.keys("i"))
        )

    def _aggregate(self, requirement: Requirement) -> Sql:
        process = process_of(requirement)
        if process.column is None:
            return exp.Count(this=exp.Star())
        column = sql.column(process.column, "t")
        type_ = self.state.schema[process.column].type
        return _aggregate(self.context, process.function, column, type_)

    def satisfied(self, requirement: Requirement) -> Sql:
        columns = (*self.keys("k"), exp.column(f"a{requirement.index}", table="k"))
        return sql.condition(requirement.assertion.condition, seen_schema(requirement), columns)

    def join(self, table: str) -> exp.Join:
        pairs = zip(self.process.group_by, self.keys("v"), strict=True)
        on = exp.and_(*(exp.EQ(this=sql.column(g, "t"), expression=key) for g, key in pairs))
        return exp.Join(this=exp.to_table(table).as_("v"), on=on, side="LEFT")


def _aggregate(context: Context, function: Function, column: Sql, type_: Type) -> Sql:
    match function:
        case Function.SUM if type_.kind is Kind.FLOAT:
            return context.session.dialect.float_sum(column)
        case Function.SUM:
            return context.session.dialect.exact_sum(column, type_)
        case Function.MIN:
            return exp.Min(this=column)
        case Function.MAX:
            return exp.Max(this=column)
        case Function.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[column]))
        case Function.COUNT:
            return exp.Count(this=exp.Star())
        case _:
            assert_never(function)
