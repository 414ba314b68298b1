"""Open tables in DuckDB, each in a separate in-memory database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from acompass.engines.duckdb.errors import failures, invalid_memory_size
from acompass.engines.duckdb.names import text_literal
from acompass.engines.duckdb.read import DuckDBTable, open_table
from acompass.engines.duckdb.session import DuckDBSession
from acompass.leftovers import temporary_folder
from acompass.options import Options
from acompass.plan.running.session import Session
from acompass.tables.opening import opened


class DuckDBEngine:
    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[DuckDBTable]:
        with connection(options.memory_limit) as con, opened(table, options.file_format) as source:
            # preserving the order buffers the output, so with a memory limit it is not preserved
            keeps_order = options.memory_limit is None
            con.execute(f"SET preserve_insertion_order = {str(keeps_order).lower()}")
            with failures():
                found = open_table(con, source, keeps_order=keeps_order)
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session for small tables: more threads would only wait for one another."""
        with connection(None) as con:
            con.execute("SET threads = 1")
            yield DuckDBSession(con)


@contextmanager
def connection(memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that spills to a temporary folder."""
    with temporary_folder() as folder:
        con = duckdb.connect(":memory:", config={"temp_directory": folder, "custom_user_agent": "acompass"})
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
        raise invalid_memory_size(limit) from None
