"""The part of a policy that one record's value of some columns goes through, as lines about one record."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from acompass.checked.effects import column_written
from acompass.checked.program import (
    NEVER,
    And,
    Assertion,
    Condition,
    Program,
    Quantifier,
    Requirement,
    Result,
)
from acompass.privacy.influence import (
    Influence,
    columns_involved,
    is_about_presence,
    is_record_level,
    matters,
)


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that may drop the record or change it by what it sees in these columns, among other things.

    Nothing that it sees depends on the raw value.
    """

    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A line about the record; over classes, two: the other records decide whether it is affected."""

    variants: tuple[Requirement, ...]


Line: TypeAlias = Marker | Step


@dataclass(frozen=True, slots=True)
class Slice:
    """`columns` decide about the raw value; `kept` are those that are seen at the end of it."""

    lines: tuple[Line, ...]
    columns: frozenset[int]
    kept: tuple[int, ...]


def slice_of(program: Program, influence: Influence, *, with_rejects: bool) -> Slice:
    requirements = program.requirements[: influence.stop]
    columns = columns_involved(requirements, influence, with_rejects=with_rejects)
    lines = [
        line
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        for line in _lines(requirement, columns, tainted, with_rejects)
    ]
    return Slice(tuple(lines), columns, tuple(sorted(columns & influence.live)))


def _lines(
    requirement: Requirement, columns: frozenset[int], tainted: frozenset[int], with_rejects: bool
) -> Iterator[Line]:
    seen = Marker(tuple(sorted(columns - tainted)))
    if is_record_level(requirement):
        if matters(requirement, columns, tainted, with_rejects=with_rejects):
            yield Step((requirement,))
        elif is_about_presence(requirement):
            yield seen
        return
    yield seen
    if column_written(requirement.action) in columns:
        # an And without operands is true: no record violates it
        yield Step((_affecting(requirement, And(())), _affecting(requirement, NEVER)))


def _affecting(requirement: Requirement, condition: Condition) -> Requirement:
    assertion = Assertion(Quantifier.EACH, Result(), condition, requirement.before)
    return replace(requirement, assertion=assertion)
