"""Theorem 7 i, k-anonymity soundness: what REJECT leaves satisfies the k-anonymity principle."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import check_program, run_program
from acompass.semantics.bags import Bag
from tests.generators.anonymity import is_k_anonymous
from tests.generators.programs import program_of
from tests.generators.strategies import PEOPLE, QUASI_IDENTIFIERS, people
from tests.laws.effort import LAW

POLICY = "EACH PROCESS COUNT(*) AS C GROUP BY Age, Postal Code : C >= k : REJECT;"


@LAW
@given(people(largest=12), st.integers(1, 4))
def test_what_is_left_satisfies_the_principle(records: Bag, k: int) -> None:
    program = program_of(POLICY, PEOPLE, k=k)
    (verdict,) = check_program(program, records)
    assert verdict.holds == is_k_anonymous(records, QUASI_IDENTIFIERS, k)
    left = run_program(program, records, iter(())).records
    assert is_k_anonymous(left, QUASI_IDENTIFIERS, k)
    assert len(left) == len(records) - verdict.affected
