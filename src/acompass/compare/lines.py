"""The requirements of two policies in the order in which they are compared: without those that never affect
anything, and with lines over classes that commute in one order."""

from collections.abc import Sequence

from acompass.checked.effects import (
    column_written,
    columns_touched,
    draws,
    drops_records,
    process_of,
    type_changes,
)
from acompass.checked.program import Program, Requirement
from acompass.compare.questions import are_same_classes
from acompass.compare.symbols import is_barrier
from acompass.privacy.influence import is_record_level
from acompass.prove.claims import check_steps
from acompass.prove.policy import MOST_CHECKS
from acompass.prove.provers import Provers


def effective_lines(program: Program, any_scale: frozenset[int]) -> list[Requirement]:
    """Without lines over classes whose assertion is proved where they stand: they change nothing.

    Only the checks before a line are known there. If one fails, nothing is written with the line or without.
    """
    provers: dict[frozenset[int], Provers] = {}

    def is_idle(step: int, requirement: Requirement) -> bool:
        if is_record_level(requirement) or type_changes(requirement):
            return False
        known = frozenset(sorted(at for at in check_steps(program) if at < step)[:MOST_CHECKS])
        if known not in provers:
            provers[known] = Provers(program, (), known, any_scale)
        return provers[known].of(requirement.assertion).attempt(requirement.assertion, step).is_proof

    lines = enumerate(program.requirements)
    return [requirement for step, requirement in lines if not is_idle(step, requirement)]


def in_order_of(ours: Sequence[Requirement], theirs: Sequence[Requirement]) -> list[Requirement]:
    """The lines `theirs`, where barriers come earlier that commute with all before them and have their
    counterpart earlier in `ours`."""
    rest, ordered = list(theirs), list[Requirement]()
    for wanted in filter(is_barrier, ours):
        at = next((at for at, line in enumerate(rest) if _is_counterpart(wanted, line)), None)
        if at is None:
            continue
        passed = rest[:at]
        if any(map(is_barrier, passed)) and all(commute(line, rest[at]) for line in passed):
            ordered.append(rest.pop(at))
        else:
            ordered += rest[: at + 1]
            rest = rest[at + 1 :]
    return ordered + rest


def _is_counterpart(one: Requirement, other: Requirement) -> bool:
    ours, theirs = process_of(one), process_of(other)
    if ours is None or theirs is None or column_written(one.action) != column_written(other.action):
        return ours is theirs and one.assertion == other.assertion and one.action == other.action
    return are_same_classes(ours, theirs) and (one.action is None) == (other.action is None)


def commute(one: Requirement, other: Requirement) -> bool:
    """Whether the order of two lines makes no difference because neither changes what the other reads or
    writes. Records that leave change classes, and the trace has one order."""
    if any(draws(each.action) or drops_records(each.action) for each in (one, other)):
        return False
    changed = [frozenset(type_changes(each)) | _written(each) for each in (one, other)]
    return not (changed[0] & columns_touched(other) or changed[1] & columns_touched(one))


def _written(requirement: Requirement) -> frozenset[int]:
    column = column_written(requirement.action)
    return frozenset() if column is None else frozenset((column,))
