"""Algebra expressions as SQL, with a subquery for each operator, and without window functions or ORDER BY."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from acompass.explain.algebra import (
    AggregateColumn,
    Antijoin,
    Arithmetic,
    Call,
    Column,
    Days,
    Difference,
    Every,
    Expression,
    Group,
    IfEmpty,
    Join,
    Label,
    Mean,
    Project,
    Pseudonym,
    Rename,
    Scalar,
    Select,
    Semijoin,
    Single,
    Symbol,
    Table,
    Union,
    Without,
    Write,
)
from acompass.language.text.tree import Function, Number
from tests.explain.algebra_in_sql.fields import Field, Fields, find, find_all, own, to_field
from tests.explain.algebra_in_sql.scalars import GRAPH, MEANS, condition_sql, scalar_sql, stored_sql

#: shares are compared with constants of at most this many digits after the point
DIGITS = 12
#: every keyword that a query may contain
WORDS = {
    *(
        "SELECT",
        "AS",
        "FROM",
        "WHERE",
        "JOIN",
        "LEFT",
        "CROSS",
        "ON",
        "GROUP",
        "BY",
        "UNION",
        "EXCEPT",
        "ALL",
    ),
    *("AND", "OR", "NOT", "IS", "NULL", "DISTINCT", "TRUE", "CASE", "WHEN", "THEN", "ELSE", "END"),
    *("COUNT", "SUM", "MIN", "MAX", "CAST", "BIGINT", "VARCHAR", "BOOLEAN", "DATE"),
}


def keywords_in(text: str) -> set[str]:
    """The keywords of a query, outside strings and table names."""
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"", " ", text)
    return set(re.findall(r"\b[A-Z]+\b", bare))


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    fields: Fields

    def as_source(self, name: str) -> str:
        return f"({self.text}) AS {name}"


class Queries:
    """`tables` maps each table so far to its columns, `types` each column of R to its type in SQL."""

    def __init__(self, tables: Mapping[str, Fields], types: Mapping[str, str]):
        self._tables = tables
        self._types = types

    def query(self, expression: Expression) -> Query:
        match expression:
            case Table(name):
                return _select(self._tables[name], f'"{name}"')
            case Call(definition=definition):
                return self.query(definition)
            case Single(value, column):
                return Query(f"SELECT {scalar_sql(value, ())} AS {to_field(column).sql}", (to_field(column),))
            case Select() | Project() | Write() | Without() | Group() | Rename():
                return self._unary(expression)
            case Join() | Semijoin() | Antijoin() | Union() | Difference():
                return self._binary(expression)
            case IfEmpty(table, tested):
                kept, some = self.query(table), _distinct((), self.query(tested))
                lost = _select(kept.fields, f"{kept.as_source('q')} CROSS JOIN {some}")
                return _combine(kept, "EXCEPT ALL", lost)
            case _:
                assert_never(expression)

    def _unary(self, expression: Select | Project | Write | Without | Group | Rename) -> Query:
        of = self.query(expression.of)
        match expression:
            case Select(condition):
                return _select(of.fields, f"{of.as_source('q')} WHERE {condition_sql(condition, of.fields)}")
            case Project(columns):
                return _project(columns, of)
            case Write(values):
                return self._write([(value, find(column, of.fields)) for value, column in values], of)
            case Without(columns):
                dropped = {find(column, of.fields) for column in columns}
                return _select(tuple(field for field in of.fields if field not in dropped), of.as_source("q"))
            case Group(keys, values):
                return _group(keys, values, of)
            case Rename(alias):
                renamed = [(field.sql, Field(field.name, field.is_own, alias)) for field in of.fields]
                return _assign(renamed, of.as_source("q"))
            case _:
                assert_never(expression)

    def _write(self, values: Sequence[tuple[Scalar, Field]], of: Query) -> Query:
        """Only the table's columns: the h of a draw is not kept. A mean is that of the uploaded table."""
        if any(isinstance(value, Mean) for value, _ in values):
            return _select(self._tables[MEANS], MEANS)
        texts = {target: stored_sql(value, self._types[target.name], of.fields) for value, target in values}
        written = [(texts.get(field, field.sql), field) for field in own(of.fields)]
        joins = dict.fromkeys(join for value, target in values for join in self._joins(value, target, of.fields))
        return _assign(written, " ".join([of.as_source("q"), *joins]))

    def _joins(self, value: Scalar, target: Field, fields: Fields) -> Iterator[str]:
        """The graphs of the functions that a value applies."""
        match value:
            case Label() | Pseudonym():
                yield f"JOIN {GRAPH} ON {GRAPH}.value = {target.sql}"
            case Arithmetic(right=Days(person)):
                yield f"JOIN {GRAPH} ON {GRAPH}.value = {find(person, fields).sql}"

    def _binary(self, expression: Join | Semijoin | Antijoin | Union | Difference) -> Query:
        left, right = self.query(expression.left), self.query(expression.right)
        match expression:
            case Join(condition=condition):
                fields = (*left.fields, *right.fields)
                on = condition_sql(condition, fields)
                return _select(fields, f"{left.as_source('x')} JOIN {right.as_source('y')} ON {on}")
            case Semijoin(keys=keys):
                return _select(left.fields, f"{left.as_source('x')} JOIN {_on_keys(keys, left, right)}")
            case Antijoin(keys=keys):
                unmatched = f"LEFT JOIN {_on_keys(keys, left, right)} WHERE one IS NULL"
                return _select(left.fields, f"{left.as_source('x')} {unmatched}")
            case Union():
                return _combine(left, "UNION ALL", right)
            case Difference():
                return _combine(left, "EXCEPT ALL", right)
            case _:
                assert_never(expression)


