"""Group-level requirements in a row that group by the same columns share one aggregation.

A REJECT without WHERE drops whole classes, so the classes that remain have the aggregate values they had.
With a WHERE, or another action, the next requirement must see the table anew.
"""

from acompass.checked.program import Quantifier, Reject, Requirement
from acompass.plan.stages import GroupStage, Stage, process_of, type_changes


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
    first_process = process_of(requirements[0])
    return (
        all(_leaves_classes_whole(requirement) for requirement in requirements)
        and bool(first_process.group_by)
        and all(process_of(r).group_by == first_process.group_by for r in requirements)
    )


def _leaves_classes_whole(requirement: Requirement) -> bool:
    return (
        process_of(requirement).where is None
        and requirement.assertion.quantifier is Quantifier.EACH
        and (requirement.action is None or isinstance(requirement.action, Reject))
        and not type_changes(requirement)
    )
