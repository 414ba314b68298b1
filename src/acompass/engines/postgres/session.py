"""Sessions for plans on a PostgreSQL connection.

Stored rows are named `kept0`, `kept1`, …. KeepingSession stores them in temporary tables, which end with the
transaction. ReadingSession keeps queries and adds them in a WITH clause, which needs only SELECT permission.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import errors as server_errors
from sqlglot import exp

from acompass.engines.cancellation import Cancellation
from acompass.engines.engine import About
from acompass.engines.postgres.errors import failures
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.postgres import POSTGRES


def about(server: psycopg.Connection[Any]) -> About:
    """The server's version without the name of its distribution."""
    version = server.info.parameter_status("server_version") or ""
    return About(f"PostgreSQL {version.partition(' ')[0]}", has_tables=True)


@dataclass(frozen=True)
class Connection:
    """What the sessions of one connection share: cancellation, and the numbers of stored rows."""

    server: psycopg.Connection[Any]
    cancellation: Cancellation = field(default_factory=Cancellation)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def cancel(self) -> None:
        self.cancellation.request()
        self.server.cancel()


class _Session:
    dialect = POSTGRES

    def __init__(self, connection: Connection):
        self._connection = connection.server
        self._cancellation = connection.cancellation
        self._numbers = connection.numbers
        self.statements: list[str] = []

    def execute(self, statement: str) -> psycopg.Cursor[Any]:
        with failures(), self._cancelable():
            return self.run(statement)

    @contextmanager
    def _cancelable(self) -> Iterator[None]:
        """Raise Canceled if the caller canceled the statement, the server's error if the server did."""
        self._cancellation.check()
        try:
            yield
        except server_errors.QueryCanceled:
            self._cancellation.check()
            raise

    def run(self, statement: str) -> psycopg.Cursor[Any]:
        """Execute a statement without translating errors. Its text contains names and constants only as
        quoted identifiers and literals (invariant 6)."""
        self.statements.append(statement)
        return self._connection.execute(statement)

    def fresh(self) -> str:
        return f"kept{next(self._numbers)}"


class KeepingSession(_Session):
    """Stores rows in temporary tables, for runs."""

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return _rows(self.execute(query.sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.fresh()
        self.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {query.sql('postgres')}")
        # without statistics, the planner assumes that every temporary table is small
        self.execute(f"ANALYZE {name}")
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """The rows are sent as data of a COPY, never as part of a statement's text."""
        name = self.create(columns)
        with failures(), self.copy(f"COPY pg_temp.{name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return name

    def drop(self, name: str) -> None:
        """Within its transaction, only TRUNCATE frees the space of a table."""
        self.execute(f"TRUNCATE {name}")

    def create(self, columns: Sequence[tuple[str, str]]) -> str:
        name = self.fresh()
        described = ", ".join(f"{column} {_column_type(type_)}" for column, type_ in columns)
        self.execute(f"CREATE TEMP TABLE {name} ({described}) ON COMMIT DROP")
        return name

    def commit(self) -> None:
        self._connection.commit()

    @contextmanager
    def copy(self, statement: str) -> Iterator[psycopg.Copy]:
        self.statements.append(statement)
        with self._cancelable(), self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            yield copy

    def clear(self) -> None:
        """Roll back the transaction, even a failed one. This removes the temporary tables."""
        with failures():
            self._connection.rollback()


class ReadingSession(_Session):
    """Creates nothing: stored queries are added to each query that reads them in a WITH clause."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._kept: dict[str, exp.Select] = {}

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return _rows(self.execute(self._with_kept(query).sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.fresh()
        self._kept[name] = query
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        literals = [
            exp.Tuple(
                expressions=[_typed(value, type_) for value, (_, type_) in zip(row, columns, strict=True)]
            )
            for row in rows
        ]
        names = [column for column, _ in columns]
        return self.store(_values(literals, names) if literals else _no_rows(columns))

    def drop(self, name: str) -> None:
        """A query takes no space, and later ones may read it."""

    def clear(self) -> None:
        self._kept.clear()

    def _with_kept(self, query: exp.Select) -> exp.Select:
        for name in self._needed(query):
            query = query.with_(name, as_=self._kept[name])
        return query

    def _needed(self, query: exp.Select) -> list[str]:
        """The stored queries that a query reads, directly or indirectly, in order of dependency."""
        read = [table.name for table in query.find_all(exp.Table) if table.name in self._kept]
        ordered: list[str] = []
        for name in read:
            ordered += [each for each in (*self._needed(self._kept[name]), name) if each not in ordered]
        return ordered


def _rows(cursor: psycopg.Cursor[Any]) -> list[tuple[Any, ...]]:
    with failures():
        return cursor.fetchall()


def _column_type(type_: str) -> str:
    written = exp.DataType.build(type_).sql("postgres")
    return f'{written} COLLATE "C"' if written == "TEXT" else written


def _typed(value: Any, type_: str) -> exp.Expr:
    literal = exp.null() if value is None else sql.literal(value)
    converted = sql.cast(literal, type_)
    return POSTGRES.plain_text(literal) if type_ == "TEXT" else converted


def _values(rows: Sequence[exp.Tuple], names: Sequence[str]) -> exp.Select:
    return exp.select("*").from_(exp.values(list(rows), alias="v", columns=list(names)))


def _no_rows(columns: Sequence[tuple[str, str]]) -> exp.Select:
    nulls = (exp.alias_(_typed(None, type_), name) for name, type_ in columns)
    return exp.select(*nulls).where(sql.FALSE.copy())
