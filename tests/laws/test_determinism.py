"""Theorem 1, determinism: a program maps each state to exactly one state and changes no input."""

from hypothesis import given

from acompass.conformance.generate import Case
from acompass.semantics import run_program, trace_of_values
from tests.generators.strategies import cases
from tests.laws.bags import as_bag
from tests.laws.effort import LAW


@LAW
@given(cases())
def test_a_program_maps_a_state_to_one_state(case: Case) -> None:
    program = case.program()
    before = list(case.records)
    first = run_program(program, case.records, trace_of_values(case.trace))
    second = run_program(program, case.records, trace_of_values(case.trace))
    assert as_bag(program.final_schema, first.records) == as_bag(program.final_schema, second.records)
    assert (first.requirements, first.trace_used) == (second.requirements, second.trace_used)
    assert all(old is new for old, new in zip(before, case.records, strict=True))
