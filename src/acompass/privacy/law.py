"""The exact law of the table that a program leaves, by `semantics` on one trace of each box of cells."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Requirement
from acompass.privacy.trace_cells import Cells
from acompass.privacy.undecided import Budget
from acompass.semantics import (
    Record,
    affected_bag,
    canonical_order,
    perform_requirement,
    trace_of_values,
)

#: a bag as its records in canonical order; None where nothing is written
Table: TypeAlias = tuple[Record, ...] | None


class Mass(NamedTuple):
    """The probability of a table, and one trace that leads to it."""

    probability: Fraction
    trace: tuple[Fraction, ...]


Law: TypeAlias = dict[Table, Mass]


def law_of(
    requirements: Iterable[Requirement], records: Sequence[Record], cells: Cells, budget: Budget
) -> Law:
    """Nothing is written if a check fails, or if a map has no label: that is an output too."""
    law: Law = {tuple(records): Mass(Fraction(1), ())}
    for requirement in requirements:
        after: Law = {}
        for table, (share, trace) in law.items():
            for left, own in step_law(requirement, table, cells, budget).items():
                _add(after, left, Mass(share * own.probability, trace + own.trace))
        law = after
    return law


def _add(law: Law, left: Table, mass: Mass) -> None:
    known = law.get(left)
    law[left] = mass if known is None else Mass(known.probability + mass.probability, known.trace)


def step_law(requirement: Requirement, table: Table, cells: Cells, budget: Budget) -> Law:
    """The law of what one requirement leaves of a table."""
    if table is None:
        return {None: Mass(Fraction(1), ())}
    bag = list(table)
    affected = len(affected_bag(bag, requirement.assertion))
    law: Law = {}
    for box in cells.boxes(requirement.action, affected):
        budget.spend(1 + len(bag), requirement.line)
        _add(law, _left(requirement, bag, box.trace), Mass(box.probability, box.trace))
    return law


def _left(requirement: Requirement, bag: list[Record], trace: tuple[Fraction, ...]) -> Table:
    try:
        left, _, verdict = perform_requirement(requirement, bag, trace_of_values(trace))
    except Unlabelled:
        return None
    if requirement.action is None and not verdict.holds:
        return None
    return tuple(canonical_order(requirement.after, left))
