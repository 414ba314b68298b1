"""A record whose copies attain δ: only its sampling is random. docs/privacy-proofs.md, 1.5."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any

from acompass.checked.constants import scale_of
from acompass.checked.effects import draws, drops_records, generalize_of, probability_of, record_comparisons
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program, Requirement
from acompass.checked.types import Kind, Type
from acompass.privacy.survival import Survival, chance
from acompass.privacy.value_cells import representatives
from acompass.prove.example_values import example_values
from acompass.semantics import Bag, Record, affected_bag, perform_requirement, trace_of_values

#: records that are tried
_MOST_TRIED = 2_000


def unrandomized(
    program: Program, before: Sequence[Requirement], of: Survival
) -> tuple[Record, Record] | None:
    """A record that the requirements keep with probability β, and what becomes of it then; None if none was
    found."""
    for record in islice(_candidates(program, before, of), _MOST_TRIED):
        followed = _follow(record, before)
        if followed is not None and followed[1] == of.beta:
            return record, followed[0]
    return None


def _candidates(program: Program, before: Sequence[Requirement], of: Survival) -> Iterator[Record]:
    values = [
        [of.values[column]] if column in of.values else _values(column, each.type, before)
        for column, each in enumerate(program.schema)
    ]
    types = [column.type for column in program.schema]
    held = [[v for v in own if _holds(type_, v)] for type_, own in zip(types, values, strict=True)]
    return product(*held)


def _holds(type_: Type, value: Any) -> bool:
    """Whether a column of the type has the value: not if it is a decimal with too many digits."""
    return not isinstance(value, Decimal) or scale_of(value) <= type_.scale


def _values(column: int, type_: Type, before: Sequence[Requirement]) -> list[Any]:
    """Values that conditions tell apart, and values that maps have labels for."""
    if type_.kind is Kind.OPAQUE:
        return [None]
    constants = [
        comparison.value
        for requirement in before
        if requirement.before[column].type == type_
        for comparison in record_comparisons(requirement)
        if comparison.column == column
    ]
    maps = (generalize_of(requirement.action) for requirement in before)
    own = [each.map for each in maps if each is not None and each.column == column]
    labelled = [value for map_ in own for value in example_values(map_, type_)]
    return [*labelled, *representatives(type_, constants)]


def _follow(record: Record, requirements: Sequence[Requirement]) -> tuple[Record, Fraction] | None:
    """What becomes of a record that is kept, and the probability that it is; None if anything else about it
    is random, if it is never kept, or if a map has no label for it."""
    bag, kept = [record], Fraction(1)
    for requirement in requirements:
        if affected_bag(bag, requirement.assertion):
            if draws(requirement.action) and not drops_records(requirement.action):
                return None
            kept *= 1 - chance(requirement) if drops_records(requirement.action) else 1
        bag = _spared(requirement, bag)
        if not bag:
            return None
    return bag[0], kept


def _spared(requirement: Requirement, bag: Bag) -> Bag:
    """What the requirement leaves if a WITH PROBABILITY does not hit the only record."""
    probability = probability_of(requirement.action)
    missing = trace_of_values([] if probability is None else [probability])
    try:
        left, _, _ = perform_requirement(requirement, bag, missing)
    except Unlabelled:
        return []
    return left
