"""What a plan needs of an engine: ask, keep, hand over. No semantics on the other side of it."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from sqlglot import exp

from acompass.plan.lowering.dialects.dialect import Dialect


class Session(Protocol):
    dialect: Dialect

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The rows of a small query."""

    def store(self, query: exp.Select) -> str:
        """Keeps the query's rows in a temporary table and gives its name."""

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """A temporary table of (name, SQL type) columns with the given rows; gives its name."""

    def clear(self) -> None:
        """Lets go of everything kept so far."""
