"""Open a table on the server, or a file to upload, and load it for each policy.

A stored table or view is only read, never modified. A file or data frame is uploaded for each policy. Plans run on the
server; the result becomes a table there, a file, or a returned table.
"""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

from sqlglot import exp

from acompass.arguments import is_file
from acompass.dataclasses import dataclass, replace
from acompass.engines.duckdb.input import HUGE
from acompass.engines.duckdb.output import Output, restore, write
from acompass.engines.duckdb.session import connection
from acompass.engines.duckdb.session import report_failures as report_duckdb_failures
from acompass.engines.duckdb.table import DuckDBEngine, DuckDBTable, LoadedInDuckDB
from acompass.engines.errors import cannot_hold
from acompass.engines.loading import PlannedTable, PreparedTable, prepare_typed, questions, swap_separators
from acompass.engines.postgres import output as server_tables
from acompass.engines.postgres.output import PostgresColumn, Relation, Target
from acompass.engines.postgres.session import Connection, KeepingSession, ReadingSession, about, open_connection
from acompass.engines.protocol import Destination, Execution, Opener, OpenTable, Outcome, require_destination
from acompass.engines.reading import Facts
from acompass.language.program.types import MOST_DIGITS, OPAQUE, TEXT, Kind, Type, decimal
from acompass.language.program.uses import ColumnUse
from acompass.plan.lowering import sql
from acompass.plan.lowering.postgres import POSTGRES
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.run.context import Session
from acompass.plan.run.execution import final_select
from acompass.tables import errors as table_errors
from acompass.tables.formats import CsvStyle, Options, ReadingOptions
from acompass.tables.source import Files, Source

#: the results of server tables are returned like those of files: as PyArrow tables
_NO_FILES = Files((), (), "parquet")


class PostgresTable(PlannedTable):
    """A loaded table whose plans run on the server."""

    relation: Relation | None = None  # the input table on the server; None if the input was uploaded
    source: Source = _NO_FILES

    def __init__(self, reading: ReadingSession, keeping: KeepingSession, prepared: PreparedTable):
        super().__init__(prepared, keeping)
        self._reading = reading
        self._keeping = keeping
        self._target: Target | None = None

    @property
    def statements(self) -> list[str]:
        return [*self._reading.statements, *self._keeping.statements]

    def check_destination(self, destination: Destination) -> None:
        path = destination.path
        if path is None:
            return
        if is_file(path) or destination.partition:
            require_destination(destination, self.source)
        else:
            self._target = server_tables.find_target(self._reading, path, self.relation, destination.replace)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        keep_order = outcome.left.has_row_key
        select = final_select(outcome.context, outcome.left, canonical=destination.canonical, keep_order=keep_order)
        if self._target is not None:
            names = [outcome.left.schema[position].name for position in outcome.positions]
            server_tables.create_table(self._keeping, self._target, select, names, self._declared_values(outcome))
            return None
        types = {position: self._file_type(outcome, position) for position in outcome.positions}
        with server_tables.fetch_to_duckdb(self._keeping, select, types) as rows:
            return self._deliver_rows(rows, outcome, destination)

    def _new_type(self, outcome: Outcome, position: int) -> Type:
        """The type of a new column in an output table. Text that was read as numbers or dates becomes text again."""
        return TEXT if position in self.prepared.read_from_text else outcome.left.schema[position].type

    def _value(self, outcome: Outcome, position: int) -> str:
        """SQL for a value. Text gets the decimal commas of the file back, and dates and times are in ISO form (D28)."""
        value: Sql = sql.column(position, "t")
        if position in self.prepared.comma and self._new_type(outcome, position).kind is Kind.TEXT:
            value = swap_separators(value, POSTGRES)
        if position in self.prepared.text_dates:
            value = POSTGRES.to_text(value, outcome.left.schema[position].type)
        return value.sql(POSTGRES.name)

    @abstractmethod
    def _declared_values(self, outcome: Outcome) -> Sequence[str]:
        """SQL for each column of `t` in the type that the output table declares."""

    @abstractmethod
    def _file_type(self, outcome: Outcome, position: int) -> str:
        """The DuckDB type of a result column."""

    @abstractmethod
    def _deliver_rows(self, rows: str, outcome: Outcome, destination: Destination) -> Any:
        """Write or return the result; `rows` is DuckDB SQL that yields it."""


@dataclass(frozen=True)
class StoredTable:
    """A table or view on the server. Only the copy that `ServerTable.with_row_keys` makes has a row key."""

    relation: Relation
    columns: tuple[PostgresColumn, ...]
    has_row_key: bool = False


