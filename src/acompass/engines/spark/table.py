"""Tables in Spark: opened once, then loaded for each policy.

CSV files are read as text; data frames, tables and Parquet files have types. A loaded table runs plans, and writes the
result to files or a table, or returns it.
"""

import itertools
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cached_property, partial
from typing import Any, Self

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as spark_functions
from sqlglot import exp

from acompass.arguments import OneShotTable, is_file
from acompass.dataclasses import dataclass, field, replace
from acompass.engines.errors import Cancellation, engine_error, output_exists, output_not_replaceable, require_plain
from acompass.engines.loading import PlannedTable, PreparedTable, prepare_text, prepare_typed, swap_separators
from acompass.engines.protocol import About, Destination, Opener, Outcome
from acompass.engines.reading import Facts
from acompass.engines.spark import output
from acompass.engines.spark.input import SparkColumn, local_files, read_columns, read_parquet, read_text, require_shared
from acompass.engines.spark.session import PlanSession, own_session, report_failures, start_spark
from acompass.language.program.types import MOST_DIGITS, TEXT, Kind, Type
from acompass.language.program.uses import ColumnUse
from acompass.plan.lowering import sql
from acompass.plan.lowering.spark import SPARK
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Session
from acompass.plan.run.execution import final_select
from acompass.tables.csv import Csv, require_names
from acompass.tables.format_errors import partition_unsupported
from acompass.tables.formats import CsvStyle, Options, ReadingOptions
from acompass.tables.input import open_source
from acompass.tables.output import is_stream, require_other_file, require_writable
from acompass.tables.source import Files, Frame, Source


class LoadedInSpark(PlannedTable):
    def __init__(self, table: "SparkTable", session: PlanSession, prepared: PreparedTable):
        super().__init__(prepared, session)
        self.session: PlanSession = session
        self._table = table
        #: a returned data frame still reads the session's views
        self.is_returned = False

    @property
    def state(self) -> State:
        return self.prepared.state(sql.table(self._table.relation, "t"), self._table.has_row_key)

    @property
    def style(self) -> CsvStyle:
        return self._table.style

    @property
    def statements(self) -> list[str]:
        return self.session.statements

    def check_destination(self, destination: Destination) -> None:
        path = destination.path
        if path is None:
            return
        if destination.partition:
            raise partition_unsupported("Spark")
        if not is_file(path):
            self._require_new_table(path, destination.replace)
            return
        require_writable(path, self._table.source)
        require_other_file(path, self._table.input_files())
        if is_stream(path):
            require_shared(self._table.catalog, "standard output")
        elif path.lower().endswith(".parquet"):
            output.require_replaceable(path)
        else:
            require_plain("CSV", self.schema)

    def _require_new_table(self, name: str, replace: bool) -> None:
        """Raise if the table exists, unless `replace` is given and it is not the input."""
        quoted = output.table_name(name).sql("spark")
        with report_failures():
            if not self._table.catalog.catalog.tableExists(quoted):
                return
        if self._table.reads(quoted):
            raise output_not_replaceable(name, "it is the input, which is only read")
        if not replace:
            raise output_exists(name)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        left, path = outcome.left, destination.path
        select = final_select(outcome.context, left, canonical=destination.canonical, keep_order=False)
        if path is None:
            self.is_returned = True
            return self._frame(select, outcome)
        if not is_file(path):
            output.write_table(self._table.catalog, self._frame(select, outcome), output.table_name(path))
        elif path.lower().endswith(".parquet"):
            output.write_parquet(self._frame(select, outcome), left.records, path)
        else:
            names = [left.schema[position].name for position in outcome.positions]
            style = replace(self._table.style, escapes_formulas=destination.escape_formulas)
            output.write_csv(self._lines(select, outcome, style), names, style, path)
        return None

    def _frame(self, select: exp.Select, outcome: Outcome) -> DataFrame:
        """The result with the table's column names. Columns that no action writes get their stored type back, and dates
        that were text become text again (D28)."""
        schema = outcome.left.schema
        with report_failures():
            frame = self.session.query(select)
            columns = {p: spark_functions.col(sql.name(p)) for p in outcome.positions}
            for position in columns.keys() & self.prepared.text_dates:
                text = SPARK.to_text(sql.column(position), schema[position].type).sql("spark")
                columns[position] = spark_functions.expr(text)
            for position, type_ in self._output_types(outcome).items():
                if position in columns:
                    columns[position] = columns[position].cast(type_)
            for position in columns.keys() & self.prepared.comma:
                if schema[position].type.kind is Kind.TEXT:
                    text = swap_separators(sql.column(position), SPARK).sql("spark")
                    columns[position] = spark_functions.expr(text)
            return frame.select(list(columns.values())).toDF(*(schema[p].name for p in columns))

    def _output_types(self, outcome: Outcome) -> dict[int, Any]:
        """The Spark types of the columns that must be cast for the output."""
        schema, prepared = outcome.left.schema, self.prepared
        spelled = {
            p: f"decimal({MOST_DIGITS},{c.type.scale})" for p, c in enumerate(schema) if c.type.is_spelled_decimal
        }
        changed = outcome.written | prepared.text_dates
        own = {c.position: c.data_type for c in self._table.columns if c.position not in changed}
        return {**spelled, **dict.fromkeys(prepared.read_from_text, "string"), **own}

    def _lines(self, select: exp.Select, outcome: Outcome, style: CsvStyle) -> DataFrame:
        stored = {c.position: c.stored for c in self._table.columns if c.position not in outcome.written}
        schema = outcome.left.schema
        comma = self.prepared.comma
        values: dict[int, tuple[sql.Sql, Type]] = {p: (sql.column(p, "w"), schema[p].type) for p in outcome.positions}
        for position in values.keys() & self.prepared.text_dates:
            values[position] = SPARK.to_text(*values[position]), TEXT
        fields = [output.csv_field(*value, stored.get(p), style, has_comma=p in comma) for p, value in values.items()]
        query = exp.select(exp.alias_(output.csv_line(fields, style.delimiter), "value")).from_(select.subquery("w"))
        with report_failures():
            return self.session.query(query)


