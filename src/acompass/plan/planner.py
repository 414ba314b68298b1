"""Build a plan from a checked program: one stage for each requirement, then the rewrites, in order.

No rewrite changes a verdict, a count, a trace position or a bag."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from acompass.language.program import effects
from acompass.language.program.program import Program, Requirement
from acompass.plan.class_rewrites import count_combinations, count_in_two_levels, share_aggregations
from acompass.plan.record_rewrites import (
    inline_ranges,
    look_up_values,
    merge_chains,
    share_scans,
    store_dependent_stages,
)
from acompass.plan.stages import GroupStage, RecordStage, Stage

Rewrite: TypeAlias = Callable[[tuple[Stage, ...]], tuple[Stage, ...]]

REWRITES = (
    merge_chains,
    look_up_values,
    inline_ranges,
    store_dependent_stages,
    share_scans,
    share_aggregations,
    count_in_two_levels,
    count_combinations,
)


def plan(program: Program, rewrites: Sequence[Rewrite] = REWRITES) -> tuple[Stage, ...]:
    stages = naive_stages(program)
    for rewrite in rewrites:
        stages = rewrite(stages)
    return stages


def naive_stages(program: Program) -> tuple[Stage, ...]:
    return tuple(map(_stage, program.requirements))


def _stage(requirement: Requirement) -> Stage:
    return RecordStage(requirement) if effects.process_of(requirement) is None else GroupStage((requirement,))


def without_actions(program: Program) -> Program:
    """The program that `check` evaluates (D22, checks): every assertion is about the input table.

    Types still change (D12, retyping), because later assertions were checked against the new types.
    """
    return replace(program, requirements=tuple(replace(r, action=None) for r in program.requirements))
