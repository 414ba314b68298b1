"""What previews of a table have already computed, by the statements that computed it.

A policy is previewed again after each edit, and most of its statements are those of the preview before. The
name of a stored table is part of the statements that read it, so equal statements have equal answers.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import duckdb

from acompass.engines.cancellation import Cancellation
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.names import fresh_name
from acompass.engines.duckdb.session import DuckDBSession

Rows: TypeAlias = list[tuple[Any, ...]]

#: what this many previews in a row have not asked for is forgotten
_PREVIEWS = 3


class Memory:
    """The answers of earlier previews: rows, and names of stored tables."""

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self._con = con
        self._content: Hashable = None
        self._preview = 0
        self._rows: dict[Hashable, Rows] = {}
        self._tables: dict[Hashable, str] = {}
        self._last_asked: dict[Hashable, int] = {}

    def preview(self, content: Hashable, cancellation: Cancellation) -> "RememberingSession":
        """The session of a new preview. Nothing is remembered of a table with other `content`."""
        self._preview += 1
        if content != self._content:
            self._forget(list(self._last_asked))
            self._content = content
        return RememberingSession(self._con, cancellation, self)

    def rows(self, key: Hashable, fetch: Callable[[], Rows]) -> Rows:
        if key not in self._rows:
            self._rows[key] = fetch()
        self._last_asked[key] = self._preview
        return self._rows[key]

    def table(self, key: Hashable, store: Callable[[], str]) -> str:
        if key not in self._tables:
            self._tables[key] = store()
        self._last_asked[key] = self._preview
        return self._tables[key]

    def forget_old(self) -> None:
        oldest = self._preview - _PREVIEWS
        self._forget([key for key, asked in self._last_asked.items() if asked <= oldest])

    def _forget(self, keys: list[Hashable]) -> None:
        for key in keys:
            del self._last_asked[key]
            self._rows.pop(key, None)
            if (name := self._tables.pop(key, None)) is not None:
                with failures():
                    self._con.execute(f"DROP TABLE IF EXISTS {name}")


class RememberingSession(DuckDBSession):
    """The session of one preview. What it stores stays for the next."""

    def __init__(self, con: duckdb.DuckDBPyConnection, cancellation: Cancellation, memory: Memory):
        super().__init__(con, cancellation)
        self._memory = memory

    def drop(self, name: str) -> None:
        """Nothing: the next preview may ask for it."""

    def clear(self) -> None:
        self._memory.forget_old()

    def _fetched(self, query: str) -> Rows:
        fetch = super()._fetched
        return self._memory.rows(("rows", query), lambda: fetch(query))

    def _stored(self, query: str, values: list[list[Any]]) -> str:
        store = super()._stored
        key = ("table", query, *map(tuple, values))
        return self._memory.table(key, lambda: store(query, values))

    def _fresh(self) -> str:
        return fresh_name("remembered")
