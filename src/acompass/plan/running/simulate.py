"""A chain of requirements simulated on combinations of regions (see `regions`) instead of records.

A set of combinations is an integer with one bit per combination, so a condition costs a few operations on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from acompass.checked import program as checked
from acompass.checked.convert import convert
from acompass.checked.effects import filter_of, type_changes
from acompass.checked.program import (
    Assertion,
    Condition,
    Draw,
    Drop,
    Generalize,
    Operator,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import Value
from acompass.checked.verdict import Verdict
from acompass.plan.regions import constants_of, keeps_type


@dataclass(frozen=True, slots=True)
class Combination:
    """Records in the same region of every column: the regions, column by column, and how many records."""

    regions: tuple[int, ...]
    records: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """The outcome for the records of combination i: `kept[i]` says whether they remain, and `written[i]` has
    the value written into each column."""

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
        selected = filter_of(requirement)
        seen = self.alive if selected is None else self.alive & self._where(selected)
        holds, affected = self._affected(requirement.assertion, seen)
        count = self._count(affected)
        verdict = Verdict(holds, count, self._alive_records, selected is not None and not seen)
        self._retype(requirement)
        match requirement.action:
            case None:
                pass
            case Reject():
                self.alive &= ~affected
                self._alive_records -= count
            case Replace() as action:
                self._replace(requirement, action, affected)
            case Random() | Draw() | Generalize() | Drop() | Sometimes():
                raise AssertionError("a chain contains only actions that regions decide")
            case _:
                assert_never(requirement.action)
        return verdict

    def _affected(self, assertion: Assertion, seen: int) -> tuple[bool, int]:
        satisfied = seen & self._where(assertion.condition)
        match assertion.quantifier:
            case Quantifier.SOME:
                return (True, 0) if satisfied else (False, self.alive)
            case Quantifier.EACH:
                violating = seen & ~satisfied
                return violating == 0, violating
            case _:
                assert_never(assertion.quantifier)

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
        """Convert the values that earlier requirements wrote along with their column (D12)."""
        for column, (before, after) in type_changes(requirement).items():
            for written in self.written:
                if column in written:
                    written[column] = convert(written[column], before, after)

    def _replace(self, requirement: Requirement, action: Replace, affected: int) -> None:
        moves = keeps_type(requirement, action.column)
        for i in _bits(affected):
            self.written[i][action.column] = action.value
            if moves:
                self._move(i, action.column, self._point[action.column][action.value])

    def _move(self, i: int, column: int, region: int) -> None:
        self._in_region[column][self._region_of[column][i]] &= ~(1 << i)
        self._in_region[column][region] |= 1 << i
        self._region_of[column][i] = region

    def _count(self, members: int) -> int:
        return sum(self._weights[i] for i in _bits(members))


def _bits(members: int) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest
