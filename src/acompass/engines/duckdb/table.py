"""Tables in DuckDB: opened once, then loaded for each policy.

A loaded table runs plans, and writes or returns the result. Each engine has its own in-memory database.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property, partial
from typing import Any, assert_never

import duckdb
from sqlglot import exp

from acompass.dataclasses import dataclass, field, replace
from acompass.engines.duckdb.input import (
    DuckDBColumn,
    find_repeated_names,
    from_portable_time,
    portable_time,
    read_footers,
    read_text,
)
from acompass.engines.duckdb.output import Output, fetch_arrow, restore, write
from acompass.engines.duckdb.session import (
    DuckDBSession,
    PreviewCache,
    PreviewSession,
    connection,
    fresh_name,
    report_failures,
    select_parameters,
)
from acompass.engines.errors import Cancellation, note_opening
from acompass.engines.loading import PlannedTable, PreparedTable, prepare_text, prepare_typed
from acompass.engines.protocol import About, Destination, Execution, Outcome, require_destination
from acompass.engines.reading import RECORDS, Facts
from acompass.language.program.types import Kind
from acompass.language.program.uses import ColumnUse
from acompass.plan.lowering import sql
from acompass.plan.lowering.duckdb import DUCKDB
from acompass.plan.lowering.state import ROW_KEY, State, statement_text
from acompass.plan.run.context import Session
from acompass.plan.run.execution import final_select
from acompass.tables.arrow import ArrowColumns, Passenger, arrow_columns, arrow_parts
from acompass.tables.csv import Csv
from acompass.tables.formats import CsvStyle, FileFormat, Options, ReadingOptions
from acompass.tables.frames import (
    PYTHON_KINDS,
    FrameKind,
    PlainColumn,
    frame_kind,
    plain_columns,
    report_column_failures,
)
from acompass.tables.input import open_source
from acompass.tables.source import Files, Frame, Source, file_stamp

_PLAIN = CsvStyle()
#: up to this many values, restoring the input order is cheap; beyond, it would take a third of the time
_MOST_ORDERED = 20_000_000
#: DuckDB sorts records with more columns than this slowly
_MOST_SORTED_COLUMNS = 1_000
_MOST_VIEWS = 20
#: records of a row group, which DuckDB reads in one thread: further threads only wait for one another
_ROW_GROUP = 122_880


@dataclass(frozen=True)
class Layout:
    #: a view with the columns c0, c1, … of the loaded schema and the row key
    view: str
    keeps_order: bool
    #: the stored types of the columns that were converted for the plan
    converted: Mapping[int, str] = field(default_factory=dict)
    #: the stored types of all columns of a typed table
    stored: tuple[str, ...] = ()
    #: the types of a data frame
    arrow_types: tuple[Any, ...] = ()
    style: CsvStyle = _PLAIN


class LoadedInDuckDB(PlannedTable):
    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        source: Source,
        session: DuckDBSession,
        prepared: PreparedTable,
        layout: Layout,
        preview: Callable[[], DuckDBSession] | None = None,
    ):
        super().__init__(prepared, session)
        self._preview = preview
        self.session: DuckDBSession = session
        self.con = con
        self.source = source
        self.layout = layout

    @property
    def state(self) -> State:
        columns = [*(sql.column(i) for i in range(len(self.schema))), exp.column(ROW_KEY)]
        select = sql.query(columns, sql.table(self.layout.view))
        records, in_order = self.prepared.records, self.layout.keeps_order
        return State(select, self.schema, has_row_key=True, records=records, in_order=in_order)

    @cached_property
    def stand_ins(self) -> Mapping[int, tuple[sql.Sql, str]]:
        """Values of `t`, with their types, for Python and other engines in place of columns that they cannot hold and
        the policy does not read: times without a loss, and row keys for what has no order."""
        found: dict[int, tuple[sql.Sql, str]] = {}
        for position, stored in enumerate(self.layout.stored):
            if self.schema[position].type.kind is Kind.OPAQUE:
                found[position] = exp.column(ROW_KEY, table="t"), "BIGINT"
            elif position not in self.prepared.named and (time := portable_time(sql.column(position, "t"), stored)):
                found[position] = time
        return found

    def restored(self, position: int) -> str:
        """SQL for the value of a stand-in of `t`."""
        column = f"t.{sql.name(position)}"
        if self.schema[position].type.kind is Kind.OPAQUE:
            return f"(SELECT s.{sql.name(position)} FROM {self.layout.view} AS s WHERE s.{ROW_KEY} = {column})"
        return from_portable_time(column, self.layout.stored[position])

    def _session_for(self, execution: Execution) -> DuckDBSession:
        if execution.verdicts_only and self._preview is not None:
            return self._preview()
        return self.session

    @property
    def style(self) -> CsvStyle:
        return self.layout.style

    @property
    def statements(self) -> list[str]:
        return self.session.statements

    def check_destination(self, destination: Destination) -> None:
        require_destination(destination, self.source)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        keep_order = self._keeps_order(outcome)
        select = final_select(outcome.context, outcome.left, canonical=destination.canonical, keep_order=keep_order)
        statement = statement_text(select, DUCKDB.name)
        self.statements.append(statement)
        return self.deliver_rows(statement, outcome, destination)

    def _keeps_order(self, outcome: Outcome) -> bool:
        columns = len(outcome.left.schema)
        return columns <= _MOST_SORTED_COLUMNS and outcome.left.records * columns <= _MOST_ORDERED

    def deliver_rows(self, select: str, outcome: Outcome, destination: Destination) -> Any:
        """Write or return the rows of a SELECT with the columns c0, c1, … of the resulting schema."""
        prepared, layout, schema = self.prepared, self.layout, outcome.left.schema
        changed = outcome.written | prepared.text_dates
        # columns that no action writes get their stored type back, and columns read from text become text again
        kept = {position: layout.converted[position] for position in layout.converted.keys() - changed}
        stored = dict.fromkeys(prepared.read_from_text, "VARCHAR") | kept
        style = replace(layout.style, escapes_formulas=destination.escape_formulas)
        output = Output(select, schema, style, stored, changed, layout.arrow_types, prepared.comma)
        with report_failures():
            if destination.path is None:
                return restore(self.con, output, self.source)
            write(self.con, output, destination.path, destination.partition)
            return None


def open_table(con: duckdb.DuckDBPyConnection, source: Source, *, keeps_order: bool = True) -> "DuckDBTable":
    match source:
        case Files(format="csv"):
            return _CsvTable(con, source, keeps_order)
        case Files():
            return _ParquetTable(con, source, keeps_order)
        case Frame():
            return _open_frame(con, source, keeps_order)
        case _:
            assert_never(source)


def _open_frame(con: duckdb.DuckDBPyConnection, source: Frame, keeps_order: bool) -> "DuckDBTable":
    kind = frame_kind(source.table)
    if kind is FrameKind.ARROW_READER and source.table.content is None:
        return _ReaderTable(con, source, keeps_order)
    plain = plain_columns(source.table) if kind in PYTHON_KINDS else None
    if plain is None:
        return _FrameTable(con, source, keeps_order, arrow_columns(source.table))
    return _PythonTable(con, source, keeps_order, plain)


@contextmanager
def open_in_connection(con: duckdb.DuckDBPyConnection, table: Any, file_format: FileFormat) -> Iterator["DuckDBTable"]:
    with open_source(table, file_format) as source:
        yield open_table(con, source)


class DuckDBTable(ABC):
    """`keeps_order` is False if a memory limit makes it too expensive to keep the input order."""

    names: tuple[str, ...]
    about = About(f"DuckDB {duckdb.__version__}", has_tables=False)

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Source, keeps_order: bool):
        self.con = con
        self.source = source
        self.cancellation = Cancellation()
        self.keeps_order = keeps_order
        self._reading = DuckDBSession(con, self.cancellation)
        self._cache = PreviewCache(con)
        self._views: dict[str, str] = {}

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedInDuckDB]:
        session = DuckDBSession(self.con, self.cancellation)
        with report_failures():
            prepared = self.prepare(self.facts(uses), uses, options)
            view = self._view(prepared)
        try:
            layout = self.layout(prepared, view)
            new_preview = partial(self._new_preview, prepared.records)
            yield LoadedInDuckDB(self.con, self.source, session, prepared, layout, new_preview)
        finally:
            session.clear()
            self._cache.drop_unused()

    @property
    def duckdb_table(self) -> "DuckDBTable":
        return self

    def open_other(self, table: Any, options: Options) -> AbstractContextManager["DuckDBTable"]:
        return open_in_connection(self.con, table, options.file_format)

    def with_row_keys(self) -> AbstractContextManager["DuckDBTable"]:
        """Every table in DuckDB already has row keys."""
        return nullcontext(self)

    def cancel(self) -> None:
        self.cancellation.request()
        self.con.interrupt()

    @property
    @abstractmethod
    def relation(self) -> str:
        """The name of a table or view with the columns c0, c1, … as stored and the row key."""

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        """Facts about the relation, including those that are known without a query."""
        return self._facts

    @cached_property
    def _facts(self) -> Facts:
        return self._new_facts()

    @abstractmethod
    def prepare(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable: ...

    @abstractmethod
    def layout(self, prepared: PreparedTable, view: str) -> Layout: ...

    def _new_facts(self) -> Facts:
        return Facts(self._reading, sql.table(self.relation, "t"))

    def content(self) -> Hashable:
        """A value that changes when the content of the table changes."""
        return None

    def _new_preview(self, records: int) -> PreviewSession:
        self.con.execute("SET threads = 1" if records <= _ROW_GROUP else "RESET threads")
        return self._cache.preview(self.content(), self.cancellation)

    def _view(self, prepared: PreparedTable) -> str:
        """Create a view, or reuse that of a table prepared in the same way: previews are cached by the text of their
        statements."""
        columns = [*prepared.projection(), exp.column(ROW_KEY, table="t")]
        query = statement_text(sql.query(columns, sql.table(self.relation, "t"), prepared.where), DUCKDB.name)
        if query not in self._views:
            self._drop_views()
            self._views[query] = fresh_name("loaded")
            self.con.execute(f"CREATE TEMP VIEW {self._views[query]} AS {query}")
        return self._views[query]

    def _drop_views(self) -> None:
        """Drop all views once there are many: each of them names every column of the table."""
        if len(self._views) < _MOST_VIEWS:
            return
        for view in self._views.values():
            self.con.execute(f"DROP VIEW IF EXISTS {view}")
        self._views.clear()


class _CsvTable(DuckDBTable):
    """Read as text at once, because the names are known to be a header only when the records are (D37)."""

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Files, keeps_order: bool):
        super().__init__(con, source, keeps_order)
        self._csv = Csv.open(source)
        self._text = read_text(con, self._csv)
        self._csv.require_header(lambda: find_repeated_names(con, self._csv, self._text))
        self.names = self._csv.names

    @cached_property
    def relation(self) -> str:
        view = fresh_name("text")
        columns = ", ".join(sql.name(position) for position in range(len(self.names)))
        self.con.execute(f"CREATE TEMP VIEW {view} AS SELECT {columns}, rowid AS {ROW_KEY} FROM {self._text}")
        return view

    def prepare(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
        return prepare_text(facts, self._csv, uses, options)

    def layout(self, prepared: PreparedTable, view: str) -> Layout:
        return Layout(view, self.keeps_order, style=self._csv.style)


class _TypedTable(DuckDBTable):
    columns: tuple[DuckDBColumn, ...]
    arrow_types: tuple[Any, ...] = ()

    def prepare(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
        for position, type_ in enumerate(self.arrow_types):
            is_read = position in uses and not uses[position].overwritten
            if is_read and isinstance(type_, Passenger) and type_.error is not None:
                raise type_.error
        return prepare_typed(facts, self.columns, uses, options)

    def layout(self, prepared: PreparedTable, view: str) -> Layout:
        named = (column for column in self.columns if column.position in prepared.named)
        converted = {column.position: column.stored for column in named if not column.is_enum}
        stored = tuple(column.stored for column in self.columns)
        return Layout(view, self.keeps_order, converted, stored, self.arrow_types)


class _ParquetTable(_TypedTable):
    """The files are scanned again for each policy, so facts are not shared between policies."""

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Files, keeps_order: bool):
        super().__init__(con, source, keeps_order)
        self._paths = source.paths
        self._parquet = read_footers(con, source)
        self.columns = self._parquet.columns
        self.names = tuple(column.name for column in self.columns)

    @cached_property
    def relation(self) -> str:
        view = fresh_name("scan")
        self.con.execute(f"CREATE TEMP VIEW {view} AS {self._parquet.select}")
        return view

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        facts = self._new_facts()
        facts.know(RECORDS, self._parquet.records(self.con))
        for position, count in self._parquet.null_counts(self.con, sorted(uses)).items():
            facts.know(sql.count_where(self.columns[position].is_missing()), count)
        return facts

    def content(self) -> Hashable:
        return tuple(map(file_stamp, self._paths))


class _PythonTable(_TypedTable):
    """Dicts or lists, passed as parameters, which does not need pyarrow."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, source: Frame, keeps_order: bool, plain: tuple[PlainColumn, ...]
    ):
        super().__init__(con, source, keeps_order)
        self.names = tuple(column.name for column in plain)
        self._plain = plain
        self._records = len(plain[0].values)

    @cached_property
    def relation(self) -> str:
        columns = [*((sql.name(i), each.type) for i, each in enumerate(self._plain)), (ROW_KEY, "BIGINT")]
        values = [*(column.values for column in self._plain), list(range(self._records))]
        name = fresh_name("values")
        self.con.execute(f"CREATE TEMP TABLE {name} AS {select_parameters(columns)}", values)
        return name

    @cached_property
    def columns(self) -> tuple[DuckDBColumn, ...]:  # type: ignore[override]
        return tuple(DuckDBColumn(i, each.name, each.type) for i, each in enumerate(self._plain))

    @cached_property
    def _facts(self) -> Facts:
        facts = self._new_facts()
        facts.know(RECORDS, self._records)
        for column, given in zip(self.columns, self._plain, strict=True):
            facts.know(sql.count_where(column.is_missing()), given.missing)
        return facts


