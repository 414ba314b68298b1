"""A short chain on one column is written as one CASE over ranges, without a join."""

from dataclasses import replace

from acompass.plan.stages import ChainStage, Stage


def inline_ranges(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(
        replace(stage, inline=True)
        if isinstance(stage, ChainStage) and len(stage.columns) == 1 and not stage.by_values
        else stage
        for stage in stages
    )
