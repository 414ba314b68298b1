"""The table between two stages: a SELECT of `c0`, `c1`, … and, if the source has one, a row key.

The statements of a plan share states, so the SQL text of each state is generated only once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.generator import Generator

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.types import Schema, remaining
from acompass.plan.lowering import sql
from acompass.plan.lowering.duckdb import DUCKDB, AcompassDuckDB
from acompass.plan.lowering.sql import Sql

#: the column that holds the position of a record in the input
ROW_KEY = "rk"

#: marks the subqueries that `State.source` returns
_SOURCE = "acompass source"

#: the column that holds the number of records with a combination of values
WEIGHT = "w"


@dataclass(frozen=True)
class CombinationLayout:
    """The columns of a state with one row for each distinct combination of values, instead of one for each record."""

    columns: tuple[int, ...]
    changing: frozenset[int]  # the columns whose original values are kept next to the current ones

    @property
    def original_names(self) -> dict[int, str]:
        """For each column, the name of the column that holds its original value."""
        return {i: f"o{i}" if i in self.changing else sql.name(i) for i in self.columns}

    @property
    def extra_names(self) -> tuple[str, ...]:
        return (*(self.original_names[i] for i in sorted(self.changing)), WEIGHT)


@dataclass(frozen=True)
class State:
    select: exp.Select
    schema: Schema
    has_row_key: bool
    records: int  # the number of records
    depth: int = 0  # the number of SELECTs nested since the last stored table
    in_order: bool = False  # whether the SELECT yields records in input order without sorting
    #: for each column that is not a plain column of the last stored table, the number of nodes of its expression once
    #: an engine has replaced every column of a nested SELECT by its expression
    sizes: Mapping[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  # extra columns that say for each record whether a condition was satisfied
    counted: "CombinationLayout | None" = None  # None if the state has one row for each record

    @property
    def kept_columns(self) -> tuple[int, ...]:
        """The positions of the columns that no DROP removed."""
        return remaining(self.schema)

    def columns(self, table: str = "t") -> tuple[Sql, ...]:
        return tuple(sql.column(i, table) for i in range(len(self.schema)))

    def value(self, position: int) -> Sql:
        """The value of a column of `t`, as a policy reads it."""
        return sql.read(sql.column(position, "t"), self.schema[position].type)

    def values(self) -> tuple[Sql, ...]:
        return tuple(self.value(i) for i in range(len(self.schema)))

    def record(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """The values of a fetched row of stored columns."""
        types = (column.type for column in self.schema)
        return tuple(sql.fetched_value(value, type_) for value, type_ in zip(row, types, strict=True))

    def weights(self) -> list[Sql]:
        """The column that a query over `t` must select, so that its records can be counted."""
        return [] if self.counted is None else [_weight("t")]

    def count(self, table: str = "t") -> Sql:
        """An aggregate for the number of records of a relation."""
        return exp.Count(this=exp.Star()) if self.counted is None else _sum_weights(_weight(table))

    def count_distinct(self, column: int) -> Sql:
        return exp.Count(this=exp.Distinct(expressions=[self.value(column)]))

    def count_where(self, condition: Sql) -> Sql:
        """The number of records of `t` that satisfy a condition."""
        if self.counted is None:
            return sql.count_where(condition)
        return _sum_weights(exp.Case(ifs=[exp.If(this=condition.copy(), true=_weight("t"))]))

    def source(self) -> Sql:
        """The state as a subquery named `t`. Queries share it, so it must not be modified."""
        return self._source

    @cached_property
    def _source(self) -> Sql:
        source = self.select.subquery("t", copy=False)
        source.meta[_SOURCE] = True
        return source

    def derive(
        self, changed: dict[int, Sql], *, joins: list[exp.Join] | None = None, where: Sql | None = None
    ) -> "State":
        """The state with the `changed` columns replaced, and only the records that satisfy `where`."""
        select = sql.query(self._projection(changed), self.source(), where)
        for join in joins or []:
            select.append("joins", join)
        in_order = self.in_order and not joins
        sizes = {**self.sizes, **{sql.name(i): self._size(value) for i, value in changed.items()}}
        return replace(self, select=select, depth=self.depth + 1, in_order=in_order, sizes=sizes)

    def overwrite(self, constants: dict[int, Sql]) -> "State":
        """The state with constants in place of columns, in the same SELECT if it lists its columns."""
        if self.select.is_star or self.counted is not None:
            return self.derive(constants)
        new = {sql.name(i): constant for i, constant in constants.items()}
        select = self.select.copy()
        listed = [(each, each.alias_or_name) for each in select.expressions]
        select.set("expressions", [sql.with_alias(new[name], name) if name in new else each for each, name in listed])
        return replace(self, select=select, sizes={**self.sizes, **{sql.name(i): 1 for i in constants}})

    def with_flag(self, condition: Sql) -> "State":
        """The state with one more flag, for a condition on its columns."""
        name = f"f{len(self.flags)}"
        select = sql.query([*self._projection({}), sql.with_alias(condition, name)], self.source())
        sizes = {**self.sizes, name: self._size(condition)}
        flags = (*self.flags, name)
        return replace(self, select=select, depth=self.depth + 1, sizes=sizes, flags=flags)

    def combinations(self, layout: CombinationLayout) -> exp.Select:
        """The distinct combinations of values, with their numbers of records."""
        columns = {i: sql.column(i, "t") for i in layout.columns}
        originals = (sql.with_alias(columns[i].copy(), layout.original_names[i]) for i in sorted(layout.changing))
        named = (sql.with_alias(column, sql.name(i)) for i, column in columns.items())
        select = sql.query([*named, *originals, sql.with_alias(self.count(), WEIGHT)], self.source())
        return select.group_by(*(column.copy() for column in columns.values()), copy=False)

    def to_store(self) -> exp.Select:
        """The rows to store. Combinations that an action made equal are merged, unless original values are kept."""
        if self.counted is None or self.counted.changing or self.flags:
            return self.select
        return self.combinations(self.counted)

    def read_from(self, table: str) -> "State":
        """The same records, read from a table in which they were stored."""
        return replace(self, select=sql.select_all(sql.table(table)), depth=0, sizes={})

    def expression_size(self, columns: Iterable[int]) -> int:
        """The number of nodes in the expressions of these columns; plain columns count 0."""
        return sum(self.sizes.get(sql.name(i), 0) for i in columns)

    def _size(self, expression: Sql) -> int:
        nodes = expression.walk(prune=lambda node: isinstance(node, exp.Column))
        return sum(
            self.sizes.get(node.name, 1) if isinstance(node, exp.Column) and node.table == "t" else 1 for node in nodes
        )

    def projection(self, changed: dict[int, Sql] | None = None) -> exp.Select:
        return sql.query(self._projection(changed or {}), self.source())

    def _projection(self, changed: dict[int, Sql]) -> list[Sql]:
        positions = range(len(self.schema)) if self.counted is None else self.counted.columns
        columns = [sql.with_alias(changed.get(i, sql.column(i, "t")), sql.name(i)) for i in positions]
        if self.has_row_key:
            columns.append(exp.column(ROW_KEY, table="t"))
        extra = self.flags if self.counted is None else (*self.counted.extra_names, *self.flags)
        return columns + [exp.column(name, table="t") for name in extra]


def is_source(subquery: exp.Subquery) -> bool:
    """Whether the subquery is a state that several queries may share."""
    return bool(subquery.meta_get(_SOURCE))


def _weight(table: str) -> Sql:
    return exp.column(WEIGHT, table=table)


def _sum_weights(weights: Sql) -> Sql:
    total = sql.cast(exp.Sum(this=weights), "BIGINT")
    return exp.Coalesce(this=total, expressions=[sql.integer(0)])


def statement_text(query: Sql, dialect: str) -> str:
    # a copy would take longer than the text
    return _generator(dialect)(dialect=_dialect(dialect)).generate(query, copy=False)


def _dialect(name: str) -> type[Dialect]:
    """sqlglot's dialect of this name, or its generic one."""
    return AcompassDuckDB if name == DUCKDB.name else Dialect.get(name) or Dialect


@cache
def _generator(dialect: str) -> type[Generator]:
    base = _dialect(dialect).generator_class

    class CachingGenerator(base):  # type: ignore[misc, valid-type]
        def subquery_sql(self, expression: exp.Subquery, sep: str = " AS ") -> str:
            text: str | None = expression.meta_get(dialect)
            if text is None:
                text = super().subquery_sql(expression, sep)
                if is_source(expression):
                    expression.meta[dialect] = text
            return text

    return CachingGenerator
