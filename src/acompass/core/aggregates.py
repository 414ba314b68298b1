"""Several aggregates as several requirements with one aggregate each (X11)."""

from dataclasses import replace
from typing import assert_never

from acompass.core.impossible import impossible
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree, walk
from acompass.syntax.tree import Quantifier


def with_one_aggregate(requirement: tree.Requirement) -> list[tree.Requirement] | Diagnostic:
    """The requirements, each with one aggregate, that a requirement of `walk.steps` stands for."""
    process, assertion = walk.process_of(requirement), walk.assertion_of(requirement)
    if process is None or assertion is None or not process.others:
        return [requirement]
    named = _mentioned(process, assertion.condition)
    if len(named) <= 1:
        at = min(named, default=0)
        return [_alone(requirement, assertion, process, at, assertion.condition)]
    parts = _parts(process, assertion.condition)
    if assertion.quantifier is Quantifier.SOME:
        reason = "after `SOME`, one class has to satisfy the whole condition"
    elif parts is None:
        reason = "a part of the condition is about two of them"
    elif not _keeps_classes(walk.step_of(requirement)):
        reason = "the action for one of them would change the classes of the next"
    else:
        return [
            _alone(requirement, assertion, process, at, _conjunction(conditions))
            for at, conditions in sorted(parts.items())
        ]
    return impossible("a second aggregate", process.others[0].aggregate.span, reason)


def _mentioned(process: tree.Process, condition: tree.Condition) -> set[int]:
    """The aggregates that a condition is about, by position."""
    found = (_aggregate_called(process, each.name.text) for each in walk.comparisons(condition))
    return {at for at in found if at is not None}


def _aggregate_called(process: tree.Process, name: str) -> int | None:
    """None for a column of GROUP BY. Names are compared exactly first, then without regard to case (D3)."""
    aliases = [named.alias.text for named in process.aggregates]
    groups = [group.text for group in process.group_by]
    if name in aliases:
        return aliases.index(name)
    if name in groups:
        return None
    folded = [alias.casefold() for alias in aliases]
    return folded.index(name.casefold()) if name.casefold() in folded else None


def _parts(process: tree.Process, condition: tree.Condition) -> dict[int, list[tree.Condition]] | None:
    """The parts of a conjunction by their aggregate; None if one is about several."""
    parts: dict[int, list[tree.Condition]] = {}
    for part in _conjuncts(walk.core(condition)):
        named = _mentioned(process, part)
        if len(named) > 1:
            return None
        parts.setdefault(min(named, default=0), []).append(part)
    return parts


def _conjuncts(condition: tree.Condition) -> list[tree.Condition]:
    match condition:
        case tree.And(operands):
            return [part for operand in operands for part in _conjuncts(operand)]
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between() | tree.Like():
            return [condition]
        case tree.Not() | tree.Or():
            return [condition]
        case _:
            assert_never(condition)


def _conjunction(conditions: list[tree.Condition]) -> tree.Condition:
    return conditions[0] if len(conditions) == 1 else tree.And(tuple(conditions))


def _keeps_classes(action: tree.Step | None) -> bool:
    """Whether the classes that are left are as before, so that the next aggregate sees the same."""
    match action:
        case None | tree.Reject():
            return True
        case tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
            return False
        case tree.Drop() | tree.Sometimes():
            return False
        case _:
            assert_never(action)


def _alone(
    requirement: tree.Requirement,
    assertion: tree.Assertion,
    process: tree.Process,
    at: int,
    condition: tree.Condition,
) -> tree.Requirement:
    chosen = process.aggregates[at]
    result = replace(process, aggregate=chosen.aggregate, alias=chosen.alias, others=())
    return replace(requirement, assertion=replace(assertion, result=result, condition=condition))
