"""Theorem 7 ii, k-anonymity completeness: every sub-bag that satisfies the principle survives REJECT."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import Bag, run_program, trace_of_values
from tests.generators.anonymity import is_k_anonymous, is_sub_bag, sub_bags
from tests.generators.programs import program_of
from tests.generators.strategies import PEOPLE, QUASI_IDENTIFIERS, people
from tests.laws.effort import LAW

POLICY = "EACH PROCESS COUNT(*) AS C GROUP BY Age, Postal Code : C >= k : REJECT;"


@LAW
@given(people(largest=7), st.integers(1, 3))
def test_every_satisfying_sub_bag_survives(records: Bag, k: int) -> None:
    left = run_program(program_of(POLICY, PEOPLE, k=k), records, trace_of_values(())).records
    satisfying = [bag for bag in sub_bags(records) if is_k_anonymous(bag, QUASI_IDENTIFIERS, k)]
    assert all(is_sub_bag(bag, left) for bag in satisfying)
    assert max(map(len, satisfying)) == len(left)
