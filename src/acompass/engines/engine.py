"""The interface of an engine: open a table, load it for a policy, run the plan, deliver the result."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from acompass.checked.types import Schema, remaining
from acompass.checked.uses import ColumnUse
from acompass.checked.verdict import Verdict
from acompass.engines.cancellation import Cancellation
from acompass.options import Options, ReadingOptions
from acompass.plan.from_checked import Rewrite
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context, Observer, Progress
from acompass.plan.running.session import Session
from acompass.plan.stages import Stage
from acompass.randomness import TraceSource
from acompass.result import Sample
from acompass.tables.file_format import CsvStyle

if TYPE_CHECKING:
    from acompass.engines.duckdb.read import DuckDBTable


@dataclass(frozen=True)
class Destination:
    """`path` is None if the result is returned, as the same kind of table as the input.

    With `force`, a table that violates a check is written, and an existing table of a database, or folder of
    Parquet files, is replaced. With `partition`, names of columns, the path is such a folder.
    """

    path: str | None
    canonical: bool
    force: bool
    partition: tuple[str, ...] = ()


@dataclass(frozen=True)
class Execution:
    """How to execute stages.

    `trace` is None for a check, which performs no action. `show` is the number of violating classes or
    records to fetch for each requirement. With `verdicts_only`, nobody reads the table that is left.
    """

    trace: TraceSource | None = None
    canonical: bool = False
    show: int = 0
    progress: Progress | None = None
    observe: Observer | None = None
    verdicts_only: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of the stages. `verdicts` and `samples` are keyed by requirement index.

    `left` is the resulting table; `written` are the columns that an action could write.
    """

    verdicts: Mapping[int, Verdict]
    samples: Mapping[int, Sample]
    records_in: int
    trace_used: int
    context: Context
    left: State
    written: frozenset[int]

    @property
    def positions(self) -> tuple[int, ...]:
        """The columns of the resulting table, by their positions in its schema."""
        return remaining(self.left.schema)


class LoadedTable(Protocol):
    """A table whose columns have the types that one policy gives them."""

    @property
    def schema(self) -> Schema: ...

    @property
    def session(self) -> Session: ...

    @property
    def reading(self) -> Session:
        """A session for questions about the table, which needs no permission but to read it."""

    @property
    def state(self) -> State:
        """The table before the policy runs on it."""

    @property
    def style(self) -> CsvStyle:
        """How a CSV output is written."""

    @property
    def dropped(self) -> int:
        """The number of incomplete records that were dropped (D11)."""

    @property
    def respelled(self) -> Mapping[str, int]:
        """The number of values in each column that lose their spelling (D26)."""

    @property
    def rewrites(self) -> Sequence[Rewrite]:
        """The rewrites to apply to plans for this engine."""

    def require_complete(self) -> None:
        """Raise if a column of the policy has missing values that were neither dropped nor filled (D11)."""

    def check_destination(self, destination: Destination) -> None:
        """Raise, before anything runs, if the result cannot be written."""

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome: ...

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        """Write the result, or return it as the same kind of table as the input."""

    @property
    def statements(self) -> list[str]:
        """The SQL statements sent so far."""


@dataclass(frozen=True)
class About:
    """For reports. `version` is the engine's name and version. `has_tables` says whether a bare name, such as
    `people`, means a table of the engine and not a file."""

    version: str
    has_tables: bool


class Opener(Protocol):
    """Opens a table beside another one."""

    def __call__(self, table: Any, options: Options) -> "AbstractContextManager[OpenTable]": ...


class OpenTable(Protocol):
    """A table that stays open for many calls. Only its column names are known."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def about(self) -> About: ...

    @property
    def cancellation(self) -> Cancellation: ...

    @property
    def duckdb_table(self) -> "DuckDBTable | None":
        """The same table opened in DuckDB; None if only another engine can read it."""

    def load(
        self, uses: Mapping[int, ColumnUse], options: ReadingOptions
    ) -> AbstractContextManager[LoadedTable]: ...

    def beside(self, table: Any, options: Options) -> "AbstractContextManager[OpenTable]":
        """Another table, opened so that the statements of one can read the other."""

    def numbered(self) -> "AbstractContextManager[OpenTable]":
        """The same table with row keys, which are the same however it is loaded: the places of its records
        in the input or, where the engine knows no such order, in canonical order."""

    def cancel(self) -> None:
        """Stop the statement that another thread is waiting for."""


class Engine(Protocol):
    def open(self, table: Any, options: Options) -> AbstractContextManager[OpenTable]: ...

    def session(self) -> AbstractContextManager[Session]:
        """A session without a table, for `conform`."""
