"""The conditions of the core that IN, BETWEEN, LIKE, != and <> are written for (X4)."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import assert_never

from acompass.syntax import tree, walk


def in_core(assertion: tree.Assertion) -> tree.Assertion:
    result = assertion.result
    match result:
        case tree.Result():
            pass
        case tree.Filter(condition):
            result = replace(result, condition=core_condition(condition))
        case tree.Process(where=where):
            result = replace(result, where=None if where is None else core_condition(where))
        case _:
            assert_never(result)
    return replace(assertion, result=result, condition=core_condition(assertion.condition))


def core_condition(condition: tree.Condition) -> tree.Condition:
    core = walk.core(condition)
    match core:
        case tree.Comparison():
            return core
        case tree.Not(operand):
            return tree.Not(core_condition(operand))
        case tree.And(operands):
            return tree.And(tuple(map(core_condition, operands)))
        case tree.Or(operands):
            return tree.Or(tuple(map(core_condition, operands)))
        case _:
            assert_never(core)


def orders_digits(requirement: tree.Requirement) -> bool:
    """Whether a LIKE becomes comparisons with texts that are numbers, of which D24 speaks."""
    return any(
        _is_number(comparison)
        for condition in walk.all_conditions(requirement)
        for like in _likes(condition)
        for comparison in walk.comparisons(like)
    )


def _likes(condition: tree.Condition) -> Iterator[tree.Condition]:
    return (leaf for leaf in walk.leaves(condition) if walk.is_like(leaf))


def _is_number(comparison: tree.Comparison) -> bool:
    try:
        return isinstance(comparison.constant, tree.String) and Decimal(comparison.constant.value).is_finite()
    except InvalidOperation:
        return False
