"""A loaded table, as the SQL of the measures sees it."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from acompass.checked.types import Column, Kind, Schema, Type
from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.query import one_row

#: the product of two totals and a number of values stays below 2^127
LARGEST_TOTAL = 2**48


@dataclass(frozen=True, slots=True)
class View:
    """`relation` has the columns c0, c1, … of `schema`; `weight` is the position of the weight column."""

    relation: str
    schema: Schema
    weight: int | None = None

    @property
    def count(self) -> str:
        """SQL for the number of persons."""
        return "count(*)" if self.weight is None else f"sum(c{self.weight}::HUGEINT)::BIGINT"

    def value(self, position: int) -> str:
        """SQL for a column's value, with NULL for every missing value, including NaN."""
        name = f"c{position}"
        if self.schema[position].type.kind is Kind.FLOAT:
            return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
        return name

    def values(self, positions: Sequence[int], prefix: str) -> str:
        """A SELECT list with the columns as prefix0, prefix1, …"""
        return ", ".join(f"{self.value(position)} AS {prefix}{i}" for i, position in enumerate(positions))


def same_kind(one: Type, other: Type) -> bool:
    return one.kind is other.kind or (one.is_number and other.is_number)


def comparable(view: View, position: int, other: Column) -> str:
    """SQL for a column's value, comparable with a column of another table."""
    value = view.value(position)
    if same_kind(view.schema[position].type, other.type):
        return value
    return f"({value})::VARCHAR"


def count_records(con: duckdb.DuckDBPyConnection, view: View) -> int:
    (records,) = one_row(con, f"SELECT {view.count} FROM {view.relation}")
    return int(records or 0)


def check_weight(con: duckdb.DuckDBPyConnection, view: View) -> None:
    """Raise unless every weight is a positive integer."""
    if view.weight is None:
        return
    column = view.schema[view.weight]
    if not column.type.is_number:
        raise _not_a_weight(column, str(column.type))
    value = view.value(view.weight)
    is_bad = f"{value} IS NULL OR {value} <= 0 OR {value} <> floor({value})"
    bad, total = one_row(con, f"SELECT count(*) FILTER ({is_bad}), sum({value}::DOUBLE) FROM {view.relation}")
    if bad:
        raise _not_a_weight(column, f"{bad:,} other value{'' if bad == 1 else 's'}")
    if total is not None and total > LARGEST_TOTAL:
        message = f"the weights in `{column.name}` add up to more than {LARGEST_TOTAL:,}"
        help_ = "weights are numbers of persons; choose another column"
        raise TableError([Diagnostic("AC606", message, help=help_)])


def _not_a_weight(column: Column, found: str) -> TableError:
    message = f"column `{column.name}` cannot be the weight: expected positive whole numbers, found {found}"
    help_ = "correct or drop those records, or omit `--weight`"
    return TableError([Diagnostic("AC605", message, help=help_)])
