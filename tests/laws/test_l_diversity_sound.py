"""Theorem 8 i, l-diversity soundness: the table that REJECT leaves satisfies the l-diversity principle."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import Bag, check_program, run_program, trace_of_values
from tests.generators.anonymity import is_l_diverse
from tests.generators.programs import program_of
from tests.generators.strategies import PEOPLE, QUASI_IDENTIFIERS, SENSITIVE, people
from tests.laws.effort import LAW

POLICY = "EACH PROCESS COUNT DISTINCT Illness AS C GROUP BY Age, Postal Code : C >= l : REJECT;"


@LAW
@given(people(largest=12), st.integers(1, 4))
def test_the_table_that_is_left_satisfies_the_principle(records: Bag, least: int) -> None:
    program = program_of(POLICY, PEOPLE, l=least)
    (verdict,) = check_program(program, records)
    assert verdict.holds == is_l_diverse(records, QUASI_IDENTIFIERS, SENSITIVE, least)
    left = run_program(program, records, trace_of_values(())).records
    assert is_l_diverse(left, QUASI_IDENTIFIERS, SENSITIVE, least)
    assert len(left) == len(records) - verdict.affected
