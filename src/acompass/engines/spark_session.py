"""Statements to Spark, what it keeps between them, and its failures."""

import itertools
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pyarrow
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from acompass.engines.failures import engine_failed
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.dialects.spark import SPARK

#: what the meaning of a statement would else depend on
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.variable.substitute": "false",
}
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

_ARROW_TYPES = {
    "INT": pyarrow.int32(),
    "BIGINT": pyarrow.int64(),
    "DOUBLE": pyarrow.float64(),
    "TEXT": pyarrow.string(),
    "BOOLEAN": pyarrow.bool_(),
    "DATE": pyarrow.date32(),
    "TIMESTAMP": pyarrow.timestamp("us"),
}


@contextmanager
def failures() -> Iterator[None]:
    """Spark's errors as diagnostics; what pyspark would log of them quotes records."""
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


def own_session(spark: SparkSession) -> SparkSession:
    """Another session of the same application: its settings and temporary views are nobody else's."""
    session = spark.newSession()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


class PlanSession:
    """What is kept stays where it was worked out, and is worked out again where that is lost."""

    def __init__(self, spark: SparkSession, dialect: Dialect = SPARK):
        self.dialect = dialect
        self._spark = spark
        self._numbers = itertools.count()
        self._views: list[str] = []
        self._stored: list[DataFrame] = []
        self.statements: list[str] = []

    def query(self, query: exp.Select) -> DataFrame:
        """To be called, and its result acted on, under `failures`."""
        self.statements.append(query.sql("spark"))
        return self._spark.sql(self.statements[-1])

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        with failures():
            return [tuple(row) for row in self.query(query).collect()]

    def store(self, query: exp.Select) -> str:
        with failures():
            self._stored.append(self.query(query).persist(StorageLevel.MEMORY_AND_DISK))
            return self.view(self._stored[-1])

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        values = list(zip(*rows, strict=True)) or [() for _ in columns]
        arrays = [_array(type_, column) for (_, type_), column in zip(columns, values, strict=True)]
        table = pyarrow.table(arrays, names=[name for name, _ in columns])
        with failures():
            return self.view(self._spark.createDataFrame(table))

    def view(self, frame: DataFrame) -> str:
        """A name for the frame in statements."""
        name = f"kept{next(self._numbers)}"
        frame.createTempView(name)
        self._views.append(name)
        return name

    def clear(self) -> None:
        with failures():
            for name in self._views:
                self._spark.catalog.dropTempView(name)
            for frame in self._stored:
                frame.unpersist()
        self._views.clear()
        self._stored.clear()


def _array(type_: str, values: Sequence[Any]) -> pyarrow.Array:
    if not type_.startswith("DECIMAL"):
        return pyarrow.array(values, _ARROW_TYPES[type_])
    scale = int(type_.rstrip(")").split(",")[1])
    decimals = [None if value is None else Decimal(value) for value in values]
    return pyarrow.array(decimals, pyarrow.decimal128(38, scale))
