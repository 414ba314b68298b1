"""Consecutive requirements over the same groups share one aggregation.

A REJECT without WHERE drops whole classes, so the remaining classes keep their aggregate values. After a
WHERE or any other action, the next requirement has to aggregate the table again.
"""

from typing import assert_never

from acompass.checked.effects import type_changes
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.plan.stages import GroupStage, Stage, process_query


def share_aggregations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
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
    return (
        _keeps_or_drops_classes(requirement.action)
        and _affects_single_classes(requirement.assertion.quantifier)
        and process_query(requirement).where is None
        and not type_changes(requirement)
    )


def _keeps_or_drops_classes(action: Action | None) -> bool:
    """An action that is not listed here shares no aggregation."""
    match action:
        case None | Reject():
            return True
        case Replace() | Random() | Draw() | Generalize() | Drop() | Sometimes():
            return False
        case _:
            assert_never(action)


def _affects_single_classes(quantifier: Quantifier) -> bool:
    match quantifier:
        case Quantifier.EACH:
            return True
        case Quantifier.SOME:
            return False
        case _:
            assert_never(quantifier)
