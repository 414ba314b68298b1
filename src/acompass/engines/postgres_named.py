"""A policy on a table or view where it lives in PostgreSQL."""

from typing import Any

import psycopg

from acompass.checked.program import Program
from acompass.checked.types import Kind
from acompass.engines.duckdb import connection
from acompass.engines.duckdb import failures as duckdb_failures
from acompass.engines.engine import Destination, Evaluated, TableRequest
from acompass.engines.planned import PlannedTable, check_planned
from acompass.engines.postgres_columns import StoredColumn, restored
from acompass.engines.postgres_names import is_file
from acompass.engines.postgres_output import Target, create_table, find_target, new_type
from acompass.engines.postgres_session import KeepingSession, ReadingSession
from acompass.engines.postgres_table import find_relation, read_table
from acompass.engines.postgres_transfer import fetched
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Progress
from acompass.plan.running.execute import final_select
from acompass.plan.running.session import Session
from acompass.tables.content import Content
from acompass.tables.missing import ERROR, require_complete
from acompass.tables.output import require_writable, write
from acompass.tables.source import Files
from acompass.tables.to_frame import restore

#: the table is no file, and comes back as one that was would
_SOURCE = Files((), (), "parquet")


class NamedTable(PlannedTable):
    def __init__(
        self, server: psycopg.Connection[Any], name: str, request: TableRequest, memory_limit: str | None
    ):
        self._reading = ReadingSession(server)
        self._keeping = KeepingSession(server)
        self._memory_limit = memory_limit
        self._accepts_missing = request.missing != ERROR
        self._relation = find_relation(self._reading, name)
        self._read = read_table(self._reading, name, self._relation, request)
        self._target: Target | None = None
        super().__init__(self._read.schema, self._read.dropped)

    @property
    def statements(self) -> list[str]:
        return [*self._reading.statements, *self._keeping.statements]

    def require_complete(self) -> None:
        if not self._accepts_missing:
            require_complete(self.schema, self._read.missing)

    def prepare(self, destination: Destination) -> None:
        if destination.path is None:
            return
        if is_file(destination.path):
            require_writable(destination.path, _SOURCE, destination.overwrite)
        else:
            self._target = find_target(self._reading, destination.path, self._relation, destination.overwrite)

    def check(self, program: Program, show: int, progress: Progress | None) -> Evaluated:
        self._reading.execute("SET TRANSACTION READ ONLY")
        return check_planned(self._reading, self._read.state, program, show, progress)

    def deliver(self, destination: Destination) -> Any:
        context, state = self._finished()
        select = final_select(context, state, canonical=destination.canonical, keep_order=False)
        if self._target is not None:
            names = [column.name for column in state.schema]
            create_table(self._keeping, self._target, select, names, self._declared(state))
            return None
        types = [self._fetched_type(state, position) for position in range(len(state.schema))]
        with (
            connection(self._memory_limit) as con,
            fetched(self._keeping, select, types) as rows,
            duckdb_failures(),
        ):
            content = Content(rows, state.schema, stored=self._file_types(), changed=self._written)
            if destination.path is None:
                return restore(con, content, _SOURCE)
            write(con, content, destination.path)
            return None

    def _planning(self) -> Session:
        return self._keeping

    def _given(self) -> State:
        return self._read.state

    def _order_integers(self) -> frozenset[int]:
        return frozenset()

    def _declared(self, state: State) -> list[str]:
        """A column that no action wrote has the type that it had."""
        return [
            new_type(state.schema[i].type, f"t.{sql.name(i)}")
            if i in self._written
            else restored(column, f"t.{sql.name(i)}")
            for i, column in enumerate(self._read.columns)
        ]

    def _fetched_type(self, state: State, position: int) -> str:
        column, type_ = self._read.columns[position], state.schema[position].type
        if type_.kind is Kind.OPAQUE or self._passes_as_float(column, position):
            return column.file_type
        return sql.type_name(type_)

    def _passes_as_float(self, column: StoredColumn, position: int) -> bool:
        return column.type.kind is Kind.FLOAT and position not in self._read.named

    def _file_types(self) -> dict[int, str]:
        columns = enumerate(self._read.columns)
        return {i: column.file_type for i, column in columns if i not in self._written}
