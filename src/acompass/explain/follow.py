"""Follows a few records through the stages of a run.

The effect of a requirement over RESULT or FILTER on a record depends on that record alone, so `semantics`
computes it. The engine supplies everything that depends on other records: verdicts of SOME, aggregate values,
the records that WITH PROBABILITY draws and the values that RANDOM draws.
"""

from collections.abc import Mapping
from typing import assert_never

from acompass.checked.effects import column_written, is_always, is_certain, plain_of, process_of, random_of
from acompass.checked.program import (
    Draw,
    Drop,
    Filter,
    Generalize,
    Process,
    Program,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
)
from acompass.explain.nearest import Nearest
from acompass.explanation import Change, ClassSeen, Step
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context
from acompass.plan.running.row_lookup import ClassValues, classes_by_key, records_by_key
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)
from acompass.result import action_name
from acompass.semantics import Record, convert_types, satisfies, update
from acompass.syntax import tree


class Follower:
    """`alive` maps row keys to the current state of the followed records."""

    def __init__(self, policy: tree.Program, program: Program, records: Mapping[int, Record]):
        self.alive = dict(records)
        self._steps: dict[int, list[Step]] = {key: [] for key in records}
        self._nearest = Nearest(policy, program)

    def steps(self, row_key: int) -> tuple[Step, ...]:
        """In the order of the policy; a plan may run independent requirements in another order."""
        return tuple(sorted(self._steps[row_key], key=lambda step: step.index))

    def __call__(self, context: Context, stage: Stage, before: State, after: State) -> None:
        if not self.alive:
            return
        keys = sorted(self.alive)
        classes = _classes(context, stage, before, keys)
        for requirement in stage.requirements:
            random = records_by_key(context.session, after, keys) if random_of(requirement.action) else {}
            missed = _missed(context, requirement, keys)
            holds = context.verdicts[requirement.index].holds
            for key in sorted(self.alive):
                seen = _seen(requirement, self.alive[key], classes.get(key))
                self._meet(key, requirement, holds, seen, key not in missed, random.get(key))

    def _meet(
        self,
        key: int,
        requirement: Requirement,
        holds: bool,
        seen: ClassSeen | None,
        drawn: bool,
        random: Record | None,
    ) -> None:
        record = self.alive.pop(key)
        affected = _is_affected(requirement, record, holds, seen)
        (converted,) = convert_types([record], requirement.before, requirement.after)
        acted = affected and drawn
        left = _performed(requirement, converted, random) if acted else converted
        if left is not None:
            self.alive[key] = left
        step = Step(
            index=requirement.index,
            line=requirement.line,
            text=requirement.text,
            action=action_name(requirement.action),
            holds=None if is_always(requirement) else holds,
            affected=affected,
            drawn=drawn if affected and not is_certain(requirement.action) else None,
            seen=seen,
            change=_change(requirement, record, left) if acted else None,
            dropped=left is None,
            nearest=self._nearest.of(requirement, record, seen) if affected else (),
        )
        self._steps[key].append(step)


def _classes(context: Context, stage: Stage, before: State, keys: list[int]) -> dict[int, ClassValues]:
    match stage:
        case GroupStage():
            return classes_by_key(context.session, before, stage.requirements, keys)
        case RecordStage() | ScanStage() | TangleStage() | ChainStage():
            return {}
        case CascadeStage():
            raise AssertionError("a cascade is observed stage by stage")
        case _:
            assert_never(stage)


def _missed(context: Context, requirement: Requirement, keys: list[int]) -> set[int]:
    """The affected records that WITH PROBABILITY did not draw."""
    missed = context.missed.get(requirement.index)
    return set() if missed is None else set(records_by_key(context.session, missed, keys))


def _seen(requirement: Requirement, record: Record, found: ClassValues | None) -> ClassSeen | None:
    process = process_of(requirement)
    if found is None or process is None:
        return None
    records, values = found
    key = {requirement.before[g].name: record[g] for g in process.group_by}
    names = (aggregate.name for aggregate in process.aggregates)
    return ClassSeen(key, records, dict(zip(names, values[requirement.index], strict=True)))


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
            return seen is not None and not satisfies(seen.row, assertion.condition)
        case _:
            assert_never(assertion.result)


def _performed(requirement: Requirement, record: Record, random: Record | None) -> Record | None:
    """The record after the action; None if it is dropped. `random` has the value that RANDOM draws."""
    action = plain_of(requirement.action)
    match action:
        case None:
            return record
        case Reject():
            return None
        case Replace(column, value):
            return update(record, column, value)
        case Random(column) | Draw(column):
            assert random is not None, "RANDOM drops no record"
            return update(record, column, random[column])
        case Generalize(column, map_):
            return update(record, column, map_.label(record[column]))
        case Drop():
            return record
        case _:
            assert_never(action)


def _change(requirement: Requirement, before: Record, after: Record | None) -> Change | None:
    column = column_written(requirement.action)
    if after is None or column is None:
        return None
    return Change(requirement.after[column].name, before[column], after[column])
