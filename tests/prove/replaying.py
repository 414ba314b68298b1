"""Replay a counterexample through `semantics`, using only what it shows, and ask whether it is written."""

from collections.abc import Sequence
from fractions import Fraction

from acompass.language.program.checker import check
from acompass.language.program.label_maps import Unlabelled
from acompass.language.program.program import Program
from acompass.language.program.types import Schema, remaining
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.prove.proof import Counterexample
from acompass.semantics.core import Outcome, Record, holds, run_program, trace_of_values


def checked(text: str, schema: Schema) -> Program:
    parsed, problems = parse_text(text)
    assert not problems, problems
    program, problems = check(parsed, text, schema, {})
    assert program is not None, problems
    return program


def run_or_none(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Outcome | None:
    """None where a map has no label for a value, so that nothing is written (X2)."""
    try:
        return run_program(program, records, trace_of_values(trace))
    except Unlabelled:
        return None


def is_written(program: Program, outcome: Outcome, before: int | None = None) -> bool:
    """Whether every check holds, or every check before a requirement: otherwise, nothing is written (D31)."""
    performed = list(zip(program.requirements, outcome.requirements, strict=True))
    return all(verdict.holds for requirement, verdict in performed[:before] if requirement.action is None)


def fails(parsed: tree.Program, policy: str, claim: str, counterexample: Counterexample) -> bool:
    """Whether the claim fails on the table that a run of the policy writes for the counterexample."""
    program, problems = check(parsed, policy, counterexample.schema)
    assert program is not None, problems
    rho = trace_of_values(map(Fraction, counterexample.trace))
    outcome = run_program(program, counterexample.records, rho)
    assert outcome.trace_used == len(counterexample.trace)
    kept = remaining(program.final_schema)
    assert [tuple(record[at] for at in kept) for record in outcome.records] == list(counterexample.left)
    assertion = checked(claim + ";", program.final_schema).requirements[0].assertion
    return is_written(program, outcome) and not holds(outcome.records, assertion)
