"""A chain with many constants looks regions up by distinct value.

Comparing each record with each constant costs records times constants. A table has far fewer distinct values
than records, so the regions of the distinct values are computed once and joined.
"""

from dataclasses import replace

from acompass.plan.regions import constants_of
from acompass.plan.stages import ChainStage, Stage

#: comparisons per record that cost about as much as the join
MOST_COMPARED = 6


def look_up_values(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(
        replace(stage, by_values=True) if isinstance(stage, ChainStage) and _is_long(stage) else stage
        for stage in stages
    )


def _is_long(stage: ChainStage) -> bool:
    constants = constants_of(stage.requirements, stage.columns)
    return any(len(of_column) > MOST_COMPARED for of_column in constants.values())
