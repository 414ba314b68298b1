"""The output to write: a query, and the types of its columns."""

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
from sqlglot import exp

from acompass.checked.types import Kind, Schema, Type, remaining
from acompass.engines.decimal_comma import swapped
from acompass.engines.duckdb.columns import restored
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.tables.file_format import CsvStyle
from acompass.tables.replacing import write_fault

_PLAIN = CsvStyle()

#: this many characters at the end of a temporary name are unique and never escaped in a message
_UNIQUE_END = 20


@dataclass(frozen=True)
class Output:
    """`select` is SQL that returns the columns c0, c1, … of `schema`, with the records in output order. It
    leaves out the columns that were dropped.

    `stored` are the DuckDB types to which columns are converted back; `changed` are the columns that an
    action could write; `arrow_types` are the Arrow types of an input data frame. In the columns `comma`, text
    gets its decimal commas back, and a CSV has them in numbers too.
    """

    select: str
    schema: Schema
    style: CsvStyle = _PLAIN
    stored: Mapping[int, str] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    arrow_types: tuple[Any, ...] = ()
    comma: frozenset[int] = frozenset()

    @property
    def positions(self) -> tuple[int, ...]:
        return remaining(self.schema)

    @property
    def names(self) -> list[str]:
        return [self.schema[position].name for position in self.positions]

    def column(self, position: int, *, as_spelled: bool = False) -> str:
        """SQL for a column in its output type. A CSV has decimals as they are spelled (D26)."""
        name, stored, type_ = sql.name(position), self.stored.get(position), self.schema[position].type
        if stored is not None:
            return restored(name, stored)
        if position in self.comma and (as_spelled or type_.kind is Kind.TEXT):
            return self._with_comma(name, type_)
        is_number = type_.is_spelled_decimal and not as_spelled
        return f"CAST({name} AS {sql.type_name(type_)})" if is_number else name

    def _with_comma(self, name: str, type_: Type) -> str:
        if type_.kind not in (Kind.TEXT, Kind.DECIMAL):
            return name
        return swapped(sql.cast(exp.column(name), "VARCHAR"), DUCKDB).sql("duckdb")

    @property
    def typed(self) -> str:
        """The query with every column in its output type."""
        return self._query(as_spelled=False)

    @property
    def spelled(self) -> str:
        """The query for an output without types."""
        return self._query(as_spelled=True)

    def _query(self, as_spelled: bool) -> str:
        columns = (f"{self.column(p, as_spelled=as_spelled)} AS {sql.name(p)}" for p in self.positions)
        return f"SELECT {', '.join(columns)} FROM ({self.select})"


@contextmanager
def engine_writing(part: str, path: str) -> Iterator[None]:
    """Turn DuckDB's errors about the file that it writes into diagnostics; pass on all others."""
    try:
        yield
    except duckdb.IOException as error:
        message = str(error)
        if part[-_UNIQUE_END:] not in message:
            raise
        number = re.search(r'"errno":\s*"(\d+)"', message)
        no_space = errno.ENOSPC if "No space left" in message else None
        raise write_fault(path, int(number[1]) if number else no_space) from None
