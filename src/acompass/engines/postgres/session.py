"""Connect to PostgreSQL, send the statements of plans, and turn the server's errors into diagnostics.

The server's messages may quote records. Only those that cannot are passed on (invariant 4, no record in a message).
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import psycopg
from psycopg import IsolationLevel, conninfo
from psycopg import errors as server_errors
from sqlglot import exp

from acompass.dataclasses import dataclass, field
from acompass.engines.errors import Cancellation, engine_error, engine_failed, out_of_memory, sum_too_large
from acompass.engines.protocol import About
from acompass.errors.diagnostics import EngineError
from acompass.plan.lowering import sql
from acompass.plan.lowering.postgres import POSTGRES


def about(server: psycopg.Connection[Any]) -> About:
    """The server's version without the name of its distribution."""
    version = server.info.parameter_status("server_version") or ""
    return About(f"PostgreSQL {version.partition(' ')[0]}", has_tables=True)


@dataclass(frozen=True)
class Connection:
    """The state that all sessions of a connection share."""

    server: psycopg.Connection[Any]
    cancellation: Cancellation = field(default_factory=Cancellation)
    numbers: Iterator[int] = field(default_factory=itertools.count)  # for the names of stored queries

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
        with report_failures(), self._cancelable():
            return self.run(statement)

    @contextmanager
    def _cancelable(self) -> Iterator[None]:
        """Raise Canceled if the caller canceled the statement, or the server's error if the server did."""
        self._cancellation.check()
        try:
            yield
        except server_errors.QueryCanceled:
            self._cancellation.check()
            raise

    def run(self, statement: str) -> psycopg.Cursor[Any]:
        """Execute a statement without translating errors. Names and constants in its text are quoted identifiers and
        literals (invariant 6)."""
        self.statements.append(statement)
        return self._connection.execute(statement)

    def new_name(self) -> str:
        return f"kept{next(self._numbers)}"


