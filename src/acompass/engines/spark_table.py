"""A policy on a table that Spark reads."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as spark_functions
from sqlglot import exp

from acompass.engines import spark_faults
from acompass.engines.engine import Destination
from acompass.engines.failures import require_plain
from acompass.engines.planned import PlannedTable
from acompass.engines.spark_csv import integer_columns
from acompass.engines.spark_files import is_file, require_shared
from acompass.engines.spark_output import (
    require_replaceable,
    table_name,
    write_csv,
    write_parquet,
    write_table,
)
from acompass.engines.spark_reading import Read
from acompass.engines.spark_session import PlanSession, failures
from acompass.engines.spark_text import field, line
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.running.execute import final_select
from acompass.plan.running.session import Session
from acompass.tables.missing import ERROR, require_complete
from acompass.tables.output import STANDARD_OUTPUT, is_device, require_writable
from acompass.tables.source import Files, Frame


class SparkTable(PlannedTable):
    """`spark` is the session that the caller sees, whose catalog is written to. What a result reads that was
    handed over as a data frame must stay."""

    def __init__(
        self, spark: SparkSession, session: PlanSession, read: Read, source: Files | Frame, missing: str
    ):
        super().__init__(read.schema, read.dropped)
        self._spark = spark
        self._session = session
        self._read = read
        self._source = source
        self._accepts_missing = missing != ERROR
        self.is_handed_over = False

    @property
    def statements(self) -> list[str]:
        return self._session.statements

    def require_complete(self) -> None:
        if not self._accepts_missing:
            require_complete(self.schema, self._read.missing)

    def prepare(self, destination: Destination) -> None:
        path = destination.path
        if path is None:
            return
        if not is_file(path):
            with failures():
                exists = self._spark.catalog.tableExists(table_name(path).sql("spark"))
            if exists and not destination.overwrite:
                raise spark_faults.output_exists(path)
            return
        require_writable(path, self._source, destination.overwrite)
        if path == STANDARD_OUTPUT or is_device(path):
            require_shared(self._spark, "standard output")
        elif path.lower().endswith(".parquet"):
            require_replaceable(path)
        else:
            require_plain("CSV", self.schema)

    def deliver(self, destination: Destination) -> Any:
        context, state = self._finished()
        select = final_select(context, state, canonical=destination.canonical, keep_order=False)
        path = destination.path
        if path is None:
            self.is_handed_over = True
            return self._frame(select, state)
        if not is_file(path):
            write_table(self._spark, self._frame(select, state), table_name(path))
        elif path.lower().endswith(".parquet"):
            write_parquet(self._frame(select, state), state.records, path)
        else:
            names = [column.name for column in state.schema]
            write_csv(self._lines(select, state), names, self._read.delimiter, path)
        return None

    def _planning(self) -> Session:
        return self._session

    def _given(self) -> State:
        return self._read.state

    def _frame(self, select: exp.Select, state: State) -> DataFrame:
        """Under the table's own names; a column that no action wrote has the type that it had."""
        with failures():
            frame = self._session.query(select)
            columns = [spark_functions.col(sql.name(p)) for p in range(len(state.schema))]
            kept = [column for column in self._read.columns if column.position not in self._written]
            for stored in kept:
                columns[stored.position] = columns[stored.position].cast(stored.data_type)
            return frame.select(columns).toDF(*(column.name for column in state.schema))

    def _lines(self, select: exp.Select, state: State) -> DataFrame:
        stored = {c.position: c.stored for c in self._read.columns if c.position not in self._written}
        delimiter = self._read.delimiter
        fields = [
            field(sql.column(p, "w"), column.type, stored.get(p), delimiter)
            for p, column in enumerate(state.schema)
        ]
        query = exp.select(exp.alias_(line(fields, delimiter), "value")).from_(select.subquery("w"))
        with failures():
            return self._session.query(query)

    def _order_integers(self) -> frozenset[int]:
        if not self._read.is_untyped:
            return frozenset()
        others = [p for p in range(len(self.schema)) if p not in self._read.named]
        return integer_columns(self._session, self._read.state, others)
