"""Bound the stability of each requirement: how many records one record can affect. docs/privacy-proofs.md, section 2.

The bound follows from the condition of a class-level requirement as a function of the class size. A class with one
more record has the same values in its GROUP BY columns. Its other aggregates may have any value, as far as this
module knows: the answer can be too large, but never too small."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import ceil, floor, prod
from typing import Any, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program.constants import scale_of
from acompass.language.program.effects import (
    comparisons,
    is_certain,
    process_in,
    process_of,
    reads_others,
    removes_records,
)
from acompass.language.program.program import Aggregate, Assertion, Condition, Process, Program, Requirement
from acompass.language.program.types import Kind, Type, Value
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.regions import Regions, count_order, regions_in, value_order
from acompass.reason.privacy.answer import LineStability, Stability
from acompass.semantics.core import Record, satisfies

#: the most combinations of values of several columns that are examined
MOST_CELLS = 20_000


def stability(program: Program) -> Stability:
    """The product of the requirements' stabilities bounds the policy's."""
    lines = tuple(LineStability(each.index, each.line, *_spread(each)) for each in program.requirements)
    bounds = [line.records for line in lines if line.records is not None]
    return Stability(lines, prod(bounds) if len(bounds) == len(lines) else None)


def _spread(requirement: Requirement) -> tuple[int | None, str]:
    """The number of records that one record can affect, and the reason."""
    process = process_of(requirement)
    if requirement.action is None:
        return 1, "it changes nothing"
    if reads_others(requirement.action):
        return None, "one record can change the means of all others"
    match requirement.assertion.quantifier:
        case Quantifier.SOME if process is None or process.group_by or process.where is not None:
            return None, "one record can affect all others"
        case Quantifier.EACH if process is None:
            return 1, "it treats each record independently"
        case Quantifier.SOME | Quantifier.EACH:
            # for a single class, the whole table, SOME is the same as EACH
            assert process is not None
            return _class_spread(requirement, class_condition(requirement.assertion, process))
        case _:
            assert_never(requirement.assertion.quantifier)


@dataclass(frozen=True)
class ClassCondition:
    """The condition of a class-level requirement as a function of the class size."""

    condition: Condition
    grouped: list[list[Any]]  # the values to try for each GROUP BY column
    aggregated: list[list[Any] | None]  # the values to try for each aggregate; None for the count
    compared: list[Any]  # the constants that the count is compared with
    referenced: frozenset[int] = frozenset()  # the aggregates over reference tables: they depend on the group alone

    @cached_property
    def turns(self) -> list[int]:
        """The counts n at which a comparison with the count can change its result from n to n + 1."""
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
        """The possible results of the condition for a class of `count` records, for each combination of GROUP BY
        values and of what reference tables have for them."""
        aggregated = [[count] if values is None else values for values in self.aggregated]
        fixed = [values if at in self.referenced else [None] for at, values in enumerate(aggregated)]
        others = [[None] if at in self.referenced else values for at, values in enumerate(aggregated)]
        first, varying = len(self.grouped), list(product(*others))
        return [
            frozenset(satisfies((*group[:first], *self._merge(group[first:], own)), self.condition) for own in varying)
            for group in product(*self.grouped, *fixed)
        ]

    def _merge(self, referenced: Record, others: Record) -> Record:
        """The aggregates of a class."""
        pairs = enumerate(zip(referenced, others, strict=True))
        return tuple(fixed if at in self.referenced else own for at, (fixed, own) in pairs)

    def least_count(self) -> int | None:
        """The size of the smallest class that can satisfy the condition; None if no class can. It is 1 if there are
        too many combinations to examine."""
        if not self.has_few_cells:
            return 1
        satisfied = (count for count in self._counts if any(True in each for each in self.verdicts(count)))
        return next(satisfied, None)

    def is_about_at_least(self, k: int, group: Record) -> bool:
        """Whether classes with these GROUP BY values satisfy the condition if and only if they have at least k
        records."""
        own = replace(self, grouped=[[value] for value in group])
        return own.is_about_counts and all(own.verdicts(n) == [{n >= k}] for n in self._counts)

    @property
    def _counts(self) -> tuple[int, ...]:
        """The least count of each interval in which no comparison with the count changes its result."""
        return (1, *(turn + 1 for turn in self.turns))


def _class_spread(requirement: Requirement, condition: ClassCondition) -> tuple[int | None, str]:
    """How many records of its class one record can affect."""
    if not condition.has_few_cells and not condition.is_about_counts:
        return None, "one record may affect a class of any size"
    beyond = max(condition.turns, default=0) + 1
    if condition.has_few_cells and any(_flips(condition, beyond)):
        return None, "one record can affect a class of any size"
    sizes = {near for turn in condition.turns for near in (turn - 1, turn) if near >= 1}
    spreads = {
        _records_changed(requirement, size, is_lost): size
        for size in sizes
        for is_lost, happens in zip((True, False), _flips(condition, size), strict=True)
        if happens
    }
    if not spreads:
        return 1, "no record can affect others"
    most = max(spreads)
    others = "1 other" if spreads[most] == 1 else f"{spreads[most]} others"
    return most, f"one record can affect {others} in its class"


def _flips(condition: ClassCondition, size: int) -> tuple[bool, bool]:
    """Whether one more record can make a class of this size violate the condition, and whether it can make it satisfy
    the condition."""
    if not condition.has_few_cells:
        return size in condition.turns, size in condition.turns
    pairs = list(zip(condition.verdicts(size), condition.verdicts(size + 1), strict=True))
    lost = any(True in before and False in after for before, after in pairs)
    gained = any(False in before and True in after for before, after in pairs)
    return lost, gained


def _records_changed(requirement: Requirement, size: int, is_lost: bool) -> int:
    """The number of records in which the outputs differ, if one more record makes a class of this size violate
    (`is_lost`) or satisfy the condition."""
    if not removes_records(requirement.action):
        return 2 * size + 1
    # with a probability, the new record may be kept although all others are rejected
    return size if is_lost and is_certain(requirement.action) else size + 1


def class_condition(assertion: Assertion, process: Process) -> ClassCondition:
    """`process` is the assertion's PROCESS."""
    constants: list[list[Value]] = [[] for _ in assertion.schema]
    for comparison in comparisons(assertion.condition):
        constants[comparison.column].append(comparison.value)
    types = [column.type for column in assertion.schema]
    first = len(process.group_by)
    return ClassCondition(
        assertion.condition,
        [_trial_values(type_, own) for type_, own in zip(types[:first], constants[:first], strict=True)],
        list(map(_trial_aggregates, process.aggregates, constants[first:])),
        [
            constant
            for aggregate, own in zip(process.aggregates, constants[first:], strict=True)
            for constant in own
            if aggregate.facts.counts_records
        ],
        frozenset(at for at, aggregate in enumerate(process.aggregates) if aggregate.reference is not None),
    )


