"""A loaded table as measuring sees it: SQL over positional names, missing as a value of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from acompass.checked.types import Column, Kind, Schema, Type
from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.query import one_row

#: products of two such totals and a number of values stay below 2^127
LARGEST_TOTAL = 2**48


@dataclass(frozen=True, slots=True)
class View:
    """`relation` has the columns c0, c1, … of `schema`; `weight` is the position of the count of persons."""

    relation: str
    schema: Schema
    weight: int | None = None

    @property
    def count(self) -> str:
        """The aggregate that counts persons."""
        return "count(*)" if self.weight is None else f"sum(c{self.weight}::HUGEINT)::BIGINT"

    def value(self, position: int) -> str:
        """A column's value in which every missing one, NaN too, is NULL."""
        name = f"c{position}"
        if self.schema[position].type.kind is Kind.FLOAT:
            return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
        return name

    def values(self, positions: Sequence[int], prefix: str) -> str:
        """The columns named prefix0, prefix1, … for a SELECT list."""
        return ", ".join(f"{self.value(position)} AS {prefix}{i}" for i, position in enumerate(positions))


def same_kind(one: Type, other: Type) -> bool:
    return one.kind is other.kind or (one.is_number and other.is_number)


def comparable(view: View, position: int, other: Column) -> str:
    """A column's value in the form in which it can be compared with a column of another table."""
    value = view.value(position)
    if same_kind(view.schema[position].type, other.type):
        return value
    return f"({value})::VARCHAR"


def check_weight(con: duckdb.DuckDBPyConnection, view: View) -> None:
    """Every weight must be a positive whole number."""
    if view.weight is None:
        return
    column = view.schema[view.weight]
    if not column.type.is_number:
        raise _not_a_weight(column, f"it is {column.type}")
    value = view.value(view.weight)
    is_bad = f"{value} IS NULL OR {value} <= 0 OR {value} <> floor({value})"
    bad, total = one_row(con, f"SELECT count(*) FILTER ({is_bad}), sum({value}::DOUBLE) FROM {view.relation}")
    if bad:
        raise _not_a_weight(column, f"{bad:,} of its values {'is' if bad == 1 else 'are'} not")
    if total is not None and total > LARGEST_TOTAL:
        message = f"the weights in `{column.name}` add up to more than {LARGEST_TOTAL:,}"
        raise TableError([Diagnostic("AC606", message, help="weights count persons; check the column")])


def _not_a_weight(column: Column, found: str) -> TableError:
    message = f"`{column.name}` cannot be the weight: expected positive whole numbers, {found}"
    help_ = "mend or drop those records, or measure without `--weight`"
    return TableError([Diagnostic("AC605", message, help=help_)])
