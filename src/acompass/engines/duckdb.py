"""DuckDB: the embedded engine."""

import itertools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
from sqlglot import exp

from acompass.diagnostics import CallError, Diagnostic
from acompass.engines.engine import Destination, TableRequest
from acompass.engines.failures import engine_failed, out_of_memory
from acompass.engines.planned import PlannedTable
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.execute import final_select
from acompass.plan.running.session import Session
from acompass.tables.columns import order_schema
from acompass.tables.content import content_like
from acompass.tables.load import load
from acompass.tables.loaded import Loaded
from acompass.tables.missing import require_complete
from acompass.tables.output import require_writable, write
from acompass.tables.source import Source, opened
from acompass.tables.to_frame import restore

#: sorting the output back into input order costs little up to so many values, and a third of the time beyond
MOST_ORDERED = 20_000_000
#: the engine sorts records of more columns than this slowly
MOST_SORTED_COLUMNS = 1_000


class DuckDBEngine:
    def __init__(self, memory_limit: str | None = None):
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, request: TableRequest) -> Iterator["DuckDBTable"]:
        with connection(self._memory_limit) as con, read(con, request) as (source, loaded):
            # keeping order buffers what is written; under a limit the memory is worth more
            keeps_order = self._memory_limit is None
            con.execute(f"SET preserve_insertion_order = {str(keeps_order).lower()}")
            yield DuckDBTable(con, source, loaded, keeps_order)

    @contextmanager
    def session(self) -> Iterator[Session]:
        with connection(self._memory_limit) as con:
            yield DuckDBSession(con)


@contextmanager
def read(con: duckdb.DuckDBPyConnection, request: TableRequest) -> Iterator[tuple[Source, Loaded]]:
    with opened(request.table, request.delimiter) as source:
        with failures():
            loaded = load(con, source, request.uses, request.missing)
        yield source, loaded


@contextmanager
def connection(memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of its own, in memory, that spills into a folder which goes with it."""
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        con = duckdb.connect(":memory:", config={"temp_directory": folder, "custom_user_agent": "acompass"})
        try:
            if memory_limit is not None:
                _limit_memory(con, memory_limit)
            yield con
        finally:
            con.close()


def _limit_memory(con: duckdb.DuckDBPyConnection, limit: str) -> None:
    try:
        con.execute(f"SET memory_limit = {exp.Literal.string(limit).sql('duckdb')}")
    except duckdb.Error:
        help_ = "write a size such as `2GiB` or `500MB`"
        raise CallError([Diagnostic("AC401", f"`{limit}` is no size of memory", help=help_)]) from None


@contextmanager
def failures() -> Iterator[None]:
    """DuckDB's errors as diagnostics."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise out_of_memory("DuckDB") from None
    except duckdb.Error as error:
        raise engine_failed("DuckDB", error) from None
    except RuntimeError as error:
        # what DuckDB makes of Ctrl-C
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


class DuckDBSession:
    dialect = DUCKDB

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self._con = con
        self._numbers = itertools.count()
        self._kept: list[str] = []
        self.statements: list[str] = []

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        executed = self._execute(query.sql("duckdb"))
        with failures():
            return executed.fetchall()

    def store(self, query: exp.Select) -> str:
        name = self._fresh()
        self._execute(f"CREATE TEMP TABLE {name} AS {query.sql('duckdb')}")
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """One parameter a column: the rows never become text of a statement."""
        name = self._fresh()
        values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in columns]
        unnested = ", ".join(
            f"unnest(CAST(${i} AS {type_}[])) AS {column}"
            for i, (column, type_) in enumerate(columns, start=1)
        )
        self._execute(f"CREATE TEMP TABLE {name} AS SELECT {unnested}", values)
        return name

    def clear(self) -> None:
        for name in self._kept:
            self._execute(f"DROP TABLE IF EXISTS {name}")
        self._kept.clear()

    def _fresh(self) -> str:
        self._kept.append(f"kept{next(self._numbers)}")
        return self._kept[-1]

    def _execute(self, statement: str, values: list[list[Any]] | None = None) -> duckdb.DuckDBPyConnection:
        self.statements.append(statement)
        with failures():
            return self._con.execute(statement, values) if values else self._con.execute(statement)


class DuckDBTable(PlannedTable):
    """A table loaded into DuckDB; after `run`, its result."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, source: Source, loaded: Loaded, keeps_order: bool = True
    ):
        super().__init__(loaded.schema, loaded.dropped)
        self._con = con
        self._keeps_order = keeps_order
        self._source = source
        self._loaded = loaded
        self._session = DuckDBSession(con)

    @property
    def statements(self) -> list[str]:
        return self._session.statements

    def require_complete(self) -> None:
        if not self._loaded.completed:
            require_complete(self.schema, self._loaded.missing)

    def deliver(self, destination: Destination) -> Any:
        context, state = self._finished()
        columns = len(state.schema)
        keep_order = columns <= MOST_SORTED_COLUMNS and state.records * columns <= MOST_ORDERED
        select = final_select(context, state, canonical=destination.canonical, keep_order=keep_order)
        statement = select.sql("duckdb")
        self.statements.append(statement)
        content = content_like(self._loaded, statement, state.schema, self._written)
        with failures():
            if destination.path is not None:
                write(self._con, content, destination.path)
                return None
            return restore(self._con, content, self._source)

    def prepare(self, destination: Destination) -> None:
        if destination.path is not None:
            require_writable(destination.path, self._source, destination.overwrite)

    def _planning(self) -> Session:
        return self._session

    def _given(self) -> State:
        columns = (sql.column(i) for i in range(len(self.schema)))
        row_key = exp.alias_(exp.column(self._loaded.row_number), ROW_KEY)
        relation = sql.table(self._loaded.relation)
        records = self._loaded.records
        if records is None:
            records = self._session.fetch(exp.select(exp.Count(this=exp.Star())).from_(relation))[0][0]
        select = exp.select(*columns, row_key).from_(relation)
        return State(select, self.schema, has_row_key=True, records=int(records), in_order=self._keeps_order)

    def _order_integers(self) -> frozenset[int]:
        with failures():
            ordered = order_schema(self._con, self._loaded)
        return frozenset(i for i, column in enumerate(ordered) if column != self.schema[i])
