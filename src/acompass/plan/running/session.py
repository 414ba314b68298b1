"""The interface between a plan and an engine. An engine behind it needs to know nothing of the semantics."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from sqlglot import exp

from acompass.plan.lowering.dialects.dialect import Dialect


class Session(Protocol):
    dialect: Dialect

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The rows of a query with a small result."""

    def store(self, query: exp.Select) -> str:
        """Store the rows of the query in a temporary table and return its name."""

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """Store rows in a temporary table with columns of (name, SQL type) and return its name."""

    def drop(self, name: str) -> None:
        """Free what a temporary table takes, as far as the engine can: nothing reads it any more."""

    def clear(self) -> None:
        """Drop every temporary table."""
