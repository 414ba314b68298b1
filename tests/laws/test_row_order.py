"""A table is a bag: the order of its records never matters (Definition 5 is there for this)."""

import random

from hypothesis import given
from hypothesis import strategies as st

from acompass.conformance.generate import Case
from acompass.semantics import check_program, run_program
from tests.generators.strategies import cases
from tests.laws.bags import as_bag
from tests.laws.effort import LAW


@LAW
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_never_matters(case: Case, rng: random.Random) -> None:
    program = case.program()
    shuffled = rng.sample(case.records, len(case.records))
    given_order = run_program(program, case.records, iter(case.trace))
    other_order = run_program(program, shuffled, iter(case.trace))
    schema = program.final_schema
    assert as_bag(schema, given_order.records) == as_bag(schema, other_order.records)
    assert given_order.requirements == other_order.requirements
    assert given_order.trace_used == other_order.trace_used
    assert check_program(program, case.records) == check_program(program, shuffled)
