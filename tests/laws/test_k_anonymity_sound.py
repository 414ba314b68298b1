"""Theorem 7 i, k-anonymity soundness: the table that REJECT leaves satisfies the k-anonymity principle."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import Bag, check_program, run_program, trace_of_values
from tests.generators.anonymity import is_k_anonymous
from tests.generators.programs import program_of
from tests.generators.strategies import PEOPLE, QUASI_IDENTIFIERS, people
from tests.laws.effort import LAW

POLICY = "EACH PROCESS COUNT(*) AS C GROUP BY Age, Postal Code : C >= k : REJECT;"


@LAW
@given(people(largest=12), st.integers(1, 4))
def test_the_table_that_is_left_satisfies_the_principle(records: Bag, k: int) -> None:
    program = program_of(POLICY, PEOPLE, k=k)
    (verdict,) = check_program(program, records)
    assert verdict.holds == is_k_anonymous(records, QUASI_IDENTIFIERS, k)
    left = run_program(program, records, trace_of_values(())).records
    assert is_k_anonymous(left, QUASI_IDENTIFIERS, k)
    assert len(left) == len(records) - verdict.affected
