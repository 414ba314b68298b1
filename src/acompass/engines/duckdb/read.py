"""Tables in DuckDB: opened once, then loaded for each policy."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import Any, assert_never

import duckdb
from sqlglot import exp

from acompass.checked.uses import ColumnUse
from acompass.engines.cancellation import Cancellation
from acompass.engines.duckdb.columns import DuckDBColumn
from acompass.engines.duckdb.csv import read_text
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.memory import Memory, RememberingSession
from acompass.engines.duckdb.names import fresh_name
from acompass.engines.duckdb.parquet import read_footers
from acompass.engines.duckdb.session import DuckDBSession, select_parameters
from acompass.engines.duckdb.table import Layout, LoadedInDuckDB
from acompass.engines.engine import About
from acompass.engines.facts import RECORDS, Facts
from acompass.engines.loading import Prepared, prepare_text, prepare_typed
from acompass.options import Options, ReadingOptions
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY
from acompass.tables.csv import Csv
from acompass.tables.file_format import FileFormat
from acompass.tables.frame_failures import column_failures
from acompass.tables.frames import FrameKind, kind_of
from acompass.tables.from_dicts import PlainColumn, plain_columns
from acompass.tables.from_frame import arrow_columns
from acompass.tables.opening import opened
from acompass.tables.source import Files, Frame, Source, stamp

_MOST_VIEWS = 20


def open_table(con: duckdb.DuckDBPyConnection, source: Source, *, keeps_order: bool = True) -> "DuckDBTable":
    match source:
        case Files(format="csv"):
            return _CsvTable(con, source, keeps_order)
        case Files():
            return _ParquetTable(con, source, keeps_order)
        case Frame():
            plain = plain_columns(source.table) if kind_of(source.table) is FrameKind.DICTS else None
            if plain is None:
                return _FrameTable(con, source, keeps_order)
            return _DictsTable(con, source, keeps_order, plain)
        case _:
            assert_never(source)


@contextmanager
def opened_in(con: duckdb.DuckDBPyConnection, table: Any, file_format: FileFormat) -> Iterator["DuckDBTable"]:
    with opened(table, file_format) as source:
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
        self._memory = Memory(con)
        self._views: dict[str, str] = {}

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedInDuckDB]:
        session = DuckDBSession(self.con, self.cancellation)
        with failures():
            prepared = self.prepared(self.facts(uses), uses, options)
            view = self._view(prepared)
        try:
            layout = self.layout(prepared, view)
            yield LoadedInDuckDB(self.con, self.source, session, prepared, layout, self._new_preview)
        finally:
            session.clear()
            self._memory.forget_old()

    @property
    def duckdb_table(self) -> "DuckDBTable":
        return self

    def beside(self, table: Any, options: Options) -> AbstractContextManager["DuckDBTable"]:
        return opened_in(self.con, table, options.file_format)

    def numbered(self) -> AbstractContextManager["DuckDBTable"]:
        """Every table in DuckDB has row keys."""
        return nullcontext(self)

    def cancel(self) -> None:
        self.cancellation.request()
        self.con.interrupt()

    @property
    @abstractmethod
    def relation(self) -> str:
        """The name of a table or view with the columns c0, c1, … as stored and the row key."""

    @abstractmethod
    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        """Facts about the relation, with those that are known without a query."""

    @abstractmethod
    def prepared(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared: ...

    @abstractmethod
    def layout(self, prepared: Prepared, view: str) -> Layout: ...

    def _new_facts(self) -> Facts:
        return Facts(self._reading, sql.table(self.relation, "t"))

    def content(self) -> Hashable:
        """What differs once the table has other content than when it was opened."""
        return None

    def _new_preview(self) -> RememberingSession:
        return self._memory.preview(self.content(), self.cancellation)

    def _view(self, prepared: Prepared) -> str:
        """Of a table that is prepared alike, the same view: previews know their statements by their text."""
        columns = [*prepared.projection(), exp.column(ROW_KEY, table="t")]
        query = sql.query(columns, sql.table(self.relation, "t"), prepared.where).sql("duckdb")
        if query not in self._views:
            self._drop_views()
            self._views[query] = fresh_name("loaded")
            self.con.execute(f"CREATE TEMP VIEW {self._views[query]} AS {query}")
        return self._views[query]

    def _drop_views(self) -> None:
        """Drop all once there are many: each names every column of the table."""
        if len(self._views) < _MOST_VIEWS:
            return
        for view in self._views.values():
            self.con.execute(f"DROP VIEW IF EXISTS {view}")
        self._views.clear()


class _CsvTable(DuckDBTable):
    """Read as text on the first load; later policies reuse the text."""

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Files, keeps_order: bool):
        super().__init__(con, source, keeps_order)
        self._csv = Csv.of(source)
        self.names = self._csv.names

    @cached_property
    def relation(self) -> str:
        view = fresh_name("text")
        columns = ", ".join(sql.name(position) for position in range(len(self.names)))
        text = read_text(self.con, self._csv)
        self.con.execute(f"CREATE TEMP VIEW {view} AS SELECT {columns}, rowid AS {ROW_KEY} FROM {text}")
        return view

    @cached_property
    def _facts(self) -> Facts:
        return self._new_facts()

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        return self._facts

    def prepared(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
        return prepare_text(facts, self._csv, uses, options)

    def layout(self, prepared: Prepared, view: str) -> Layout:
        return Layout(view, self.keeps_order, style=self._csv.style)


class _TypedTable(DuckDBTable):
    columns: tuple[DuckDBColumn, ...]

    def prepared(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
        return prepare_typed(facts, self.columns, uses, options)

    def _kept_types(self, prepared: Prepared) -> dict[int, str]:
        """The stored types of the columns that are converted for the plan."""
        converted = (column for column in self.columns if column.position in prepared.named)
        return {column.position: column.stored for column in converted if not column.is_enum}


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
        return tuple(map(stamp, self._paths))

    def layout(self, prepared: Prepared, view: str) -> Layout:
        return Layout(
            view, self.keeps_order, self._kept_types(prepared), tuple(c.stored for c in self.columns)
        )


class _DictsTable(_TypedTable):
    """A list of dicts, sent as parameters: it needs no pyarrow."""

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        source: Frame,
        keeps_order: bool,
        plain: tuple[PlainColumn, ...],
    ):
        super().__init__(con, source, keeps_order)
        self.names = tuple(column.name for column in plain)
        self._plain = plain
        self._records = len(source.table)

    @cached_property
    def relation(self) -> str:
        columns = [*((sql.name(i), each.type) for i, each in enumerate(self._plain)), (ROW_KEY, "BIGINT")]
        values = [*(column.values for column in self._plain), list(range(self._records))]
        name = fresh_name("dicts")
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

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        return self._facts

    def layout(self, prepared: Prepared, view: str) -> Layout:
        stored = tuple(column.stored for column in self.columns)
        return Layout(view, self.keeps_order, self._kept_types(prepared), stored)


class _FrameTable(_TypedTable):
    def __init__(self, con: duckdb.DuckDBPyConnection, source: Frame, keeps_order: bool):
        super().__init__(con, source, keeps_order)
        self._arrow = arrow_columns(source.table)
        self.names = self._arrow.names

    @cached_property
    def relation(self) -> str:
        import pyarrow

        row_keys = self.con.sql(f"SELECT range FROM range({self._arrow.records})").to_arrow_table().column(0)
        labels = [*(sql.name(position) for position in range(len(self.names))), ROW_KEY]
        name = fresh_name("frame")
        table = pyarrow.table([*self._arrow.arrays, row_keys], names=labels)
        try:
            self.con.register(name, table)
        except duckdb.NotImplementedException:
            self._require_types()
            raise
        return name

    def _require_types(self) -> None:
        """Report the first column of a type that DuckDB does not read."""
        import pyarrow

        for name, array in zip(self.names, self._arrow.arrays, strict=True):
            with column_failures(name):
                self.con.from_arrow(pyarrow.table([array], names=["c0"]))

    @cached_property
    def columns(self) -> tuple[DuckDBColumn, ...]:  # type: ignore[override]
        described = self.con.execute(f"DESCRIBE {self.relation}").fetchall()
        types = [row[1] for row in described[:-1]]
        return tuple(DuckDBColumn(i, name, types[i]) for i, name in enumerate(self.names))

    @cached_property
    def _facts(self) -> Facts:
        """Arrow knows its null counts, which do not include NaN."""
        facts = self._new_facts()
        facts.know(RECORDS, self._arrow.records)
        for column, array in zip(self.columns, self._arrow.arrays, strict=True):
            if not column.may_be_nan:
                facts.know(sql.count_where(column.is_missing()), array.null_count)
        return facts

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        return self._facts

    def layout(self, prepared: Prepared, view: str) -> Layout:
        stored = tuple(column.stored for column in self.columns)
        return Layout(view, self.keeps_order, self._kept_types(prepared), stored, self._arrow.types)
