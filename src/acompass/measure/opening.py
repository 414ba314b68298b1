"""Opens the tables of one measurement in DuckDB."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeAlias

import duckdb

from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Span
from acompass.engines.duckdb.connect import connection
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.read import DuckDBTable, open_table
from acompass.engines.local_dates import date_formats
from acompass.measure.columns import Positions, refuse_opaque
from acompass.measure.view import View
from acompass.measure.weights import with_unit
from acompass.options import DatesArgument, ReadingOptions
from acompass.tables.file_format import FileFormat
from acompass.tables.opening import opened

_DEFAULT = FileFormat()

#: the columns to measure, from the names of a table's columns
Find: TypeAlias = Callable[[Sequence[str]], Positions]


class Tables:
    """Tables that stay loaded together, in one connection."""

    def __init__(self, stack: ExitStack, con: duckdb.DuckDBPyConnection, file_format: FileFormat):
        self.con = con
        self._stack = stack
        self._file_format = file_format

    def open(
        self, table: Any, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[View, Positions]:
        source = self._stack.enter_context(opened(table, self._file_format))
        return self.load(open_table(self.con, source), find, every_column, dates)

    def load(
        self, table: DuckDBTable, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[View, Positions]:
        """Without `every_column`, only the columns that `find` returns are read."""
        found = find(table.names)
        wanted = range(len(table.names)) if every_column else sorted(found.named())
        reading = ReadingOptions(dates=date_formats(dates, table.names))
        uses = dict.fromkeys(wanted, ColumnUse(Use.ANY, Span(0, 0)))
        loaded = self._stack.enter_context(table.load(uses, reading))
        refuse_opaque(found, loaded.schema)
        view = View(loaded.layout.view, loaded.schema, found.weight)
        return with_unit(self.con, view), found


@contextmanager
def open_tables(file_format: FileFormat, memory_limit: str | None) -> Iterator[Tables]:
    with connection(memory_limit) as con, tables_in(con, file_format) as tables:
        yield tables


@contextmanager
def tables_in(con: duckdb.DuckDBPyConnection, file_format: FileFormat = _DEFAULT) -> Iterator[Tables]:
    """Tables in a connection that is already open."""
    with ExitStack() as stack:
        stack.enter_context(failures())
        yield Tables(stack, con, file_format)
