"""Run record-level stages: a condition on each record selects the affected bag (Definitions 8 and 9).

`run_records` runs one requirement, `run_scan` counts the affected bags of independent requirements by one scan, and
`run_dependent` runs requirements that read what others write: it flags the records that each of them affects, and
stores the records with their flags. Actions and counts read the flags, so no condition is evaluated twice."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import as_generalize, filter_of, is_always
from acompass.language.program.program import Requirement, Verdict
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.actions import Labels, look_up, perform
from acompass.plan.run.context import Affected, Context
from acompass.plan.stages import DependentStage, RecordStage, Sample, ScanStage


def run_records(context: Context, state: State, stage: RecordStage) -> State:
    requirement = stage.requirement
    question = record_question(state, requirement)
    answer = (state.records, False) if is_always(requirement) else _count(context, state, question)
    affected, context.verdicts[requirement.index] = question.answer(*answer)
    if context.show and affected.count and not is_always(requirement):
        context.samples[requirement.index] = _sample(context, state, affected)
    return perform(context, state, requirement, affected)


@dataclass(frozen=True)
class RecordQuestion:
    """How many records of the state, named `t`, violate EACH or witness SOME."""

    requirement: Requirement
    records: int  # the number of records in the state
    selected: Sql | None  # the condition of FILTER
    counted: Sql  # the condition of a violation or a witness

    @property
    def condition(self) -> Sql:
        return self.counted if self.selected is None else sql.all_of(self.selected.copy(), self.counted.copy())

    def answer(self, count: int, selects_none: bool) -> tuple[Affected, Verdict]:
        match self.requirement.assertion.quantifier:
            case Quantifier.EACH:
                verdict = Verdict(count == 0, count, self.records, selects_none)
                return Affected(self.condition, count), verdict
            case Quantifier.SOME:
                # SOME is violated on the empty table, where it affects nothing (D16)
                affected = 0 if count else self.records
                verdict = Verdict(count > 0, affected, self.records, selects_none)
                return Affected(sql.TRUE.copy(), affected), verdict
            case _:
                assert_never(self.requirement.assertion.quantifier)


def record_question(state: State, requirement: Requirement) -> RecordQuestion:
    columns, filter_ = state.values(), filter_of(requirement)
    selected = None if filter_ is None else sql.condition(filter_, state.schema, columns)
    satisfied = sql.condition(requirement.assertion.condition, state.schema, columns)
    match requirement.assertion.quantifier:
        case Quantifier.EACH:
            violated = sql.TRUE.copy() if is_always(requirement) else sql.negate(satisfied)
            return RecordQuestion(requirement, state.records, selected, violated)
        case Quantifier.SOME:
            return RecordQuestion(requirement, state.records, selected, satisfied)
        case _:
            assert_never(requirement.assertion.quantifier)


def _count(context: Context, state: State, question: RecordQuestion) -> tuple[int, bool]:
    """The number of records that answers the question, and whether FILTER selects none, by one scan."""
    every = state.count()
    if question.selected is None:
        query = sql.query([every], state.source(), question.counted.copy())
        return int(context.session.fetch(query)[0][0]), False
    query = sql.query([every, state.count_where(question.counted)], state.source(), question.selected.copy())
    ((selected, count),) = context.session.fetch(query)
    return int(count), not selected


def _sample(context: Context, state: State, affected: Affected) -> Sample:
    columns = state.columns()
    query = sql.query((columns[i] for i in state.kept_columns), state.source(), affected.predicate.copy())
    kept = [state.schema[i] for i in state.kept_columns]
    rows = [
        tuple(sql.fetched_value(value, column.type) for value, column in zip(row, kept, strict=True))
        for row in context.session.fetch(query.limit(context.show))
    ]
    return Sample(tuple(column.name for column in kept), rows)


def run_scan(context: Context, state: State, stage: ScanStage) -> State:
    questions = [record_question(state, requirement) for requirement in stage.requirements]
    counts = _count_affected(context, state, questions)
    # a second scan for these only: an engine that finds a condition twice may evaluate it for every record
    uncertain = [each for each, count in zip(questions, counts, strict=True) if count == 0]
    select_none = _find_empty_filters(context, state, uncertain)
    before = state
    for each, count in zip(questions, counts, strict=True):
        index = each.requirement.index
        affected, context.verdicts[index] = each.answer(count, index in select_none)
        labels = _labels(context, before, each.requirement, affected)
        state = perform(context, state, each.requirement, affected, labels)
    return state


def _labels(context: Context, before: State, requirement: Requirement, affected: Affected) -> Labels | None:
    """The labels of GENERALIZE, looked up before the stage, where its column is the same and needs no joins."""
    generalize = as_generalize(requirement.action)
    if generalize is None or affected.count == 0:
        return None
    return look_up(context, before, requirement, generalize, affected)


def _count_affected(context: Context, state: State, questions: Sequence[RecordQuestion]) -> list[int]:
    """The number of records that answers each question. ALWAYS needs no scan."""
    scanned = [each for each in questions if not is_always(each.requirement)]
    found = iter(_count_each(context, state, [each.condition for each in scanned]) if scanned else [])
    return [state.records if is_always(each.requirement) else next(found) for each in questions]


def _find_empty_filters(context: Context, state: State, questions: Sequence[RecordQuestion]) -> set[int]:
    """The indexes of the requirements whose FILTER selects no record."""
    filters = {each.requirement.index: each.selected for each in questions if each.selected is not None}
    selected = _count_each(context, state, list(filters.values())) if filters else []
    return {index for index, count in zip(filters, selected, strict=True) if count == 0}


def _count_each(context: Context, state: State, conditions: Sequence[Sql]) -> list[int]:
    """The number of records that satisfy each condition."""
    columns = [state.count_where(condition) for condition in conditions]
    (row,) = context.session.fetch(sql.query(columns, state.source()))
    return [int(count) for count in row]


#: returns a state with the same records, stored
Store: TypeAlias = Callable[[State], State]


def run_dependent(context: Context, state: State, stage: DependentStage, store: Store) -> State:
    asked: list[tuple[State, RecordQuestion]] = []
    for requirement in stage.requirements:
        asked.append((state, record_question(state, requirement)))
        state = state.with_flag(asked[-1][1].condition)
        # the number of affected records is not known yet; the flag alone decides what happens to them
        affected = Affected(exp.column(state.flags[-1], table="t"), state.records)
        state = perform(context, state, requirement, affected)
    stored = store(state)
    counts = _count_each(context, stored, [exp.column(flag, table="t") for flag in stored.flags])
    for (before, each), count in zip(asked, counts, strict=True):
        selects_none = count == 0 and _selects_none(context, before, each)
        _, context.verdicts[each.requirement.index] = each.answer(count, selects_none)
    return replace(stored, flags=())


def _selects_none(context: Context, before: State, question: RecordQuestion) -> bool:
    if question.selected is None:
        return False
    query = sql.query([exp.Count(this=exp.Star())], before.source(), question.selected.copy())
    return not context.session.fetch(query)[0][0]
