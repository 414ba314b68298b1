"""The oracle behind the same call: DuckDB reads and writes the table, `semantics` gives the meaning."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from sqlglot import exp

from acompass import semantics
from acompass.checked.program import Program
from acompass.checked.types import INTEGER, Schema
from acompass.checked.verdict import Verdict
from acompass.engines.duckdb import DuckDBTable, connection, failures, read
from acompass.engines.engine import Evaluated, TableRequest
from acompass.engines.failures import is_the_reference, require_plain
from acompass.engines.planned import uses_order, written_columns
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.context import Context, Progress
from acompass.plan.running.trace import GivenTrace, TraceExhausted
from acompass.randomness import TraceSource


class ReferenceEngine:
    def __init__(self, memory_limit: str | None = None):
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, request: TableRequest) -> Iterator["ReferenceTable"]:
        with connection(self._memory_limit) as con, read(con, request) as (source, loaded):
            yield ReferenceTable(con, source, loaded)

    def session(self) -> NoReturn:
        raise is_the_reference()


class ReferenceTable(DuckDBTable):
    def check(self, program: Program, show: int, progress: Progress | None) -> Evaluated:
        records = self._records(program.schema, frozenset())
        verdicts = semantics.check_program(program, records)
        return Evaluated(_by_index(verdicts), {}, len(records), len(records), 0)

    def run(
        self, program: Program, trace: TraceSource, canonical: bool, progress: Progress | None
    ) -> Evaluated:
        integers = self._order_integers() if canonical or uses_order(program) else frozenset()
        records = self._records(program.schema, integers)
        given = None if trace.values is None else len(trace.values)
        try:
            outcome = semantics.run_program(program, records, _rho(trace))
        except semantics.TraceExhausted as error:
            raise TraceExhausted(error.needed, given or 0) from None
        state = self._keep(outcome.records, _with_integers(program.final_schema, integers))
        self._result = (Context(self._session, GivenTrace(()), integers), state)
        self._written = written_columns(program)
        used = outcome.trace_used
        return Evaluated(_by_index(outcome.requirements), {}, len(records), state.records, used)

    def _records(self, schema: Schema, integers: frozenset[int]) -> list[tuple[Any, ...]]:
        require_plain("the reference engine", schema)
        columns = [
            sql.cast(sql.column(i, "t"), "BIGINT") if i in integers else sql.column(i, "t")
            for i in range(len(schema))
        ]
        state = self._given()
        query = exp.select(*columns).from_(state.source()).order_by(exp.column(ROW_KEY, table="t"))
        with failures():
            return self._session.fetch(query)

    def _keep(self, records: list[tuple[Any, ...]], schema: Schema) -> State:
        """The result back in DuckDB, to be written like any other."""
        columns = [(sql.name(i), sql.type_name(column.type)) for i, column in enumerate(schema)]
        numbered = ((*record, place) for place, record in enumerate(records))
        table = self._session.upload([*columns, (ROW_KEY, "BIGINT")], numbered)
        select = sql.everything(sql.table(table))
        return State(select, schema, has_row_key=True, records=len(records))


def _rho(trace: TraceSource) -> semantics.Trace:
    if trace.values is not None:
        return semantics.trace_of_values(trace.values)
    assert trace.seed is not None
    return semantics.trace_of_seed(trace.seed)


def _with_integers(schema: Schema, integers: frozenset[int]) -> Schema:
    return tuple(
        type(column)(column.name, INTEGER) if i in integers else column for i, column in enumerate(schema)
    )


def _by_index(verdicts: tuple[semantics.Verdict, ...]) -> dict[int, Verdict]:
    return {i: Verdict(v.holds, v.affected, v.records) for i, v in enumerate(verdicts, start=1)}
