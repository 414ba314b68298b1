"""Replay a counterexample through `semantics`, using only what it shows."""

from collections.abc import Iterable
from fractions import Fraction

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.prove import Counterexample
from acompass.semantics import run_program
from acompass.semantics.assertions import holds
from acompass.syntax.parse import parse


def checked(text: str, schema: Schema) -> Program:
    tree, problems = parse(text)
    assert not problems, problems
    program, problems = check(tree, text, schema, {})
    assert program is not None, problems
    return program


def fails(policy: str, claim: str, counterexample: Counterexample) -> bool:
    """Whether the claim fails on the table that the policy makes of the counterexample."""
    program = checked(policy, counterexample.schema)
    outcome = run_program(program, counterexample.records, _trace(counterexample.trace))
    assert outcome.trace_used == len(counterexample.trace)
    assert outcome.records == list(counterexample.left)
    assertion = checked(claim + ";", program.final_schema).requirements[0].assertion
    return not holds(outcome.records, assertion)


def _trace(texts: Iterable[str]) -> Iterable[Fraction]:
    return iter([Fraction(text) for text in texts])
