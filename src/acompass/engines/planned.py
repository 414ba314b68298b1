"""A loaded table of any engine that executes plans through a session."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from acompass.checked.effects import columns_written, needs_order
from acompass.checked.program import Requirement
from acompass.checked.types import Schema
from acompass.engines.engine import Destination, Execution, Outcome
from acompass.engines.loading import Completed
from acompass.plan.from_checked import Rewrite
from acompass.plan.lowering.state import State
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace, SeededTrace, Trace
from acompass.plan.stages import Stage
from acompass.randomness import TraceSource
from acompass.tables.missing import require_complete


class PlannedTable(ABC):
    """A subclass provides the records and delivers the result."""

    rewrites: Sequence[Rewrite] = REWRITES

    def __init__(self, completed: Completed, session: Session):
        self.completed = completed
        self.session = session

    @property
    @abstractmethod
    def state(self) -> State: ...

    @property
    def schema(self) -> Schema:
        return self.completed.schema

    @property
    def dropped(self) -> int:
        return self.completed.dropped

    @property
    @abstractmethod
    def statements(self) -> list[str]: ...

    def require_complete(self) -> None:
        require_complete(self.schema, self.completed.missing)

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome:
        requirements = requirements_of(stages)
        in_order = execution.canonical or needs_order(requirements)
        context = Context(
            self._session_for(execution),
            _trace(execution.trace),
            self.completed.order_integers() if in_order else frozenset(),
            show=execution.show,
            observe=execution.observe,
        )
        before = self.state
        after = execute(context, before, stages, execution.progress)
        written, used = columns_written(requirements), context.trace_used
        return Outcome(context.verdicts, context.samples, before.records, used, context, after, written)

    @abstractmethod
    def prepare(self, destination: Destination) -> None: ...

    @abstractmethod
    def deliver(self, outcome: Outcome, destination: Destination) -> Any: ...

    def _session_for(self, execution: Execution) -> Session:
        return self.session


def requirements_of(stages: Sequence[Stage]) -> list[Requirement]:
    found = (requirement for stage in stages for requirement in stage.requirements)
    return sorted(found, key=lambda requirement: requirement.index)


def _trace(source: TraceSource | None) -> Trace:
    if source is None:
        return GivenTrace(())
    if source.values is not None:
        return GivenTrace(source.values)
    assert source.seed is not None
    return SeededTrace(source.seed)
