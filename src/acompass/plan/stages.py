"""A plan: stages in the order they run. The naive plan has one stage a requirement; rewrites merge them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from acompass.checked import program as checked
from acompass.checked.program import Condition, Process, Random, Replace, Requirement
from acompass.checked.types import Type


@dataclass(frozen=True, slots=True)
class RecordStage:
    """One requirement over RESULT or FILTER, evaluated record by record."""

    requirement: Requirement

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (self.requirement,)


@dataclass(frozen=True, slots=True)
class ChainStage:
    """Requirements over RESULT or FILTER that read and write no column but `columns`.

    What happens to a record depends on those columns only, so it is worked out once per combination of
    regions.

    `by_values` looks regions up by distinct value instead of comparing every record with every constant;
    `inline` writes the outcome as one CASE instead of a join.
    """

    requirements: tuple[Requirement, ...]
    columns: tuple[int, ...]
    by_values: bool = False
    inline: bool = False


@dataclass(frozen=True, slots=True)
class GroupStage:
    """Requirements over PROCESS with the same WHERE and GROUP BY, worked out by one aggregation.

    `two_levels` counts distinct values by grouping by class and value first.
    """

    requirements: tuple[Requirement, ...]
    two_levels: bool = False


Stage: TypeAlias = RecordStage | ChainStage | GroupStage


def process_of(requirement: Requirement) -> Process:
    result = requirement.assertion.result
    assert isinstance(result, Process)
    return result


def condition_columns(condition: Condition) -> Iterator[int]:
    match condition:
        case checked.Comparison():
            yield condition.column
        case checked.Not():
            yield from condition_columns(condition.operand)
        case checked.And() | checked.Or():
            for operand in condition.operands:
                yield from condition_columns(operand)


def record_columns(requirement: Requirement) -> frozenset[int]:
    """What a record-level requirement reads, writes, or changes the type of."""
    assertion, action = requirement.assertion, requirement.action
    columns = {*condition_columns(assertion.condition), *type_changes(requirement)}
    if isinstance(assertion.result, checked.Filter):
        columns.update(condition_columns(assertion.result.condition))
    if isinstance(action, Replace | Random):
        columns.add(action.column)
    return frozenset(columns)


def type_changes(requirement: Requirement) -> dict[int, tuple[Type, Type]]:
    """The columns whose type this requirement changes (D12): position -> (before, after)."""
    if requirement.before is requirement.after:
        return {}
    pairs = enumerate(zip(requirement.before, requirement.after, strict=True))
    return {i: (b.type, a.type) for i, (b, a) in pairs if b.type != a.type}
