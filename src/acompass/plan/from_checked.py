"""Checked program -> plan: one stage a requirement, then the rewrites, in order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from acompass.checked.program import Process, Program
from acompass.plan.rewrites import REWRITES
from acompass.plan.stages import GroupStage, RecordStage, Stage

Rewrite: TypeAlias = Callable[[tuple[Stage, ...]], tuple[Stage, ...]]


def plan(program: Program, rewrites: Sequence[Rewrite] = REWRITES) -> tuple[Stage, ...]:
    stages = naive_stages(program)
    for rewrite in rewrites:
        stages = rewrite(stages)
    return stages


def naive_stages(program: Program) -> tuple[Stage, ...]:
    return tuple(
        GroupStage((requirement,))
        if isinstance(requirement.assertion.result, Process)
        else RecordStage(requirement)
        for requirement in program.requirements
    )


def without_actions(program: Program) -> Program:
    """What `check` evaluates (D22): every assertion on the table as given. Types still change where D12 says
    so: a later assertion was checked against them."""
    return replace(program, requirements=tuple(replace(r, action=None) for r in program.requirements))
