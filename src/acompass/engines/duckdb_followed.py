"""A table in DuckDB of which some records are followed through a run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
from sqlglot import exp

from acompass.checked.program import Condition, Program
from acompass.checked.types import Schema
from acompass.engines.duckdb import DuckDBTable, connection, failures, read
from acompass.engines.engine import TableRequest
from acompass.engines.planned import follow_planned, uses_order
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.context import Observer
from acompass.plan.running.row_lookup import matching_row_keys, nth_row_key, places, records_by_key
from acompass.randomness import TraceSource
from acompass.tables.load import load
from acompass.tables.loaded import Loaded, Uses
from acompass.tables.missing import ERROR
from acompass.tables.source import Source


@dataclass(frozen=True)
class Wanted:
    """Records by a condition: how it uses columns, and the condition itself once their types are known."""

    uses: Uses
    condition: Callable[[Schema], Condition]


@contextmanager
def open_followed(request: TableRequest, memory_limit: str | None) -> Iterator["FollowedTable"]:
    with connection(memory_limit) as con, read(con, request) as (source, loaded):
        yield FollowedTable(con, source, loaded)


class FollowedTable(DuckDBTable):
    """Row keys are places in the table as given, and so the same however it is read."""

    def __init__(self, con: duckdb.DuckDBPyConnection, source: Source, loaded: Loaded):
        super().__init__(con, source, loaded)
        self._whole = self._given() if not loaded.completed else self._as_given(lambda _: {})

    def nth(self, place: int) -> list[int]:
        return nth_row_key(self._session, self._whole, place)

    def matching(self, wanted: Wanted, most: int) -> list[int]:
        """The table is read anew: what the condition says of a column must not reach the policy."""
        state = self._as_given(wanted.uses)
        return matching_row_keys(self._session, state, wanted.condition(state.schema), most)

    def places(self, row_keys: Sequence[int]) -> dict[int, int]:
        return places(self._session, self._whole, row_keys)

    def records(self, row_keys: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """As the policy first sees them; without those that were dropped as incomplete."""
        return records_by_key(self._session, self._given(), row_keys)

    def follow(self, program: Program, trace: TraceSource, observe: Observer) -> None:
        integers = self._order_integers() if uses_order(program) else frozenset()
        follow_planned(self._session, self._given(), program, trace, integers, observe)

    def _as_given(self, uses: Uses) -> State:
        with failures():
            loaded = load(self._con, self._source, uses, ERROR)
        columns = (sql.column(i) for i in range(len(loaded.schema)))
        row_key = exp.alias_(exp.column(loaded.row_number), ROW_KEY)
        select = exp.select(*columns, row_key).from_(sql.table(loaded.relation))
        return State(select, loaded.schema, has_row_key=True, records=0)
