"""A policy in PostgreSQL on a file or a data frame: it is sent there, and fetched back."""

from typing import Any

import psycopg

from acompass.engines.duckdb import DuckDBTable
from acompass.engines.duckdb import failures as duckdb_failures
from acompass.engines.engine import Destination
from acompass.engines.failures import cannot_hold, require_plain
from acompass.engines.postgres_names import is_file
from acompass.engines.postgres_output import Target, create_table, find_target, new_type
from acompass.engines.postgres_session import KeepingSession, ReadingSession
from acompass.engines.postgres_transfer import fetched, send
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.execute import final_select
from acompass.plan.running.session import Session
from acompass.tables.content import content_like
from acompass.tables.loaded import Loaded
from acompass.tables.output import write
from acompass.tables.source import Source
from acompass.tables.to_frame import restore

_ENGINE = "PostgreSQL"
#: types of the embedded engine that hold more than any of PostgreSQL's would
_WIDER = ("TIMESTAMP_NS", "HUGEINT", "UHUGEINT")


class SentTable(DuckDBTable):
    def __init__(self, con: Any, source: Source, loaded: Loaded, server: psycopg.Connection[Any]):
        super().__init__(con, source, loaded)
        self._reading = ReadingSession(server)
        self._keeping = KeepingSession(server)
        self._target: Target | None = None

    @property
    def statements(self) -> list[str]:
        return self._keeping.statements

    def prepare(self, destination: Destination) -> None:
        if destination.path is None or is_file(destination.path):
            super().prepare(destination)
        else:
            self._target = find_target(self._reading, destination.path, None, destination.overwrite)

    def deliver(self, destination: Destination) -> Any:
        context, state = self._finished()
        select = final_select(context, state, canonical=destination.canonical, keep_order=True)
        if self._target is not None:
            names = [column.name for column in state.schema]
            values = [new_type(column.type, f"t.{sql.name(i)}") for i, column in enumerate(state.schema)]
            create_table(self._keeping, self._target, select, names, values)
            return None
        types = [self._fetched_type(state, position) for position in range(len(state.schema))]
        with fetched(self._keeping, select, types) as rows, duckdb_failures():
            # the order of the rows is that of the file they are read from
            self._con.execute("SET preserve_insertion_order = true")
            content = content_like(self._loaded, rows, state.schema, self._written)
            if destination.path is None:
                return restore(self._con, content, self._source)
            write(self._con, content, destination.path)
            return None

    def _planning(self) -> Session:
        return self._keeping

    def _given(self) -> State:
        """The table once it is sent."""
        require_plain(_ENGINE, self.schema)
        self._require_room()
        columns = [(sql.name(i), sql.type_name(column.type)) for i, column in enumerate(self.schema)]
        here = super()._given()
        table = send(self._con, here.select, self._keeping, [*columns, (ROW_KEY, "BIGINT")])
        select = sql.everything(sql.table(table))
        return State(select, self.schema, has_row_key=True, records=here.records)

    def _require_room(self) -> None:
        for position, stored in enumerate(self._loaded.stored):
            if stored in _WIDER and position not in self._loaded.named:
                raise cannot_hold(_ENGINE, self.schema[position].name)

    def _fetched_type(self, state: State, position: int) -> str:
        """A column that the policy does not name has the type that it had."""
        stored = self._loaded.stored[position] if self._loaded.stored else ""
        if position in self._loaded.named or not stored or stored.startswith("ENUM("):
            return sql.type_name(state.schema[position].type)
        return stored
