"""Run a plan over an engine's session, stage by stage."""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.chains import run_chain
from acompass.plan.running.context import Context, Progress
from acompass.plan.running.groups import run_groups
from acompass.plan.running.ranks import canonical_order
from acompass.plan.running.records import run_records
from acompass.plan.stages import ChainStage, GroupStage, RecordStage, Stage

#: the depth of nested SELECTs at which evaluating them again costs more than storing their result
DEEPEST = 12


def execute(
    context: Context, state: State, stages: Sequence[Stage], progress: Progress | None = None
) -> State:
    """The state after all stages. Verdicts and the length of trace used are left in the context."""
    total = sum(len(stage.requirements) for stage in stages)
    done = 0
    for stage in stages:
        before, state = state, _run(context, state, stage)
        if context.observe is not None:
            context.observe(context, stage, before, state)
        if state.depth >= DEEPEST:
            state = _stored(context, state)
        done += len(stage.requirements)
        if progress is not None:
            progress(done, total)
    return state


def _run(context: Context, state: State, stage: Stage) -> State:
    match stage:
        case RecordStage():
            return run_records(context, state, stage)
        case ChainStage():
            return run_chain(context, state, stage)
        case GroupStage():
            return run_groups(context, state, stage)
        case _:
            assert_never(stage)


def _stored(context: Context, state: State) -> State:
    table = context.session.store(state.select)
    return replace(state, select=sql.everything(sql.table(table)), depth=0)


def final_select(context: Context, state: State, *, canonical: bool, keep_order: bool) -> exp.Select:
    """The output: the columns of the state, in the requested order."""
    select = exp.select(*state.columns()).from_(state.source())
    order: list[Sql] = []
    if canonical:
        order = canonical_order(context, state)
    elif keep_order and state.has_row_key and not state.in_order:
        order = [exp.column(ROW_KEY, table="t")]
    return select.order_by(*order) if order else select
