"""The base class of a session: an open table, its options, and calls that take turns and can be canceled.

Another thread can cancel a single call, or all calls that answer one question."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from acompass.dataclasses import dataclass, replace
from acompass.engines.errors import cancellation_error, needs_duckdb
from acompass.engines.protocol import Execution, OpenTable
from acompass.engines.reading import date_formats
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.types import Kind, Schema
from acompass.options import DatesArgument, EstimateOptions, MissingArgument, NaArgument, PolicyArgument, Reading
from acompass.policy import TableRoles, as_policy, call_roles
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
        with self.take_turn():
            self._begin(table, _ASKED.get())
            try:
                yield
            finally:
                self._end()

    def take_turn(self) -> AbstractContextManager[bool]:
        """Wait for the running call; other calls wait until the context ends."""
        return self._turn

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
        self._samples = WeakSet[BaseSession]()  # closed with this session
        self._is_closed = False
        self._has_positions: bool | None = None  # whether row keys count from 0; None until it is asked

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's column names."""
        self._require_open()
        return self._source.names

    @property
    def is_local(self) -> bool:
        """Whether the table is in DuckDB, so that it can be sampled and its columns described."""
        self._require_open()
        return self._source.duckdb_table is not None

    def records(self) -> int:
        """The number of records in the table."""
        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            return loaded.state.records

    def first_values(self, records: int) -> dict[str, list[str]]:
        """The values of each column in some records, as text; the first records, if the engine keeps their order.

        Missing values are left out, and so are values without an order, such as lists.
        """
        _, rows = self.first_records(records)
        columns = zip(*rows, strict=True) if rows else (() for _ in self._source.names)
        values = ([value for value in column if value is not None] for column in columns)
        return dict(zip(self._source.names, values, strict=True))

    def first_records(self, records: int) -> tuple[Schema, list[tuple[str | None, ...]]]:
        """The columns as stored, and some records as text; the first records, if the engine keeps their order. Values
        without an order, such as lists, are None as missing values are."""
        from acompass.plan.lowering import sql

        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            opaque = [column.type.kind is Kind.OPAQUE for column in loaded.schema]
            values = (sql.literal("") if is_opaque else sql.column(p, "t") for p, is_opaque in enumerate(opaque))
            texts = [sql.cast(value, "TEXT") for value in values]
            rows = loaded.reading.fetch(sql.query(texts, loaded.state.source()).limit(records))
            if any(opaque):
                rows = [tuple(None if o else v for o, v in zip(opaque, row, strict=True)) for row in rows]
            return loaded.schema, rows

    def rows(self, first: int, count: int) -> list[tuple[str | None, ...]]:
        """The values of some records as text, None for a missing one, in the order of the table.

        A server has no order: the records are in the order in which it returns them.
        """
        from acompass.plan.run.queries import row_keys_are_positions, row_texts

        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            if self._has_positions is None:
                self._has_positions = row_keys_are_positions(loaded.reading, loaded.state)
            return row_texts(loaded.reading, loaded.state, first, count, has_positions=self._has_positions)

    def rarest_values(self, column: str, most: int) -> list[tuple[str, int]]:
        """The values of a column that the fewest records share, as text, with their numbers of records."""
        from acompass.language.program.types import Kind, Names
        from acompass.plan.run.queries import rarest_texts
        from acompass.roles import find_column

        place = find_column(Names(self.columns), column)
        if isinstance(place, Diagnostic):
            raise CallError([place])
        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            if loaded.schema[place].type.kind is Kind.OPAQUE:
                return []
            words = tuple(self._options.na)
            found = rarest_texts(loaded.reading, loaded.state, place, most + len(words))
        return [(text, records) for text, records in found if text not in words][:most]

    def counted_texts(self, most: int) -> dict[str, dict[str, int]]:
        """The values of each column as a policy reads them, as text, with their numbers of records: the most frequent
        ones. Missing values are left out, and so are columns whose values have no order, such as lists."""
        from acompass.plan.run.queries import frequent_texts

        reading = ReadingOptions(dates=date_formats(self._options.dates, self.columns), na=tuple(self._options.na))
        with self._calling(), self._source.load({}, reading) as loaded:
            return {
                column.name: frequent_texts(loaded.reading, loaded.state, place, most)
                for place, column in enumerate(loaded.schema)
                if column.type.kind is not Kind.OPAQUE
            }

    def cancel(self) -> None:
        """Cancel the call that is running in another thread, if any."""
        self._calls.cancel(self._source)

    def question(self) -> AbstractContextManager[Question]:
        """Group the calls that this thread makes until the context ends, so that they can be canceled together.

        Calls from other threads on the same table continue.
        """
        self._require_open()
        return self._calls.question()

    def close(self) -> None:
        """Close the table, and the sessions on samples of it. Closing again does nothing.

        A call that is running in another thread ends first; to stop it, call `cancel` before.
        """
        for sample in tuple(self._samples):
            sample.close()
        with self._calls.take_turn():
            self._is_closed = True
            self._stack.close()

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, policy: PolicyArgument, options: EstimateOptions, execution: Execution) -> Call:
        """Make a call, with the session's options where it has none of its own."""
        parsed = as_policy(policy, options["paper"])
        params, verify = options["params"] or {}, not options["paper"]
        call = Call(parsed, params, *self._reading(options), execution, verify=verify)
        return replace(call, roles=self._roles(options)) if "roles" in options else call

    def _roles(self, options: Mapping[str, Any]) -> TableRoles:
        return call_roles(self._table, options["roles"], options["person"])

    def _reading(self, options: Reading) -> tuple[MissingArgument, NaArgument, DatesArgument]:
        missing, na, dates, own = options["missing"], options["na"], options["dates"], self._options
        return (
            own.missing if missing is None else missing,
            own.na if na is None else na,
            own.dates if dates is None else dates,
        )

    def _duckdb_table(self, what: str) -> "DuckDBTable":
        table = self._source.duckdb_table
        if table is None:
            raise needs_duckdb(what)
        return table

    @contextmanager
    def _calling(self) -> Iterator[None]:
        with self._calls.calling(self._source):
            self._require_open()  # here, because another thread may close the session before this call's turn
            yield

    def _require_open(self) -> None:
        if self._is_closed:
            help_ = "keep the session open until its last call, or open the table again with `acompass.open`"
            raise CallError([Diagnostic("AC412", "the session is closed", help=help_)])


_ASKED: ContextVar[Question | None] = ContextVar("question", default=None)


@dataclass(frozen=True, slots=True)
class _Running:
    table: OpenTable
    question: Question | None
