"""Theorem 2, sequential composition: ⟦r₁; …; rₙ⟧ = ⟦rₙ⟧ ∘ … ∘ ⟦r₁⟧."""

from dataclasses import replace

from hypothesis import given

from acompass.checked.program import Program
from acompass.conformance.generate import Case
from acompass.semantics import run_program
from tests.generators.strategies import cases
from tests.laws.bags import as_bag
from tests.laws.effort import LAW


@LAW
@given(cases())
def test_a_program_is_its_requirements_one_after_the_other(case: Case) -> None:
    program = case.program()
    whole = run_program(program, case.records, iter(case.trace))
    records, trace, verdicts = case.records, iter(case.trace), []
    for requirement in program.requirements:
        step = run_program(_alone(program, requirement.index), records, trace)
        records = step.records
        verdicts += step.requirements
    assert as_bag(program.final_schema, records) == as_bag(program.final_schema, whole.records)
    assert tuple(verdicts) == whole.requirements
    assert list(trace) == case.trace[whole.trace_used :]


def _alone(program: Program, index: int) -> Program:
    (requirement,) = [r for r in program.requirements if r.index == index]
    return replace(program, schema=requirement.before, requirements=(requirement,))
