"""Start Spark or use a running session, and open a table there."""

import os
import secrets
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from acompass.engines.engine import Opener
from acompass.engines.spark import errors
from acompass.engines.spark.errors import failures
from acompass.engines.spark.files import locations, require_same_columns, require_shared
from acompass.engines.spark.read import CsvTable, FrameTable, Place, SparkTable
from acompass.engines.spark.session import PlanSession, own_session
from acompass.leftovers import folder_until_exit, note_process
from acompass.options import Options
from acompass.plan.running.session import Session
from acompass.tables.opening import opened
from acompass.tables.source import Files, Frame, is_file

_STANDARD_ERROR = 2

#: defaults that the user's configuration can override; the log is off because it quotes records
_DEFAULTS = {
    "spark.app.name": "acompass",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class SparkEngine:
    """`place` is the URL of a master, `spark` for the configured master, or a session."""

    def __init__(self, place: str | SparkSession):
        self._place = place

    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator[SparkTable]:
        catalog = self._catalog()
        with failures():
            spark = own_session(catalog)
        with _opened(table, options, Place(catalog, spark)) as found:
            yield found

    @contextmanager
    def session(self) -> Iterator[Session]:
        with failures():
            session = PlanSession(own_session(self._catalog()))
        try:
            yield session
        finally:
            session.clear()

    def _catalog(self) -> SparkSession:
        return self._place if isinstance(self._place, SparkSession) else started(self._place)


def started(place: str) -> SparkSession:
    """The session of this process on the given master, started if needed. It is not stopped, because a
    returned data frame may still need it."""
    running = SparkContext._active_spark_context
    if running is not None:
        if place not in ("spark", running.master):
            raise errors.runs_elsewhere(place, str(running.master))
        return SparkSession.builder.getOrCreate()
    try:
        with _quietly(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            session = SparkSession.builder.config(conf=_configuration(place)).getOrCreate()
    except (PySparkException, Py4JError):
        raise errors.cannot_start(place) from None
    java = getattr(SparkContext._gateway, "proc", None)
    if java is not None:
        note_process(java.pid)
    return session


@contextmanager
def _quietly() -> Iterator[None]:
    """Discard standard error while Java starts: Java would print banners there, and later quote records."""
    if os.environ.get("ACOMPASS_DEBUG"):
        yield
        return
    kept, nowhere = os.dup(_STANDARD_ERROR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STANDARD_ERROR)
    try:
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)
        os.close(nowhere)


def _configuration(place: str) -> SparkConf:
    configuration = SparkConf()
    for name, value in _DEFAULTS.items():
        configuration.setIfMissing(name, value)
    if configuration.get("spark.sql.catalogImplementation", "in-memory") == "in-memory":
        # tables of an in-memory catalog end with the process, so their folder must be temporary
        configuration.setIfMissing("spark.sql.warehouse.dir", _warehouse())
    if place == "spark":
        return configuration.setIfMissing("spark.master", "local[*]")
    return configuration.setMaster(place)


@cache
def _warehouse() -> str:
    """A folder that is removed when the process ends."""
    return folder_until_exit()


def _named(spark: SparkSession, name: str) -> DataFrame:
    try:
        frame = spark.table(name)
        frame.schema  # noqa: B018  fails for a view whose table is gone
    except (AnalysisException, ParseException):
        raise errors.no_such_table(name) from None
    return frame


@contextmanager
def _in_session(frame: DataFrame, spark: SparkSession) -> Iterator[DataFrame]:
    """The frame in `spark`, another session of the same application."""
    name = f"acompass_{secrets.token_hex(8)}"
    with failures():
        database = spark.conf.get("spark.sql.globalTempDatabase")
        frame.createGlobalTempView(name)
    try:
        with failures():
            found = spark.table(f"{database}.{name}")
        yield found
    finally:
        with failures():
            spark.catalog.dropGlobalTempView(name)


@contextmanager
def _opened(table: Any, options: Options, place: Place) -> Iterator[SparkTable]:
    beside = partial(_opened, place=place)
    with _source(table, options, place, beside) as found:
        try:
            yield found
        finally:
            found.close()


@contextmanager
def _source(table: Any, options: Options, place: Place, beside: Opener) -> Iterator[SparkTable]:
    if is_file(table):
        with opened(table, options.file_format) as source:
            assert isinstance(source, Files), "a path names files"
            if source.are_copies:
                what = f"a copy of {source.shown[0]}" if source.given else "standard input"
                require_shared(place.spark, what)
            yield _files(place, source, beside)
        return
    with _in_session(_frame(place.catalog, table), place.spark) as frame:
        yield FrameTable(place, Frame(table), beside, frame)


def _frame(spark: SparkSession, table: Any) -> DataFrame:
    if isinstance(table, DataFrame):
        return table
    if isinstance(table, str | os.PathLike):
        return _named(spark, os.fspath(table))
    raise errors.lives_elsewhere(f"a `{type(table).__name__}`")


def _files(place: Place, source: Files, beside: Opener) -> SparkTable:
    if source.format == "csv":
        return CsvTable(place, source, beside)
    require_same_columns(source)
    with failures():
        frame = place.spark.read.parquet(*locations(source))
    return FrameTable(place, source, beside, frame)