class KeepingSession(_Session):
    """A session that stores rows in temporary tables, for runs."""

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return _rows(self.execute(query.sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.new_name()
        self.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {query.sql('postgres')}")
        # without statistics, the planner assumes that every temporary table is small
        self.execute(f"ANALYZE {name}")
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """Send the rows as the data of a COPY, never as part of a statement's text."""
        name, count = self.create(columns), 0
        with report_failures(), self.copy(f"COPY pg_temp.{name} FROM STDIN") as copy:
            for count, row in enumerate(rows, start=1):  # noqa: B007
                copy.write_row(row)
        if count > _FEW:  # as in `store`
            self.execute(f"ANALYZE {name}")
        return name

    def drop(self, name: str) -> None:
        """Truncate the table: within the transaction, only TRUNCATE frees its space."""
        self.execute(f"TRUNCATE {name}")

    def create(self, columns: Sequence[tuple[str, str]]) -> str:
        name = self.new_name()
        definitions = ", ".join(f"{column} {_column_type(type_)}" for column, type_ in columns)
        self.execute(f"CREATE TEMP TABLE {name} ({definitions}) ON COMMIT DROP")
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
        with report_failures():
            self._connection.rollback()


class ReadingSession(_Session):
    """A session that creates nothing: a query reads stored queries in a WITH clause. Uploaded rows are part of its
    text, so only checks use it, which have neither a seed nor a key."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._kept: dict[str, exp.Select] = {}

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        for name in self._dependencies(query):
            query = query.with_(name, as_=self._kept[name])
        return _rows(self.execute(query.sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.new_name()
        self._kept[name] = query
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        names, types = [name for name, _ in columns], [type_ for _, type_ in columns]
        listed = list(rows)
        if len(listed) > _FEW:
            return self.store(_unnest(columns, listed))
        literals = [
            exp.Tuple(expressions=[_typed_literal(*each) for each in zip(row, types, strict=True)]) for row in listed
        ]
        if literals:
            return self.store(exp.select("*").from_(exp.values(literals, alias="v", columns=names)))
        nulls = (exp.alias_(_typed_literal(None, type_), name) for name, type_ in columns)
        return self.store(exp.select(*nulls).where(sql.FALSE.copy()))

    def drop(self, name: str) -> None:
        """Keep the query: it takes no space, and later ones may read it."""

    def clear(self) -> None:
        self._kept.clear()

    def _dependencies(self, query: exp.Select) -> list[str]:
        """The stored queries that a query reads, directly or indirectly, in order of dependency."""
        read = [table.name for table in query.find_all(exp.Table) if table.name in self._kept]
        ordered: list[str] = []
        for name in read:
            ordered += [each for each in (*self._dependencies(self._kept[name]), name) if each not in ordered]
        return ordered


def _rows(cursor: psycopg.Cursor[Any]) -> list[tuple[Any, ...]]:
    with report_failures():
        return cursor.fetchall()


def _column_type(type_: str) -> str:
    written = exp.DataType.build(type_).sql("postgres")
    return f'{written} COLLATE "C"' if written == "TEXT" else written


#: more rows are written as one array for each column, because the nodes of their literals would take too long
_FEW = 1_000


def _unnest(columns: Sequence[tuple[str, str]], rows: Sequence[tuple[Any, ...]]) -> exp.Select:
    arrays: list[exp.Expr] = []
    for (_, type_), values in zip(columns, zip(*rows, strict=True), strict=True):
        elements = ",".join("NULL" if value is None else _array_element(value) for value in values)
        arrays.append(exp.cast(exp.Literal.string(f"{{{elements}}}"), exp.DataType.build(f"{type_}[]")))
    names = [exp.to_identifier(f"v{place}") for place in range(len(columns))]
    source = exp.Unnest(expressions=arrays, alias=exp.TableAlias(this=exp.to_identifier("v"), columns=names))
    selected = (
        sql.with_alias(POSTGRES.plain_text(value) if type_ == "TEXT" else value, name)
        for value, (name, type_) in zip((exp.column(each, table="v") for each in names), columns, strict=True)
    )
    return sql.query(selected, source)


def _array_element(value: Any) -> str:
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _typed_literal(value: Any, type_: str) -> exp.Expr:
    if isinstance(value, bytes):
        return sql.call("decode", exp.Literal.string(value.hex()), exp.Literal.string("hex"))
    literal = exp.null() if value is None else sql.literal(value)
    converted = sql.cast(literal, type_)
    return POSTGRES.plain_text(literal) if type_ == "TEXT" else converted


_NAME = "PostgreSQL"
_PERMISSIONS = (
    "`check` needs SELECT on the table; `run` also needs TEMPORARY on the database and CREATE on the "
    "schema of the output"
)
_MEMORY = (server_errors.OutOfMemory, server_errors.DiskFull, server_errors.InsufficientResources)


@contextmanager
def report_failures() -> Iterator[None]:
    try:
        yield
    except (server_errors.AdminShutdown, server_errors.CrashShutdown):
        raise connection_lost() from None
    except server_errors.QueryCanceled:
        help_ = "raise `statement_timeout`, or run again when the server is less busy"
        raise engine_error("AC313", "PostgreSQL canceled the statement", help_) from None
    except server_errors.InsufficientPrivilege as error:
        raise engine_error("AC307", f"PostgreSQL reports: {error.diag.message_primary or ''}", _PERMISSIONS) from None
    except server_errors.NumericValueOutOfRange:
        raise sum_too_large() from None
    except (server_errors.UntranslatableCharacter, server_errors.CharacterNotInRepertoire):
        message = "a text value contains a NUL character, which PostgreSQL cannot store"
        raise engine_error("AC311", message, "remove the NUL characters first") from None
    except _MEMORY:
        raise out_of_memory(_NAME) from None
    except psycopg.OperationalError as error:
        raise (connection_lost() if error.sqlstate is None else engine_failed(_NAME, error)) from None
    except psycopg.Error as error:
        raise engine_failed(_NAME, error) from None


def unreachable(why: str) -> EngineError:
    help_ = "use `postgres://user:password@host:5432/database`, and check that the server is running"
    return engine_error("AC305", f"cannot connect to PostgreSQL: {why}", help_)


def connection_lost() -> EngineError:
    return engine_error("AC306", "the connection to PostgreSQL was lost", "run again: nothing was written")


#: settings that affect the meaning of statements or the text of values
_SETTINGS = {
    "bytea_output": "hex",
    "datestyle": "ISO",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
}


@contextmanager
def open_connection(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Open a connection on which each transaction sees a single snapshot of the database."""
    server = _connect(url)
    try:
        with report_failures():
            server.isolation_level = IsolationLevel.REPEATABLE_READ
            for name, value in _SETTINGS.items():
                server.execute("SELECT set_config(%s, %s, false)", (name, value))
            server.commit()
        yield server
    finally:
        server.close()


def _connect(url: str) -> psycopg.Connection[Any]:
    """Connect. Messages never contain the URL, because it may contain a password."""
    try:
        conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise unreachable("the URL is malformed") from None
    try:
        return psycopg.connect(url, application_name="acompass", client_encoding="utf8", prepare_threshold=None)
    except psycopg.Error as error:
        raise unreachable(str(error).strip().split("\n")[0].removeprefix("connection failed: ")) from None
