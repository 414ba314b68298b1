"""How far one record spreads: the stability of each requirement. docs/privacy-proofs.md, section 2."""

from collections.abc import Iterable
from typing import assert_never

from acompass.checked.effects import drops_records, is_certain, process_of
from acompass.checked.program import Program, Quantifier, Requirement
from acompass.privacy.class_conditions import ClassCondition, class_condition
from acompass.privacy.table_answer import LineStability, Stability


def stability(program: Program) -> Stability:
    """The product of the requirements' stabilities bounds the policy's."""
    lines = tuple(map(_of_requirement, program.requirements))
    return Stability(lines, _product(line.records for line in lines))


def _product(factors: Iterable[int | None]) -> int | None:
    product = 1
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product


def _of_requirement(requirement: Requirement) -> LineStability:
    records, reason = _spread(requirement)
    return LineStability(requirement.index, requirement.line, records, reason)


def _spread(requirement: Requirement) -> tuple[int | None, str]:
    process = process_of(requirement)
    if requirement.action is None:
        return 1, "it changes nothing"
    match requirement.assertion.quantifier:
        case Quantifier.SOME if process is None or process.group_by or process.where is not None:
            return None, "one record decides about all others"
        case Quantifier.EACH if process is None:
            return 1, "it treats each record by itself"
        case Quantifier.SOME | Quantifier.EACH:
            # a SOME about one class, the whole table, is the same as an EACH
            assert process is not None
            return _of_classes(requirement, class_condition(requirement.assertion, process))
        case _:
            assert_never(requirement.assertion.quantifier)


def _of_classes(requirement: Requirement, condition: ClassCondition) -> tuple[int | None, str]:
    """What one record changes about other records of its class."""
    if not condition.has_few_cells and not condition.is_about_counts:
        return None, "one record may decide about a class of any size"
    beyond = max(condition.turns, default=0) + 1
    if condition.has_few_cells and any(_flips(condition, beyond)):
        return None, "one record decides about a class of any size"
    sizes = {near for turn in condition.turns for near in (turn - 1, turn) if near >= 1}
    spreads = {
        _records_changed(requirement, size, is_lost): size
        for size in sizes
        for is_lost, happens in zip((True, False), _flips(condition, size), strict=True)
        if happens
    }
    if not spreads:
        return 1, "no record decides about others"
    most = max(spreads)
    return most, f"one record decides about {_others(spreads[most])} of its class"


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count} others"


def _flips(condition: ClassCondition, size: int) -> tuple[bool, bool]:
    """Whether one more record can make a class of this size violate the condition, and whether it can make it
    satisfy the condition."""
    if not condition.has_few_cells:
        return size in condition.turns, size in condition.turns
    pairs = list(zip(condition.verdicts(size), condition.verdicts(size + 1), strict=True))
    lost = any(True in before and False in after for before, after in pairs)
    gained = any(False in before and True in after for before, after in pairs)
    return lost, gained


def _records_changed(requirement: Requirement, size: int, is_lost: bool) -> int:
    """The records in which the outputs differ, if one more record makes a class of this size violate the
    condition (`is_lost`), or satisfy it."""
    if not drops_records(requirement.action):
        return 2 * size + 1
    # a record that may stay can be the new one, where all others are rejected
    return size if is_lost and is_certain(requirement.action) else size + 1