class LoadedOnServer(PostgresTable):
    def __init__(
        self,
        reading: ReadingSession,
        keeping: KeepingSession,
        stored: StoredTable,
        prepared: PreparedTable,
        memory_limit: str | None,
    ):
        super().__init__(reading, keeping, prepared)
        self.relation: Relation = stored.relation
        self._columns = stored.columns
        self._has_row_key = stored.has_row_key
        self._memory_limit = memory_limit

    @property
    def reading(self) -> Session:
        return self._reading

    @property
    def state(self) -> State:
        return self.prepared.state(self.relation.table(), self._has_row_key)

    def _session_for(self, execution: Execution) -> Session:
        """A check needs only SELECT permission."""
        if execution.trace is not None:
            return self._keeping
        self._reading.execute("SET TRANSACTION READ ONLY")
        return self._reading

    def _declared_values(self, outcome: Outcome) -> Sequence[str]:
        """Columns that no action writes keep their type, except text that was read as dates, whose type might be too
        short for an ISO date."""
        changed = outcome.written | self.prepared.text_dates
        return [
            server_tables.new_type(self._new_type(outcome, i), self._value(outcome, i))
            if i in changed
            else server_tables.restore_type(column, f"t.{sql.name(i)}")
            for i in outcome.positions
            for column in [self._columns[i]]
        ]

    def _file_type(self, outcome: Outcome, position: int) -> str:
        column, type_ = self._columns[position], outcome.left.schema[position].type
        passes_as_float = column.type.kind is Kind.FLOAT and position not in self.prepared.named
        if type_.kind is Kind.OPAQUE or passes_as_float:
            return column.file_type
        return sql.stored_type(type_)

    def _deliver_rows(self, rows: str, outcome: Outcome, destination: Destination) -> Any:
        own = self.prepared.read_from_text | (set(range(len(self._columns))) - outcome.written)
        kept = {position: self._columns[position].file_type for position in own}
        kept |= dict.fromkeys(self.prepared.text_dates, "VARCHAR")
        style = CsvStyle(escapes_formulas=destination.escape_formulas)
        output = Output(rows, outcome.left.schema, style, kept, outcome.written)
        with connection(self._memory_limit) as con, report_duckdb_failures():
            if destination.path is None:
                return restore(con, output, self.source)
            write(con, output, destination.path, destination.partition)
            return None


class UploadedToServer(PostgresTable):
    """DuckDB reads the table, PostgreSQL runs the plan, DuckDB writes the result."""

    def __init__(self, reading: ReadingSession, keeping: KeepingSession, local: LoadedInDuckDB):
        super().__init__(reading, keeping, local.prepared)
        self._local = local
        self.source = local.source

    @property
    def style(self) -> CsvStyle:
        return self._local.style

    @cached_property
    def _types(self) -> Mapping[int, str]:
        """The types on the server of the columns that the policy does not read and whose type PostgreSQL lacks."""
        stored = enumerate(self._local.layout.stored)
        huge = {i: "DECIMAL" for i, type_ in stored if type_ in HUGE and i not in self.prepared.named}
        return huge | {i: type_ for i, (_, type_) in self._local.stand_ins.items()}

    def check_destination(self, destination: Destination) -> None:
        super().check_destination(destination)
        if self._target is None:
            return
        for position, type_ in self._types.items():
            if type_ != "TIMESTAMP":
                raise cannot_hold("PostgreSQL", self.schema[position].name)

    @cached_property
    def state(self) -> State:
        stand_ins = self._local.stand_ins
        values = (stand_ins[i][0].copy() if i in stand_ins else sql.column(i, "t") for i in range(len(self.schema)))
        select = sql.query([*values, exp.column(ROW_KEY, table="t")], self._local.state.source())
        types = (self._types.get(i) or sql.stored_type(column.type) for i, column in enumerate(self.schema))
        columns = [*((sql.name(i), type_) for i, type_ in enumerate(types)), (ROW_KEY, "BIGINT")]
        table = server_tables.upload(self._local.con, select, self._keeping, columns)
        uploaded = sql.select_all(sql.table(table))
        return State(uploaded, self.schema, has_row_key=True, records=self.prepared.records)

    def _declared_values(self, outcome: Outcome) -> Sequence[str]:
        types = {i: self._new_type(outcome, i) for i in outcome.positions}
        return [server_tables.new_type(type_, self._value(outcome, i)) for i, type_ in types.items()]

    def _file_type(self, outcome: Outcome, position: int) -> str:
        """A column that the policy does not name keeps its type, or that of its replacement."""
        if position in self._local.stand_ins:
            return self._types[position]
        types = self._local.layout.stored
        stored = types[position] if types else ""
        if position in self.prepared.named | self.prepared.text_dates or not stored or stored.startswith("ENUM("):
            return sql.stored_type(outcome.left.schema[position].type)
        return stored

    def _deliver_rows(self, rows: str, outcome: Outcome, destination: Destination) -> Any:
        # the rows are in the order of the temporary file that they are read from
        self._local.con.execute("SET preserve_insertion_order = true")
        kept = [i for i in outcome.positions if i in self._local.stand_ins]
        restored = [f"{self._local.restored(i)} AS {sql.name(i)}" for i in kept]
        if restored:
            numbered = f"SELECT *, row_number() OVER () AS place FROM ({rows})"
            rows = f"SELECT * EXCLUDE (place) REPLACE ({', '.join(restored)}) FROM ({numbered}) AS t ORDER BY place"
        return self._local.deliver_rows(rows, outcome, destination)


