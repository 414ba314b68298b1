"""Distinct values are counted by grouping twice: first by class and value, then by class.

One pass over the table then gives both the size of a class and its number of distinct values. Otherwise an
engine keeps a set of values for each class beside its counter.
"""

from dataclasses import replace

from acompass.checked.program import Function
from acompass.plan.stages import GroupStage, Stage, process_query


def count_in_two_levels(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(
        replace(stage, two_levels=True)
        if isinstance(stage, GroupStage) and _counts_one_column(stage)
        else stage
        for stage in stages
    )


def _counts_one_column(stage: GroupStage) -> bool:
    processes = [process_query(requirement) for requirement in stage.requirements]
    aggregates = [aggregate for process in processes for aggregate in process.aggregates]
    counted = {each.column for each in aggregates if each.function is Function.COUNT_DISTINCT}
    counting = all(each.function in (Function.COUNT, Function.COUNT_DISTINCT) for each in aggregates)
    return counting and len(counted) == 1 and bool(processes[0].group_by)
