"""The condition of a class-level requirement as a function of how many records a class has.

A class with a record more has the same values of the columns of GROUP BY. Its other aggregates may be
anything, as far as this module knows: that can make an answer too large, but never too small.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import ceil, floor, prod
from typing import Any

from acompass.checked.effects import comparisons
from acompass.checked.program import Assertion, Condition, Function, Process
from acompass.checked.types import Type, Value
from acompass.privacy.value_cells import MOST_CELLS, counts, representatives
from acompass.semantics import Record, satisfies


@dataclass(frozen=True)
class ClassCondition:
    """`grouped` has the values to try for each column of GROUP BY, `aggregated` those for each aggregate that
    is not the count, for which it has None. `compared` are the constants that the count is compared with."""

    condition: Condition
    grouped: list[list[Any]]
    aggregated: list[list[Any] | None]
    compared: list[Any]

    @cached_property
    def turns(self) -> list[int]:
        """The counts n at which the truth of a comparison with the count can change from n to n + 1."""
        near = {turn for constant in self.compared for turn in (ceil(constant) - 1, floor(constant))}
        return sorted(turn for turn in near if turn >= 1)

    @property
    def is_about_counts(self) -> bool:
        """Whether no aggregate other than the count is compared."""
        return all(values is None or len(values) == 1 for values in self.aggregated)

    @property
    def has_few_cells(self) -> bool:
        cells = [values for values in self.aggregated if values is not None]
        return prod(map(len, (*self.grouped, *cells))) <= MOST_CELLS

    def verdicts(self, count: int) -> list[frozenset[bool]]:
        """For each cell of the columns of GROUP BY: can a class of so many records satisfy the condition, and
        can one violate it?"""
        aggregated = [[count] if values is None else values for values in self.aggregated]
        return [
            frozenset(satisfies((*group, *others), self.condition) for others in product(*aggregated))
            for group in product(*self.grouped)
        ]

    def least_count(self) -> int | None:
        """The size of the smallest class that can satisfy the condition; None where no class can. It is 1
        where there are too many cells to know better."""
        if not self.has_few_cells:
            return 1
        satisfied = (count for count in self._counts if any(True in each for each in self.verdicts(count)))
        return next(satisfied, None)

    def is_about_at_least(self, k: int, group: Record) -> bool:
        """Whether classes with these values of the columns of GROUP BY satisfy the condition if and only if
        they have k records or more."""
        own = replace(self, grouped=[[value] for value in group])
        return own.is_about_counts and all(own.verdicts(n) == [{n >= k}] for n in self._counts)

    @property
    def _counts(self) -> tuple[int, ...]:
        """The least count of each stretch on which the comparisons with the count keep their truth."""
        return (1, *(turn + 1 for turn in self.turns))


def class_condition(assertion: Assertion, process: Process) -> ClassCondition:
    """`process` is the result of the assertion."""
    constants: list[list[Value]] = [[] for _ in assertion.schema]
    for comparison in comparisons(assertion.condition):
        constants[comparison.column].append(comparison.value)
    types = [column.type for column in assertion.schema]
    first = len(process.group_by)
    functions = [aggregate.function for aggregate in process.aggregates]
    return ClassCondition(
        assertion.condition,
        [_values(type_, own) for type_, own in zip(types[:first], constants[:first], strict=True)],
        [
            None if function is Function.COUNT else _aggregates(function, type_, own)
            for function, type_, own in zip(functions, types[first:], constants[first:], strict=True)
        ],
        [
            constant
            for function, own in zip(functions, constants[first:], strict=True)
            for constant in own
            if function is Function.COUNT
        ],
    )


def _aggregates(function: Function, type_: Type, constants: list[Value]) -> list[Any]:
    return counts(constants) if function is Function.COUNT_DISTINCT else _values(type_, constants)


def _values(type_: Type, constants: list[Value]) -> list[Any]:
    """A column that no comparison reads may have no value."""
    return representatives(type_, constants) if constants else [None]
