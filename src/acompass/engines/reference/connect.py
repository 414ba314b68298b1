"""Open tables for the reference engine. DuckDB reads and writes them; `semantics` executes the policy."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NoReturn

from acompass.checked.uses import ColumnUse
from acompass.engines.duckdb.connect import DuckDBEngine
from acompass.engines.duckdb.read import DuckDBTable
from acompass.engines.engine import OpenTable
from acompass.engines.errors import is_the_reference
from acompass.engines.reference.table import ReferenceTable
from acompass.options import Options, ReadingOptions


class ReferenceEngine:
    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator["OpenReferenceTable"]:
        with DuckDBEngine().open(table, options) as found:
            yield OpenReferenceTable(found)

    def session(self) -> NoReturn:
        raise is_the_reference()


class OpenReferenceTable:
    def __init__(self, inner: DuckDBTable):
        self.duckdb_table = inner
        self.names = inner.names
        self.about = replace(inner.about, version=f"reference, {inner.about.version}")
        self.cancellation = inner.cancellation

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[ReferenceTable]:
        with self.duckdb_table.load(uses, options) as loaded:
            yield ReferenceTable(loaded.con, loaded.source, loaded.session, loaded.prepared, loaded.layout)

    def beside(self, table: Any, options: Options) -> AbstractContextManager[OpenTable]:
        return self.duckdb_table.beside(table, options)

    def numbered(self) -> AbstractContextManager[OpenTable]:
        return self.duckdb_table.numbered()

    def cancel(self) -> None:
        self.duckdb_table.cancel()
