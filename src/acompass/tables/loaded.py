"""A table as the embedded engine sees it."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acompass.checked.types import Schema
from acompass.checked.uses import ColumnUse

#: how the policy uses the columns of these names, by position
Uses: TypeAlias = Callable[[Sequence[str]], Mapping[int, ColumnUse]]

_numbers = itertools.count()


@dataclass(frozen=True)
class Loaded:
    """`relation` goes after FROM and has the columns c0, c1, …: no name of the table's reaches SQL text.

    Columns that the policy names have the engine's type for that in `schema`; others are as stored.
    """

    relation: str
    schema: Schema
    #: SQL for the place in the input, on `relation`
    row_number: str
    #: the columns the policy names that the table as given lacks values of, each with how many
    missing: Mapping[int, int] = field(default_factory=dict)
    #: whether incomplete records were dropped or filled
    completed: bool = False
    #: how many records were dropped as incomplete
    dropped: int = 0
    records: int | None = None
    #: of a CSV, kept for the output
    delimiter: str | None = None
    #: of each column, the engine's type before it was widened to that of `schema`
    stored: tuple[str, ...] = ()
    #: of each column of a data frame, its Arrow type
    arrow_types: tuple[Any, ...] = ()
    #: True where the columns that the policy does not name are text that D10 has not typed yet
    untyped: bool = False
    named: frozenset[int] = frozenset()


def fresh_name(prefix: str) -> str:
    """A name that no other table of this process has."""
    return f"{prefix}{next(_numbers)}"


def column(position: int) -> str:
    return f"c{position}"


def text_literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def text_list(texts: Sequence[str]) -> str:
    return "[" + ", ".join(text_literal(text) for text in texts) + "]"
