"""What the pipeline asks of an engine."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.checked.verdict import Verdict
from acompass.plan.running.context import Progress
from acompass.plan.running.session import Session
from acompass.randomness import TraceSource
from acompass.result import Sample
from acompass.tables.loaded import Uses


@dataclass(frozen=True)
class TableRequest:
    """A table as the caller named it, and how it is to be read."""

    table: Any
    uses: Uses
    missing: str
    delimiter: str | None


@dataclass(frozen=True)
class Destination:
    """`path` is None where the table is wanted back in the kind that it came in."""

    path: str | None
    canonical: bool
    overwrite: bool


@dataclass(frozen=True)
class Evaluated:
    """`verdicts` by requirement index."""

    verdicts: dict[int, Verdict]
    samples: dict[int, Sample]
    records_in: int
    records_out: int
    trace_used: int


class OpenTable(Protocol):
    """A table before the policy runs on it, and its result afterwards."""

    schema: Schema
    #: how many records were dropped as incomplete before anything ran
    dropped: int

    def require_complete(self) -> None:
        """Raises where the policy's columns lack values that were neither dropped nor filled (D11)."""

    def prepare(self, destination: Destination) -> None:
        """Raises where the result could not be written, before anything runs."""

    def check(self, program: Program, show: int, progress: Progress | None) -> Evaluated: ...

    def run(
        self, program: Program, trace: TraceSource, canonical: bool, progress: Progress | None
    ) -> Evaluated: ...

    def deliver(self, destination: Destination) -> Any:
        """Writes the result, or gives it back as the kind that came in."""

    @property
    def statements(self) -> list[str]:
        """The SQL sent so far."""


class Engine(Protocol):
    def open(self, request: TableRequest) -> AbstractContextManager[OpenTable]: ...

    def session(self) -> AbstractContextManager[Session]:
        """What plans run on, without a table."""
