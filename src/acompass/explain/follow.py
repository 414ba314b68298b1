"""Follows a few records through the stages of a run.

What a requirement over RESULT or FILTER does to a record depends on the record alone, so `semantics` says it.
The engine says what depends on other records: verdicts of SOME, aggregate values, what RANDOM draws.
"""

from collections.abc import Mapping

from acompass.checked.program import (
    Filter,
    Process,
    Program,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
)
from acompass.explain.life import Change, ClassSeen, Step
from acompass.explain.nearest import Nearest
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context
from acompass.plan.running.row_lookup import ClassValues, classes_by_key, records_by_key
from acompass.plan.stages import GroupStage, Stage
from acompass.result import action_name
from acompass.semantics.bags import Record, update
from acompass.semantics.conditions import satisfies
from acompass.semantics.requirements import convert_types
from acompass.syntax import tree


class Follower:
    """`alive` are the records as they stand, by row key; `steps` are theirs in the order they happened."""

    def __init__(self, policy: tree.Program, program: Program, records: Mapping[int, Record]):
        self.alive = dict(records)
        self._steps: dict[int, list[Step]] = {key: [] for key in records}
        self._nearest = Nearest(policy, program)

    def steps(self, row_key: int) -> tuple[Step, ...]:
        """A plan may take requirements that do not meet out of turn."""
        return tuple(sorted(self._steps[row_key], key=lambda step: step.index))

    def __call__(self, context: Context, stage: Stage, before: State, after: State) -> None:
        if not self.alive:
            return
        keys = sorted(self.alive)
        classes: dict[int, ClassValues] = {}
        if isinstance(stage, GroupStage):
            classes = classes_by_key(context.session, before, stage.requirements, keys)
        for requirement in stage.requirements:
            drawn = self._drawn(context, requirement, after, keys)
            for key in sorted(self.alive):
                holds = context.verdicts[requirement.index].holds
                self._meet(
                    key, requirement, holds, _seen(requirement, self.alive[key], classes.get(key)), drawn
                )

    def _drawn(
        self, context: Context, requirement: Requirement, after: State, keys: list[int]
    ) -> dict[int, Record]:
        if not isinstance(requirement.action, Random):
            return {}
        return records_by_key(context.session, after, keys)

    def _meet(
        self,
        key: int,
        requirement: Requirement,
        holds: bool,
        seen: ClassSeen | None,
        drawn: Mapping[int, Record],
    ) -> None:
        record = self.alive[key]
        affected = _is_affected(requirement, record, holds, seen)
        (converted,) = convert_types([record], requirement.before, requirement.after)
        left = _performed(requirement, converted, drawn.get(key)) if affected else converted
        if left is None:
            del self.alive[key]
        else:
            self.alive[key] = left
        self._steps[key].append(
            Step(
                index=requirement.index,
                line=requirement.line,
                text=requirement.text,
                action=action_name(requirement.action),
                holds=holds,
                affected=affected,
                seen=seen,
                change=_change(requirement, record, left) if affected else None,
                dropped=left is None,
                nearest=self._nearest.of(requirement, record, seen) if affected else (),
            )
        )


def _seen(requirement: Requirement, record: Record, found: ClassValues | None) -> ClassSeen | None:
    process = requirement.assertion.result
    if found is None or not isinstance(process, Process):
        return None
    records, values = found
    key = {requirement.before[g].name: record[g] for g in process.group_by}
    return ClassSeen(key, records, process.name, values[requirement.index])


def _is_affected(requirement: Requirement, record: Record, holds: bool, seen: ClassSeen | None) -> bool:
    assertion = requirement.assertion
    if assertion.quantifier is Quantifier.SOME:
        return not holds
    match assertion.result:
        case Result():
            return not satisfies(record, assertion.condition)
        case Filter(condition):
            return satisfies(record, condition) and not satisfies(record, assertion.condition)
        case Process():
            return seen is not None and not satisfies((*seen.key.values(), seen.value), assertion.condition)


def _performed(requirement: Requirement, record: Record, drawn: Record | None) -> Record | None:
    """The record after the action, None where it is dropped."""
    match requirement.action:
        case None:
            return record
        case Reject():
            return None
        case Replace(column, value):
            return update(record, column, value)
        case Random(column):
            assert drawn is not None, "RANDOM drops no record"
            return update(record, column, drawn[column])


def _change(requirement: Requirement, before: Record, after: Record | None) -> Change | None:
    if after is None or not isinstance(requirement.action, Replace | Random):
        return None
    column = requirement.action.column
    return Change(requirement.after[column].name, before[column], after[column])
