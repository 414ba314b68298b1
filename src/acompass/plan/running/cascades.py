"""A cascade: stages that run on the distinct combinations of values of a few columns, not on the records."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from acompass.checked.effects import columns_written, type_changes
from acompass.checked.program import Requirement
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import WEIGHT, Counted, State
from acompass.plan.lowering.type_changes import retyped
from acompass.plan.running.actions import converted
from acompass.plan.running.context import Context
from acompass.plan.stages import CascadeStage, Stage

#: runs stages on a state
Execute: TypeAlias = Callable[[Context, State, Sequence[Stage]], State]


def run_cascade(context: Context, state: State, stage: CascadeStage, execute: Execute) -> State:
    counted = None if context.show else _counted(context, state, stage)
    if counted is None:
        return execute(context, state, stage.stages)
    after = execute(context, counted, stage.stages)
    return _applied(context, state, stage, after)


def _counted(context: Context, state: State, stage: CascadeStage) -> State | None:
    """The stored combinations; None where there are too many of them."""
    layout = Counted(stage.columns, _changing(stage))
    columns = {i: sql.column(i, "t") for i in layout.columns}
    firsts = (sql.named(columns[i].copy(), layout.first[i]) for i in sorted(layout.changing))
    named = (sql.named(column, sql.name(i)) for i, column in columns.items())
    weight = sql.named(state.count(), WEIGHT)
    select = sql.query([*named, *firsts, weight], state.source())
    table = context.session.store(select.group_by(*(c.copy() for c in columns.values()), copy=False))
    ((combinations,),) = context.session.fetch(sql.query([exp.Count(this=exp.Star())], sql.table(table)))
    if combinations * stage.fewest_records > state.records:
        context.session.drop(table)
        return None
    return replace(state.stored_as(table), has_row_key=False, in_order=False, counted=layout)


def _changing(stage: CascadeStage) -> frozenset[int]:
    retyped_columns = frozenset(column for r in stage.requirements for column in type_changes(r))
    return columns_written(stage.requirements) | retyped_columns


def _applied(context: Context, state: State, stage: CascadeStage, after: State) -> State:
    if not any(_takes_effect(context, requirement) for requirement in stage.requirements):
        for requirement in stage.requirements:
            state = converted(context, state, requirement)
        return state
    assert after.counted is not None, "stages keep the columns of the state that they run on"
    outcome = context.session.store(_outcome(after, after.counted))
    same = (
        exp.EQ(this=sql.column(i, "t"), expression=exp.column(first, table="o"))
        for i, first in after.counted.first.items()
    )
    changed: dict[int, Sql] = {i: exp.column(f"n{i}", table="o") for i in after.counted.changing}
    final = replace(state, schema=retyped(state.schema, stage.requirements), records=after.records)
    return final.derive(changed, joins=[exp.Join(this=sql.table(outcome, "o"), on=sql.all_of(*same))])


def _takes_effect(context: Context, requirement: Requirement) -> bool:
    return requirement.action is not None and context.verdicts[requirement.index].affected > 0


def _outcome(after: State, counted: Counted) -> exp.Select:
    """The first values of the combinations that are left, and the present ones of the columns that change."""
    firsts = [exp.column(first, table="t") for first in counted.first.values()]
    news = [sql.named(sql.column(i, "t"), f"n{i}") for i in sorted(counted.changing)]
    return sql.query([*firsts, *news], after.source())
