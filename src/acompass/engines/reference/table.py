"""A table on which `semantics` performs the requirements, one after the other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from acompass import semantics
from acompass.checked.effects import columns_written, needs_order
from acompass.checked.types import INTEGER, TEXT, Kind, Schema, Type
from acompass.checked.verdict import Verdict
from acompass.engines.duckdb.table import LoadedInDuckDB
from acompass.engines.engine import Destination, Execution, Outcome
from acompass.engines.errors import require_plain
from acompass.engines.planned import requirements_of
from acompass.plan.from_checked import Rewrite
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.context import Context
from acompass.plan.running.trace import GivenTrace, TraceExhausted
from acompass.plan.stages import Stage
from acompass.randomness import TraceSource


class ReferenceTable(LoadedInDuckDB):
    #: each requirement is a separate stage
    rewrites: Sequence[Rewrite] = ()

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome:
        requirements = requirements_of(stages)
        in_order = execution.canonical or needs_order(requirements)
        integers = self.prepared.order_integers() if in_order else frozenset()
        bag = given = self._records(integers)
        rho = _trace(execution.trace)
        verdicts: dict[int, Verdict] = {}
        for done, requirement in enumerate(requirements, start=1):
            try:
                bag, rho, verdicts[requirement.index] = semantics.perform_requirement(requirement, bag, rho)
            except semantics.TraceExhausted as error:
                raise _exhausted(error, execution.trace) from None
            if execution.progress is not None:
                execution.progress(done, len(requirements))
        schema = requirements[-1].after if requirements else self.schema
        if execution.canonical:
            bag = semantics.canonical_order(_with_integers(schema, integers), bag)
        context = Context(self.session, GivenTrace(()))
        left, written = self._keep(bag, schema, integers), columns_written(requirements)
        return Outcome(verdicts, {}, len(given), rho.used, context, left, written)

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        """Order by the row key, which follows the order that `semantics` returned."""
        return super().deliver(outcome, replace(destination, canonical=False))

    def _keeps_order(self, outcome: Outcome) -> bool:
        return True

    def _records(self, integers: frozenset[int]) -> list[tuple[Any, ...]]:
        require_plain("the reference engine", self.schema)
        columns = [
            sql.cast(sql.column(i, "t"), "BIGINT") if i in integers else sql.column(i, "t")
            for i in range(len(self.schema))
        ]
        query = sql.query(columns, self.state.source()).order_by(exp.column(ROW_KEY, table="t"))
        return [self.state.record(row) for row in self.session.fetch(query)]

    def _keep(self, records: list[tuple[Any, ...]], schema: Schema, integers: frozenset[int]) -> State:
        """Upload the result to DuckDB, which writes it. The row key keeps its order."""
        kinds = [TEXT if column.type.kind is Kind.DROPPED else column.type for column in schema]
        columns = [(sql.name(i), sql.stored_type(type_)) for i, type_ in enumerate(kinds)]
        types = [TEXT if i in integers else type_ for i, type_ in enumerate(kinds)]
        numbered = (
            (*(_stored(value, type_) for value, type_ in zip(record, types, strict=True)), place)
            for place, record in enumerate(records)
        )
        table = self.session.upload([*columns, (ROW_KEY, "BIGINT")], numbered)
        return State(sql.everything(sql.table(table)), schema, has_row_key=True, records=len(records))


def _trace(source: TraceSource | None) -> semantics.Trace:
    if source is None:
        return semantics.trace_of_values(())
    if source.values is not None:
        return semantics.trace_of_values(source.values)
    assert source.seed is not None
    return semantics.trace_of_seed(source.seed)


def _exhausted(error: semantics.TraceExhausted, source: TraceSource | None) -> TraceExhausted:
    given = source.values if source is not None and source.values is not None else ()
    return TraceExhausted(error.needed, len(given))


def _stored(value: Any, type_: Type) -> Any:
    """The value for DuckDB. Integers in a column of text have the text that was read."""
    if value is None:
        return None
    return str(value) if type_ == TEXT else sql.stored_value(value, type_)


def _with_integers(schema: Schema, integers: frozenset[int]) -> Schema:
    return tuple(replace(c, type=INTEGER) if i in integers else c for i, c in enumerate(schema))