def _assign(values: Iterable[tuple[str, Field]], source: str) -> Query:
    pairs = list(values)
    written = ", ".join(f"{text} AS {field.sql}" for text, field in pairs)
    return Query(f"SELECT {written} FROM {source}", tuple(field for _, field in pairs))


def _select(fields: Fields, source: str) -> Query:
    return _assign([(field.sql, field) for field in fields], source)


def _combine(left: Query, operator: str, right: Query) -> Query:
    assert left.fields == right.fields
    return _select(left.fields, f"({left.text} {operator} {right.text}) AS q")


def _project(columns: Iterable[tuple[Scalar, Column | Symbol | Every]], of: Query) -> Query:
    written: list[tuple[str, Field]] = []
    for value, column in columns:
        match column:
            case Every():
                written += [(field.sql, field) for field in find_all(column, of.fields)]
            case Column() | Symbol():
                written.append((scalar_sql(value, of.fields), to_field(column)))
            case _:
                assert_never(column)
    return _assign(written, of.as_source("q"))


def _group(keys: Iterable[Column | Symbol | Every], values: Iterable[AggregateColumn], of: Query) -> Query:
    """Without keys, SQL would return one group for an empty table (D16); with a constant as key, it returns none."""
    grouped = [field for key in keys for field in find_all(key, of.fields)]
    named = [(field.sql, Field(field.name, field.is_own)) for field in grouped]
    aggregates = [(_aggregate(value, of.fields), to_field(value.result)) for value in values]
    marked = f"(SELECT *, 1 AS one FROM {of.as_source('q')}) AS marked"
    by = ", ".join(["one", *(field.sql for field in grouped)])
    return _assign([*named, *aggregates], f"{marked} GROUP BY {by}")


def _aggregate(value: AggregateColumn, fields: Fields) -> str:
    of = "*" if value.argument is None else find_all(value.argument, fields)[0].sql
    match value.function:
        case Function.COUNT_DISTINCT:
            return f"COUNT(DISTINCT {of})"
        case Function.SUM | Function.MIN | Function.MAX | Function.COUNT:
            return f"{value.function}({of})"
        case Function.SHARE_OF_LARGEST:
            assert isinstance(value.largest, Number)
            largest = f"list_sum(list_reverse_sort(list(abs({of}::hugeint)))[:{value.largest.value}])"
            return _share(largest, f"SUM(abs({of}::hugeint))")
        case Function.SHARE_OF_MODE:
            return _share(f"list_max(map_values(histogram({of})))", "COUNT(*)")
        case _:
            assert_never(value.function)


def _share(part: str, whole: str) -> str:
    """A decimal that compares with constants of at most DIGITS digits after the point as the share does: the share
    itself, or a number between the two constants next to it."""
    scaled, of = f"({part})::hugeint * {10**DIGITS}", f"nullif({whole}, 0)::hugeint"
    twice = f"2 * ({scaled} // {of}) + CASE WHEN {scaled} % {of} > 0 THEN 1 ELSE 0 END"
    return f"coalesce((5 * ({twice}))::decimal(24, 0) * 0.{1:0{DIGITS + 1}}, 0)"


def _on_keys(keys: Iterable[Column], left: Query, right: Query) -> str:
    """The distinct keys of the right side, joined where they match the left."""
    pairs = [(find(key, left.fields).sql, find(key, right.fields).sql) for key in keys]
    matching = [f"x.{ours} = y.k{number}" for number, (ours, _) in enumerate(pairs)] or ["TRUE"]
    return f"{_distinct([theirs for _, theirs in pairs], right)} ON {' AND '.join(matching)}"


def _distinct(columns: Iterable[str], of: Query) -> str:
    """δ: each combination of values once, with a constant."""
    named = [f"{column} AS k{number}" for number, column in enumerate(columns)]
    keys = ", ".join(["one", *(f"k{number}" for number in range(len(named)))])
    marked = f"(SELECT {', '.join(['1 AS one', *named])} FROM {of.as_source('q')}) AS marked"
    return f"(SELECT {keys} FROM {marked} GROUP BY {keys}) AS y"