class _ArrowTable(_TypedTable):
    @cached_property
    def columns(self) -> tuple[DuckDBColumn, ...]:  # type: ignore[override]
        described = self.con.execute(f"DESCRIBE {self.relation}").fetchall()
        types = [row[1] for row in described[:-1]]
        return tuple(DuckDBColumn(i, name, types[i]) for i, name in enumerate(self.names))

    def _register(self, arrow: ArrowColumns, first_key: int = 0) -> str:
        """A view of the columns, with row keys that count from `first_key`."""
        import pyarrow

        keys = f"SELECT range FROM range({first_key}, {first_key + arrow.records})"
        row_keys = self.con.sql(keys).to_arrow_table().column(0)
        labels = [*(sql.name(position) for position in range(len(arrow.names))), ROW_KEY]
        name = fresh_name("frame")
        table = pyarrow.table([*arrow.arrays, row_keys], names=labels)
        try:
            self.con.register(name, table)
        except duckdb.NotImplementedException:
            self._require_types(arrow)
            raise
        return name

    def _require_types(self, arrow: ArrowColumns) -> None:
        """Raise an error about the first column whose type DuckDB cannot read."""
        import pyarrow

        for name, array in zip(arrow.names, arrow.arrays, strict=True):
            with report_column_failures(name):
                self.con.from_arrow(pyarrow.table([array], names=["c0"]))


