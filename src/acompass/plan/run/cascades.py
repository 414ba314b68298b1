"""Run a cascade: stages that run on the distinct combinations of values of some columns, not on the records.

Consecutive stages may repeat an assertion, such as the steps of a THEN (X10). A class that satisfied the assertion
still does after a step, unless that step moved a record into it. So the next step evaluates only the records that were
affected, and the classes that they moved into; the others are *settled*."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import columns_written, removes_records, type_changes
from acompass.language.program.program import Assertion, Requirement, Verdict
from acompass.language.program.types import Kind
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import convert_through, schema_after
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import WEIGHT, CombinationLayout, State
from acompass.plan.planner import cascade_to_the_end
from acompass.plan.run.actions import convert_types, perform
from acompass.plan.run.classes import Classes, has_class, violating_classes
from acompass.plan.run.context import Affected, Context
from acompass.plan.stages import CascadeStage, GroupStage, Stage, process_query

#: the depth at which the combinations are stored: they are few
DEEPEST = 2
#: up to this many combinations, evaluating all of them costs less than another statement
_FEW = 50_000


class Execute(Protocol):
    """Runs stages on a state, which it stores at a given depth of nested SELECTs."""

    def __call__(self, context: Context, state: State, stages: Sequence[Stage], *, deepest: int | None) -> State: ...


def judged_cascade(context: Context, state: State, stages: Sequence[Stage]) -> CascadeStage | None:
    """The cascade, with all stages after it, whose verdicts `judge_cascade` finds; None if the records are needed.

    If the first stage has few combinations, it is faster alone, even if its outcome is then joined to the records.
    """
    first = stages[0]
    assert isinstance(first, CascadeStage)
    if len(stages) == 1:
        return first
    return cascade_to_the_end(stages) if _probably_too_many(context, state, first) else None


def judge_cascade(context: Context, state: State, stage: CascadeStage, execute: Execute) -> State:
    """Find the verdicts of a cascade, and return a state whose only correct part is its number of records.

    The outcome is not applied to the records. So counting combinations pays off even if there are nearly as many
    of them as records, and their original values are not needed.
    """
    table, counted = _store_combinations(context, state, CombinationLayout(stage.columns, frozenset()))
    if _count_rows(context, table) <= _FEW:
        after = execute(context, counted, stage.stages, deepest=DEEPEST)
    else:
        after = _run_stages(context, counted, stage, execute)
    return replace(state, schema=schema_after(state.schema, stage.requirements), records=after.records)


def run_cascade(context: Context, state: State, stage: CascadeStage, execute: Execute) -> State:
    counted = None if context.show else _count_combinations(context, state, stage)
    if counted is None:
        return execute(context, state, stage.stages, deepest=context.session.dialect.deepest_cascade)
    after = _run_stages(context, counted, stage, execute)
    if not any(r.action is not None and context.verdicts[r.index].affected for r in stage.requirements):
        for requirement in stage.requirements:
            state = convert_types(context, state, requirement)
        return state
    return _Outcome(context, state, stage, counted, after).apply()


def _run_stages(context: Context, counted: State, stage: CascadeStage, execute: Execute) -> State:
    """The combinations after the stages; stages that repeat an assertion evaluate only what changed."""
    for run in split_into_repeats(stage.stages):
        repeats = are_repeats(run)
        counted = run_repeats(context, counted, run) if repeats else execute(context, counted, run, deepest=DEEPEST)
    return counted


def _count_combinations(context: Context, state: State, stage: CascadeStage) -> State | None:
    """Store the combinations; None if there are too many of them."""
    if _probably_too_many(context, state, stage):
        return None
    table, counted = _store_combinations(context, state, CombinationLayout(stage.columns, _changing_columns(stage)))
    if _are_too_many(_count_rows(context, table), state, stage):
        context.session.drop(table)
        return None
    return counted


def _count_rows(context: Context, table: str) -> int:
    ((rows,),) = context.session.fetch(sql.query([exp.Count(this=exp.Star())], sql.table(table)))
    return int(rows)


def _store_combinations(context: Context, state: State, layout: CombinationLayout) -> tuple[str, State]:
    """A table of the combinations with their numbers of records, and the state that reads it."""
    table = context.session.store(state.combinations(layout))
    counted = replace(state.read_from(table), has_row_key=False, in_order=False, counted=layout)
    return table, counted


def _probably_too_many(context: Context, state: State, stage: CascadeStage) -> bool:
    estimate = context.session.dialect.approximate_distinct
    if estimate is None:
        return False
    values = [sql.column(i, "t") for i in stage.columns]
    ((found,),) = context.session.fetch(sql.query([estimate(values)], state.source()))
    return _are_too_many(found, state, stage)


def _are_too_many(combinations: int, state: State, stage: CascadeStage) -> bool:
    return combinations * stage.fewest_records > state.records


def _changing_columns(stage: CascadeStage) -> frozenset[int]:
    retyped = frozenset(column for requirement in stage.requirements for column in type_changes(requirement))
    return columns_written(stage.requirements) | retyped


@dataclass(frozen=True)
class _Outcome:
    """The combinations before and after the stages. Records are joined only with those that changed."""

    context: Context
    state: State
    stage: CascadeStage
    before: State
    after: State

    @property
    def _layout(self) -> CombinationLayout:
        assert self.before.counted is not None
        return self.before.counted

    @property
    def _changing(self) -> list[int]:
        return sorted(self._layout.changing)

    def apply(self) -> State:
        """The state of the records after the stages."""
        drops = self.after.records < self.state.records
        combinations = self._changed_or_dropped_combinations() if drops else self._changed_combinations()
        table = self.context.session.store(combinations)
        originals = self._layout.original_names.items()
        same = (exp.EQ(this=sql.column(i, "t"), expression=exp.column(name, table="o")) for i, name in originals)
        join = exp.Join(this=sql.table(table, "o"), on=sql.all_of(*same), side="LEFT")
        schema = schema_after(self.state.schema, self.stage.requirements)
        final = replace(self.state, schema=schema, records=self.after.records)
        new: dict[int, Sql] = {
            i: exp.Coalesce(this=exp.column(f"n{i}", table="o"), expressions=[self._retyped_value(i, sql.name(i))])
            for i in self._changing
        }
        return final.derive(new, joins=[join], where=_is_null("dropped", "o") if drops else None)

    def _retyped_value(self, column: int, name: str) -> Sql:
        """The original value of a column, converted to the column's final type."""
        dialect, stored = self.context.session.dialect, exp.column(name, table="t")
        return convert_through(dialect, self.stage.requirements, column, stored)

    def _changed_combinations(self) -> exp.Select:
        """The combinations that have a new value, with their new values."""
        names = self._layout.original_names
        originals = (exp.column(name, table="t") for name in names.values())
        news = (sql.with_alias(sql.column(i, "t"), f"n{i}") for i in self._changing)
        differ = (exp.NEQ(this=sql.column(i, "t"), expression=self._retyped_value(i, names[i])) for i in self._changing)
        return sql.query([*originals, *news], self.after.source(), sql.any_of(*differ))

    def _changed_or_dropped_combinations(self) -> exp.Select:
        """The changed combinations, and those whose records were dropped."""
        names = self._layout.original_names.values()
        same = (exp.EQ(this=exp.column(n, table="t"), expression=exp.column(n, table="a")) for n in names)
        originals = (exp.column(name, table="t") for name in names)
        # a typed NULL could widen the type of the column, and so of the output
        nulls = (exp.null() for _ in self._changing)
        dropped = sql.query([*originals, *nulls, sql.integer(1)], self.before.source(), _is_null(WEIGHT, "a"))
        dropped.append("joins", exp.Join(this=self.after.select.subquery("a"), on=sql.all_of(*same), side="LEFT"))
        changed = self._changed_combinations()
        changed.append("expressions", sql.with_alias(sql.cast(exp.null(), "INT"), "dropped"))
        return sql.select_all(exp.union(changed, dropped, distinct=False).subquery("t"))