@dataclass(frozen=True)
class SparkSessions:
    """The sessions, cancellation and view numbers that tables opened together share."""

    catalog: SparkSession  # the user's session
    spark: SparkSession  # our own session of the same application
    cancellation: Cancellation = field(default_factory=Cancellation)
    numbers: Iterator[int] = field(default_factory=itertools.count)  # for the names of views


class SparkTable(ABC):
    names: tuple[str, ...]
    columns: tuple[SparkColumn, ...] = ()
    style = CsvStyle()
    duckdb_table = None
    has_row_key = False

    def __init__(self, sessions: SparkSessions, source: Source, open_other: Opener):
        self.catalog = sessions.catalog
        self.spark = sessions.spark
        self.source = source
        self.about = About(f"Spark {sessions.spark.version}", has_tables=True)
        self.cancellation = sessions.cancellation
        self.open_other = open_other
        self._numbers = sessions.numbers
        self._reading = self._new_session()
        #: sessions whose views are read by returned data frames, so they must not be cleared
        self._returned: list[PlanSession] = []

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedInSpark]:
        session = self._new_session()
        loaded = LoadedInSpark(self, session, self._prepare(uses, options))
        try:
            yield loaded
        finally:
            if loaded.is_returned:
                self._returned.append(session)
            else:
                session.clear()

    @contextmanager
    def with_row_keys(self) -> Iterator[Self]:
        session = self._new_session()
        prepared = self._prepare({}, ReadingOptions())
        stored = [sql.column(position, "t") for position in range(len(self.names))]
        try:
            query = prepared.with_row_keys(session, stored, sql.table(self.relation, "t"))
            yield self._with_relation(session.store(query))
        finally:
            session.clear()

    def _with_relation(self, relation: str) -> Self:
        """The same table, read from a view with row keys, and without its cached facts."""
        other = copy(self)
        other.__dict__ |= {"relation": relation, "has_row_key": True}
        other.__dict__.pop("_facts", None)
        return other

    def cancel(self) -> None:
        self.cancellation.request()
        self.spark.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Clear our views, unless a returned data frame still reads them."""
        if not self._returned:
            self._reading.clear()

    @abstractmethod
    def input_files(self) -> tuple[str, ...]:
        """The files that the table is read from, if Spark knows them."""

    def reads(self, name: str) -> bool:
        """Whether the catalog's table of this name is the input, or stores some of its records."""
        with report_failures():
            stored = local_files(self.catalog.table(name))
            return not set(stored).isdisjoint(self.input_files()) or self._is_named(name)

    def _is_named(self, name: str) -> bool:
        given = self.source.table if isinstance(self.source, Frame) else None
        if not isinstance(given, str | os.PathLike):
            return False
        return self._full_name(os.fspath(given)) == self._full_name(name)

    def _full_name(self, name: str) -> tuple[object, ...]:
        found = self.catalog.catalog.getTable(name)
        return found.catalog, found.namespace, found.name

    @property
    @abstractmethod
    def relation(self) -> str:
        """The name of a view with the columns c0, c1, … as stored."""

    @abstractmethod
    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable: ...

    def _new_session(self) -> PlanSession:
        return PlanSession(self.spark, cancellation=self.cancellation, numbers=self._numbers)

    def _new_facts(self) -> Facts:
        return Facts(self._reading, sql.table(self.relation, "t"))


