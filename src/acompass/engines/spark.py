"""Apache Spark: start or join it, and open a table there."""

import os
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from acompass.engines import spark_faults
from acompass.engines.engine import TableRequest
from acompass.engines.spark_csv import read_csv
from acompass.engines.spark_files import is_file, locations, require_same_columns, require_shared
from acompass.engines.spark_reading import Read, read_frame
from acompass.engines.spark_session import PlanSession, failures, own_session
from acompass.engines.spark_table import SparkTable
from acompass.plan.running.session import Session
from acompass.tables.source import Files, Frame, Source, opened

_STANDARD_ERROR = 2

#: better than Spark's defaults, unless the user's own configuration says otherwise; its log quotes records
_DEFAULTS = {
    "spark.app.name": "acompass",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class SparkEngine:
    """`place` is a master's URL, `spark` for the configured one, or a session."""

    def __init__(self, place: str | SparkSession):
        self._place = place

    @contextmanager
    def open(self, request: TableRequest) -> Iterator[SparkTable]:
        given = self._given()
        with failures():
            spark = own_session(given)
        session = PlanSession(spark)
        with _read(given, spark, session, request) as (source, read):
            table = SparkTable(given, session, read, source, request.missing)
            try:
                yield table
            finally:
                if not table.is_handed_over:
                    session.clear()

    @contextmanager
    def session(self) -> Iterator[Session]:
        given = self._given()
        with failures():
            session = PlanSession(own_session(given))
        try:
            yield session
        finally:
            session.clear()

    def _given(self) -> SparkSession:
        return self._place if isinstance(self._place, SparkSession) else started(self._place)


def started(place: str) -> SparkSession:
    """The session of this process on that master, started if there is none. It ends with the process: a
    result may still be read through it."""
    running = SparkContext._active_spark_context
    if running is not None:
        if place not in ("spark", running.master):
            raise spark_faults.runs_elsewhere(place, str(running.master))
        return SparkSession.builder.getOrCreate()
    try:
        with _quietly(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return SparkSession.builder.config(conf=_configuration(place)).getOrCreate()
    except (PySparkException, Py4JError):
        raise spark_faults.cannot_start(place) from None


@contextmanager
def _quietly() -> Iterator[None]:
    """A Java started meanwhile has nowhere to print: it would greet, and later quote records."""
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
        # tables of such a catalog do not outlive the process, and no folder for them is to be left behind
        configuration.setIfMissing("spark.sql.warehouse.dir", _warehouse().name)
    if place == "spark":
        return configuration.setIfMissing("spark.master", "local[*]")
    return configuration.setMaster(place)


@cache
def _warehouse() -> tempfile.TemporaryDirectory[str]:
    """Removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="acompass-")


def _named(spark: SparkSession, name: str) -> DataFrame:
    try:
        frame = spark.table(name)
        frame.schema  # noqa: B018  a view can name what is gone
    except (AnalysisException, ParseException):
        raise spark_faults.no_such_table(name) from None
    return frame


@contextmanager
def _across(frame: DataFrame, spark: SparkSession) -> Iterator[DataFrame]:
    """The frame in another session of the same application."""
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
def _read(
    given: SparkSession, spark: SparkSession, session: PlanSession, request: TableRequest
) -> Iterator[tuple[Source, Read]]:
    table = request.table
    if isinstance(table, str | os.PathLike) and is_file(os.fspath(table)):
        with opened(table, request.delimiter) as source:
            assert isinstance(source, Files), "a path names files"
            if not source.kept:
                require_shared(spark, "standard input")
            yield source, _read_files(spark, session, source, request)
        return
    with _across(_frame(given, table), spark) as frame:
        yield Frame(table), read_frame(session, frame, request)


def _frame(spark: SparkSession, table: Any) -> DataFrame:
    if isinstance(table, DataFrame):
        return table
    if isinstance(table, str | os.PathLike):
        return _named(spark, os.fspath(table))
    raise spark_faults.lives_elsewhere(f"a `{type(table).__name__}`")


def _read_files(spark: SparkSession, session: PlanSession, source: Files, request: TableRequest) -> Read:
    if source.format == "csv":
        return read_csv(spark, session, source, request)
    require_same_columns(source)
    with failures():
        frame = spark.read.parquet(*locations(source))
    return read_frame(session, frame, request)
