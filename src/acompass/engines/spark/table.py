"""A loaded table in Spark: run plans there, and write the result to files or a table, or return it."""

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as spark_functions
from sqlglot import exp

from acompass.checked.types import MOST_DIGITS, Kind
from acompass.engines.decimal_comma import swapped
from acompass.engines.engine import Destination, Outcome
from acompass.engines.errors import output_exists, output_not_replaceable, require_plain
from acompass.engines.loading import Prepared
from acompass.engines.planned import PlannedTable
from acompass.engines.spark.errors import failures
from acompass.engines.spark.files import require_shared
from acompass.engines.spark.session import PlanSession
from acompass.engines.spark.text import field, line
from acompass.engines.spark.write import (
    require_replaceable,
    table_name,
    write_csv,
    write_parquet,
    write_table,
)
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.spark import SPARK
from acompass.plan.lowering.state import State
from acompass.plan.running.execute import final_select
from acompass.tables.file_format import CsvStyle
from acompass.tables.format_errors import partition_elsewhere
from acompass.tables.output import is_stream, require_other_file, require_writable
from acompass.tables.source import is_file

if TYPE_CHECKING:
    from acompass.engines.spark.read import SparkTable


class LoadedInSpark(PlannedTable):
    """After a result is returned as a data frame, `is_handed_over` is True and its views must stay."""

    def __init__(self, table: "SparkTable", session: PlanSession, prepared: Prepared):
        super().__init__(prepared, session)
        self.session: PlanSession = session
        self._table = table
        self.is_handed_over = False

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
            raise partition_elsewhere("Spark")
        if not is_file(path):
            self._require_new_table(path, destination.force)
            return
        require_writable(path, self._table.source)
        require_other_file(path, self._table.input_files())
        if is_stream(path):
            require_shared(self._table.catalog, "standard output")
        elif path.lower().endswith(".parquet"):
            require_replaceable(path)
        else:
            require_plain("CSV", self.schema)

    def _require_new_table(self, name: str, force: bool) -> None:
        """Raise if the table exists and is the input, or is not to be replaced."""
        quoted = table_name(name).sql("spark")
        with failures():
            if not self._table.catalog.catalog.tableExists(quoted):
                return
        if self._table.reads(quoted):
            raise output_not_replaceable(name, "it is the input, which is only read")
        if not force:
            raise output_exists(name)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        left, path = outcome.left, destination.path
        select = final_select(outcome.context, left, canonical=destination.canonical, keep_order=False)
        if path is None:
            self.is_handed_over = True
            return self._frame(select, outcome)
        if not is_file(path):
            write_table(self._table.catalog, self._frame(select, outcome), table_name(path))
        elif path.lower().endswith(".parquet"):
            write_parquet(self._frame(select, outcome), left.records, path)
        else:
            names = [left.schema[position].name for position in outcome.positions]
            write_csv(self._lines(select, outcome), names, self._table.style, path)
        return None

    def _frame(self, select: exp.Select, outcome: Outcome) -> DataFrame:
        """The result with the table's column names. Columns that no action writes get their old type back.
        Dates that were text become text again (D28)."""
        schema = outcome.left.schema
        with failures():
            frame = self.session.query(select)
            columns = {p: spark_functions.col(sql.name(p)) for p in outcome.positions}
            for position, type_ in self._output_types(outcome).items():
                if position in columns:
                    columns[position] = columns[position].cast(type_)
            for position in columns.keys() & self.prepared.comma:
                if schema[position].type.kind is Kind.TEXT:
                    text = swapped(sql.column(position), SPARK).sql("spark")
                    columns[position] = spark_functions.expr(text)
            return frame.select(list(columns.values())).toDF(*(schema[p].name for p in columns))

    def _output_types(self, outcome: Outcome) -> dict[int, Any]:
        """The Spark types of the columns whose stored values have another one."""
        schema, prepared = outcome.left.schema, self.prepared
        spelled = {
            p: f"decimal({MOST_DIGITS},{c.type.scale})"
            for p, c in enumerate(schema)
            if c.type.is_spelled_decimal
        }
        changed = outcome.written | prepared.text_dates
        own = {c.position: c.data_type for c in self._table.columns if c.position not in changed}
        return {**spelled, **dict.fromkeys(prepared.read_from_text, "string"), **own}

    def _lines(self, select: exp.Select, outcome: Outcome) -> DataFrame:
        stored = {c.position: c.stored for c in self._table.columns if c.position not in outcome.written}
        delimiter = self._table.style.delimiter
        schema = outcome.left.schema
        comma = self.prepared.comma
        fields = [
            field(sql.column(p, "w"), schema[p].type, stored.get(p), delimiter, has_comma=p in comma)
            for p in outcome.positions
        ]
        query = exp.select(exp.alias_(line(fields, delimiter), "value")).from_(select.subquery("w"))
        with failures():
            return self.session.query(query)
