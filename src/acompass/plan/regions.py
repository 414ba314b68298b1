"""The constants of a chain, which cut each column into regions.

A condition compares one column with one constant. So n constants split a column's values into 2n+1 regions:
region 2j+1 is the j-th constant itself, even numbers are the gaps between constants. No requirement of the
chain can tell two values of one region apart.
"""

from collections.abc import Iterable, Sequence
from typing import assert_never

from acompass.checked.effects import record_comparisons
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import Value


def constants_by_column(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, set[Value]]:
    """The constants that each column is compared with, and those written into it."""
    found: dict[int, set[Value]] = {column: set() for column in columns}
    for requirement in requirements:
        for comparison in record_comparisons(requirement):
            found[comparison.column].add(comparison.value)
        written = _replace_of(requirement.action)
        # a value of a new type meets no later comparison of the chain
        if written is not None and keeps_type(requirement, written.column):
            found[written.column].add(written.value)
    return found


def constants_of(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, tuple[Value, ...]]:
    """Each column's constants in order."""
    found = constants_by_column(requirements, columns)
    return {column: tuple(sorted(values)) for column, values in found.items()}


def keeps_type(requirement: Requirement, column: int) -> bool:
    return requirement.before[column].type == requirement.after[column].type


def _replace_of(action: Action | None) -> Replace | None:
    match action:
        case Replace():
            return action
        case None | Reject() | Random() | Draw() | Generalize() | Drop() | Sometimes():
            return None
        case _:
            assert_never(action)
