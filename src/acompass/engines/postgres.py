"""PostgreSQL: connect, and open a table there or a file that is sent there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import IsolationLevel, conninfo

from acompass.engines import postgres_faults as faults
from acompass.engines.duckdb import connection, read
from acompass.engines.engine import OpenTable, TableRequest
from acompass.engines.postgres_named import NamedTable
from acompass.engines.postgres_names import is_file
from acompass.engines.postgres_sent import SentTable
from acompass.engines.postgres_session import KeepingSession, failures
from acompass.plan.running.session import Session

#: what the meaning of a statement, or the text of a value, would else depend on
_SETTINGS = {
    "bytea_output": "hex",
    "datestyle": "ISO",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
}


class PostgresEngine:
    def __init__(self, url: str, memory_limit: str | None = None):
        self._url = url
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, request: TableRequest) -> Iterator[OpenTable]:
        name = os.fspath(request.table) if isinstance(request.table, str | os.PathLike) else None
        with connected(self._url) as server:
            if name is not None and not is_file(name):
                yield NamedTable(server, name, request, self._memory_limit)
                return
            with connection(self._memory_limit) as con, read(con, request) as (source, loaded):
                yield SentTable(con, source, loaded, server)

    @contextmanager
    def session(self) -> Iterator[Session]:
        with connected(self._url) as server:
            yield KeepingSession(server)


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """One transaction, in which the table does not change. Whoever does not commit leaves no trace."""
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
    """A URL may hold a password, so a message never holds the URL."""
    try:
        conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise faults.unreachable("the URL is malformed") from None
    try:
        return psycopg.connect(
            url, application_name="acompass", client_encoding="utf8", prepare_threshold=None
        )
    except psycopg.Error as error:
        raise faults.unreachable(_reason(str(error))) from None


def _reason(message: str) -> str:
    return message.strip().split("\n")[0].removeprefix("connection failed: ")
