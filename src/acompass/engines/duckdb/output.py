"""What is to be written: a query, and the types that its columns are to have."""

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

from acompass.checked.types import Schema
from acompass.engines.duckdb.columns import restored
from acompass.plan.lowering import sql
from acompass.tables.replacing import write_fault

#: letters at the end of a temporary name that no other file has, and that no message needs to escape
_TELLING = 20


@dataclass(frozen=True)
class Output:
    """`select` is SQL with the columns c0, c1, … of `schema`, in the order to write records in.

    `stored` are DuckDB's types that some columns are to have again; `changed` are the columns that an action
    could write; `arrow_types` are those of the data frame that came in.
    """

    select: str
    schema: Schema
    delimiter: str = ","
    stored: Mapping[int, str] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    arrow_types: tuple[Any, ...] = ()

    def column(self, position: int) -> str:
        """SQL of a column in the type that it is written in."""
        name, stored = sql.name(position), self.stored.get(position)
        return name if stored is None else restored(name, stored)

    @property
    def typed(self) -> str:
        """The query with every column in the type that it is written in."""
        columns = (f"{self.column(p)} AS {sql.name(p)}" for p in range(len(self.schema)))
        return f"SELECT {', '.join(columns)} FROM ({self.select})"


@contextmanager
def engine_writing(part: str, path: str) -> Iterator[None]:
    """DuckDB's own errors about the file that it writes; all others are not about the output."""
    try:
        yield
    except duckdb.IOException as error:
        message = str(error)
        if part[-_TELLING:] not in message:
            raise
        number = re.search(r'"errno":\s*"(\d+)"', message)
        no_space = errno.ENOSPC if "No space left" in message else None
        raise write_fault(path, int(number[1]) if number else no_space) from None