class _FrameTable(_ArrowTable):
    def __init__(self, con: duckdb.DuckDBPyConnection, source: Frame, keeps_order: bool, arrow: ArrowColumns):
        super().__init__(con, source, keeps_order)
        self._arrow = arrow
        self.names, self.arrow_types = arrow.names, arrow.types

    @cached_property
    def relation(self) -> str:
        return self._register(self._arrow)

    @cached_property
    def _facts(self) -> Facts:
        """Arrow knows its null counts, which do not include NaN."""
        facts = self._new_facts()
        facts.know(RECORDS, self._arrow.records)
        for column, array in zip(self.columns, self._arrow.arrays, strict=True):
            if not column.may_be_nan:
                facts.know(sql.count_where(column.is_missing()), array.null_count)
        return facts


class _ReaderTable(_ArrowTable):
    """A record batch reader, which may not fit in memory: it is copied to a table of DuckDB part by part."""

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Frame, keeps_order: bool):
        super().__init__(con, source, keeps_order)
        self._relation, records = fresh_name("reader"), 0
        for number, part in enumerate(arrow_parts(source.table.given)):
            self.names, self.arrow_types = part.names, part.types
            view = self._register(part, records)
            into = f"INSERT INTO {self._relation}" if number else f"CREATE TEMP TABLE {self._relation} AS"
            con.execute(f"{into} SELECT * FROM {view}")
            con.unregister(view)
            records += part.records
        source.table.content = self._fetch

    @property
    def relation(self) -> str:
        return self._relation

    def _fetch(self) -> Any:
        columns = ", ".join(sql.name(position) for position in range(len(self.names)))
        query = f"SELECT {columns} FROM {self._relation} ORDER BY {ROW_KEY}"
        return fetch_arrow(self.con, query, self.names, self.arrow_types)