class ServerTable:
    """A table on the server. Each policy runs in one transaction, during which the table does not change."""

    duckdb_table = None

    def __init__(self, connection: Connection, stored: StoredTable, memory_limit: str | None, open_other: Opener):
        self._connection = connection
        self._stored = stored
        self._memory_limit = memory_limit
        self.about = about(connection.server)
        self.cancellation = connection.cancellation
        self.cancel = connection.cancel
        self.open_other = open_other
        self.names = tuple(column.name for column in stored.columns)

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedOnServer]:
        """Load the table. A table with row keys is temporary, so its transaction continues after the load."""
        reading, keeping = ReadingSession(self._connection), KeepingSession(self._connection)
        try:
            columns, prepared = self._prepare(reading, uses, options)
            stored = replace(self._stored, columns=columns)
            yield LoadedOnServer(reading, keeping, stored, prepared, self._memory_limit)
        finally:
            if not self._stored.has_row_key:
                keeping.clear()

    @contextmanager
    def with_row_keys(self) -> Iterator["ServerTable"]:
        """Copy the table to a temporary table, with the positions of the records in canonical order as row keys."""
        keeping = KeepingSession(self._connection)
        try:
            columns, prepared = self._prepare(ReadingSession(self._connection), {}, ReadingOptions())
            stored, source = [column.stored_value() for column in columns], self._stored.relation.table()
            name = keeping.store(prepared.with_row_keys(keeping, stored, source))
            copied = StoredTable(
                Relation(self._stored.relation.oid, name, "r"),
                tuple(replace(c, stored_as=sql.name(i)) for i, c in enumerate(self._stored.columns)),
                has_row_key=True,
            )
            yield ServerTable(self._connection, copied, self._memory_limit, self.open_other)
        finally:
            keeping.clear()

    def _prepare(
        self, reading: ReadingSession, uses: Mapping[int, ColumnUse], options: ReadingOptions
    ) -> tuple[tuple[PostgresColumn, ...], PreparedTable]:
        """The columns with their scales, and the prepared table. One scan of the table computes all aggregates."""
        facts = Facts(reading, self._stored.relation.table())
        wide = [column for column in self._stored.columns if column.is_wide]
        asked = questions(self._stored.columns, sorted(uses))
        facts.ask([*asked, *(each for c in wide for each in _extent(c))])
        columns = tuple(
            _fit_scale(facts, column, position in uses) if column.is_wide else column
            for position, column in enumerate(self._stored.columns)
        )
        return columns, prepare_typed(facts, columns, uses, options)


def _extent(column: PostgresColumn) -> list[Sql]:
    """SQL for the largest absolute value and the largest scale."""
    value = column.without_nan()
    return [sql.call("max", sql.call("abs", value)), sql.call("max", sql.call("scale", value.copy()))]


def _fit_scale(facts: Facts, column: PostgresColumn, is_named: bool) -> PostgresColumn:
    """A numeric column without declared digits, with the scale that its values need."""
    largest, scale = facts.ask(_extent(column))
    largest = largest or Decimal(0)
    before_point = max(largest.adjusted() + 1, 0) if largest.is_finite() else MOST_DIGITS + 1
    if before_point + (scale or 0) <= MOST_DIGITS:
        return replace(column, type=decimal(scale or 0))
    if is_named:
        raise table_errors.not_exact(column.name, table_errors.DIGITS)
    return replace(column, type=OPAQUE)


class UploadedTable:
    """A file or data frame, opened in DuckDB and uploaded for each policy."""

    def __init__(self, local: DuckDBTable, connection: Connection, open_other: Opener):
        self.duckdb_table = local
        self._connection = replace(connection, cancellation=local.cancellation)
        self.names = local.names
        self.about = about(connection.server)
        self.cancellation = local.cancellation
        self.open_other = open_other

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[UploadedToServer]:
        reading, keeping = ReadingSession(self._connection), KeepingSession(self._connection)
        try:
            with self.duckdb_table.load(uses, options) as local:
                yield UploadedToServer(reading, keeping, local)
        finally:
            keeping.clear()

    def with_row_keys(self) -> AbstractContextManager[OpenTable]:
        """Use the local table: every engine treats a record in the same way, and only DuckDB keeps the input order."""
        return self.duckdb_table.with_row_keys()

    def cancel(self) -> None:
        self.duckdb_table.cancel()
        self._connection.cancel()


class PostgresEngine:
    def __init__(self, url: str):
        self._url = url

    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[OpenTable]:
        with open_connection(self._url) as server, _open_table(table, options, Connection(server)) as found:
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        with open_connection(self._url) as server:
            yield KeepingSession(Connection(server))


@contextmanager
def _open_table(table: Any, options: Options, connection: Connection) -> Iterator[OpenTable]:
    open_other = partial(_open_table, connection=connection)
    if isinstance(table, str | os.PathLike) and not is_file(table):
        stored = StoredTable(*server_tables.find_table(ReadingSession(connection), os.fspath(table)))
        yield ServerTable(connection, stored, options.memory_limit, open_other)
        return
    with DuckDBEngine().open(table, options) as local:
        yield UploadedTable(local, connection, open_other)
