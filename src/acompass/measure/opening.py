"""Opens the tables of one measurement in the embedded engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import duckdb

from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Span
from acompass.engines.duckdb import connection, failures
from acompass.measure.columns import Positions, refuse_opaque
from acompass.measure.view import View, check_weight
from acompass.tables.load import load
from acompass.tables.source import opened


class Tables:
    """Tables that stay open together, in one connection."""

    def __init__(self, stack: ExitStack, con: duckdb.DuckDBPyConnection, delimiter: str | None):
        self.con = con
        self._stack = stack
        self._delimiter = delimiter

    def open(
        self, table: Any, find: Callable[[Sequence[str]], Positions], every_column: bool
    ) -> tuple[View, Positions]:
        """`find` receives the names of the table's columns. Without `every_column`, only the columns that
        it finds are read."""
        found: list[Positions] = []

        def uses(names: Sequence[str]) -> Mapping[int, ColumnUse]:
            found.append(find(names))
            wanted = range(len(names)) if every_column else sorted(found[0].named())
            return dict.fromkeys(wanted, ColumnUse(Use.ANY, Span(0, 0)))

        source = self._stack.enter_context(opened(table, self._delimiter))
        loaded = load(self.con, source, uses)
        refuse_opaque(found[0], loaded.schema)
        view = View(loaded.relation, loaded.schema, found[0].weight)
        check_weight(self.con, view)
        return view, found[0]


@contextmanager
def open_tables(delimiter: str | None, memory_limit: str | None) -> Iterator[Tables]:
    with ExitStack() as stack:
        stack.enter_context(failures())
        con = stack.enter_context(connection(memory_limit))
        yield Tables(stack, con, delimiter)
