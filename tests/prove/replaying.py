"""Replay a counterexample through `semantics`, using only what it shows."""

from fractions import Fraction

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.prove import Counterexample
from acompass.semantics import holds, run_program, trace_of_values
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
    rho = trace_of_values(map(Fraction, counterexample.trace))
    outcome = run_program(program, counterexample.records, rho)
    assert outcome.trace_used == len(counterexample.trace)
    assert outcome.records == list(counterexample.left)
    assertion = checked(claim + ";", program.final_schema).requirements[0].assertion
    return not holds(outcome.records, assertion)
