"""Random well-typed programs, each with a table and a trace.

Constants are taken from the values of the table and from the results of earlier actions, so that conditions
split the table, requirements undo each other, and groups merge.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from acompass import semantics
from acompass.checked.exact import at_scale
from acompass.checked.from_syntax import check
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program
from acompass.checked.types import MOST_DIGITS, Column, Kind, Schema
from acompass.conformance.chances import near
from acompass.conformance.everyday import EverydayWriter
from acompass.conformance.policies import Attribute
from acompass.conformance.values import KINDS, digits_of, random_type, random_value
from acompass.syntax.parse import parse

#: names of columns, each with a spelling for policies
_NAMES = (
    *(("Age", "Age"), ("age", "age"), ("Postal Code", "Postal  Code"), ("education-num", "education-num")),
    *(
        ("AEC (kWh)", '"AEC (kWh)"'),
        ("select", "select"),
        ("Größe", "Größe"),
        ("x.y", "x.y"),
        ("count", "count"),
    ),
    *(('say "hi"', '"say ""hi"""'), ("group", '"group"'), ("1st", '"1st"'), ("it's", '"it\'s"'), ("_", "_")),
    *((" padded ", '" padded "'), ("c0", "c0"), ("rowid", "rowid"), ("%s", '"%s"')),
)


@dataclass(frozen=True, slots=True)
class Case:
    """`trace` is long enough for every run of the program. `digits` has the number of digits that a decimal
    column is stored in, by name; without it, the most."""

    policy_text: str
    schema: Schema
    records: list[tuple[Any, ...]]
    trace: list[Fraction]
    params: dict[str, Any]
    digits: Mapping[str, int] = field(default_factory=dict)

    def program(self) -> Program:
        tree, findings = parse(self.policy_text)
        assert not findings, (self.policy_text, findings)
        program, findings = check(tree, self.policy_text, self.schema, self.params)
        assert program is not None, (self.policy_text, self.schema, findings)
        return program


def random_case(rng: random.Random, kinds: Sequence[Kind] = KINDS, *, stops: bool = False) -> Case:
    """With `stops`, a run may end at a value that a map has no label for (X2)."""
    while True:
        case = _random_case(rng, kinds)
        if stops or not _stops(case):
            return case


def _stops(case: Case) -> bool:
    try:
        semantics.run_program(case.program(), case.records, semantics.trace_of_values(case.trace))
    except Unlabelled:
        return True
    return False


def _random_case(rng: random.Random, kinds: Sequence[Kind]) -> Case:
    attributes = _random_attributes(rng, kinds)
    schema = tuple(Column(attribute.name, attribute.type) for attribute in attributes)
    digits = {a.name: _random_digits(rng, a) for a in attributes if a.type.kind is Kind.DECIMAL}
    named = attributes[: rng.randint(1, len(attributes))]
    records = _random_records(rng, attributes, len(named))
    order = rng.sample(range(len(schema)), len(schema))
    writer = EverydayWriter(rng, list(named), kinds)
    requirements = [writer.requirement() for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6, 8)))]
    return Case(
        policy_text="\n".join(requirements),
        schema=tuple(schema[column] for column in order),
        records=[tuple(record[column] for column in order) for record in records],
        # WITH PROBABILITY and RANDOM in one step draw twice
        trace=[_random_rho(rng, writer.cuts) for _ in range(2 * len(records) * writer.steps)],
        params=writer.params,
        digits=digits,
    )


def _random_attributes(rng: random.Random, kinds: Sequence[Kind]) -> list[Attribute]:
    attributes = []
    for name, spelling in rng.sample(_NAMES, rng.randint(1, 5)):
        type_ = random_type(rng, kinds)
        pool = [random_value(rng, type_) for _ in range(rng.randint(1, 4))]
        attributes.append(Attribute(name, spelling, type_, pool))
    return attributes


def _random_digits(rng: random.Random, attribute: Attribute) -> int:
    needed = max(1, *(digits_of(at_scale(value, attribute.type.scale)) for value in attribute.pool))
    return rng.choice((needed, MOST_DIGITS, rng.randint(needed, MOST_DIGITS)))


def _random_records(rng: random.Random, attributes: list[Attribute], named: int) -> list[tuple[Any, ...]]:
    """Columns from position `named` on may have missing values."""
    pools: list[list[Any]] = [
        attribute.pool if position < named else _incomplete(rng, attribute)
        for position, attribute in enumerate(attributes)
    ]
    records = [tuple(rng.choice(pool) for pool in pools) for _ in range(rng.randint(0, 12))]
    if len(records) > 1 and rng.random() < 0.5:
        records[0] = records[-1]
    return records


def _incomplete(rng: random.Random, attribute: Attribute) -> list[Any]:
    missing: list[Any] = [None] if rng.random() < 0.5 else []
    if attribute.type.kind is Kind.FLOAT and rng.random() < 0.3:
        missing.append(float("nan"))
    return [*attribute.pool, *missing]


def _random_rho(rng: random.Random, cuts: Sequence[Fraction]) -> Fraction:
    """A value with a finite decimal expansion, so that a trace file can hold it."""
    if cuts and rng.random() < 0.4:
        return near(rng, cuts)
    return rng.choice(
        (
            Fraction(0),
            Fraction(1, 2),
            Fraction(rng.randrange(10), 10),
            Fraction(2**52 - 1, 2**52),
            Fraction(rng.randrange(2**52), 2**52),
            Fraction(rng.randrange(10**20), 10**20),
        )
    )
