"""A table is a bag: the order of its records does not matter, thanks to Definition 5."""

import random

from hypothesis import given
from hypothesis import strategies as st

from acompass.conformance.generate import Case
from acompass.semantics import check_program, run_program, trace_of_values
from tests.generators.strategies import cases
from tests.laws.bags import as_bag
from tests.laws.effort import LAW


@LAW
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_never_matters(case: Case, rng: random.Random) -> None:
    program = case.program()
    shuffled = rng.sample(case.records, len(case.records))
    rho = trace_of_values(case.trace)
    given_order = run_program(program, case.records, rho)
    other_order = run_program(program, shuffled, rho)
    schema = program.final_schema
    assert as_bag(schema, given_order.records) == as_bag(schema, other_order.records)
    assert given_order.requirements == other_order.requirements
    assert given_order.trace_used == other_order.trace_used
    assert check_program(program, case.records) == check_program(program, shuffled)
