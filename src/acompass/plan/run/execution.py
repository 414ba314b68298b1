"""Run a plan over an engine's session, stage by stage."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from sqlglot import exp

from acompass.language.program.effects import read_by, record_comparisons, written_by
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.run.classes import run_groups
from acompass.plan.run.context import Context, Progress
from acompass.plan.run.records import run_dependent, run_records, run_scan
from acompass.plan.stages import CascadeStage, ChainStage, DependentStage, GroupStage, RecordStage, ScanStage, Stage

#: the depth of nested SELECTs at which evaluating them again costs more than storing their result
DEEPEST = 12
#: the most nodes in the conditions of a stage, once an engine has replaced columns by their expressions.
#: Requirements that read what others wrote multiply them, so they grow exponentially with the depth.
LARGEST = 300


def execute(
    context: Context,
    state: State,
    stages: Sequence[Stage],
    progress: Progress | None = None,
    deepest: int | None = None,
) -> State:
    """Run all stages and return the state after them; `context` receives the verdicts and counts the trace used.

    `deepest` is the depth of nested SELECTs at which their result is stored; by default, DEEPEST.
    """
    total = sum(len(stage.requirements) for stage in stages)
    done = 0
    store = _Store(context)
    if context.observe is not None:  # an observer needs the table between any two stages of a cascade
        stages = [each for stage in stages for each in (stage.stages if isinstance(stage, CascadeStage) else (stage,))]
    for place, stage in enumerate(stages):
        before = store(state) if _is_costly(state, stage, deepest or DEEPEST) else state
        if context.verdicts_only and isinstance(stage, CascadeStage):
            from acompass.plan.run.cascades import judge_cascade, judged_cascade  # a check of ten records needs neither

            if (judged := judged_cascade(context, before, stages[place:])) is not None:
                return judge_cascade(context, before, judged, execute)
        state = _run_stage(context, before, stage, store)
        if context.observe is not None:
            context.observe(context, stage, before, state)
        store.release()
        done += len(stage.requirements)
        if progress is not None:
            progress(done, total)
    return state


def _run_stage(context: Context, state: State, stage: Stage, store: "_Store") -> State:
    match stage:
        case RecordStage():
            return run_records(context, state, stage)
        case ScanStage():
            return run_scan(context, state, stage)
        case DependentStage():
            return run_dependent(context, state, stage, store)
        case ChainStage():
            from acompass.plan.run.chains import run_chain

            return run_chain(context, state, stage)
        case GroupStage():
            return run_groups(context, state, stage)
        case CascadeStage():
            from acompass.plan.run.cascades import run_cascade

            return run_cascade(context, state, stage, execute)
        case _:
            assert_never(stage)


def _is_costly(state: State, stage: Stage, deepest: int) -> bool:
    """Whether the stage should read a stored table instead of nested SELECTs."""
    # the conditions of a dependent stage stay small only if it reads plain columns
    most = 0 if isinstance(stage, DependentStage) else LARGEST
    return state.depth >= deepest or state.expression_size(_columns_read(stage)) > most


def _columns_read(stage: Stage) -> Iterator[int]:
    """The columns that the stage's expressions read, with repetitions."""
    for requirement in stage.requirements:
        yield from (comparison.column for comparison in record_comparisons(requirement))
        yield from written_by(requirement.action) | read_by(requirement.action)


class _Store:
    """Stores states in temporary tables, of which only the last is needed once a stage is done."""

    def __init__(self, context: Context):
        self._session = context.session
        self._tables: list[str] = []

    def __call__(self, state: State) -> State:
        self._tables.append(self._session.store(state.to_store()))
        return state.read_from(self._tables[-1])

    def release(self) -> None:
        for table in self._tables[:-1]:
            self._session.drop(table)
        del self._tables[:-1]


def final_select(context: Context, state: State, *, canonical: bool, keep_order: bool) -> exp.Select:
    """The query for the output: the columns that no DROP removed, with the records in the requested order."""
    columns = state.columns()
    select = sql.query((columns[i] for i in state.kept_columns), state.source())
    order: list[Sql] = []
    if canonical:
        from acompass.plan.run.ranks import canonical_order

        order = canonical_order(context, state)
    elif keep_order and state.has_row_key and not state.in_order:
        order = [exp.column(ROW_KEY, table="t")]
    return select.order_by(*order, copy=False) if order else select
