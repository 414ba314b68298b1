"""One record-level requirement: a condition on each record selects the affected bag (Definitions 8 and 9)."""

from typing import assert_never

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
    affected, verdict = _affected(context, state, requirement)
    context.verdicts[requirement.index] = verdict
    if context.show and affected.count:
        context.samples[requirement.index] = _sample(context, state, affected)
    return affected


def _affected(context: Context, state: State, requirement: Requirement) -> tuple[Affected, Verdict]:
    columns, selected = state.values(), filter_of(requirement)
    seen = None if selected is None else sql.condition(selected, state.schema, columns)
    satisfied = sql.condition(requirement.assertion.condition, state.schema, columns)
    match requirement.assertion.quantifier:
        case Quantifier.EACH:
            violated = sql.negated(satisfied)
            count, selects_none = _count(context, state, seen, violated)
            violating = violated if seen is None else sql.all_of(seen, violated)
            return Affected(violating, count), Verdict(count == 0, count, state.records, selects_none)
        case Quantifier.SOME:
            # SOME is violated on the empty table, where it affects nothing (D16)
            found, selects_none = _count(context, state, seen, satisfied)
            count = 0 if found else state.records
            return Affected(sql.TRUE.copy(), count), Verdict(found > 0, count, state.records, selects_none)
        case _:
            assert_never(requirement.assertion.quantifier)


def _count(context: Context, state: State, seen: Sql | None, predicate: Sql) -> tuple[int, bool]:
    """The number of records that are seen and satisfy the predicate, and whether FILTER selects none.

    Both numbers come from one scan.
    """
    every = exp.Count(this=exp.Star())
    if seen is None:
        query = sql.query([every], state.source(), predicate.copy())
        return int(context.session.fetch(query)[0][0]), False
    query = sql.query([every, sql.count_where(predicate)], state.source(), seen.copy())
    ((selected, count),) = context.session.fetch(query)
    return int(count), not selected


def _sample(context: Context, state: State, affected: Affected) -> Sample:
    query = sql.query(state.columns(), state.source(), affected.predicate.copy()).limit(context.show)
    rows = [state.record(row) for row in context.session.fetch(query)]
    return Sample(tuple(column.name for column in state.schema), rows)
