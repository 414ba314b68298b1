"""Hypothesis strategies for the random cases of `acompass.testing.conformance` and for small tables and policies."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from acompass.language.program.checker import check
from acompass.language.program.program import Action, Program, Requirement
from acompass.language.program.types import INTEGER, TEXT, Column, Kind, Schema, Type, Value, at_scale, to_text
from acompass.language.text.parser import parse_text
from acompass.semantics.core import Bag, Record, SubBag, affected_bag, holds
from acompass.testing.conformance.cases import Case, random_case
from acompass.testing.conformance.comparison import without_negative_zeros
from acompass.testing.conformance.policies import KINDS


def cases(kinds: Sequence[Kind] = KINDS) -> st.SearchStrategy[Case]:
    """Cases are generated from seeds: `st.randoms()` is many times slower, and cases need no shrinking."""
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


def parse_and_check(text: str, schema: Schema, **params: Any) -> Program:
    tree, findings = parse_text(text)
    assert not findings, findings
    program, findings = check(tree, text, schema, params)
    assert program is not None, findings
    return program


SCHEMA: Schema = (Column("a", INTEGER), Column("b", TEXT), Column("c", INTEGER))

#: whether a record is affected depends on this record alone
RECORD_LEVEL = (
    "ALWAYS",
    "EACH RESULT : a < 1",
    "EACH RESULT : b = 'xx' OR a = 2 AND c = 1",
    "EACH FILTER b = 'xx' : a > 0",
)
OTHERS = (
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2",
    "EACH PROCESS COUNT DISTINCT b AS n WHERE c = 0 GROUP BY a : n > 1",
    "EACH PROCESS SUM(a) AS s : s <= 2",
    "SOME RESULT : a = 2",
    "SOME PROCESS MAX(a) AS m GROUP BY b : m < 1",
)
CERTAIN = ("REJECT", "REPLACE a WITH 1", "REPLACE b WITH 'xy'", "GENERALIZE b TO PREFIX OF 1")
DRAWN = ("RANDOM a 0 2", "RANDOM c 0 1", "RANDOM b FROM ('xx', 2 OF 'xy')", "RANDOM a FROM (5 OF 1, 0)")
PROBABILITIES = ("0.5", "0.25", "0.9", "0.333")


@dataclass(frozen=True, slots=True)
class SmallCase:
    """A policy on SCHEMA and a table."""

    policy: str
    records: list[Record]

    def program(self, schema: Schema = SCHEMA) -> Program:
        return parse_and_check(self.policy, schema)


@st.composite
def small_cases(
    draw: st.DrawFn,
    assertions: tuple[str, ...] = RECORD_LEVEL + OTHERS,
    *,
    most_records: int = 2,
    most: int = 3,
) -> SmallCase:
    count = draw(st.integers(1, most))
    requirements = [f"{draw(st.sampled_from(assertions))} : {draw(_actions())};" for _ in range(count)]
    record = st.tuples(st.integers(0, 2), st.sampled_from(("xx", "xy", "y")), st.integers(0, 1))
    return SmallCase("\n".join(requirements), draw(st.lists(record, max_size=most_records)))


def _actions() -> st.SearchStrategy[str]:
    plain = st.sampled_from(CERTAIN + DRAWN)
    sometimes = st.tuples(st.sampled_from(PROBABILITIES), plain)
    return st.one_of(plain, sometimes.map(lambda pair: f"WITH PROBABILITY {pair[0]} {pair[1]}"))


def orders_of_columns() -> st.SearchStrategy[tuple[int, ...]]:
    return st.sampled_from(list(permutations(range(len(SCHEMA)))))


def number_records(case: Case) -> Case:
    """Add a last column that no policy names and that distinguishes equal records."""
    records = [(*record, number) for number, record in enumerate(case.records)]
    return replace(case, schema=(*case.schema, Column("number of the record", INTEGER)), records=records)


def with_typed_columns(case: Case) -> Case:
    """The case in a table with typed columns: no zero is negative, and numbers have no spelling of their own."""
    schema = tuple(replace(c, type=replace(c.type, spelled=False)) for c in case.schema)
    decimals = {i: c.type.scale for i, c in enumerate(schema) if c.type.kind is Kind.DECIMAL}
    records = [
        tuple(
            (at_scale(value, decimals[i]) or Decimal(0).scaleb(-decimals[i]))
            if i in decimals and value is not None
            else value
            for i, value in enumerate(record)
        )
        for record in case.records
    ]
    return without_negative_zeros(replace(case, schema=schema, records=records))


def csv_text(case: Case) -> str:
    types = [column.type for column in case.schema]
    lines = [[_quote(column.name) for column in case.schema]]
    lines += [list(map(_field, record, types)) for record in case.records]
    return "".join(",".join(line) + "\n" for line in lines)


def _field(value: Value | None, type_: Type) -> str:
    return "" if value is None else _quote(to_text(value, type_))


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
