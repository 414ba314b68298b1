"""Steps of a cascade that ask the same assertion again, such as those of a THEN (X10).

A class that satisfied the assertion still does at the next step, unless a record that the step changed is now
in it. So only the records that were affected, and the classes that they came into, are looked at again. The
others are *settled*.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sqlglot import exp

from acompass.checked.effects import drops_records, type_changes
from acompass.checked.program import Assertion, Quantifier, Requirement
from acompass.checked.types import Kind
from acompass.checked.verdict import Verdict
from acompass.plan.lowering import sql
from acompass.plan.lowering.classes import Classes
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import converted, perform
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.running.groups import found_class, violating_classes
from acompass.plan.stages import GroupStage, Stage, process_query

#: types whose values keep their classes when they become text
_INJECTIVE = frozenset({Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.DATE})


def in_repeats(stages: Sequence[Stage]) -> Iterator[Sequence[Stage]]:
    """The stages, cut where the assertion changes. A stage that cannot be repeated has no neighbours."""
    numbered = enumerate(stages)
    for _, run in groupby(numbered, lambda pair: _repeated(pair[1]) or pair[0]):
        yield [stage for _, stage in run]


def are_repeats(stages: Sequence[Stage]) -> bool:
    return len(stages) > 1 and all(map(_repeated, stages))


def _repeated(stage: Stage) -> Assertion | None:
    """The assertion of a step that can be repeated: the classes decide alone which records are affected."""
    if not isinstance(stage, GroupStage) or len(stage.requirements) > 1:
        return None
    (requirement,) = stage.requirements
    process, assertion = process_query(requirement), requirement.assertion
    by_classes = assertion.quantifier is Quantifier.EACH and process.group_by and process.where is None
    return (
        assertion if by_classes and requirement.action is not None and _keeps_classes(requirement) else None
    )


def _keeps_classes(requirement: Requirement) -> bool:
    return all(before.kind in _INJECTIVE for before, _ in type_changes(requirement).values())


def run_repeats(context: Context, state: State, stages: Sequence[Stage]) -> State:
    """The state after stages that `are_repeats`. It has one row for each combination (see `cascades`)."""
    steps = _Steps(context, state)
    for stage in stages:
        assert isinstance(stage, GroupStage)
        steps = steps.after(stage)
    return steps.everything()


@dataclass(frozen=True)
class _Steps:
    """Combinations whose classes satisfy the assertion are `settled`, the others are `active`.

    At first, all are active. Once none is, no step affects a record.
    """

    context: Context
    active: State | None
    settled: State | None = None

    def after(self, stage: GroupStage) -> "_Steps":
        (requirement,) = stage.requirements
        affected = self._affected(stage, requirement)
        records = sum(each.records for each in (self.active, self.settled) if each is not None)
        self.context.verdicts[requirement.index] = Verdict(affected.count == 0, affected.count, records)
        rest = self._rest(affected)
        settled = None if rest is None else converted(self.context, rest, requirement)
        return replace(self, active=self._changed(requirement, affected), settled=settled).merged(requirement)

    def merged(self, requirement: Requirement) -> "_Steps":
        """The settled combinations of the classes that the changed ones came into are active again."""
        if self.active is None or self.settled is None:
            return self
        classes = Classes(self.context.session.dialect, self.active, (requirement,))
        keys = self.context.session.store(sql.everything(classes.grouped()))
        found, join = found_class(), replace(classes, state=self.settled).join(keys)
        touched = self.settled.derive({}, joins=[join], where=found)
        ((records,),) = self.context.session.fetch(sql.query([touched.count()], touched.source()))
        if not records:
            return self
        rest = self.settled.derive({}, joins=[join.copy()], where=sql.negated(found.copy()))
        return replace(
            self,
            active=_both(self.active, self._stored(touched, int(records))),
            settled=self._stored(rest, self.settled.records - int(records)),
        )

    def everything(self) -> State:
        if self.active is None or self.settled is None:
            whole = self.settled or self.active
            assert whole is not None, "what is not active is settled"
            return whole
        return _both(self.settled, self.active)

    def _affected(self, stage: GroupStage, requirement: Requirement) -> Affected:
        if self.active is None:
            return Affected(sql.FALSE.copy(), 0)
        classes = Classes(self.context.session.dialect, self.active, (requirement,), stage.two_levels)
        return violating_classes(self.context, classes, requirement)

    def _rest(self, affected: Affected) -> State | None:
        """The combinations that are not affected."""
        if self.active is None or (self.settled is not None and affected.count == self.active.records):
            return self.settled
        rest = self.active
        if affected.count:
            joins, where = [join.copy() for join in affected.joins], sql.negated(affected.predicate.copy())
            rest = self._stored(rest.derive({}, joins=joins, where=where), rest.records - affected.count)
        return rest if self.settled is None else _both(self.settled, rest)

    def _changed(self, requirement: Requirement, affected: Affected) -> State | None:
        """The affected combinations after the action."""
        if self.active is None or not affected.count or drops_records(requirement.action):
            return None
        hit = self.active.derive({}, joins=affected.joins, where=affected.predicate)
        hit = replace(hit, records=affected.count)
        everyone = Affected(sql.TRUE.copy(), affected.count, distinct=affected.distinct)
        return self._stored(perform(self.context, hit, requirement, everyone), affected.count)

    def _stored(self, state: State, records: int) -> State:
        return replace(state.stored_as(self.context.session.store(state.select)), records=records)


def _both(one: State, other: State) -> State:
    union = exp.union(one.projection(), other.projection(), distinct=False)
    return replace(
        one,
        select=sql.everything(union.subquery("t")),
        records=one.records + other.records,
        depth=max(one.depth, other.depth) + 1,
        sizes={},
    )
