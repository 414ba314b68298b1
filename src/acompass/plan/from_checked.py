"""Checked program -> plan: one stage per requirement, then the rewrites, in order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from acompass.checked import effects
from acompass.checked.program import Program, Requirement
from acompass.plan.rewrites import REWRITES
from acompass.plan.stages import GroupStage, RecordStage, Stage

Rewrite: TypeAlias = Callable[[tuple[Stage, ...]], tuple[Stage, ...]]


def plan(program: Program, rewrites: Sequence[Rewrite] = REWRITES) -> tuple[Stage, ...]:
    stages = naive_stages(program)
    for rewrite in rewrites:
        stages = rewrite(stages)
    return stages


def naive_stages(program: Program) -> tuple[Stage, ...]:
    return tuple(map(_stage, program.requirements))


def _stage(requirement: Requirement) -> Stage:
    is_class_level = effects.process_of(requirement) is not None
    return GroupStage((requirement,)) if is_class_level else RecordStage(requirement)


def without_actions(program: Program) -> Program:
    """The program that `check` evaluates (D22): every assertion on the table as it came in.

    Types still change where D12 says so, because later assertions were checked against the new types.
    """
    return replace(program, requirements=tuple(replace(r, action=None) for r in program.requirements))
