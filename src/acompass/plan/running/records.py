"""One record-level requirement: the affected bag is a condition on the record (Definitions 8 and 9)."""

from typing import Any

from sqlglot import exp

from acompass.checked.program import Filter, Quantifier, Requirement
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
    seen, satisfied = _conditions(state, requirement)
    if requirement.assertion.quantifier is Quantifier.EACH:
        violating = sql.all_of(seen, sql.negated(satisfied))
        affected = Affected(violating, _count(context, state, violating.copy()))
    else:
        found = _count(context, state, sql.all_of(seen, satisfied))
        affected = Affected(sql.TRUE.copy(), 0 if found else state.records)
    holds = _holds(requirement, affected, state)
    context.verdicts[requirement.index] = Verdict(holds, affected.count, state.records)
    if context.show and affected.count:
        context.samples[requirement.index] = _sample(context, state, affected)
    return affected


def _conditions(state: State, requirement: Requirement) -> tuple[Sql, Sql]:
    """Whether a record is in the result, and whether it satisfies the assertion's condition."""
    assertion, columns = requirement.assertion, state.columns()
    result = assertion.result
    seen = (
        sql.condition(result.condition, state.schema, columns)
        if isinstance(result, Filter)
        else sql.TRUE.copy()
    )
    return seen, sql.condition(assertion.condition, state.schema, columns)


def _holds(requirement: Requirement, affected: Affected, state: State) -> bool:
    # SOME fails on the empty table, where there is nothing to affect (D16)
    if requirement.assertion.quantifier is Quantifier.SOME and state.records == 0:
        return False
    return affected.count == 0


def _count(context: Context, state: State, predicate: Sql) -> int:
    query = sql.query([exp.Count(this=exp.Star())], state.source(), predicate)
    return int(context.session.fetch(query)[0][0])


def _sample(context: Context, state: State, affected: Affected) -> Sample:
    query = sql.query(state.columns(), state.source(), affected.predicate.copy()).limit(context.show)
    rows: list[tuple[Any, ...]] = context.session.fetch(query)
    return Sample(tuple(column.name for column in state.schema), rows)