def _is_null(column: str, table: str) -> Sql:
    return exp.Is(this=exp.column(column, table=table), expression=exp.null())


#: types whose distinct values have distinct texts, so that classes stay the same when a column becomes text
_INJECTIVE = frozenset({Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.DATE})


def split_into_repeats(stages: Sequence[Stage]) -> Iterator[Sequence[Stage]]:
    """Split the stages where the assertion changes; a stage that cannot be repeated is alone."""
    for _, run in groupby(enumerate(stages), lambda pair: _repeatable_assertion(pair[1]) or pair[0]):
        yield [stage for _, stage in run]


def are_repeats(stages: Sequence[Stage]) -> bool:
    return len(stages) > 1 and all(map(_repeatable_assertion, stages))


def _repeatable_assertion(stage: Stage) -> Assertion | None:
    """The assertion of a stage whose classes alone decide which records are affected."""
    if not isinstance(stage, GroupStage) or len(stage.requirements) > 1:
        return None
    (requirement,) = stage.requirements
    process, assertion = process_query(requirement), requirement.assertion
    by_classes = assertion.quantifier is Quantifier.EACH and process.group_by and process.where is None
    keeps_classes = all(before.kind in _INJECTIVE for before, _ in type_changes(requirement).values())
    return assertion if by_classes and requirement.action is not None and keeps_classes else None


