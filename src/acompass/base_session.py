"""The base class of a session: an open table, its options, and calls that take turns and can be canceled.

Another thread can cancel a single call, or all calls that answer one question."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from acompass.dataclasses import dataclass
from acompass.engines.errors import cancellation_error, needs_duckdb
from acompass.engines.protocol import Execution, OpenTable
from acompass.language.program.constants import ParamValue
from acompass.options import DatesArgument, MissingArgument
from acompass.policy import Policy, as_policy
from acompass.run import Call
from acompass.tables.formats import Options, ReadingOptions

if TYPE_CHECKING:
    from acompass.engines.duckdb.table import DuckDBTable


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """The size of a random sample."""

    records: int  # in the sample
    of: int  # in the whole table
    seed: str  # decides which records are in the sample


class Question:
    """The calls that a thread makes to answer one question, which are canceled together."""

    def __init__(self, calls: "Calls"):
        self._calls = calls
        self.is_canceled = False

    def cancel(self) -> None:
        """Stop the question's running call; its later calls will not start."""
        self._calls.cancel_question(self)


class Calls:
    """Run calls one after the other, on one table or on several of one connection, such as a table and its sample."""

    def __init__(self) -> None:
        self._turn = Lock()
        #: held while `_running` changes, so that a cancellation never reaches the call after the one it meant
        self._changing = Lock()
        self._running: _Running | None = None

    @contextmanager
    def question(self) -> Iterator[Question]:
        """Group the calls that this thread makes until the context ends."""
        question = Question(self)
        token = _ASKED.set(question)
        try:
            yield question
        finally:
            _ASKED.reset(token)

    @contextmanager
    def calling(self, table: OpenTable) -> Iterator[None]:
        with self._turn:
            self._begin(table, _ASKED.get())
            try:
                yield
            finally:
                self._end()

    def cancel(self, table: OpenTable) -> None:
        """Cancel the call that is running on the table, if any."""
        with self._changing:
            if self._running is not None and self._running.table is table:
                table.cancel()

    def cancel_question(self, question: Question) -> None:
        with self._changing:
            question.is_canceled = True
            if self._running is not None and self._running.question is question:
                self._running.table.cancel()

    def _begin(self, table: OpenTable, question: Question | None) -> None:
        with self._changing:
            if question is not None and question.is_canceled:
                raise cancellation_error()
            table.cancellation.reset()
            self._running = _Running(table, question)

    def _end(self) -> None:
        with self._changing:
            self._running = None


class BaseSession:
    def __init__(
        self,
        table: Any,
        options: Options,
        source: OpenTable,
        stack: ExitStack,
        calls: Calls,
        sampled: SampleInfo | None = None,
    ):
        self.sampled = sampled  # None for a session on all records
        self._table = table  # as the caller passed it
        self._options = options
        self._source = source  # open until `_stack` is closed
        self._stack = stack
        self._calls = calls

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's column names."""
        return self._source.names

    @property
    def is_local(self) -> bool:
        """Whether the table is in DuckDB, so that it can be sampled and its columns described."""
        return self._source.duckdb_table is not None

    def records(self) -> int:
        """The number of records in the table."""
        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            return loaded.state.records

    def cancel(self) -> None:
        """Cancel the call that is running in another thread, if any."""
        self._calls.cancel(self._source)

    def question(self) -> AbstractContextManager[Question]:
        """Group the calls that this thread makes until the context ends, so that they can be canceled together.

        Calls from other threads on the same table continue.
        """
        return self._calls.question()

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(
        self,
        policy: Policy | str,
        params: Mapping[str, ParamValue] | None,
        missing: MissingArgument | None,
        dates: DatesArgument | None,
        execution: Execution,
        *,
        paper: bool = False,
    ) -> Call:
        """Make a call, with the session's options where it has none of its own."""
        return Call(as_policy(policy, paper), params or {}, *self._reading(missing, dates), execution)

    def _reading(
        self, missing: MissingArgument | None, dates: DatesArgument | None
    ) -> tuple[MissingArgument, DatesArgument]:
        options = self._options
        return options.missing if missing is None else missing, options.dates if dates is None else dates

    def _duckdb_table(self, what: str) -> "DuckDBTable":
        table = self._source.duckdb_table
        if table is None:
            raise needs_duckdb(what)
        return table

    @contextmanager
    def _calling(self) -> Iterator[None]:
        with self._calls.calling(self._source):
            yield


_ASKED: ContextVar[Question | None] = ContextVar("question", default=None)


@dataclass(frozen=True, slots=True)
class _Running:
    table: OpenTable
    question: Question | None
