"""The table between two stages: a SELECT of `c0`, `c1`, … and, where the source has one, of a row key."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlglot import exp

from acompass.checked.types import Schema, remaining
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql

#: the column that holds the position of a record in the input
ROW_KEY = "rk"

#: marks the subqueries that `State.source` makes
_SOURCE = "acompass source"

#: the column that holds the number of records with a combination of values
WEIGHT = "w"


@dataclass(frozen=True)
class Counted:
    """The distinct combinations of values of `columns`, with the number of records that have them.

    `changing` are the columns that have their first value beside the present one.
    """

    columns: tuple[int, ...]
    changing: frozenset[int]

    @property
    def first(self) -> dict[int, str]:
        """The name of the column with the first value of each column."""
        return {i: f"o{i}" if i in self.changing else sql.name(i) for i in self.columns}

    @property
    def further(self) -> tuple[str, ...]:
        return (*(self.first[i] for i in sorted(self.changing)), WEIGHT)


@dataclass(frozen=True)
class State:
    """`records` is the number of records. `depth` is the number of SELECTs nested since the last stored
    table. `in_order` says that the SELECT yields records in input order without sorting.

    `sizes` has the columns that are not plain columns of the last stored table: the nodes that the column's
    value has once an engine has replaced every column of a nested SELECT with its expression.

    `flags` are further columns, which say of each record whether a condition was satisfied.

    `counted` is None, except in a state that has one row for each distinct combination of values instead of
    one for each record.
    """

    select: exp.Select
    schema: Schema
    has_row_key: bool
    records: int
    depth: int = 0
    in_order: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    counted: "Counted | None" = None

    @property
    def kept(self) -> tuple[int, ...]:
        """The positions of the columns that no DROP removed."""
        return remaining(self.schema)

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

    def weights(self) -> list[Sql]:
        """The column that a query over `t` has to keep, so that its rows can be counted."""
        return [] if self.counted is None else [_weight("t")]

    def count(self, table: str = "t") -> Sql:
        """The number of records of a relation, as an aggregate; 0 where there are none."""
        return exp.Count(this=exp.Star()) if self.counted is None else _summed(_weight(table))

    def count_where(self, condition: Sql) -> Sql:
        """The number of records of `t` that satisfy a condition."""
        if self.counted is None:
            return sql.count_where(condition)
        return _summed(exp.Case(ifs=[exp.If(this=condition.copy(), true=_weight("t"))]))

    def source(self) -> Sql:
        """This state, as a subquery called `t`. The queries that read it share it, so it must not change."""
        return self._source

    @cached_property
    def _source(self) -> Sql:
        source = self.select.subquery("t", copy=False)
        source.meta[_SOURCE] = True
        return source

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

    def overwritten(self, constants: dict[int, Sql]) -> "State":
        """The state with constants in place of columns, in the same SELECT where it lists its columns."""
        if self.select.is_star or self.counted is not None:
            return self.derive(constants)
        new = {sql.name(i): constant for i, constant in constants.items()}
        select = self.select.copy()
        listed = [(each, each.alias_or_name) for each in select.expressions]
        select.set(
            "expressions", [sql.named(new[name], name) if name in new else each for each, name in listed]
        )
        return replace(self, select=select, sizes={**self.sizes, **{sql.name(i): 1 for i in constants}})

    def flagged(self, condition: Sql) -> "State":
        """The state with a flag for a condition on its columns."""
        name = f"f{len(self.flags)}"
        select = sql.query([*self._projection({}), sql.named(condition, name)], self.source())
        sizes = {**self.sizes, name: self._size(condition)}
        flags = (*self.flags, name)
        return replace(self, select=select, depth=self.depth + 1, sizes=sizes, flags=flags)

    def combinations(self, layout: Counted) -> exp.Select:
        """The distinct combinations of a layout, with their numbers of records."""
        columns = {i: sql.column(i, "t") for i in layout.columns}
        firsts = (sql.named(columns[i].copy(), layout.first[i]) for i in sorted(layout.changing))
        named = (sql.named(column, sql.name(i)) for i, column in columns.items())
        select = sql.query([*named, *firsts, sql.named(self.count(), WEIGHT)], self.source())
        return select.group_by(*(column.copy() for column in columns.values()), copy=False)

    def to_store(self) -> exp.Select:
        """The rows of a stored table. Combinations that an action made equal become one, unless they have
        first values that differ."""
        if self.counted is None or self.counted.changing or self.flags:
            return self.select
        return self.combinations(self.counted)

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
        positions = range(len(self.schema)) if self.counted is None else self.counted.columns
        columns = [sql.named(changed.get(i, sql.column(i, "t")), sql.name(i)) for i in positions]
        if self.has_row_key:
            columns.append(exp.column(ROW_KEY, table="t"))
        further = self.flags if self.counted is None else (*self.counted.further, *self.flags)
        return columns + [exp.column(name, table="t") for name in further]


def is_source(subquery: exp.Subquery) -> bool:
    """Whether the subquery is a state that several queries may share."""
    return bool(subquery.meta_get(_SOURCE))


def _weight(table: str) -> Sql:
    return exp.column(WEIGHT, table=table)


def _summed(weights: Sql) -> Sql:
    total = sql.cast(exp.Sum(this=weights), "BIGINT")
    return exp.Coalesce(this=total, expressions=[sql.integer(0)])
