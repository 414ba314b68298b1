"""A policy with values in place of its parameters means what it means with those parameters."""

from decimal import Decimal

import pytest

import acompass
from acompass.compare.own_values import with_values
from acompass.diagnostics import AcompassError

STEPS = """\
-- k and name in a comment stay
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k
   : GENERALIZE Zip TO LEVEL 1 OF 'k.csv' ELSE other
   THEN REJECT;
EACH RESULT : Age <= top AND NOT Name = who : REPLACE Age WITH top;
"""


def test_values_are_written_as_constants() -> None:
    values = {"k": 5, "other": "it's", "top": Decimal("-80.50"), "who": "k"}
    bound = with_values(acompass.parse(STEPS), values)
    assert bound.text.splitlines() == [
        "-- k and name in a comment stay",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5",
        "   : GENERALIZE Zip TO LEVEL 1 OF 'k.csv' ELSE 'it''s'",
        "   THEN REJECT;",
        "EACH RESULT : Age <= -80.50 AND NOT Name = 'k' : REPLACE Age WITH -80.50;",
    ]


def test_other_parameters_stay() -> None:
    bound = with_values(acompass.parse("EACH RESULT : Age <= top AND Age >= low;"), {"top": 80})
    assert bound.text == "EACH RESULT : Age <= 80 AND Age >= low;"


@pytest.mark.parametrize(("values", "code"), [({"l": 3}, "AC107"), ({"k": float("nan")}, "AC109")])
def test_a_value_that_cannot_be_used_is_an_error(values: dict[str, float], code: str) -> None:
    policy = acompass.parse("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;")
    with pytest.raises(AcompassError) as raised:
        with_values(policy, values)
    assert [found.code for found in raised.value.diagnostics] == [code]


def test_compare_takes_values_for_the_old_policy() -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;"
    assert not acompass.compare(policy, policy, params={"k": 3}, old_params={"k": 5}).ok
    assert acompass.compare(policy, policy, params={"k": 5}, old_params={"k": 3}).ok
