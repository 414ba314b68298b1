"""A file or data frame that is uploaded to the server for each policy."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from acompass.checked.uses import ColumnUse
from acompass.engines.duckdb.read import DuckDBTable
from acompass.engines.engine import Opener, OpenTable
from acompass.engines.postgres.session import Connection, KeepingSession, ReadingSession, about
from acompass.engines.postgres.table import UploadedToServer
from acompass.options import ReadingOptions


class UploadedTable:
    def __init__(self, local: DuckDBTable, connection: Connection, beside: Opener):
        self.duckdb_table = local
        self._connection = replace(connection, cancellation=local.cancellation)
        self.names = local.names
        self.about = about(connection.server)
        self.cancellation = local.cancellation
        self.beside = beside

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[UploadedToServer]:
        reading, keeping = ReadingSession(self._connection), KeepingSession(self._connection)
        try:
            with self.duckdb_table.load(uses, options) as local:
                yield UploadedToServer(reading, keeping, local)
        finally:
            keeping.clear()

    def numbered(self) -> AbstractContextManager[OpenTable]:
        """The local table: a record has the same life in every engine, and only this one has an order."""
        return self.duckdb_table.numbered()

    def cancel(self) -> None:
        self.duckdb_table.cancel()
        self._connection.cancel()
