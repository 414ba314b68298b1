"""Connect to PostgreSQL, and open a table there or a file to upload."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
from psycopg import IsolationLevel, conninfo

from acompass.engines.duckdb.connect import DuckDBEngine
from acompass.engines.engine import OpenTable
from acompass.engines.postgres import errors
from acompass.engines.postgres.errors import failures
from acompass.engines.postgres.read import ServerTable, stored_table
from acompass.engines.postgres.session import Connection, KeepingSession
from acompass.engines.postgres.uploaded import UploadedTable
from acompass.options import Options
from acompass.plan.running.session import Session
from acompass.tables.source import is_file

#: settings that affect the meaning of statements or the text of values
_SETTINGS = {
    "bytea_output": "hex",
    "datestyle": "ISO",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
}


class PostgresEngine:
    def __init__(self, url: str):
        self._url = url

    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[OpenTable]:
        with connected(self._url) as server, _opened(table, options, Connection(server)) as found:
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        with connected(self._url) as server:
            yield KeepingSession(Connection(server))


@contextmanager
def _opened(table: Any, options: Options, connection: Connection) -> Iterator[OpenTable]:
    beside = partial(_opened, connection=connection)
    if isinstance(table, str | os.PathLike) and not is_file(table):
        stored = stored_table(connection, os.fspath(table))
        yield ServerTable(connection, stored, options.memory_limit, beside)
        return
    with DuckDBEngine().open(table, options) as local:
        yield UploadedTable(local, connection, beside)


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection on which each transaction sees a single snapshot of the database."""
    server = _connect(url)
    try:
        with failures():
            server.isolation_level = IsolationLevel.REPEATABLE_READ
            for name, value in _SETTINGS.items():
                server.execute("SELECT set_config(%s, %s, false)", (name, value))
            server.commit()
        yield server
    finally:
        server.close()


def _connect(url: str) -> psycopg.Connection[Any]:
    """Messages never contain the URL, because it may contain a password."""
    try:
        conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise errors.unreachable("the URL is malformed") from None
    try:
        return psycopg.connect(
            url, application_name="acompass", client_encoding="utf8", prepare_threshold=None
        )
    except psycopg.Error as error:
        raise errors.unreachable(_reason(str(error))) from None


def _reason(message: str) -> str:
    return message.strip().split("\n")[0].removeprefix("connection failed: ")
