"""A loaded table on the server: run plans there, and write the result to a table or file, or return it."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from acompass.checked.types import TEXT, Kind, Type
from acompass.engines.decimal_comma import swapped
from acompass.engines.delivering import require_destination
from acompass.engines.duckdb.columns import WIDER_THAN_OTHERS
from acompass.engines.duckdb.connect import connection
from acompass.engines.duckdb.errors import failures as duckdb_failures
from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.restore import restore
from acompass.engines.duckdb.table import LoadedInDuckDB
from acompass.engines.duckdb.write import write
from acompass.engines.engine import Destination, Execution, Outcome
from acompass.engines.errors import cannot_hold, require_plain
from acompass.engines.loading import Prepared
from acompass.engines.planned import PlannedTable
from acompass.engines.postgres.columns import PostgresColumn, restored
from acompass.engines.postgres.relation import Relation
from acompass.engines.postgres.session import KeepingSession, ReadingSession
from acompass.engines.postgres.transfer import fetched, upload
from acompass.engines.postgres.write import Target, create_table, find_target, new_type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.postgres import POSTGRES
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.execute import final_select
from acompass.plan.running.session import Session
from acompass.tables.file_format import CsvStyle
from acompass.tables.source import Files, Source, is_file

#: results of server tables are returned like those of files, as PyArrow tables
_NO_FILES = Files((), (), "parquet")


class PostgresTable(PlannedTable):
    """`relation` is the input table on the server; None if the input was uploaded."""

    relation: Relation | None = None
    source: Source = _NO_FILES

    def __init__(self, reading: ReadingSession, keeping: KeepingSession, prepared: Prepared):
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
            self._target = find_target(self._reading, path, self.relation, destination.force)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        keep_order = outcome.left.has_row_key
        select = final_select(
            outcome.context, outcome.left, canonical=destination.canonical, keep_order=keep_order
        )
        if self._target is not None:
            names = [outcome.left.schema[position].name for position in outcome.positions]
            create_table(self._keeping, self._target, select, names, self._declared(outcome))
            return None
        types = {position: self._file_type(outcome, position) for position in outcome.positions}
        with fetched(self._keeping, select, types) as rows:
            return self._deliver_rows(rows, outcome, destination)

    def _new_type(self, outcome: Outcome, position: int) -> Type:
        """The type of a new column of an output table. Text read as numbers or dates is text again."""
        return TEXT if position in self.prepared.read_from_text else outcome.left.schema[position].type

    @abstractmethod
    def _declared(self, outcome: Outcome) -> Sequence[str]:
        """SQL for each column of `t` in the type that the output table declares."""

    @abstractmethod
    def _file_type(self, outcome: Outcome, position: int) -> str:
        """The DuckDB type of a result column."""

    @abstractmethod
    def _deliver_rows(self, rows: str, outcome: Outcome, destination: Destination) -> Any:
        """Write or return the result; `rows` is DuckDB SQL that yields it."""


@dataclass(frozen=True)
class StoredTable:
    """A table or view on the server. Only a copy whose records were numbered has a row key."""

    relation: Relation
    columns: tuple[PostgresColumn, ...]
    has_row_key: bool = False


class LoadedOnServer(PostgresTable):
    def __init__(
        self,
        reading: ReadingSession,
        keeping: KeepingSession,
        stored: StoredTable,
        prepared: Prepared,
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

    def _declared(self, outcome: Outcome) -> Sequence[str]:
        """A column that no action writes keeps its type, except for text that was read as dates: its type
        might be too short for a date in ISO form."""
        changed = outcome.written | self.prepared.text_dates
        return [
            new_type(self._new_type(outcome, i), f"t.{sql.name(i)}")
            if i in changed
            else restored(column, f"t.{sql.name(i)}")
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
        output = Output(rows, outcome.left.schema, stored=kept, changed=outcome.written)
        with connection(self._memory_limit) as con, duckdb_failures():
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
    def state(self) -> State:
        require_plain("PostgreSQL", self.schema)
        self._require_room()
        columns = [(sql.name(i), sql.stored_type(column.type)) for i, column in enumerate(self.schema)]
        select = self._local.state.select
        table = upload(self._local.con, select, self._keeping, [*columns, (ROW_KEY, "BIGINT")])
        uploaded = sql.everything(sql.table(table))
        return State(uploaded, self.schema, has_row_key=True, records=self.prepared.records)

    def _require_room(self) -> None:
        for position, stored in enumerate(self._local.layout.stored):
            if stored in WIDER_THAN_OTHERS and position not in self.prepared.named:
                raise cannot_hold("PostgreSQL", self.schema[position].name)

    def _declared(self, outcome: Outcome) -> Sequence[str]:
        types = {i: self._new_type(outcome, i) for i in outcome.positions}
        return [new_type(type_, self._value(i, type_)) for i, type_ in types.items()]

    def _value(self, position: int, type_: Type) -> str:
        """Text has the decimal commas that it had in the file."""
        value: sql.Sql = sql.column(position, "t")
        if position in self.prepared.comma and type_.kind is Kind.TEXT:
            value = swapped(value, POSTGRES)
        return value.sql("postgres")

    def _file_type(self, outcome: Outcome, position: int) -> str:
        """A column that the policy does not name keeps its type."""
        types = self._local.layout.stored
        stored = types[position] if types else ""
        if position in self.prepared.named or not stored or stored.startswith("ENUM("):
            return sql.stored_type(outcome.left.schema[position].type)
        return stored

    def _deliver_rows(self, rows: str, outcome: Outcome, destination: Destination) -> Any:
        # the rows are in the order of the temporary file that they are read from
        self._local.con.execute("SET preserve_insertion_order = true")
        return self._local.deliver_rows(rows, outcome, destination)
