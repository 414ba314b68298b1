"""Send statements to DuckDB, and manage temporary tables."""

import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import duckdb
from sqlglot import exp

from acompass.engines.cancellation import Cancellation
from acompass.engines.duckdb.errors import failures
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.lowering.statement_text import text_of


class DuckDBSession:
    dialect = DUCKDB

    def __init__(self, con: duckdb.DuckDBPyConnection, cancellation: Cancellation | None = None):
        self._con = con
        self._cancellation = cancellation or Cancellation()
        self._numbers = itertools.count()
        self._kept: list[str] = []
        self.statements: list[str] = []

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return self._fetched(text_of(query, self.dialect.name))

    def store(self, query: exp.Select) -> str:
        return self._stored(text_of(query, self.dialect.name), [])

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """The rows are passed as one parameter per column, never as part of the statement's text."""
        transposed = list(zip(*rows, strict=True)) or [() for _ in columns]
        values = [_parameter(type_, column) for (_, type_), column in zip(columns, transposed, strict=True)]
        return self._stored(select_parameters(columns), values)

    def drop(self, name: str) -> None:
        self._execute(f"DROP TABLE {name}")

    def clear(self) -> None:
        for name in self._kept:
            with failures():
                self._con.execute(f"DROP TABLE IF EXISTS {name}")
        self._kept.clear()

    def _fetched(self, query: str) -> list[tuple[Any, ...]]:
        executed = self._execute(query)
        with failures():
            return executed.fetchall()

    def _stored(self, query: str, values: list[list[Any]]) -> str:
        name = self._fresh()
        self._execute(f"CREATE TEMP TABLE {name} AS {query}", values)
        return name

    def _fresh(self) -> str:
        self._kept.append(f"kept{next(self._numbers)}")
        return self._kept[-1]

    def _execute(self, statement: str, values: list[list[Any]] | None = None) -> duckdb.DuckDBPyConnection:
        self._cancellation.check()
        self.statements.append(statement)
        with failures():
            return self._con.execute(statement, values) if values else self._con.execute(statement)


def select_parameters(columns: Sequence[tuple[str, str]]) -> str:
    """A SELECT of named columns with types; each parameter is the list of the values of a column."""
    unnested = (
        f"unnest(CAST(${i} AS {type_}[])) AS {column}" for i, (column, type_) in enumerate(columns, start=1)
    )
    return f"SELECT {', '.join(unnested)}"


def _parameter(type_: str, values: Sequence[Any]) -> list[Any]:
    """Decimals as text: DuckDB's client turns some with 38 digits after the point into floats."""
    if not type_.startswith("DECIMAL"):
        return list(values)
    return [None if value is None else format(Decimal(value), "f") for value in values]
