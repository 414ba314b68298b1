"""Hypothesis strategies for the random cases of `acompass.conformance` and for small tables of people."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from acompass.checked.program import Action, Requirement
from acompass.checked.types import INTEGER, TEXT, Column, Kind, Schema
from acompass.conformance.generate import Case, random_case
from acompass.conformance.values import KINDS
from acompass.semantics import Bag, Record, SubBag, affected_bag, holds


def cases(kinds: Sequence[Kind] = KINDS) -> st.SearchStrategy[Case]:
    """Cases are made from seeds. `st.randoms()` is many times slower, and cases are small enough unshrunk."""
    return st.integers(0, 2**64 - 1).map(lambda seed: random_case(random.Random(seed), kinds))


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement, a table that violates it, and the affected bag, which is not empty."""

    requirement: Requirement
    bag: Bag
    affected: SubBag
    trace: list[Fraction]


@st.composite
def violations(draw: st.DrawFn, kinds: Sequence[Kind] = KINDS) -> Violation:
    case = draw(cases(kinds))
    requirement = case.program().requirements[0]
    affected = affected_bag(case.records, requirement.assertion)
    assume(affected and not holds(case.records, requirement.assertion))
    return Violation(requirement, case.records, affected, case.trace)


def with_action(requirement: Requirement, action: Action) -> Requirement:
    """The same assertion with another action, which keeps the type of every column."""
    return replace(requirement, action=action, after=requirement.before)


PEOPLE: Schema = (Column("Age", INTEGER), Column("Postal Code", TEXT), Column("Illness", TEXT))
QUASI_IDENTIFIERS = (0, 1)
SENSITIVE = 2


def people(largest: int) -> st.SearchStrategy[list[Record]]:
    """Tables of PEOPLE with few distinct values, so that equivalence classes of every size occur."""
    record = st.tuples(st.sampled_from((36, 45)), st.sampled_from(("a", "A", "")), st.sampled_from("xyz"))
    return st.lists(record, max_size=largest)
