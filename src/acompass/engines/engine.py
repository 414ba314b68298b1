"""An engine as the pipeline sees it: open a table, load it for a policy, run the plan, deliver the result."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from acompass.checked.types import Schema
from acompass.checked.uses import ColumnUse
from acompass.checked.verdict import Verdict
from acompass.engines.cancellation import Cancellation
from acompass.options import Options
from acompass.plan.from_checked import Rewrite
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context, Observer, Progress
from acompass.plan.running.session import Session
from acompass.plan.stages import Stage
from acompass.randomness import TraceSource
from acompass.result import Sample

if TYPE_CHECKING:
    from acompass.engines.duckdb.read import DuckDBTable


@dataclass(frozen=True)
class Destination:
    """`path` is None where the table is wanted back as the kind that came in."""

    path: str | None
    canonical: bool
    overwrite: bool


@dataclass(frozen=True)
class Execution:
    """How stages are to be executed.

    `trace` is None for a check, which draws nothing and keeps nothing. `show` is how many violating classes
    or records to fetch for each requirement.
    """

    trace: TraceSource | None = None
    canonical: bool = False
    show: int = 0
    progress: Progress | None = None
    observe: Observer | None = None


@dataclass(frozen=True)
class Outcome:
    """What the stages did: verdicts and samples by requirement index, and the table that is left.

    `written` are the columns that an action could write.
    """

    verdicts: Mapping[int, Verdict]
    samples: Mapping[int, Sample]
    records_in: int
    trace_used: int
    context: Context
    left: State
    written: frozenset[int]


class LoadedTable(Protocol):
    """A table with the types that one policy gives its columns."""

    @property
    def schema(self) -> Schema: ...

    @property
    def session(self) -> Session: ...

    @property
    def state(self) -> State:
        """The table before the policy runs on it."""

    @property
    def dropped(self) -> int:
        """How many incomplete records were left out."""

    @property
    def rewrites(self) -> Sequence[Rewrite]:
        """The rewrites that the engine wants its plans to go through."""

    def require_complete(self) -> None:
        """Raise where the policy's columns lack values that were neither dropped nor filled (D11)."""

    def prepare(self, destination: Destination) -> None:
        """Raise where the result could not be written, before anything runs."""

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome: ...

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        """Write the result, or return it as the kind that came in."""

    @property
    def statements(self) -> list[str]:
        """The SQL sent so far."""


class OpenTable(Protocol):
    """A table that stays open for many calls. Nothing but its names is known yet."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def cancellation(self) -> Cancellation: ...

    @property
    def in_duckdb(self) -> "DuckDBTable | None":
        """The same table as DuckDB reads it; None where only another engine does."""

    def load(self, uses: Mapping[int, ColumnUse], missing: str) -> AbstractContextManager[LoadedTable]: ...

    def cancel(self) -> None:
        """Stop the statement that another thread waits for."""


class Engine(Protocol):
    def open(self, table: Any, options: Options) -> AbstractContextManager[OpenTable]: ...

    def session(self) -> AbstractContextManager[Session]:
        """A session without a table, for `conform`."""
