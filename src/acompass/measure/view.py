"""A loaded table, as the SQL of the measures sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from acompass.checked.types import MOST_DIGITS, Column, Kind, Schema, Type
from acompass.measure.query import one_row
from acompass.measures import Persons


@dataclass(frozen=True, slots=True)
class View:
    """`relation` has the columns c0, c1, … of `schema`; `weight` is the position of the weight column.

    Counts are integers: numbers of 1/`unit` persons, where `unit` is a power of ten. Only decimal weights
    need a unit other than 1.
    """

    relation: str
    schema: Schema
    weight: int | None = None
    unit: int = 1

    @property
    def count(self) -> str:
        """SQL for the number of persons, in units."""
        if self.weight is None:
            return "count(*)"
        return f"sum({scaled(f'c{self.weight}', self.unit)})::BIGINT"

    def persons(self, units: int) -> Persons:
        return units if self.unit == 1 else Fraction(units, self.unit)

    def value(self, position: int) -> str:
        """SQL for a column's value, with NULL for every missing value, including NaN."""
        name = f"c{position}"
        type_ = self.schema[position].type
        if type_.kind is Kind.FLOAT:
            return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
        return f"CAST({name} AS DECIMAL({MOST_DIGITS}, {type_.scale}))" if type_.is_spelled_decimal else name

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


def scaled(weight: str, unit: int) -> str:
    """SQL for a weight in units. The digits of a decimal, without its point, are that integer."""
    if unit == 1:
        return f"CAST({weight} AS HUGEINT)"
    digits = len(str(unit)) - 1
    return f"CAST(replace(CAST(CAST({weight} AS DECIMAL(38, {digits})) AS VARCHAR), '.', '') AS HUGEINT)"


def count_records(con: duckdb.DuckDBPyConnection, view: View) -> Persons:
    (units,) = one_row(con, f"SELECT {view.count} FROM {view.relation}")
    return view.persons(int(units or 0))
