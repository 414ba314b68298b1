"""The table between two stages: a SELECT of `c0`, `c1`, … and, where the source has one, of a row key."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from acompass.checked.types import Schema
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql

#: the column that holds the position of a record in the input
ROW_KEY = "rk"


@dataclass(frozen=True)
class State:
    """`records` is the number of records. `depth` is the number of SELECTs nested since the last stored
    table. `in_order` says that the SELECT yields records in input order without sorting.

    `sizes` has the columns that are not plain columns of the last stored table: the nodes that the column's
    value has once an engine has replaced every column of a nested SELECT with its expression.

    `flags` are further columns, which say of each record whether a condition was satisfied.
    """

    select: exp.Select
    schema: Schema
    has_row_key: bool
    records: int
    depth: int = 0
    in_order: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def columns(self, table: str = "t") -> tuple[Sql, ...]:
        """The columns as they are stored."""
        return tuple(sql.column(i, table) for i in range(len(self.schema)))

    def value(self, position: int) -> Sql:
        """The value of a column of `t`, as a policy reads it."""
        return sql.read(sql.column(position, "t"), self.schema[position].type)

    def values(self) -> tuple[Sql, ...]:
        return tuple(self.value(i) for i in range(len(self.schema)))

    def record(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """A fetched row of stored columns, as values."""
        types = (column.type for column in self.schema)
        return tuple(sql.fetched(value, type_) for value, type_ in zip(row, types, strict=True))

    def source(self) -> Sql:
        """This state, as a subquery called `t`."""
        return self.select.subquery("t")

    def derive(
        self,
        changed: dict[int, Sql],
        *,
        joins: list[exp.Join] | None = None,
        where: Sql | None = None,
    ) -> "State":
        """The state with the `changed` columns replaced, and only the records that satisfy `where`."""
        select = sql.query(self._projection(changed), self.source(), where)
        for join in joins or []:
            select.append("joins", join)
        in_order = self.in_order and not joins
        sizes = {**self.sizes, **{sql.name(i): self._size(value) for i, value in changed.items()}}
        return replace(self, select=select, depth=self.depth + 1, in_order=in_order, sizes=sizes)

    def flagged(self, condition: Sql) -> "State":
        """The state with a flag for a condition on its columns."""
        name = f"f{len(self.flags)}"
        select = sql.query([*self._projection({}), sql.named(condition, name)], self.source())
        sizes = {**self.sizes, name: self._size(condition)}
        flags = (*self.flags, name)
        return replace(self, select=select, depth=self.depth + 1, sizes=sizes, flags=flags)

    def stored_as(self, table: str) -> "State":
        """The same records, read from a table."""
        return replace(self, select=sql.everything(sql.table(table)), depth=0, sizes={})

    def without_flags(self) -> "State":
        return replace(self, flags=())

    def size_of(self, columns: Iterable[int]) -> int:
        """The nodes that stand in an expression in place of these columns, where they are not plain."""
        return sum(self.sizes.get(sql.name(i), 0) for i in columns)

    def _size(self, expression: Sql) -> int:
        nodes = expression.walk(prune=lambda node: isinstance(node, exp.Column))
        return sum(self._size_of_node(node) for node in nodes)

    def _size_of_node(self, node: Sql) -> int:
        is_own = isinstance(node, exp.Column) and node.table == "t"
        return self.sizes.get(node.name, 1) if is_own else 1

    def projection(self, changed: dict[int, Sql] | None = None) -> exp.Select:
        return sql.query(self._projection(changed or {}), self.source())

    def _projection(self, changed: dict[int, Sql]) -> list[Sql]:
        columns = [sql.named(changed.get(i, column), sql.name(i)) for i, column in enumerate(self.columns())]
        if self.has_row_key:
            columns.append(exp.column(ROW_KEY, table="t"))
        return columns + [exp.column(flag, table="t") for flag in self.flags]
