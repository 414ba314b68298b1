"""Send statements to Spark, and manage temporary views."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from acompass.engines.cancellation import Cancellation
from acompass.engines.spark.errors import failures
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.dialects.spark import SPARK

#: settings that affect the meaning of statements, and one that lets stored rows be in as many partitions as
#: their size asks for; otherwise, there are 200 for any table
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

#: stored queries that read one another before only the rows are handed on
_DEEPEST = 4

_ARROW_TYPES = {
    "INT": pyarrow.int32(),
    "BIGINT": pyarrow.int64(),
    "DOUBLE": pyarrow.float64(),
    "TEXT": pyarrow.string(),
    "BOOLEAN": pyarrow.bool_(),
    "DATE": pyarrow.date32(),
    "TIMESTAMP": pyarrow.timestamp("us"),
}


def own_session(spark: SparkSession) -> SparkSession:
    """A new session of the same application, with its own settings and temporary views."""
    session = spark.newSession()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


class PlanSession:
    """Stored rows stay on the workers that computed them. If a worker is lost, Spark recomputes them."""

    def __init__(
        self,
        spark: SparkSession,
        dialect: Dialect = SPARK,
        cancellation: Cancellation | None = None,
        numbers: Iterator[int] | None = None,
    ):
        """`numbers` are those of the views. Plan sessions of one Spark session must share them."""
        self.dialect = dialect
        self._cancellation = cancellation or Cancellation()
        self._spark = spark
        self._numbers = itertools.count() if numbers is None else numbers
        self._views: list[str] = []
        self._stored: list[DataFrame] = []
        self._depths: dict[str, int] = {}
        self.statements: list[str] = []

    def query(self, query: exp.Select) -> DataFrame:
        """The query as a data frame. Call this, and act on the data frame, within `failures`."""
        self._cancellation.check()
        self.statements.append(query.sql("spark"))
        return self._spark.sql(self.statements[-1])

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        with failures():
            return [tuple(row) for row in self.query(query).collect()]

    def store(self, query: exp.Select) -> str:
        """Spark plans a stored query as if it were written out in place of its name. Queries that each read
        the one before twice would grow exponentially, so from time to time only the rows are handed on."""
        depth = 1 + max((self._depths.get(table.name, 0) for table in query.find_all(exp.Table)), default=0)
        with failures():
            frame = self.query(query).persist(StorageLevel.MEMORY_AND_DISK)
            self._stored.append(frame)
            name = self.view(frame if depth < _DEEPEST else _rows_of(frame))
        self._depths[name] = depth % _DEEPEST
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        values = list(zip(*rows, strict=True)) or [() for _ in columns]
        arrays = [_array(type_, column) for (_, type_), column in zip(columns, values, strict=True)]
        table = pyarrow.table(arrays, names=[name for name, _ in columns])
        with failures():
            return self.view(self._spark.createDataFrame(table))

    def drop(self, name: str) -> None:
        """Spark computes rows when they are first read, so a later table may still be computed from these.
        Rows that do not fit in memory are on disk."""

    def view(self, frame: DataFrame) -> str:
        """Create a temporary view of the frame; return its name."""
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
        self._depths.clear()


def _rows_of(frame: DataFrame) -> DataFrame:
    """The rows without the query. Unlike a local checkpoint, they are computed again if a worker is lost."""
    spark, stored = frame.sparkSession, frame._jdf
    rows = stored.queryExecution().toRdd()
    return DataFrame(spark._jsparkSession.internalCreateDataFrame(rows, stored.schema(), False), spark)


def _array(type_: str, values: Sequence[Any]) -> pyarrow.Array:
    if not type_.startswith("DECIMAL"):
        return pyarrow.array(values, _ARROW_TYPES[type_])
    digits, scale = map(int, type_.removeprefix("DECIMAL(").rstrip(")").split(","))
    decimals = [None if value is None else Decimal(value) for value in values]
    return pyarrow.array(decimals, pyarrow.decimal128(digits, scale))
