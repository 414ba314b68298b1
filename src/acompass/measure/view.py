"""The records of a table in DuckDB, for measures that are written as DuckDB's SQL."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from acompass.checked.types import Column, Schema
from acompass.measure.query import one_row
from acompass.measure.records import Records, same_kind
from acompass.measures import Persons
from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True, slots=True)
class View:
    """`relation` is a FROM clause with the columns c0, c1, … of `schema`, as `t`."""

    records: Records

    @property
    def relation(self) -> str:
        assert self.records.relation is not None, "a table in DuckDB"
        return f"{self.records.relation} AS t"

    @property
    def schema(self) -> Schema:
        return self.records.schema

    @property
    def weight(self) -> int | None:
        return self.records.weight

    @property
    def unit(self) -> int:
        return self.records.unit

    @property
    def count(self) -> str:
        """SQL for the number of persons, in units."""
        return _text(self.records.count())

    def persons(self, units: int) -> Persons:
        return self.records.persons(units)

    def value(self, position: int) -> str:
        """SQL for a column's value, with NULL for every missing value, including NaN."""
        return _text(self.records.value(position))

    def values(self, positions: Sequence[int], prefix: str) -> str:
        """A SELECT list with the columns as prefix0, prefix1, …"""
        return ", ".join(f"{self.value(position)} AS {prefix}{i}" for i, position in enumerate(positions))


def comparable(view: View, position: int, other: Column) -> str:
    """SQL for a column's value, comparable with a column of another table."""
    if same_kind(view.schema[position].type, other.type):
        return view.value(position)
    return _text(view.records.text(position))


def count_records(con: duckdb.DuckDBPyConnection, view: View) -> Persons:
    (units,) = one_row(con, f"SELECT {view.count} FROM {view.relation}")
    return view.persons(int(units or 0))


def _text(expression: Sql) -> str:
    return expression.sql("duckdb")
