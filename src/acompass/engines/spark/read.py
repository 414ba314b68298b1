"""Tables in Spark. CSV files are read as text; data frames, tables and Parquet files have types."""

import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from pyspark.sql import DataFrame, SparkSession

from acompass.checked.uses import ColumnUse
from acompass.engines.cancellation import Cancellation
from acompass.engines.engine import About, Opener
from acompass.engines.facts import Facts
from acompass.engines.loading import Prepared, prepare_text, prepare_typed
from acompass.engines.spark.columns import SparkColumn, stored_column
from acompass.engines.spark.csv import read_text
from acompass.engines.spark.errors import failures
from acompass.engines.spark.files import local_files
from acompass.engines.spark.session import PlanSession
from acompass.engines.spark.table import LoadedInSpark
from acompass.options import ReadingOptions
from acompass.plan.lowering import sql
from acompass.tables.csv import Csv
from acompass.tables.file_format import CsvStyle
from acompass.tables.header import require_names
from acompass.tables.source import Files, Frame, Source


@dataclass(frozen=True)
class Place:
    """`catalog` is the user's session, `spark` our own session of the same application. Tables that are open
    in it together share the numbers of its views."""

    catalog: SparkSession
    spark: SparkSession
    cancellation: Cancellation = field(default_factory=Cancellation)
    numbers: Iterator[int] = field(default_factory=itertools.count)


class SparkTable(ABC):
    names: tuple[str, ...]
    columns: tuple[SparkColumn, ...] = ()
    style = CsvStyle()
    duckdb_table = None
    has_row_key = False

    def __init__(self, place: Place, source: Source, beside: Opener):
        self.catalog = place.catalog
        self.spark = place.spark
        self.source = source
        self.about = About(f"Spark {place.spark.version}", has_tables=True)
        self.cancellation = place.cancellation
        self.beside = beside
        self._numbers = place.numbers
        self._reading = self._new_session()
        #: sessions whose views are read by returned data frames, so they must not be cleared
        self._handed_over: list[PlanSession] = []

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedInSpark]:
        session = self._new_session()
        loaded = LoadedInSpark(self, session, self._prepare(uses, options))
        try:
            yield loaded
        finally:
            if loaded.is_handed_over:
                self._handed_over.append(session)
            else:
                session.clear()

    @contextmanager
    def numbered(self) -> Iterator[Self]:
        session = self._new_session()
        prepared = self._prepare({}, ReadingOptions())
        stored = [sql.column(position, "t") for position in range(len(self.names))]
        try:
            yield self._over(session.store(prepared.numbered(session, stored, sql.table(self.relation, "t"))))
        finally:
            session.clear()

    def _over(self, relation: str) -> Self:
        """The same table, read from a view with row keys. Its facts are asked again."""
        other = copy(self)
        other.__dict__ |= {"relation": relation, "has_row_key": True}
        other.__dict__.pop("_facts", None)
        return other

    def cancel(self) -> None:
        self.cancellation.request()
        self.spark.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Clear our views, unless a returned data frame still reads them."""
        if not self._handed_over:
            self._reading.clear()

    @abstractmethod
    def input_files(self) -> tuple[str, ...]:
        """The files that the table is read from, as far as Spark knows them."""

    def reads(self, name: str) -> bool:
        """Whether the table of this name in the catalog is the input, or stores records of it."""
        with failures():
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
    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared: ...

    def _new_session(self) -> PlanSession:
        return PlanSession(self.spark, cancellation=self.cancellation, numbers=self._numbers)

    def _new_facts(self) -> Facts:
        return Facts(self._reading, sql.table(self.relation, "t"))


class CsvTable(SparkTable):
    """Read as text on the first load; later policies reuse the text."""

    def __init__(self, place: Place, source: Files, beside: Opener):
        super().__init__(place, source, beside)
        self._csv = Csv.of(source)
        self.names, self.style = self._csv.names, self._csv.style

    def input_files(self) -> tuple[str, ...]:
        return tuple(os.path.realpath(path) for path in self._csv.source.given)

    @cached_property
    def relation(self) -> str:
        return read_text(self.spark, self._reading, self._csv)

    @cached_property
    def _facts(self) -> Facts:
        return self._new_facts()

    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
        return prepare_text(self._facts, self._csv, uses, options)


class FrameTable(SparkTable):
    """A data frame may be recomputed each time, so facts are not shared between policies."""

    def __init__(self, place: Place, source: Source, beside: Opener, frame: DataFrame):
        super().__init__(place, source, beside)
        with failures():
            self.columns = tuple(stored_column(i, each) for i, each in enumerate(frame.schema.fields))
        self.names = tuple(column.name for column in self.columns)
        require_names(self.names)
        self._frame = frame

    def input_files(self) -> tuple[str, ...]:
        with failures():
            return local_files(self._frame)

    @cached_property
    def relation(self) -> str:
        with failures():
            positional = (sql.name(column.position) for column in self.columns)
            return self._reading.view(self._frame.toDF(*positional))

    def _prepare(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
        return prepare_typed(self._new_facts(), self.columns, uses, options)
