"""A table loaded in DuckDB: run plans on it, and write or return the result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb
from sqlglot import exp

from acompass.engines.delivering import require_destination
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.restore import restore
from acompass.engines.duckdb.session import DuckDBSession
from acompass.engines.duckdb.write import write
from acompass.engines.engine import Destination, Execution, Outcome
from acompass.engines.loading import Prepared
from acompass.engines.planned import PlannedTable
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.execute import final_select
from acompass.tables.file_format import CsvStyle
from acompass.tables.source import Source

_PLAIN = CsvStyle()
#: up to this many values, restoring the input order is cheap; beyond, it takes a third of the time
_MOST_ORDERED = 20_000_000
#: DuckDB sorts records with more columns than this slowly
_MOST_SORTED_COLUMNS = 1_000


@dataclass(frozen=True)
class Layout:
    """`view` has the columns c0, c1, … of the loaded schema and the row key.

    `converted` are the stored types of the columns that were converted for the plan, `stored` those of all
    columns of a typed table. `arrow_types` are the types of a data frame.
    """

    view: str
    keeps_order: bool
    converted: Mapping[int, str] = field(default_factory=dict)
    stored: tuple[str, ...] = ()
    arrow_types: tuple[Any, ...] = ()
    style: CsvStyle = _PLAIN


class LoadedInDuckDB(PlannedTable):
    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        source: Source,
        session: DuckDBSession,
        prepared: Prepared,
        layout: Layout,
        preview: Callable[[], DuckDBSession] | None = None,
    ):
        super().__init__(prepared, session)
        self._preview = preview
        self.session: DuckDBSession = session
        self.con = con
        self.source = source
        self.layout = layout

    @property
    def state(self) -> State:
        columns = [*(sql.column(i) for i in range(len(self.schema))), exp.column(ROW_KEY)]
        select = sql.query(columns, sql.table(self.layout.view))
        records, in_order = self.prepared.records, self.layout.keeps_order
        return State(select, self.schema, has_row_key=True, records=records, in_order=in_order)

    def _session_for(self, execution: Execution) -> DuckDBSession:
        if execution.verdicts_only and self._preview is not None:
            return self._preview()
        return self.session

    @property
    def style(self) -> CsvStyle:
        return self.layout.style

    @property
    def statements(self) -> list[str]:
        return self.session.statements

    def check_destination(self, destination: Destination) -> None:
        require_destination(destination, self.source)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        select = final_select(
            outcome.context,
            outcome.left,
            canonical=destination.canonical,
            keep_order=self._keeps_order(outcome),
        )
        statement = select.sql("duckdb")
        self.statements.append(statement)
        return self.deliver_rows(statement, outcome, destination)

    def _keeps_order(self, outcome: Outcome) -> bool:
        columns = len(outcome.left.schema)
        return columns <= _MOST_SORTED_COLUMNS and outcome.left.records * columns <= _MOST_ORDERED

    def deliver_rows(self, select: str, outcome: Outcome, destination: Destination) -> Any:
        """Write or return the rows of a SELECT with the columns c0, c1, … of the resulting schema."""
        output = self._output(select, outcome)
        with failures():
            if destination.path is None:
                return restore(self.con, output, self.source)
            write(self.con, output, destination.path, destination.partition)
            return None

    def _output(self, select: str, outcome: Outcome) -> Output:
        """Columns that no action writes get their stored type back, and columns of text are text again."""
        prepared, layout = self.prepared, self.layout
        changed = outcome.written | prepared.text_dates
        kept = layout.converted.keys() - changed
        stored = dict.fromkeys(prepared.read_from_text, "VARCHAR") | {p: layout.converted[p] for p in kept}
        return Output(
            select,
            outcome.left.schema,
            layout.style,
            stored,
            changed,
            layout.arrow_types,
            prepared.comma,
        )
