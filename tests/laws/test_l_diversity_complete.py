"""Theorem 8 ii, l-diversity completeness: every sub-bag that satisfies the principle survives REJECT."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import Bag, run_program, trace_of_values
from tests.generators.anonymity import is_l_diverse, is_sub_bag, sub_bags
from tests.generators.programs import program_of
from tests.generators.strategies import PEOPLE, QUASI_IDENTIFIERS, SENSITIVE, people
from tests.laws.effort import LAW

POLICY = "EACH PROCESS COUNT DISTINCT Illness AS C GROUP BY Age, Postal Code : C >= l : REJECT;"


@LAW
@given(people(largest=7), st.integers(1, 3))
def test_every_satisfying_sub_bag_survives(records: Bag, least: int) -> None:
    left = run_program(program_of(POLICY, PEOPLE, l=least), records, trace_of_values(())).records
    satisfying = [bag for bag in sub_bags(records) if is_l_diverse(bag, QUASI_IDENTIFIERS, SENSITIVE, least)]
    assert all(is_sub_bag(bag, left) for bag in satisfying)
    assert max(map(len, satisfying)) == len(left)
