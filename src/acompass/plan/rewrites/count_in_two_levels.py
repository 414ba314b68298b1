"""Distinct values are counted by grouping twice: first by class and value, then by class.

One pass over the table then serves both the size of a class and its number of values, where an engine would
keep a set of values a class beside its counter.
"""

from dataclasses import replace

from acompass.checked.program import Function
from acompass.plan.stages import GroupStage, Stage, process_of


def count_in_two_levels(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(
        replace(stage, two_levels=True)
        if isinstance(stage, GroupStage) and _counts_one_column(stage)
        else stage
        for stage in stages
    )


def _counts_one_column(stage: GroupStage) -> bool:
    processes = [process_of(requirement) for requirement in stage.requirements]
    counted = {process.column for process in processes if process.function is Function.COUNT_DISTINCT}
    counting = all(p.function in (Function.COUNT, Function.COUNT_DISTINCT) for p in processes)
    return counting and len(counted) == 1 and bool(processes[0].group_by)