def _trial_aggregates(aggregate: Aggregate, constants: list[Value]) -> list[Any] | None:
    if aggregate.facts.counts_records:
        return None
    if aggregate.facts.is_share:
        return region_shares(constants)
    return region_counts(constants) if aggregate.facts.is_count else _trial_values(aggregate.type, constants)


def accepts_one_record(assertion: Assertion) -> bool:
    """Whether a class of one record can satisfy an assertion about classes. Its counts and its share of the most
    frequent value are 1."""
    process = process_in(assertion)
    assert process is not None, "it is about classes"
    facts = [aggregate.facts for aggregate in process.aggregates]
    are_one = [own.is_count or (own.is_share and own.tells_values_apart) for own in facts]
    condition = class_condition(assertion, process)
    values = [[1] if is_one else own for is_one, own in zip(are_one, condition.aggregated, strict=True)]
    single = replace(condition, aggregated=values)
    return not single.has_few_cells or any(True in verdicts for verdicts in single.verdicts(1))


def _trial_values(type_: Type, constants: list[Value]) -> list[Any]:
    """A column that no comparison reads needs no value."""
    return region_values(type_, constants) if constants else [None]


def region_values(type_: Type, constants: Sequence[Value]) -> list[Value]:
    """One value of each region between the constants, in order; values of the type are preferred."""
    own, finer = (Regions(value_order(each), constants) for each in (type_, _finer_type(type_, constants)))
    return [(own.values(region, 1) or finer.values(region, 1))[0] for region in regions_in(finer.full)]


def region_counts(constants: Sequence[Value]) -> list[Value]:
    """One count of each region of 1, 2, 3, …"""
    regions = Regions(count_order(), constants)
    return [regions.values(region, 1)[0] for region in regions_in(regions.full)]


def region_shares(constants: Sequence[Any]) -> list[Fraction]:
    """The constants from 0 to 1, and one share between each two."""
    cuts = sorted({Fraction(0), Fraction(1), *(Fraction(each) for each in constants if 0 <= each <= 1)})
    return sorted({*cuts, *((low + high) / 2 for low, high in pairwise(cuts))})


def _finer_type(type_: Type, constants: Iterable[Value]) -> Type:
    """For decimals, a type with more decimal places than the constants, which has values between any two of them."""
    if type_.kind is not Kind.DECIMAL:
        return type_
    scales = [scale_of(constant) for constant in constants if isinstance(constant, Decimal)]
    return replace(type_, scale=max([type_.scale, *scales]) + 1)
