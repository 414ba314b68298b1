"""Rewrite class-level stages. The rewrites run in this order, after those of record-level stages."""

from collections.abc import Sequence
from typing import TypeAlias, TypeGuard

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import (
    as_generalize,
    column_written,
    columns_read,
    columns_touched,
    comparisons,
    drops_records,
    is_always,
    is_certain,
    process_of,
    type_changes,
)
from acompass.language.program.program import Requirement
from acompass.language.program.types import Kind
from acompass.language.text.tree import Function, Quantifier
from acompass.plan.regions import as_replace
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    DependentStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    process_query,
)


def share_aggregations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Evaluate requirements on the same classes with one aggregation, if they only drop whole classes."""
    shared: list[Stage] = []
    for stage in stages:
        last = shared[-1] if shared else None
        if isinstance(stage, GroupStage) and isinstance(last, GroupStage) and _can_share(last, stage):
            shared[-1] = GroupStage(last.requirements + stage.requirements)
        else:
            shared.append(stage)
    return tuple(shared)


def _can_share(first: GroupStage, second: GroupStage) -> bool:
    requirements = first.requirements + second.requirements
    groups = process_query(requirements[0]).group_by
    return (
        all(_leaves_classes_whole(requirement) for requirement in requirements)
        and bool(groups)
        and all(process_query(requirement).group_by == groups for requirement in requirements)
    )


def _leaves_classes_whole(requirement: Requirement) -> bool:
    action = requirement.action
    return (
        (action is None or (drops_records(action) and is_certain(action)))
        and requirement.assertion.quantifier is Quantifier.EACH
        and process_query(requirement).where is None
        and not type_changes(requirement)
    )


def count_in_two_levels(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Count distinct values by grouping twice: first by class and value, then by class.

    One pass over the table then gives both the size of a class and its number of distinct values. Otherwise an engine
    keeps a set of values for each class in addition to its counter.
    """
    return tuple(
        replace(stage, two_levels=True) if isinstance(stage, GroupStage) and _counts_one_column(stage) else stage
        for stage in stages
    )


def _counts_one_column(stage: GroupStage) -> bool:
    processes = [process_query(requirement) for requirement in stage.requirements]
    aggregates = [aggregate for process in processes for aggregate in process.aggregates]
    counted = {each.column for each in aggregates if each.function is Function.COUNT_DISTINCT}
    counting = all(each.function in (Function.COUNT, Function.COUNT_DISTINCT) for each in aggregates)
    return counting and len(counted) == 1 and bool(processes[0].group_by)


_Plain: TypeAlias = RecordStage | ScanStage | DependentStage | ChainStage | GroupStage


def count_combinations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Merge class-level requirements that read what others wrote into cascades.

    Each would group all records again. But they depend only on the distinct combinations of values of the columns that
    they name, which are few. So a cascade counts the combinations once, runs its stages on them, and joins the outcome
    to the records once. SUM multiplies values by numbers of records, and two equal floats can have different texts, so
    stages with either are left alone.
    """
    rewritten: list[Stage] = []
    run: list[_Plain] = []
    for stage in stages:
        if _is_countable(stage):
            run.append(stage)
        else:
            rewritten += [*_with_cascades(run), stage]
            run = []
    return (*rewritten, *_with_cascades(run))


def _is_countable(stage: Stage) -> TypeGuard[_Plain]:
    return not isinstance(stage, CascadeStage) and all(map(_depends_on_combinations, stage.requirements))


def _depends_on_combinations(requirement: Requirement) -> bool:
    process = process_of(requirement)
    sums = process is not None and any(each.function is Function.SUM for each in process.aggregates)
    kinds = {requirement.before[column].type.kind for column in columns_touched(requirement)}
    seen = requirement.assertion
    kinds |= {seen.schema[comparison.column].type.kind for comparison in comparisons(seen.condition)}
    return not sums and Kind.FLOAT not in kinds and _maps_values(requirement)


def _maps_values(requirement: Requirement) -> bool:
    """Whether the action maps complete values. ALWAYS may overwrite missing ones (D27), which never join."""
    action = requirement.action
    if as_replace(action) is not None:
        return not is_always(requirement)
    return action is None or (is_certain(action) and (drops_records(action) or as_generalize(action) is not None))


def _with_cascades(run: Sequence[_Plain]) -> list[Stage]:
    """The run with its longest cascade as one stage, and the cascades before and after it."""
    found = [_Window.around(run, i) for i in range(len(run)) if isinstance(run[i], GroupStage)]
    worthwhile = [window for window in found if window.aggregates_what_it_writes()]
    if not worthwhile:
        return list(run)
    best = max(worthwhile, key=lambda window: (window.aggregations, -len(window.columns)))
    cascade = CascadeStage(best.stages, tuple(sorted(best.columns)))
    before, after = run[: best.first], run[best.first + len(best.stages) :]
    return [*_with_cascades(before), cascade, *_with_cascades(after)]


@dataclass(frozen=True)
class _Window:
    """Consecutive stages of a run that touch only `columns`.

    The first one aggregates: stages before it may generalize a column, which then has fewer values.
    """

    stages: tuple[_Plain, ...]
    first: int  # the position of the first stage in the run
    columns: frozenset[int]

    @classmethod
    def around(cls, run: Sequence[_Plain], place: int) -> "_Window":
        """The longest window on the columns that the stage at `place` reads."""
        columns = frozenset[int]().union(*map(columns_read, run[place].requirements))
        first = last = place
        while first > 0 and _columns_touched_by(run[first - 1]) <= columns:
            first -= 1
        while last + 1 < len(run) and _columns_touched_by(run[last + 1]) <= columns:
            last += 1
        while first < place and not isinstance(run[first], GroupStage):
            first += 1
        # the stage itself may write a column that nothing reads
        stages = run[first : last + 1] if _columns_touched_by(run[place]) <= columns else ()
        return cls(tuple(stages), first, columns)

    @property
    def aggregations(self) -> int:
        return sum(isinstance(stage, GroupStage) for stage in self.stages)

    def aggregates_what_it_writes(self) -> bool:
        groups = [i for i, stage in enumerate(self.stages) if isinstance(stage, GroupStage)]
        return len(groups) > 1 and any(map(_writes, self.stages[: groups[-1]]))


def _columns_touched_by(stage: _Plain) -> frozenset[int]:
    return frozenset[int]().union(*map(columns_touched, stage.requirements))


def _writes(stage: _Plain) -> bool:
    return any(column_written(requirement.action) is not None for requirement in stage.requirements)
