"""Opens the tables of one measurement where they are, all in one engine."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, TypeAlias

import duckdb

from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Span
from acompass.engines.duckdb.connect import connection
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.read import DuckDBTable, opened_in
from acompass.engines.duckdb.table import LoadedInDuckDB
from acompass.engines.engine import OpenTable
from acompass.engines.local_dates import date_formats
from acompass.measure.columns import Positions, refuse_opaque
from acompass.measure.records import Records
from acompass.measure.weights import with_unit
from acompass.options import DatesArgument, Options, ReadingOptions
from acompass.tables.file_format import FileFormat
from acompass.tables.source import is_file

#: the columns to measure, from the names of a table's columns
Find: TypeAlias = Callable[[Sequence[str]], Positions]


class Tables:
    """Tables that stay loaded together. `con` is the DuckDB that computes the measures; the tables are in it
    too, unless another engine has them. `beside` opens another table there."""

    def __init__(
        self,
        stack: ExitStack,
        con: duckdb.DuckDBPyConnection,
        beside: Callable[[Any], AbstractContextManager[OpenTable]],
    ):
        self.con = con
        self._stack = stack
        self._beside = beside

    def open(
        self, table: Any, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[Records, Positions]:
        return self.load(self._stack.enter_context(self._beside(table)), find, every_column, dates)

    def load(
        self, table: OpenTable, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[Records, Positions]:
        """Without `every_column`, only the columns that `find` returns are read."""
        found = find(table.names)
        wanted = range(len(table.names)) if every_column else sorted(found.named())
        reading = ReadingOptions(dates=date_formats(dates, table.names))
        uses = dict.fromkeys(wanted, ColumnUse(Use.ANY, Span(0, 0)))
        loaded = self._stack.enter_context(table.load(uses, reading))
        refuse_opaque(found, loaded.schema)
        relation = loaded.layout.view if isinstance(loaded, LoadedInDuckDB) else None
        records = Records(loaded.reading, loaded.state, found.weight, relation=relation)
        return with_unit(records), found


def where_measured(table: OpenTable, others: Sequence[Any]) -> OpenTable:
    """The table as DuckDB reads it, if it can read all tables; otherwise the table in its own engine."""
    local = table.duckdb_table
    names = [each for each in others if isinstance(each, str | os.PathLike) and not is_file(each)]
    return table if local is None or (table.about.has_tables and names) else local


@contextmanager
def open_tables(file_format: FileFormat, memory_limit: str | None) -> Iterator[Tables]:
    """Tables in a new connection."""
    with connection(memory_limit) as con, ExitStack() as stack:
        stack.enter_context(failures())
        yield Tables(stack, con, partial(opened_in, con, file_format=file_format))


@contextmanager
def tables_beside(table: OpenTable, options: Options) -> Iterator[Tables]:
    """Tables beside one that is already open."""
    with ExitStack() as stack:
        if isinstance(table, DuckDBTable):
            con = table.con
        else:
            con = stack.enter_context(connection(options.memory_limit))
        stack.enter_context(failures())
        yield Tables(stack, con, partial(table.beside, options=options))
