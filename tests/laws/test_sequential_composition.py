"""Theorem 2, sequential composition: ⟦r₁; …; rₙ⟧ = ⟦rₙ⟧ ∘ … ∘ ⟦r₁⟧."""

from dataclasses import replace

from hypothesis import given

from acompass.checked.program import Program
from acompass.conformance.generate import Case
from acompass.semantics import run_program, tail, trace_of_values
from tests.generators.strategies import cases
from tests.laws.bags import as_bag
from tests.laws.effort import LAW


@LAW
@given(cases())
def test_a_program_is_its_requirements_one_after_the_other(case: Case) -> None:
    program = case.program()
    rho = trace_of_values(case.trace)
    whole = run_program(program, case.records, rho)
    records, rest, verdicts = case.records, rho, []
    for requirement in program.requirements:
        step = run_program(_alone(program, requirement.index), records, rest)
        records, rest = step.records, tail(step.trace_used, rest)
        verdicts += step.requirements
    assert as_bag(program.final_schema, records) == as_bag(program.final_schema, whole.records)
    assert tuple(verdicts) == whole.requirements
    assert rest == tail(whole.trace_used, rho)


def _alone(program: Program, index: int) -> Program:
    (requirement,) = [r for r in program.requirements if r.index == index]
    return replace(program, schema=requirement.before, requirements=(requirement,))
