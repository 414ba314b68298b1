"""One record-level requirement: a condition on each record selects the affected bag (Definitions 8 and 9)."""

from typing import Any, assert_never

from sqlglot import exp

from acompass.checked.effects import filter_of
from acompass.checked.program import Quantifier, Requirement
from acompass.checked.verdict import Verdict
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import Affected, perform
from acompass.plan.running.context import Context
from acompass.plan.stages import RecordStage
from acompass.result import Sample


def run_records(context: Context, state: State, stage: RecordStage) -> State:
    requirement = stage.requirement
    affected = _evaluate(context, state, requirement)
    return perform(context, state, requirement, affected)


def _evaluate(context: Context, state: State, requirement: Requirement) -> Affected:
    affected, holds = _affected(context, state, requirement)
    context.verdicts[requirement.index] = Verdict(holds, affected.count, state.records)
    if context.show and affected.count:
        context.samples[requirement.index] = _sample(context, state, affected)
    return affected


def _affected(context: Context, state: State, requirement: Requirement) -> tuple[Affected, bool]:
    """The affected bag, and whether the assertion holds."""
    seen, satisfied = _conditions(state, requirement)
    match requirement.assertion.quantifier:
        case Quantifier.EACH:
            violating = sql.all_of(seen, sql.negated(satisfied))
            count = _count(context, state, violating.copy())
            return Affected(violating, count), count == 0
        case Quantifier.SOME:
            # SOME is violated on the empty table, where it affects nothing (D16)
            holds = _count(context, state, sql.all_of(seen, satisfied)) > 0
            return Affected(sql.TRUE.copy(), 0 if holds else state.records), holds
        case _:
            assert_never(requirement.assertion.quantifier)


def _conditions(state: State, requirement: Requirement) -> tuple[Sql, Sql]:
    """Whether a record is in the result, and whether it satisfies the assertion's condition."""
    columns, selected = state.columns(), filter_of(requirement)
    seen = sql.TRUE.copy() if selected is None else sql.condition(selected, state.schema, columns)
    return seen, sql.condition(requirement.assertion.condition, state.schema, columns)


def _count(context: Context, state: State, predicate: Sql) -> int:
    query = sql.query([exp.Count(this=exp.Star())], state.source(), predicate)
    return int(context.session.fetch(query)[0][0])


def _sample(context: Context, state: State, affected: Affected) -> Sample:
    query = sql.query(state.columns(), state.source(), affected.predicate.copy()).limit(context.show)
    rows: list[tuple[Any, ...]] = context.session.fetch(query)
    return Sample(tuple(column.name for column in state.schema), rows)
