"""Connect to DuckDB, send statements, and turn DuckDB's errors into diagnostics.

A policy is previewed after each edit, and most statements are the same as in the previous preview. `PreviewCache` keeps
their results by statement. A statement contains the names of the stored tables that it reads, so equal statements have
equal results.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, TypeAlias

import duckdb
from sqlglot import exp

from acompass.engines.errors import Cancellation, cancellation_error, engine_failed, out_of_memory, sum_too_large
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.plan.lowering.duckdb import DUCKDB
from acompass.plan.lowering.state import statement_text
from acompass.tables.temporary_files import temporary_folder


class DuckDBSession:
    dialect = DUCKDB

    def __init__(self, con: duckdb.DuckDBPyConnection, cancellation: Cancellation | None = None):
        self._con = con
        self._cancellation = cancellation or Cancellation()
        self._numbers = itertools.count()
        self._kept: list[str] = []
        self.statements: list[str] = []

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return self._fetch_rows(statement_text(query, self.dialect.name))

    def store(self, query: exp.Select) -> str:
        return self._store_rows(statement_text(query, self.dialect.name), [])

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """Pass the rows as one parameter per column, never as part of the statement's text."""
        transposed = list(zip(*rows, strict=True)) or [() for _ in columns]
        values = [_parameter(type_, column) for (_, type_), column in zip(columns, transposed, strict=True)]
        return self._store_rows(select_parameters(columns), values)

    def drop(self, name: str) -> None:
        self._execute(f"DROP TABLE {name}")

    def clear(self) -> None:
        for name in self._kept:
            with report_failures():
                self._con.execute(f"DROP TABLE IF EXISTS {name}")
        self._kept.clear()

    def _fetch_rows(self, query: str) -> list[tuple[Any, ...]]:
        executed = self._execute(query)
        with report_failures():
            return executed.fetchall()

    def _store_rows(self, query: str, values: list[list[Any]]) -> str:
        name = self._new_name()
        self._execute(f"CREATE TEMP TABLE {name} AS {query}", values)
        return name

    def _new_name(self) -> str:
        self._kept.append(f"kept{next(self._numbers)}")
        return self._kept[-1]

    def _execute(self, statement: str, values: list[list[Any]] | None = None) -> duckdb.DuckDBPyConnection:
        self._cancellation.check()
        self.statements.append(statement)
        with report_failures():
            return self._con.execute(statement, values) if values else self._con.execute(statement)


def select_parameters(columns: Sequence[tuple[str, str]]) -> str:
    """A SELECT of typed columns; each parameter is the list of a column's values."""
    unnested = (f"unnest(CAST(${i} AS {type_}[])) AS {column}" for i, (column, type_) in enumerate(columns, start=1))
    return f"SELECT {', '.join(unnested)}"


def _parameter(type_: str, values: Sequence[Any]) -> list[Any]:
    """Pass decimals as text: DuckDB's client turns some with 38 digits after the point into floats."""
    if not type_.startswith("DECIMAL"):
        return list(values)
    return [None if value is None else format(Decimal(value), "f") for value in values]


Rows: TypeAlias = list[tuple[Any, ...]]

#: results that this many consecutive previews have not used are dropped
_PREVIEWS = 3


class PreviewCache:
    """The results of earlier previews: rows, and names of stored tables."""

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self._con = con
        self._content: Hashable = None
        self._preview = 0
        self._rows: dict[Hashable, Rows] = {}
        self._tables: dict[Hashable, str] = {}
        self._last_used: dict[Hashable, int] = {}

    def preview(self, content: Hashable, cancellation: Cancellation) -> "PreviewSession":
        """A session for a new preview. If the table's `content` has changed, the cache is emptied."""
        self._preview += 1
        if content != self._content:
            self._drop(list(self._last_used))
            self._content = content
        return PreviewSession(self._con, cancellation, self)

    def rows(self, key: Hashable, fetch: Callable[[], Rows]) -> Rows:
        if key not in self._rows:
            self._rows[key] = fetch()
        self._last_used[key] = self._preview
        return self._rows[key]

    def table(self, key: Hashable, store: Callable[[], str]) -> str:
        if key not in self._tables:
            self._tables[key] = store()
        self._last_used[key] = self._preview
        return self._tables[key]

    def drop_unused(self) -> None:
        oldest = self._preview - _PREVIEWS
        self._drop([key for key, used in self._last_used.items() if used <= oldest])

    def _drop(self, keys: list[Hashable]) -> None:
        for key in keys:
            del self._last_used[key]
            self._rows.pop(key, None)
            if (name := self._tables.pop(key, None)) is not None:
                with report_failures():
                    self._con.execute(f"DROP TABLE IF EXISTS {name}")


class PreviewSession(DuckDBSession):
    """The session of one preview. The tables that it stores remain for the next one."""

    def __init__(self, con: duckdb.DuckDBPyConnection, cancellation: Cancellation, cache: PreviewCache):
        super().__init__(con, cancellation)
        self._cache = cache

    def drop(self, name: str) -> None:
        """Keep the table: the next preview may need it."""

    def clear(self) -> None:
        self._cache.drop_unused()

    def _fetch_rows(self, query: str) -> Rows:
        fetch = super()._fetch_rows
        return self._cache.rows(("rows", query), lambda: fetch(query))

    def _store_rows(self, query: str, values: list[list[Any]]) -> str:
        store = super()._store_rows
        key = ("table", query, *map(tuple, values))
        return self._cache.table(key, lambda: store(query, values))

    def _new_name(self) -> str:
        return fresh_name("preview")


_numbers = itertools.count()


def fresh_name(prefix: str) -> str:
    """A table name that is unique in this process."""
    return f"{prefix}{next(_numbers)}"


def text_literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def text_list(texts: Sequence[str]) -> str:
    return "[" + ", ".join(text_literal(text) for text in texts) + "]"


def identifier(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


@contextmanager
def report_failures() -> Iterator[None]:
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise out_of_memory("DuckDB") from None
    except duckdb.InterruptException:
        raise cancellation_error() from None
    except duckdb.OutOfRangeException as error:
        # only a SUM of HUGEINT or DECIMAL(38) can leave the range
        raise (sum_too_large() if "addition" in str(error) else engine_failed("DuckDB", error)) from None
    except duckdb.Error as error:
        raise engine_failed("DuckDB", error) from None
    except RuntimeError as error:
        # DuckDB raises this on Ctrl-C
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


@contextmanager
def connection(memory_limit: str | None, *, is_small: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that spills to a temporary folder. On small tables, threads only wait for one another."""
    with temporary_folder() as folder:
        config: dict[str, Any] = {"temp_directory": folder, "custom_user_agent": "acompass"}
        con = duckdb.connect(":memory:", config=config | ({"threads": 1} if is_small else {}))
        try:
            if memory_limit is not None:
                _limit_memory(con, memory_limit)
            yield con
        finally:
            con.close()


def _limit_memory(con: duckdb.DuckDBPyConnection, limit: str) -> None:
    try:
        con.execute(f"SET memory_limit = {text_literal(limit)}")
    except duckdb.Error:
        help_ = "use a size such as `2GiB` or `500MB`"
        raise CallError([Diagnostic("AC401", f"invalid memory size `{limit}`", help=help_)]) from None
