"""A program on any engine that has a session: the same plan, whatever the engine."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from acompass.checked.program import Program, Random, Replace
from acompass.checked.types import Schema
from acompass.engines.engine import Evaluated
from acompass.plan.from_checked import Rewrite, plan, without_actions
from acompass.plan.lowering.state import State
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context, Observer, Progress
from acompass.plan.running.execute import execute
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace, SeededTrace, Trace
from acompass.randomness import TraceSource


def uses_order(program: Program) -> bool:
    """Whether canonical order matters to what the program does."""
    return any(isinstance(requirement.action, Random) for requirement in program.requirements)


def written_columns(program: Program) -> frozenset[int]:
    """The columns that some action writes."""
    actions = (requirement.action for requirement in program.requirements)
    return frozenset(action.column for action in actions if isinstance(action, Random | Replace))


class PlannedTable(ABC):
    """A table that plans run on: a subclass says where its records are, and where the result goes."""

    def __init__(self, schema: Schema, dropped: int):
        self.schema = schema
        self.dropped = dropped
        self._result: tuple[Context, State] | None = None
        self._written: frozenset[int] = frozenset()

    def check(self, program: Program, show: int, progress: Progress | None) -> Evaluated:
        return check_planned(self._planning(), self._given(), program, show, progress)

    def run(
        self, program: Program, trace: TraceSource, canonical: bool, progress: Progress | None
    ) -> Evaluated:
        integers = self._order_integers() if canonical or uses_order(program) else frozenset()
        context, after, evaluated = run_planned(
            self._planning(), self._given(), program, trace, integers, progress
        )
        self._result = (context, after)
        self._written = written_columns(program)
        return evaluated

    @abstractmethod
    def _planning(self) -> Session:
        """What the plan runs on."""

    @abstractmethod
    def _given(self) -> State:
        """The table before the policy runs on it."""

    @abstractmethod
    def _order_integers(self) -> frozenset[int]:
        """The columns kept as text that canonical order takes for integers (D10, D18)."""

    def _finished(self) -> tuple[Context, State]:
        assert self._result is not None, "nothing has run"
        return self._result


def check_planned(
    session: Session, state: State, program: Program, show: int, progress: Progress | None
) -> Evaluated:
    context = Context(session, GivenTrace(()), show=show)
    # violating records are found requirement by requirement, so nothing is merged when they are asked for
    rewrites: Sequence[Rewrite] = () if show else REWRITES
    execute(context, state, plan(without_actions(program), rewrites), progress)
    return Evaluated(context.verdicts, context.samples, state.records, state.records, 0)


def run_planned(
    session: Session,
    state: State,
    program: Program,
    trace: TraceSource,
    integers: frozenset[int],
    progress: Progress | None,
) -> tuple[Context, State, Evaluated]:
    context = Context(session, _trace(trace), integers)
    after = execute(context, state, plan(program), progress)
    evaluated = Evaluated(context.verdicts, {}, state.records, after.records, context.trace_used)
    return context, after, evaluated


def follow_planned(
    session: Session,
    state: State,
    program: Program,
    trace: TraceSource,
    integers: frozenset[int],
    observe: Observer,
) -> None:
    """What `run_planned` does, told to `observe` stage by stage."""
    execute(Context(session, _trace(trace), integers, observe=observe), state, plan(program))


def _trace(source: TraceSource) -> Trace:
    if source.values is not None:
        return GivenTrace(source.values)
    assert source.seed is not None
    return SeededTrace(source.seed)