class SampledTable(DuckDBTable):
    """A random sample of another table. Records keep their row keys, and thus their order and their line in a file."""

    def __init__(self, whole: DuckDBTable, records: int, seed: str):
        super().__init__(whole.con, whole.source, whole.keeps_order)
        self.names = whole.names
        self._whole = whole
        with report_failures():
            self._relation = self._draw_sample(records, seed)

    @property
    def relation(self) -> str:
        return self._relation

    def prepare(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
        return self._whole.prepare(facts, uses, options)

    def layout(self, prepared: PreparedTable, view: str) -> Layout:
        return self._whole.layout(prepared, view)

    def drop(self) -> None:
        with report_failures():
            self.con.execute(f"DROP TABLE {self._relation}")

    def _draw_sample(self, records: int, seed: str) -> str:
        """Store the records with the smallest hash of seed and row key, which is the same on every machine."""
        name, whole = fresh_name("sample"), self._whole.relation
        first = f"SELECT {ROW_KEY} FROM {whole} ORDER BY md5(concat($1::VARCHAR, ':', {ROW_KEY})) LIMIT $2"
        chosen = f"SELECT * FROM {whole} WHERE {ROW_KEY} IN ({first}) ORDER BY {ROW_KEY}"
        self.con.execute(f"CREATE TEMP TABLE {name} AS {chosen}", [seed, records])
        return name


#: bytes of files that one thread reads as fast as several
_SMALL = 1 << 16


def _is_small(source: Source) -> bool:
    try:
        return isinstance(source, Files) and sum(os.path.getsize(path) for path in source.paths) <= _SMALL
    except OSError:  # reported when the file is read
        return False


def _interrupt(con: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.ConnectionException):  # closed meanwhile
        con.interrupt()


class DuckDBEngine:
    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[DuckDBTable]:
        with (
            open_source(table, options.file_format) as source,
            connection(options.memory_limit, is_small=_is_small(source)) as con,
        ):
            # to preserve the order, DuckDB buffers the output, which a memory limit may not allow
            keeps_order = options.memory_limit is None
            if not keeps_order:
                con.execute("SET preserve_insertion_order = false")
            note_opening(partial(_interrupt, con))
            with report_failures():
                found = open_table(con, source, keeps_order=keeps_order)
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session for small tables."""
        with connection(None, is_small=True) as con:
            yield DuckDBSession(con)
