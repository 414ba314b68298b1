"""How often the record-level lines of a policy keep a record, at the most. docs/privacy-proofs.md, 1.1.

From a seed, a record is rejected with probability ⌈2⁵²q⌉/2⁵² ≥ q (X6): it is kept no more often than here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from acompass.checked.effects import (
    columns_read,
    columns_written,
    drops_records,
    is_always,
    probability_of,
    record_comparisons,
)
from acompass.checked.program import Requirement
from acompass.checked.types import Schema
from acompass.privacy.value_cells import MOST_CELLS, representatives
from acompass.semantics import Record, affected_bag


@dataclass(frozen=True, slots=True)
class Survival:
    """Every record is kept with a probability of at most `beta`, because of the requirements `sampled`. One
    that has the `values`, by column, is kept most often."""

    beta: Fraction
    sampled: tuple[Requirement, ...]
    values: dict[int, Any]


def survival(schema: Schema, requirements: Sequence[Requirement]) -> Survival:
    """Of record-level requirements. A line that cannot be judged by a record's first values is passed over:
    it can only make the probability smaller."""
    judged = list(_judged(requirements))
    if prod(map(len, _cells(schema, judged).values())) > MOST_CELLS:
        judged = [requirement for requirement in judged if is_always(requirement)]
    cells = _cells(schema, judged)
    records = [dict(zip(cells, cell, strict=True)) for cell in product(*cells.values())]
    beta, values = max(((_kept(schema, judged, own), own) for own in records), key=lambda pair: pair[0])
    sampled = (each for each in judged if probability_of(each.action) is not None)
    return Survival(beta, tuple(sampled), values)


def _judged(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """The requirements that drop records and read only columns that nothing has written before."""
    for at, requirement in enumerate(requirements):
        earlier = columns_written(requirements[:at])
        if drops_records(requirement.action) and not columns_read(requirement) & earlier:
            yield requirement


def _cells(schema: Schema, requirements: Sequence[Requirement]) -> dict[int, list[Any]]:
    constants: dict[int, list[Any]] = {}
    for requirement in requirements:
        for comparison in record_comparisons(requirement):
            constants.setdefault(comparison.column, []).append(comparison.value)
    return {column: representatives(schema[column].type, own) for column, own in constants.items()}


def _kept(schema: Schema, requirements: Sequence[Requirement], values: dict[int, Any]) -> Fraction:
    record: Record = tuple(values.get(column) for column in range(len(schema)))
    affecting = (each for each in requirements if affected_bag([record], each.assertion))
    return prod((1 - chance(each) for each in affecting), start=Fraction(1))


def chance(requirement: Requirement) -> Fraction:
    """The probability with which the action is performed on an affected record."""
    probability = probability_of(requirement.action)
    return Fraction(1) if probability is None else probability
