"""A file or data frame that is uploaded to the server for each policy."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from acompass.checked.uses import ColumnUse
from acompass.engines.duckdb.read import DuckDBTable
from acompass.engines.postgres.session import KeepingSession, ReadingSession, about
from acompass.engines.postgres.table import UploadedToServer
from acompass.options import ReadingOptions


class UploadedTable:
    def __init__(self, local: DuckDBTable, server: psycopg.Connection[Any]):
        self.duckdb_table = local
        self._server = server
        self.names = local.names
        self.about = about(server)
        self.cancellation = local.cancellation

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[UploadedToServer]:
        reading = ReadingSession(self._server, self.cancellation)
        keeping = KeepingSession(self._server, self.cancellation)
        try:
            with self.duckdb_table.load(uses, options) as local:
                yield UploadedToServer(reading, keeping, local)
        finally:
            keeping.clear()

    def cancel(self) -> None:
        self.duckdb_table.cancel()
        self._server.cancel()
