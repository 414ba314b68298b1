"""A session that answers each statement once: the runs of one case have statements in common."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlglot import exp

from acompass.plan.lowering.statement_text import text_of
from acompass.plan.running.session import Session


class Once:
    """A table that is dropped is no part of any answer: what reads it after that has to fail."""

    def __init__(self, session: Session):
        self.dialect = session.dialect
        self._session = session
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._stored: dict[str, str] = {}
        self._uploaded: dict[str, str] = {}

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        text = self._text(query)
        if text not in self._rows:
            self._rows[text] = self._session.fetch(query)
        return self._rows[text]

    def store(self, query: exp.Select) -> str:
        text = self._text(query)
        if text not in self._stored:
            self._stored[text] = self._session.store(query)
        return self._stored[text]

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        given = list(rows)
        content = repr((columns, given))
        if content not in self._uploaded:
            self._uploaded[content] = self._session.upload(columns, given)
        return self._uploaded[content]

    def drop(self, name: str) -> None:
        self._rows.clear()
        for tables in (self._stored, self._uploaded):
            for key in [key for key, table in tables.items() if table == name]:
                del tables[key]
        self._session.drop(name)

    def clear(self) -> None:
        self._rows.clear()
        self._stored.clear()
        self._uploaded.clear()
        self._session.clear()

    def _text(self, query: exp.Select) -> str:
        return text_of(query, self.dialect.name)
