"""Start Spark, send statements, manage temporary views, and turn Spark's errors into diagnostics.

Spark's own messages may quote records, so they are never shown.
"""

import itertools
import logging
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext, StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from acompass.engines.errors import Cancellation, engine_error, engine_failed
from acompass.errors.diagnostics import EngineError, option_text
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.spark import SPARK
from acompass.tables.temporary_files import folder_until_exit, note_process

#: settings that affect the meaning of statements, and one that adapts the number of partitions of stored rows to their
#: size; otherwise, every table has 200
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.variable.substitute": "false",
}

#: after this many stored queries that read one another, only the rows are passed on
_DEEPEST = 4

_ARROW_TYPES = {
    "INT": pyarrow.int32(),
    "BIGINT": pyarrow.int64(),
    "DOUBLE": pyarrow.float64(),
    "TEXT": pyarrow.string(),
    "BOOLEAN": pyarrow.bool_(),
    "DATE": pyarrow.date32(),
    "TIMESTAMP": pyarrow.timestamp("us"),
    "BLOB": pyarrow.binary(),
}


def own_session(spark: SparkSession) -> SparkSession:
    """A new session of the same application, with its own settings and temporary views."""
    session = spark.newSession()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


class PlanSession:
    """Sends the statements of plans. Stored rows stay on the workers that computed them; if a worker is lost, Spark
    recomputes them."""

    def __init__(
        self,
        spark: SparkSession,
        dialect: Dialect = SPARK,
        cancellation: Cancellation | None = None,
        numbers: Iterator[int] | None = None,
    ):
        """`numbers` are used in the names of views. All plan sessions of a Spark session must share them."""
        self.dialect = dialect
        self._cancellation = cancellation or Cancellation()
        self._spark = spark
        self._numbers = itertools.count() if numbers is None else numbers
        self._views: list[str] = []
        self._stored: list[DataFrame] = []
        self._depths: dict[str, int] = {}
        self.statements: list[str] = []

    def query(self, query: exp.Select) -> DataFrame:
        """The query as a data frame. Call this, and act on the data frame, within `report_failures`."""
        self._cancellation.check()
        self.statements.append(query.sql("spark"))
        return self._spark.sql(self.statements[-1])

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        with report_failures():
            return [tuple(row) for row in self.query(query).collect()]

    def store(self, query: exp.Select) -> str:
        """Store a query. Spark plans it as if it were written out wherever it is read, so queries that each read the
        previous one twice would grow exponentially; every few queries, only the rows are passed on."""
        depth = 1 + max((self._depths.get(table.name, 0) for table in query.find_all(exp.Table)), default=0)
        with report_failures():
            frame = self.query(query).persist(StorageLevel.MEMORY_AND_DISK)
            self._stored.append(frame)
            name = self.view(frame if depth < _DEEPEST else _detach_rows(frame))
        self._depths[name] = depth % _DEEPEST
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        values = list(zip(*rows, strict=True)) or [() for _ in columns]
        arrays = [_array(type_, column) for (_, type_), column in zip(columns, values, strict=True)]
        table = pyarrow.table(arrays, names=[name for name, _ in columns])
        with report_failures():
            return self.view(self._spark.createDataFrame(table))

    def drop(self, name: str) -> None:
        """Keep the rows: Spark computes a table when it is first read, and a later one may still need these. Rows that
        do not fit in memory are on disk."""

    def view(self, frame: DataFrame) -> str:
        """Create a temporary view of the frame; return its name."""
        name = f"kept{next(self._numbers)}"
        frame.createTempView(name)
        self._views.append(name)
        return name

    def clear(self) -> None:
        with report_failures():
            for name in self._views:
                self._spark.catalog.dropTempView(name)
            for frame in self._stored:
                frame.unpersist()
        self._views.clear()
        self._stored.clear()
        self._depths.clear()


def _detach_rows(frame: DataFrame) -> DataFrame:
    """The rows without the query. Unlike a local checkpoint, they are recomputed if a worker is lost."""
    spark, stored = frame.sparkSession, frame._jdf
    rows = stored.queryExecution().toRdd()
    return DataFrame(spark._jsparkSession.internalCreateDataFrame(rows, stored.schema(), False), spark)


def _array(type_: str, values: Sequence[Any]) -> pyarrow.Array:
    if not type_.startswith("DECIMAL"):
        return pyarrow.array(values, _ARROW_TYPES[type_])
    digits, scale = map(int, type_.removeprefix("DECIMAL(").rstrip(")").split(","))
    decimals = [None if value is None else Decimal(value) for value in values]
    return pyarrow.array(decimals, pyarrow.decimal128(digits, scale))


_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def report_failures() -> Iterator[None]:
    """Turn Spark's errors into diagnostics, and disable pyspark's error log, which quotes records."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    were_disabled = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise engine_failed("Spark", error) from None
    finally:
        for logger, was_disabled in zip(loggers, were_disabled, strict=True):
            logger.disabled = was_disabled


def not_shared(what: str) -> EngineError:
    help_ = f"use a file system that all workers share, or `{option_text('engine', 'local[*]')}`"
    return engine_error("AC324", f"the workers of a cluster cannot reach {what}", help_)


_STANDARD_ERROR = 2

_NEEDS = (
    "check that Java 17 or later is installed (`java -version`) and that the master is running; use a "
    "master such as `spark://host:7077` or `local[4]`"
)
#: defaults that the user's configuration can override; the log is off because it quotes records
_DEFAULTS = {
    "spark.app.name": "acompass",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def start_spark(master: str) -> SparkSession:
    """The session of this process on the given master, started if needed. It is never stopped, because a returned data
    frame may still need it."""
    running = SparkContext._active_spark_context
    if running is not None:
        if master not in ("spark", running.master):
            message = f"Spark is already running on `{running.master}` in this process, not on `{master}`"
            raise engine_error("AC322", message, f"use `{running.master}`, or stop it first")
        return SparkSession.builder.getOrCreate()
    try:
        with _quietly(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            session = SparkSession.builder.config(conf=_configuration(master)).getOrCreate()
    except (PySparkException, Py4JError):
        raise engine_error("AC321", f"cannot start Spark on `{master}`", _NEEDS) from None
    java = getattr(SparkContext._gateway, "proc", None)
    if java is not None:
        note_process(java.pid)
    return session


@contextmanager
def _quietly() -> Iterator[None]:
    """Discard Java's standard error, where it prints banners at the start and quotes records later."""
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


def _configuration(master: str) -> SparkConf:
    configuration = SparkConf()
    for name, value in _DEFAULTS.items():
        configuration.setIfMissing(name, value)
    if configuration.get("spark.sql.catalogImplementation", "in-memory") == "in-memory":
        # the tables of an in-memory catalog do not outlive the process, so their folder is temporary
        configuration.setIfMissing("spark.sql.warehouse.dir", _warehouse())
    if master == "spark":
        return configuration.setIfMissing("spark.master", "local[*]")
    return configuration.setMaster(master)


@cache
def _warehouse() -> str:
    """A folder that is removed when the process ends."""
    return folder_until_exit()