def run_repeats(context: Context, state: State, stages: Sequence[Stage]) -> State:
    """The combinations after stages that `are_repeats`."""
    steps = _Steps(context, state)
    for stage in stages:
        assert isinstance(stage, GroupStage)
        steps = steps.after(stage)
    return steps.all_combinations()


@dataclass(frozen=True)
class _Steps:
    """At first, all combinations are active. Once none is, no further step affects a record."""

    context: Context
    active: State | None  # combinations whose classes have to be evaluated
    settled: State | None = None  # combinations whose classes satisfy the assertion

    def after(self, stage: GroupStage) -> "_Steps":
        (requirement,) = stage.requirements
        affected = self._find_affected(stage, requirement)
        records = sum(each.records for each in (self.active, self.settled) if each is not None)
        self.context.verdicts[requirement.index] = Verdict(affected.count == 0, affected.count, records)
        unaffected = self._unaffected_combinations(affected)
        settled = None if unaffected is None else convert_types(self.context, unaffected, requirement)
        return replace(self, active=self._perform(requirement, affected), settled=settled)._reactivate(requirement)

    def _reactivate(self, requirement: Requirement) -> "_Steps":
        """Settled combinations become active again if changed ones moved into their classes."""
        if self.active is None or self.settled is None:
            return self
        classes = Classes(self.context.session.dialect, self.active, (requirement,), totals=self.context.totals)
        keys = self.context.session.store(sql.select_all(classes.subquery()))
        found, join = has_class(), replace(classes, state=self.settled).join(keys)
        touched = self.settled.derive({}, joins=[join], where=found)
        ((records,),) = self.context.session.fetch(sql.query([touched.count()], touched.source()))
        if not records:
            return self
        rest = self.settled.derive({}, joins=[join.copy()], where=sql.negate(found.copy()))
        return replace(
            self,
            active=_unite(self.active, self._store(touched, int(records))),
            settled=self._store(rest, self.settled.records - int(records)),
        )

    def all_combinations(self) -> State:
        if self.active is None or self.settled is None:
            whole = self.settled or self.active
            assert whole is not None, "combinations are either active or settled"
            return whole
        return _unite(self.settled, self.active)

    def _find_affected(self, stage: GroupStage, requirement: Requirement) -> Affected:
        if self.active is None:
            return Affected(sql.FALSE.copy(), 0)
        dialect, totals = self.context.session.dialect, self.context.totals
        classes = Classes(dialect, self.active, (requirement,), stage.two_levels, totals)
        return violating_classes(self.context, classes, requirement)

    def _unaffected_combinations(self, affected: Affected) -> State | None:
        if self.active is None or (self.settled is not None and affected.count == self.active.records):
            return self.settled
        rest = self.active
        if affected.count:
            joins, where = [join.copy() for join in affected.joins], sql.negate(affected.predicate.copy())
            rest = self._store(rest.derive({}, joins=joins, where=where), rest.records - affected.count)
        return rest if self.settled is None else _unite(self.settled, rest)

    def _perform(self, requirement: Requirement, affected: Affected) -> State | None:
        """The affected combinations after the action; None if there are none left."""
        if self.active is None or not affected.count or removes_records(requirement.action):
            return None
        bag = self.active.derive({}, joins=affected.joins, where=affected.predicate)
        bag = replace(bag, records=affected.count)
        whole_bag = Affected(sql.TRUE.copy(), affected.count, stored=affected.stored)
        return self._store(perform(self.context, bag, requirement, whole_bag), affected.count)

    def _store(self, state: State, records: int) -> State:
        return replace(state.read_from(self.context.session.store(state.select)), records=records)


def _unite(one: State, other: State) -> State:
    union = exp.union(one.projection(), other.projection(), distinct=False)
    return replace(
        one,
        select=sql.select_all(union.subquery("t")),
        records=one.records + other.records,
        depth=max(one.depth, other.depth) + 1,
        sizes={},
    )
