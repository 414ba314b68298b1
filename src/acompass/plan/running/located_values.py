"""The distinct values of a chain's columns and their regions, computed once and joined to the records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from acompass.checked.types import Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.locate import is_of_type, ordered_join, region_of_match, search
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session


@dataclass
class LocatedValues:
    """The distinct combinations of values of some columns: the values v0, v1, …, their regions k0, k1, …,
    and n, the number of records with these values."""

    session: Session
    state: State
    columns: tuple[int, ...]
    constants: Mapping[int, Sequence[Value]]

    @cached_property
    def relation(self) -> Sql:
        """The relation, called `q`. It is stored where the engine joins constants by order; elsewhere it is a
        subquery."""
        select = exp.select(exp.column("n", table="t"))
        for j, column in enumerate(self.columns):
            select = select.select(exp.alias_(sql.column(column, "t"), f"v{j}"))
        if not self._can_join():
            regions = [self._search(column) for column in self.columns]
            return (
                self._with_regions(select, regions)
                .from_(self._distinct(), copy=False)
                .subquery("q", copy=False)
            )
        regions = [region_of_match(sql.column(column, "t"), f"m{j}") for j, column in enumerate(self.columns)]
        select = self._with_regions(select, regions).from_(self._distinct(), copy=False)
        for j, column in enumerate(self.columns):
            select.append("joins", ordered_join(sql.column(column, "t"), self._uploaded(column), f"m{j}"))
        return sql.table(self.session.store(select), "q")

    def _distinct(self) -> Sql:
        values = [self.state.value(column) for column in self.columns]
        named = (sql.named(value, sql.name(c)) for value, c in zip(values, self.columns, strict=True))
        count = exp.alias_(self.state.count(), "n")
        select = sql.query([*named, count], self.state.source())
        return select.group_by(*(value.copy() for value in values), copy=False).subquery("t", copy=False)

    @staticmethod
    def _with_regions(select: exp.Select, regions: list[Sql]) -> exp.Select:
        return select.select(*(exp.alias_(region, f"k{j}") for j, region in enumerate(regions)))

    def _search(self, column: int) -> Sql:
        return search(sql.column(column, "t"), self._type(column), self.constants[column])

    def _type(self, column: int) -> Type:
        return self.state.schema[column].type

    def _can_join(self) -> bool:
        return self.session.dialect.joins_by_order and all(
            is_of_type(constant, self._type(column))
            for column in self.columns
            for constant in self.constants[column]
        )

    def _uploaded(self, column: int) -> str:
        """A table of the column's constants with their numbers."""
        fields = (("j", "INT"), ("constant", sql.type_name(self._type(column))))
        return self.session.upload(fields, list(enumerate(self.constants[column])))
