"""Smaller numbers in place of those that counts are compared with: a search costs the same for every k.

The order of the numbers is kept, and so are small distances between them: 1,999 and 2,000 become 8 and 9. A
size is given relative to such a number, and therefore fits the small numbers as well as the real ones.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeAlias, assert_never

from acompass.checked.effects import comparisons, process_in
from acompass.checked.program import And, Assertion, Comparison, Condition, Not, Or, Process, Program
from acompass.checked.types import Value
from acompass.syntax.tree import Function

#: the greatest distance between neighbouring numbers that is kept
WIDEST = 8

COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)


@dataclass(frozen=True, slots=True)
class Size:
    """`by` more than a number that a count is compared with; `count` is 0 where the size is `by` itself."""

    by: int
    count: int = 0

    @property
    def real(self) -> int:
        return self.count + self.by


ONE = Size(1)

#: a size as a number, real or small
Sizing: TypeAlias = Callable[[Size], int]


class SmallCounts:
    def __init__(self, assertions: Iterable[Assertion]):
        counts = sorted({count for each in assertions for count in compared_counts(each) if count > 0})
        self._small = {0: 0}
        for before, count in zip((0, *counts), counts, strict=False):
            self._small[count] = self._small[before] + min(count - before, WIDEST)

    @property
    def are_real(self) -> bool:
        """Whether no number is changed."""
        return all(count == small for count, small in self._small.items())

    @property
    def sizes(self) -> list[Size]:
        """Small sizes, and sizes around every number that a count is compared with."""
        near = (Size(by, count) for count in self._small for by in (-1, 0, 1))
        return [ONE, Size(2), Size(3), *(size for size in near if size.count and size.real > 0)]

    def of(self, size: Size) -> int:
        return self._small[size.count] + size.by

    def program(self, program: Program) -> Program:
        """The program with small numbers."""
        requirements = (
            replace(requirement, assertion=self.assertion(requirement.assertion))
            for requirement in program.requirements
        )
        return replace(program, requirements=tuple(requirements))

    def assertion(self, assertion: Assertion) -> Assertion:
        query = process_in(assertion)
        if query is None:
            return assertion
        return replace(assertion, condition=self._condition(assertion.condition, _positions(query, COUNTS)))

    def _condition(self, condition: Condition, positions: Sequence[int]) -> Condition:
        match condition:
            case Comparison(column, _, value):
                return replace(condition, value=self._number(value)) if column in positions else condition
            case Not(operand):
                return Not(self._condition(operand, positions))
            case And(operands):
                return And(tuple(self._condition(operand, positions) for operand in operands))
            case Or(operands):
                return Or(tuple(self._condition(operand, positions) for operand in operands))
            case _:
                assert_never(condition)

    def _number(self, value: Value) -> Value:
        assert isinstance(value, int | Decimal)
        return value - int(value) + self._small[int(value)] if value >= 1 else value


def compared_counts(assertion: Assertion, functions: Sequence[Function] = COUNTS) -> list[int]:
    """The numbers that an assertion compares a count with."""
    query = process_in(assertion)
    if query is None:
        return []
    positions = _positions(query, functions)
    compared = (c.value for c in comparisons(assertion.condition) if c.column in positions)
    return [int(value) for value in compared if isinstance(value, int | Decimal)]


def _positions(query: Process, functions: Sequence[Function]) -> list[int]:
    """The positions of the aggregates with these functions in the schema that the condition sees."""
    aggregates = enumerate(query.aggregates, len(query.group_by))
    return [at for at, aggregate in aggregates if aggregate.function in functions]
