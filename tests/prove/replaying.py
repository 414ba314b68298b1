"""Prove the text of a policy, and replay its counterexamples through `semantics`."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from acompass.dataclasses import replace
from acompass.language.program.checker import check
from acompass.language.program.effects import with_key
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.keys import Key
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program
from acompass.language.program.types import remaining
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.prove.proof import Counterexample, Proof
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.prove.search.verdicts import prove_policy
from acompass.semantics.core import Outcome, Record, holds, run_program, trace_of_values


def prove_text(text: str, claims: Sequence[str] | None = None, **settings: Any) -> Proof:
    parsed, problems = parse_text(text)
    assert not problems, problems
    return prove_policy(parsed, text, claims, **settings)


def run_or_none(
    program: Program, records: Sequence[Record], trace: Sequence[Fraction], key: Key = EXAMPLE_KEY
) -> Outcome | None:
    """None if a value has no label or cannot be written, so that nothing is (X2, X16, X17)."""
    try:
        return run_program(with_key(program, key), records, trace_of_values(trace))
    except (UnlabeledValueError, UnfitValueError):
        return None


def is_written(program: Program, outcome: Outcome, before: int | None = None) -> bool:
    """Whether every check holds, or every check before a requirement; otherwise nothing is written (D31)."""
    performed = list(zip(program.requirements, outcome.requirements, strict=True))
    return all(verdict.holds for requirement, verdict in performed[:before] if requirement.action is None)


def fails(parsed: tree.Program, policy: str, claim: str, counterexample: Counterexample) -> bool:
    """Whether the claim fails on the table that a run of the policy writes for the counterexample."""
    program, problems = check(parsed, policy, counterexample.schema)
    assert program is not None, problems
    rho = trace_of_values(map(Fraction, counterexample.trace))
    outcome = run_program(with_key(program, EXAMPLE_KEY), counterexample.records, rho)
    assert outcome.trace_used == len(counterexample.trace)
    kept = remaining(program.final_schema)
    assert [tuple(record[at] for at in kept) for record in outcome.records] == list(counterexample.left)
    claimed, _ = parse_text(claim + ";")
    found, problems = check(replace(claimed, folder=parsed.folder), claim, program.final_schema)
    assert found is not None, problems
    assertion = found.requirements[0].assertion
    return is_written(program, outcome) and not holds(outcome.records, assertion)
