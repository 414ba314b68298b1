"""What every session has: an open table, the options that it was opened with, and calls that take turns."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from acompass.calls import Calls, Question
from acompass.checked.parameters import ParamValue
from acompass.engines.engine import Execution, OpenTable
from acompass.engines.errors import needs_duckdb
from acompass.options import DatesArgument, MissingArgument, Options, ReadingOptions
from acompass.pipeline import Call
from acompass.policy import Policy, as_policy

if TYPE_CHECKING:
    from acompass.engines.duckdb.read import DuckDBTable


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """A sample of `records` of the table's `of` records, which the seed decides."""

    records: int
    of: int
    seed: str


class Opened:
    """`source` stays open until `stack` is closed. `table` is what the caller gave. `sampled` is None for a
    session on all records."""

    def __init__(
        self,
        table: Any,
        options: Options,
        source: OpenTable,
        stack: ExitStack,
        calls: Calls,
        sampled: SampleInfo | None = None,
    ):
        self.sampled = sampled
        self._table = table
        self._options = options
        self._source = source
        self._stack = stack
        self._calls = calls

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the table's columns."""
        return self._source.names

    @property
    def is_local(self) -> bool:
        """Whether DuckDB has the table, so that it can be sampled and its columns described."""
        return self._source.duckdb_table is not None

    def records(self) -> int:
        """The number of the table's records."""
        with self._calling(), self._source.load({}, ReadingOptions()) as loaded:
            return loaded.state.records

    def cancel(self) -> None:
        """Cancel the call that is running in another thread, if there is one."""
        self._calls.cancel(self._source)

    def question(self) -> AbstractContextManager[Question]:
        """The calls that this thread makes until the context ends. They can be canceled together, while calls
        of other threads on the same table go on."""
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
        """The call, with the options of the session where it has none of its own."""
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
