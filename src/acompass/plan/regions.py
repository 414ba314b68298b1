"""Conditions compare one column with one constant, so n constants split a column's values into 2n+1 regions:
even numbers are the gaps, 2j+1 is the j-th constant itself. A chain of requirements treats all records alike
that lie in the same regions; `simulate` works it out on regions instead of records.

A set of combinations is an integer with one bit a combination: a condition costs a few operations on it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from acompass.checked import program as checked
from acompass.checked.convert import convert
from acompass.checked.program import Condition, Operator, Quantifier, Reject, Replace, Requirement
from acompass.checked.types import Value
from acompass.checked.verdict import Verdict
from acompass.plan.stages import type_changes


def constants_by_column(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, set[Value]]:
    """The constants each column is compared with, and those written into it."""
    found: dict[int, set[Value]] = {column: set() for column in columns}
    for requirement in requirements:
        for comparison in _comparisons(requirement):
            found[comparison.column].add(comparison.value)
        action = requirement.action
        # a value of a new type meets no later comparison of the chain
        if isinstance(action, Replace) and _keeps_type(requirement, action.column):
            found[action.column].add(action.value)
    return found


def constants_of(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, tuple[Value, ...]]:
    """Each column's constants in order."""
    found = constants_by_column(requirements, columns)
    return {column: tuple(sorted(values)) for column, values in found.items()}


def _keeps_type(requirement: Requirement, column: int) -> bool:
    return requirement.before[column].type == requirement.after[column].type


def _comparisons(requirement: Requirement) -> Iterator[checked.Comparison]:
    yield from _in_condition(requirement.assertion.condition)
    if isinstance(requirement.assertion.result, checked.Filter):
        yield from _in_condition(requirement.assertion.result.condition)


def _in_condition(condition: Condition) -> Iterator[checked.Comparison]:
    match condition:
        case checked.Comparison():
            yield condition
        case checked.Not():
            yield from _in_condition(condition.operand)
        case checked.And() | checked.Or():
            for operand in condition.operands:
                yield from _in_condition(operand)


@dataclass(frozen=True, slots=True)
class Combination:
    """Records that lie in the same region of every column: the regions, column by column, and how many."""

    regions: tuple[int, ...]
    records: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """What becomes of the records of combination i: whether they stay (`kept[i]`), and what was written into
    which column (`written[i]`)."""

    verdicts: tuple[Verdict, ...]
    kept: tuple[bool, ...]
    written: tuple[Mapping[int, Value], ...]


def simulate(
    requirements: Sequence[Requirement], columns: Sequence[int], combinations: Sequence[Combination]
) -> Simulated:
    simulation = _Simulation(requirements, columns, combinations)
    verdicts = tuple(simulation.perform(requirement) for requirement in requirements)
    kept = tuple(bool(simulation.alive >> i & 1) for i in range(len(combinations)))
    return Simulated(verdicts, kept, tuple(simulation.written))


class _Simulation:
    def __init__(
        self, requirements: Sequence[Requirement], columns: Sequence[int], combinations: Sequence[Combination]
    ):
        constants = constants_of(requirements, columns)
        self._point = {c: {v: 2 * j + 1 for j, v in enumerate(vs)} for c, vs in constants.items()}
        self._in_region = {c: [0] * (2 * len(vs) + 1) for c, vs in constants.items()}
        self._region_of = {c: [each.regions[j] for each in combinations] for j, c in enumerate(columns)}
        self._weights = [combination.records for combination in combinations]
        self.alive = (1 << len(combinations)) - 1
        self._alive_records = sum(self._weights)
        self.written: list[dict[int, Value]] = [{} for _ in combinations]
        for i, combination in enumerate(combinations):
            for column, region in zip(columns, combination.regions, strict=True):
                self._in_region[column][region] |= 1 << i

    def perform(self, requirement: Requirement) -> Verdict:
        holds, affected = self._affected(requirement)
        count = self._count(affected)
        verdict = Verdict(holds, count, self._alive_records)
        self._retype(requirement)
        action = requirement.action
        if isinstance(action, Reject):
            self.alive &= ~affected
            self._alive_records -= count
        elif isinstance(action, Replace):
            self._replace(requirement, action, affected)
        return verdict

    def _affected(self, requirement: Requirement) -> tuple[bool, int]:
        result = requirement.assertion.result
        seen = self.alive
        if isinstance(result, checked.Filter):
            seen &= self._where(result.condition)
        satisfied = seen & self._where(requirement.assertion.condition)
        if requirement.assertion.quantifier is Quantifier.SOME:
            return (True, 0) if satisfied else (False, self.alive)
        violating = seen & ~satisfied
        return violating == 0, violating

    def _where(self, condition: Condition) -> int:
        match condition:
            case checked.Comparison():
                return self._compare(condition)
            case checked.Not():
                return self.alive & ~self._where(condition.operand)
            case checked.And():
                combined = self.alive
                for operand in condition.operands:
                    combined &= self._where(operand)
                return combined
            case checked.Or():
                combined = 0
                for operand in condition.operands:
                    combined |= self._where(operand)
                return combined
            case _:
                assert_never(condition)

    def _compare(self, comparison: checked.Comparison) -> int:
        regions = self._in_region[comparison.column]
        point = self._point[comparison.column][comparison.value]
        match comparison.operator:
            case Operator.LT:
                chosen = regions[:point]
            case Operator.LE:
                chosen = regions[: point + 1]
            case Operator.EQ:
                chosen = regions[point : point + 1]
            case Operator.GE:
                chosen = regions[point:]
            case Operator.GT:
                chosen = regions[point + 1 :]
            case _:
                assert_never(comparison.operator)
        combined = 0
        for members in chosen:
            combined |= members
        return combined

    def _retype(self, requirement: Requirement) -> None:
        """What earlier requirements wrote changes its type with its column (D12)."""
        for column, (before, after) in type_changes(requirement).items():
            for written in self.written:
                if column in written:
                    written[column] = convert(written[column], before, after)

    def _replace(self, requirement: Requirement, action: Replace, affected: int) -> None:
        moves = _keeps_type(requirement, action.column)
        for i in bits(affected):
            self.written[i][action.column] = action.value
            if moves:
                self._move(i, action.column, self._point[action.column][action.value])

    def _move(self, i: int, column: int, region: int) -> None:
        self._in_region[column][self._region_of[column][i]] &= ~(1 << i)
        self._in_region[column][region] |= 1 << i
        self._region_of[column][i] = region

    def _count(self, members: int) -> int:
        return sum(self._weights[i] for i in bits(members))


def bits(members: int) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest
