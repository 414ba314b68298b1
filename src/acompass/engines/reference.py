"""The reference engine: DuckDB reads and writes the tables, and `semantics` performs one requirement at a time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from typing import Any, NoReturn

from sqlglot import exp

from acompass.dataclasses import replace
from acompass.engines.duckdb.table import DuckDBEngine, DuckDBTable, LoadedInDuckDB
from acompass.engines.errors import engine_error
from acompass.engines.loading import stage_requirements
from acompass.engines.protocol import Destination, Execution, OpenTable, Outcome, TraceSource
from acompass.language.program.effects import columns_written, needs_order
from acompass.language.program.program import Verdict
from acompass.language.program.types import INTEGER, TEXT, Kind, Schema, Type
from acompass.language.program.uses import ColumnUse
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.planner import Rewrite
from acompass.plan.run.context import Context, GivenTrace, TraceExhausted
from acompass.plan.stages import Stage
from acompass.semantics import core
from acompass.tables.formats import Options, ReadingOptions


class ReferenceTable(LoadedInDuckDB):
    #: no rewrites, so that each requirement is a separate stage
    rewrites: Sequence[Rewrite] = ()

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome:
        requirements = stage_requirements(stages)
        in_order = execution.canonical or needs_order(requirements)
        integers = self.prepared.order_integers() if in_order else frozenset()
        bag = given = self._records(integers)
        rho = _trace(execution.trace)
        verdicts: dict[int, Verdict] = {}
        for done, requirement in enumerate(requirements, start=1):
            try:
                bag, rho, verdicts[requirement.index] = core.perform_requirement(requirement, bag, rho)
            except core.TraceExhausted as error:
                raise TraceExhausted(error.needed, len(_given_values(execution.trace))) from None
            if execution.progress is not None:
                execution.progress(done, len(requirements))
        schema = requirements[-1].after if requirements else self.schema
        if execution.canonical:
            ordered = tuple(replace(c, type=INTEGER) if i in integers else c for i, c in enumerate(schema))
            bag = core.canonical_order(ordered, bag)
        context = Context(self.session, GivenTrace(()))
        left, written = self._keep(bag, schema, integers), columns_written(requirements)
        return Outcome(verdicts, {}, len(given), rho.used, context, left, written)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        """Write the records in the order that `semantics` returned, which the row key keeps."""
        return super().deliver(outcome, replace(destination, canonical=False))

    def _keeps_order(self, outcome: Outcome) -> bool:
        return True

    def _records(self, integers: frozenset[int]) -> list[tuple[Any, ...]]:
        columns = [
            sql.cast(sql.column(i, "t"), "BIGINT")
            if i in integers
            else self.stand_ins[i][0].copy()
            if i in self.stand_ins
            else sql.column(i, "t")
            for i in range(len(self.schema))
        ]
        query = sql.query(columns, self.state.source()).order_by(exp.column(ROW_KEY, table="t"))
        return [self.state.record(row) for row in self.session.fetch(query)]

    def _keep(self, records: list[tuple[Any, ...]], schema: Schema, integers: frozenset[int]) -> State:
        """Upload the result to DuckDB, with row keys that keep its order."""
        kinds = [TEXT if column.type.kind is Kind.DROPPED else column.type for column in schema]
        held = {i: type_ for i, (_, type_) in self.stand_ins.items() if schema[i].type == self.schema[i].type}
        columns = [(sql.name(i), held.get(i) or sql.stored_type(type_)) for i, type_ in enumerate(kinds)]
        types = [TEXT if i in integers else type_ for i, type_ in enumerate(kinds)]
        rows = (
            (*(_stored_value(value, type_) for value, type_ in zip(record, types, strict=True)), place)
            for place, record in enumerate(records)
        )
        table = self.session.upload([*columns, (ROW_KEY, "BIGINT")], rows)
        restored = [exp.var(self.restored(i)) if i in held else sql.column(i, "t") for i in range(len(schema))]
        values = [sql.with_alias(value, sql.name(i)) for i, value in enumerate(restored)]
        select = sql.query([*values, exp.column(ROW_KEY, table="t")], sql.table(table, "t"))
        return State(select, schema, has_row_key=True, records=len(records))


def _trace(source: TraceSource | None) -> core.Trace:
    if source is None or source.seed is None:
        return core.trace_of_values(_given_values(source))
    return core.trace_of_seed(source.seed)


def _given_values(source: TraceSource | None) -> tuple[Fraction, ...]:
    return () if source is None else source.values or ()


def _stored_value(value: Any, type_: Type) -> Any:
    """The value for DuckDB. In a text column, integers become the text that was read."""
    if value is None:
        return None
    return str(value) if type_ == TEXT else sql.stored_value(value, type_)


class ReferenceEngine:
    @contextmanager
    def open(self, table: Any, options: Options) -> Iterator["OpenReferenceTable"]:
        with DuckDBEngine().open(table, options) as found:
            yield OpenReferenceTable(found)

    def session(self) -> NoReturn:
        help_ = "name another engine, such as `duckdb`"
        raise engine_error("AC316", "the reference engine cannot be compared with itself", help_)


class OpenReferenceTable:
    def __init__(self, inner: DuckDBTable):
        self.duckdb_table = inner
        self.names = inner.names
        self.about = replace(inner.about, version=f"reference, {inner.about.version}")
        self.cancellation = inner.cancellation

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[ReferenceTable]:
        with self.duckdb_table.load(uses, options) as loaded:
            yield ReferenceTable(loaded.con, loaded.source, loaded.session, loaded.prepared, loaded.layout)

    def open_other(self, table: Any, options: Options) -> AbstractContextManager[OpenTable]:
        return self.duckdb_table.open_other(table, options)

    def with_row_keys(self) -> AbstractContextManager[OpenTable]:
        return self.duckdb_table.with_row_keys()

    def cancel(self) -> None:
        self.duckdb_table.cancel()
