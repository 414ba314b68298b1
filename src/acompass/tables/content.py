"""What is to be written."""

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

from acompass.checked.types import Schema
from acompass.tables.loaded import Loaded, column
from acompass.tables.replacing import write_fault
from acompass.tables.scan import WITH_TIME_ZONE

#: letters at the end of a temporary name that no other file has, and that no message needs to escape
_TELLING = 20


@dataclass(frozen=True)
class Content:
    """`select` is SQL with the columns c0, c1, … of `schema`, in the order to write records in.

    `stored` are the engine's types that some columns are to have in the file; `changed` are the columns that
    an action writes; `arrow_types` are those of the data frame that came in.
    """

    select: str
    schema: Schema
    delimiter: str = ","
    stored: Mapping[int, str] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    arrow_types: tuple[Any, ...] = ()

    def typed(self, position: int) -> str:
        """SQL of a column in the type that it is written in."""
        name = column(position)
        stored = self.stored.get(position)
        if stored is None:
            return name
        if stored in WITH_TIME_ZONE:
            return f"make_timestamptz(epoch_us({name}))"
        return f"CAST({name} AS {stored})"


def content_like(loaded: Loaded, select: str, schema: Schema, changed: frozenset[int]) -> Content:
    """The columns that no action writes go back to the type that they were stored in, which was widened."""
    kept = {
        position: stored
        for position, stored in enumerate(loaded.stored)
        if position in loaded.named and position not in changed and not stored.startswith("ENUM(")
    }
    return Content(select, schema, loaded.delimiter or ",", kept, changed, loaded.arrow_types)


@contextmanager
def engine_writing(part: str, path: str) -> Iterator[None]:
    """The engine's own complaints about the file that it writes; all others are none of ours."""
    try:
        yield
    except duckdb.IOException as error:
        message = str(error)
        if part[-_TELLING:] not in message:
            raise
        number = re.search(r'"errno":\s*"(\d+)"', message)
        no_space = errno.ENOSPC if "No space left" in message else None
        raise write_fault(path, int(number[1]) if number else no_space) from None
