"""Execute plans on a loaded table of any engine, through its session."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from acompass.engines.loading import PreparedTable
from acompass.engines.protocol import Destination, Execution, Outcome, TraceSource
from acompass.language.program.effects import columns_written, needs_order
from acompass.language.program.program import Requirement
from acompass.language.program.types import Schema
from acompass.plan.lowering.state import State
from acompass.plan.planner import REWRITES, Rewrite
from acompass.plan.run.context import Context, GivenTrace, SeededTrace, Session, Trace
from acompass.plan.run.execution import execute
from acompass.plan.stages import Stage
from acompass.tables import errors
from acompass.tables.formats import CsvStyle


class PlannedTable(ABC):
    """A loaded table whose plans run as SQL. A subclass provides the records and delivers the result."""

    rewrites: Sequence[Rewrite] = REWRITES

    def __init__(self, prepared: PreparedTable, session: Session):
        self.prepared = prepared
        self.session = session

    @property
    def reading(self) -> Session:
        return self.session

    @property
    @abstractmethod
    def state(self) -> State: ...

    @property
    def schema(self) -> Schema:
        return self.prepared.schema

    @property
    def style(self) -> CsvStyle:
        return CsvStyle()

    @property
    def dropped(self) -> int:
        return self.prepared.dropped

    @property
    def respelled(self) -> Mapping[str, int]:
        return {self.schema[p].name: count for p, count in sorted(self.prepared.respelled.items())}

    @property
    @abstractmethod
    def statements(self) -> list[str]: ...

    def require_complete(self) -> None:
        missing = self.prepared.missing
        if missing:
            raise errors.missing_values([(self.schema[p].name, n) for p, n in sorted(missing.items())])

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome:
        requirements = stage_requirements(stages)
        in_order = execution.canonical or needs_order(requirements)
        context = Context(
            self._session_for(execution),
            _trace(execution.trace),
            self.prepared.order_integers() if in_order else frozenset(),
            show=execution.show,
            observe=execution.observe,
            verdicts_only=execution.verdicts_only,
        )
        before = self.state
        after = execute(context, before, stages, execution.progress)
        written, used = columns_written(requirements), context.trace_used
        return Outcome(context.verdicts, context.samples, before.records, used, context, after, written)

    @abstractmethod
    def check_destination(self, destination: Destination) -> None: ...

    @abstractmethod
    def deliver(self, outcome: Outcome, destination: Destination) -> Any: ...

    def _session_for(self, execution: Execution) -> Session:
        return self.session


def stage_requirements(stages: Sequence[Stage]) -> list[Requirement]:
    found = (requirement for stage in stages for requirement in stage.requirements)
    return sorted(found, key=lambda requirement: requirement.index)


def _trace(source: TraceSource | None) -> Trace:
    if source is None or source.seed is None:
        return GivenTrace(() if source is None else source.values or ())
    return SeededTrace(source.seed)
