"""Run a plan over an engine's session, stage by stage."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from sqlglot import exp

from acompass.checked.effects import column_written, record_comparisons
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.cascades import judge_cascade, run_cascade
from acompass.plan.running.chains import run_chain
from acompass.plan.running.context import Context, Progress
from acompass.plan.running.groups import run_groups
from acompass.plan.running.ranks import canonical_order
from acompass.plan.running.records import run_records
from acompass.plan.running.scans import run_scan
from acompass.plan.running.tangles import run_tangle
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)

#: the depth of nested SELECTs at which evaluating them again costs more than storing their result
DEEPEST = 12
#: the nodes that may take the place of columns in a stage's conditions, once an engine has replaced them with
#: their expressions.
#: Requirements that read what others wrote multiply them, so they grow exponentially with the depth.
LARGEST = 300


def execute(
    context: Context,
    state: State,
    stages: Sequence[Stage],
    progress: Progress | None = None,
    deepest: int | None = None,
) -> State:
    """The state after all stages. Verdicts and the length of trace used are left in the context.

    `deepest` is the depth of nested SELECTs at which their result is stored, if not DEEPEST.
    """
    total = sum(len(stage.requirements) for stage in stages)
    done = 0
    store = _Store(context)
    for stage in stages if context.observe is None else _one_by_one(stages):
        before = store(state) if _is_costly(state, stage, deepest or DEEPEST) else state
        if context.verdicts_only and stage is stages[-1] and isinstance(stage, CascadeStage):
            return judge_cascade(context, before, stage, execute)
        state = _run(context, before, stage, store)
        if context.observe is not None:
            context.observe(context, stage, before, state)
        store.release()
        done += len(stage.requirements)
        if progress is not None:
            progress(done, total)
    return state


def _one_by_one(stages: Sequence[Stage]) -> Iterator[Stage]:
    """The stages whose states are the table between two of them: a cascade has no such states inside."""
    for stage in stages:
        match stage:
            case CascadeStage():
                yield from stage.stages
            case RecordStage() | ScanStage() | TangleStage() | ChainStage() | GroupStage():
                yield stage
            case _:
                assert_never(stage)


def _run(context: Context, state: State, stage: Stage, store: "_Store") -> State:
    match stage:
        case RecordStage():
            return run_records(context, state, stage)
        case ScanStage():
            return run_scan(context, state, stage)
        case TangleStage():
            return run_tangle(context, state, stage, store)
        case ChainStage():
            return run_chain(context, state, stage)
        case GroupStage():
            return run_groups(context, state, stage)
        case CascadeStage():
            return run_cascade(context, state, stage, execute)
        case _:
            assert_never(stage)


def _is_costly(state: State, stage: Stage, deepest: int) -> bool:
    """Whether the stage should read a stored table instead of nested SELECTs."""
    # a tangle's own growth is bounded where it reads plain columns
    most = 0 if isinstance(stage, TangleStage) else LARGEST
    return state.depth >= deepest or state.size_of(_reads(stage)) > most


def _reads(stage: Stage) -> Iterator[int]:
    """The columns that the stage's expressions read, each as often as it is read."""
    for requirement in stage.requirements:
        yield from (comparison.column for comparison in record_comparisons(requirement))
        written = column_written(requirement.action)
        if written is not None:
            yield written


class _Store:
    """Stores states. Once a stage is done, nothing reads any but the last one."""

    def __init__(self, context: Context):
        self._session = context.session
        self._tables: list[str] = []

    def __call__(self, state: State) -> State:
        self._tables.append(self._session.store(state.to_store()))
        return state.stored_as(self._tables[-1])

    def release(self) -> None:
        for table in self._tables[:-1]:
            self._session.drop(table)
        del self._tables[:-1]


def final_select(context: Context, state: State, *, canonical: bool, keep_order: bool) -> exp.Select:
    """The output: the columns of the state that no DROP removed, in the requested order."""
    columns = state.columns()
    select = sql.query((columns[i] for i in state.kept), state.source())
    order: list[Sql] = []
    if canonical:
        order = canonical_order(context, state)
    elif keep_order and state.has_row_key and not state.in_order:
        order = [exp.column(ROW_KEY, table="t")]
    return select.order_by(*order, copy=False) if order else select