class CsvTable(SparkTable):
    """Read as text at once, because the names are known to be a header only when the records are (D37)."""

    def __init__(self, sessions: SparkSessions, source: Files, open_other: Opener):
        super().__init__(sessions, source, open_other)
        self._csv = Csv.open(source)
        self.relation  # noqa: B018  reads the files
        self.names, self.style = self._csv.names, self._csv.style

    def input_files(self) -> tuple[str, ...]:
        return tuple(os.path.realpath(path) for path in self._csv.source.given)

    @cached_property
    def relation(self) -> str:
        return read_text(self.spark, self._reading, self._csv)

    @cached_property
    def _facts(self) -> Facts:
        return self._new_facts()

    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
        return prepare_text(self._facts, self._csv, uses, options)


class FrameTable(SparkTable):
    """A data frame may be recomputed each time, so facts are not shared between policies."""

    def __init__(self, sessions: SparkSessions, source: Source, open_other: Opener, frame: DataFrame):
        super().__init__(sessions, source, open_other)
        with report_failures():
            self.columns = read_columns(frame)
        self.names = tuple(column.name for column in self.columns)
        require_names(self.names)
        self._frame = frame

    def input_files(self) -> tuple[str, ...]:
        with report_failures():
            return local_files(self._frame)

    @cached_property
    def relation(self) -> str:
        with report_failures():
            positional = (sql.name(column.position) for column in self.columns)
            return self._reading.view(self._frame.toDF(*positional))

    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
        return prepare_typed(self._new_facts(), self.columns, uses, options)


class SparkEngine:
    def __init__(self, master: str | SparkSession):
        """`master` is the URL of a master, `spark` for the configured master, or a session."""
        self._master = master

    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[SparkTable]:
        catalog = self._catalog()
        with report_failures():
            spark = own_session(catalog)
        with _open_table(table, options, SparkSessions(catalog, spark)) as found:
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        with report_failures():
            session = PlanSession(own_session(self._catalog()))
        try:
            yield session
        finally:
            session.clear()

    def _catalog(self) -> SparkSession:
        return self._master if isinstance(self._master, SparkSession) else start_spark(self._master)


def _catalog_table(spark: SparkSession, name: str) -> DataFrame:
    try:
        frame = spark.table(name)
        frame.schema  # noqa: B018  fails for a view whose table is gone
    except (AnalysisException, ParseException):
        help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
        raise engine_error("AC308", f"no table or view `{name}` in Spark's catalog", help_) from None
    return frame


@contextmanager
def _frame_in_session(frame: DataFrame, spark: SparkSession) -> Iterator[DataFrame]:
    """The frame in `spark`, another session of the same application."""
    name = f"acompass_{secrets.token_hex(8)}"
    with report_failures():
        database = spark.conf.get("spark.sql.globalTempDatabase")
        frame.createGlobalTempView(name)
    try:
        with report_failures():
            found = spark.table(f"{database}.{name}")
        yield found
    finally:
        with report_failures():
            spark.catalog.dropGlobalTempView(name)


@contextmanager
def _open_table(table: Any, options: Options, sessions: SparkSessions) -> Iterator[SparkTable]:
    open_other = partial(_open_table, sessions=sessions)
    with _source(table, options, sessions, open_other) as found:
        try:
            yield found
        finally:
            found.close()


@contextmanager
def _source(table: Any, options: Options, sessions: SparkSessions, open_other: Opener) -> Iterator[SparkTable]:
    if is_file(table):
        with open_source(table, options.file_format) as source:
            assert isinstance(source, Files), "a path names files"
            if source.are_copies:
                what = f"a copy of {source.shown[0]}" if source.given else "standard input"
                require_shared(sessions.spark, what)
            yield _files(sessions, source, open_other)
        return
    with _frame_in_session(_frame(sessions.catalog, table), sessions.spark) as frame:
        yield FrameTable(sessions, Frame(table), open_other, frame)


def _frame(spark: SparkSession, table: Any) -> DataFrame:
    if isinstance(table, DataFrame):
        return table
    if isinstance(table, str | os.PathLike):
        return _catalog_table(spark, os.fspath(table))
    given = table.given if isinstance(table, OneShotTable) else table
    help_ = "use a Spark data frame, the name of a table or a path, or omit the engine"
    raise engine_error("AC323", f"Spark cannot read a `{type(given).__name__}`", help_)


def _files(sessions: SparkSessions, source: Files, open_other: Opener) -> SparkTable:
    if source.format == "csv":
        return CsvTable(sessions, source, open_other)
    return FrameTable(sessions, source, open_other, read_parquet(sessions.spark, source))
