"""A program on any engine that has a session: the same plan, whatever the engine."""

from collections.abc import Sequence

from acompass.checked.program import Program, Random, Replace
from acompass.engines.engine import Evaluated
from acompass.plan.context import Context, Observer, Progress
from acompass.plan.execute import execute
from acompass.plan.from_checked import Rewrite, plan, without_actions
from acompass.plan.rewrites import REWRITES
from acompass.plan.session import Session
from acompass.plan.state import State
from acompass.plan.trace import GivenTrace, SeededTrace, Trace
from acompass.randomness import TraceSource


def uses_order(program: Program) -> bool:
    """Whether canonical order matters to what the program does."""
    return any(isinstance(requirement.action, Random) for requirement in program.requirements)


def written_columns(program: Program) -> frozenset[int]:
    """The columns that some action writes."""
    actions = (requirement.action for requirement in program.requirements)
    return frozenset(action.column for action in actions if isinstance(action, Random | Replace))


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
