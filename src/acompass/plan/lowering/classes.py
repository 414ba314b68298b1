"""The equivalence classes of a process query, with their sizes and aggregate values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from acompass.checked.program import Aggregate, Condition, Function, Process, Requirement
from acompass.checked.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.stages import process_query


@dataclass
class Classes:
    """The classes of requirements with the same WHERE and GROUP BY.

    `grouped` yields the group columns g0, g1, …, the number of records n, and for each requirement its
    aggregate values. One is named `a` and the requirement's index; several have their own number as well.
    """

    dialect: Dialect
    state: State
    requirements: tuple[Requirement, ...]
    two_levels: bool = False

    @property
    def process(self) -> Process:
        return process_query(self.requirements[0])

    @property
    def where(self) -> Sql:
        return sql.TRUE.copy() if self.process.where is None else self._condition(self.process.where)

    @property
    def _where(self) -> Sql | None:
        return None if self.process.where is None else self._condition(self.process.where)

    def _condition(self, condition: Condition) -> Sql:
        return sql.condition(condition, self.state.schema, self.state.values())

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"g{j}", table=table) for j in range(len(self.process.group_by))]

    def grouped(self, table: str = "k") -> Sql:
        """The classes, as a subquery called `table`."""
        classes = self._grouped_twice() if self.two_levels else self._grouped_once()
        return classes.subquery(table, copy=False)

    def _grouped_once(self) -> exp.Select:
        keys = [self.state.value(g) for g in self.process.group_by]
        columns = [
            *(sql.named(key, f"g{j}") for j, key in enumerate(keys)),
            sql.named(self.state.count(), "n"),
            *self._named_aggregates(self._aggregate),
        ]
        select = sql.query(columns, self.state.source(), self._where)
        if keys:
            return select.group_by(*(key.copy() for key in keys), copy=False)
        # without GROUP BY, SQL aggregates nothing to one row; PROCESS yields no record (D16)
        any_record = exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0))
        return select.having(any_record, copy=False)

    def _grouped_twice(self) -> exp.Select:
        """By class and value first, then by class (see `count_in_two_levels`)."""
        aggregated = (each.column for r in self.requirements for each in process_query(r).aggregates)
        counted = next(self.state.value(column) for column in aggregated if column is not None)
        keys = [self.state.value(g) for g in self.process.group_by]
        values = sql.query(
            [
                *(sql.named(key, f"g{j}") for j, key in enumerate(keys)),
                sql.named(self.state.count(), "n"),
            ],
            self.state.source(),
            self._where,
        ).group_by(*(key.copy() for key in keys), counted, copy=False)
        size = sql.cast(exp.Sum(this=exp.column("n", table="i")), "BIGINT")
        aggregates = {Function.COUNT: size, Function.COUNT_DISTINCT: exp.Count(this=exp.Star())}
        columns = [
            *self.keys("i"),
            sql.named(size.copy(), "n"),
            *self._named_aggregates(lambda aggregate: aggregates[aggregate.function].copy()),
        ]
        classes = sql.query(columns, values.subquery("i", copy=False))
        return classes.group_by(*self.keys("i"), copy=False)

    def _named_aggregates(self, lowered: Callable[[Aggregate], Sql]) -> list[Sql]:
        return [
            sql.named(lowered(aggregate), name)
            for r in self.requirements
            for aggregate, name in zip(process_query(r).aggregates, _names(r), strict=True)
        ]

    def _aggregate(self, aggregate: Aggregate) -> Sql:
        if aggregate.column is None:
            return self.state.count()
        type_ = self.state.schema[aggregate.column].type
        return _aggregate(self.dialect, aggregate.function, self.state.value(aggregate.column), type_)

    def aggregates(self, requirement: Requirement, table: str) -> list[Sql]:
        """The requirement's aggregate values of the classes, called `table`."""
        return [exp.column(name, table=table) for name in _names(requirement)]

    def satisfied(self, requirement: Requirement) -> Sql:
        columns = (*self.keys("k"), *self.aggregates(requirement, "k"))
        return sql.condition(requirement.assertion.condition, requirement.assertion.schema, columns)

    def join(self, table: str) -> exp.Join:
        pairs = zip(self.process.group_by, self.keys("v"), strict=True)
        on = sql.all_of(*(exp.EQ(this=self.state.value(g), expression=key) for g, key in pairs))
        return exp.Join(this=sql.table(table, "v"), on=on, side="LEFT")


def _names(requirement: Requirement) -> list[str]:
    aggregates, index = process_query(requirement).aggregates, requirement.index
    return [f"a{index}"] if len(aggregates) == 1 else [f"a{index}_{j}" for j in range(len(aggregates))]


def _aggregate(dialect: Dialect, function: Function, column: Sql, type_: Type) -> Sql:
    match function:
        case Function.SUM if type_.kind is Kind.FLOAT:
            return dialect.float_sum(column)
        case Function.SUM:
            return dialect.exact_sum(column, type_)
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
