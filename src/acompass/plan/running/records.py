"""One record-level requirement: a condition on each record selects the affected bag (Definitions 8 and 9)."""

from dataclasses import dataclass
from typing import assert_never

from acompass.checked.effects import filter_of, is_always
from acompass.checked.program import Quantifier, Requirement
from acompass.checked.verdict import Verdict
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import perform
from acompass.plan.running.affected import Affected
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
    if context.show and affected.count and not is_always(requirement):
        context.samples[requirement.index] = _sample(context, state, affected)
    return affected


def _affected(context: Context, state: State, requirement: Requirement) -> tuple[Affected, Verdict]:
    asked = asked_of(state, requirement)
    if is_always(requirement):
        return asked.answered(state.records, False)
    return asked.answered(*_count(context, state, asked.seen, asked.counted))


@dataclass(frozen=True)
class Asked:
    """The conditions of a requirement on the records of a state, called `t`. The answer is the number of
    records that are `seen` and `counted`: violations of EACH, witnesses of SOME."""

    requirement: Requirement
    records: int
    seen: Sql | None
    counted: Sql

    @property
    def both(self) -> Sql:
        return self.counted if self.seen is None else sql.all_of(self.seen.copy(), self.counted.copy())

    def answered(self, count: int, selects_none: bool) -> tuple[Affected, Verdict]:
        match self.requirement.assertion.quantifier:
            case Quantifier.EACH:
                verdict = Verdict(count == 0, count, self.records, selects_none)
                return Affected(self.both, count), verdict
            case Quantifier.SOME:
                # SOME is violated on the empty table, where it affects nothing (D16)
                affected = 0 if count else self.records
                verdict = Verdict(count > 0, affected, self.records, selects_none)
                return Affected(sql.TRUE.copy(), affected), verdict
            case _:
                assert_never(self.requirement.assertion.quantifier)


def asked_of(state: State, requirement: Requirement) -> Asked:
    columns, selected = state.values(), filter_of(requirement)
    seen = None if selected is None else sql.condition(selected, state.schema, columns)
    satisfied = sql.condition(requirement.assertion.condition, state.schema, columns)
    match requirement.assertion.quantifier:
        case Quantifier.EACH:
            violated = sql.TRUE.copy() if is_always(requirement) else sql.negated(satisfied)
            return Asked(requirement, state.records, seen, violated)
        case Quantifier.SOME:
            return Asked(requirement, state.records, seen, satisfied)
        case _:
            assert_never(requirement.assertion.quantifier)


def _count(context: Context, state: State, seen: Sql | None, predicate: Sql) -> tuple[int, bool]:
    """The number of records that are seen and satisfy the predicate, and whether FILTER selects none.

    Both numbers come from one scan.
    """
    every = state.count()
    if seen is None:
        query = sql.query([every], state.source(), predicate.copy())
        return int(context.session.fetch(query)[0][0]), False
    query = sql.query([every, state.count_where(predicate)], state.source(), seen.copy())
    ((selected, count),) = context.session.fetch(query)
    return int(count), not selected


def _sample(context: Context, state: State, affected: Affected) -> Sample:
    columns = state.columns()
    query = sql.query((columns[i] for i in state.kept), state.source(), affected.predicate.copy())
    kept = [state.schema[i] for i in state.kept]
    rows = [
        tuple(sql.fetched(value, column.type) for value, column in zip(row, kept, strict=True))
        for row in context.session.fetch(query.limit(context.show))
    ]
    return Sample(tuple(column.name for column in kept), rows)
