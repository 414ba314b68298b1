"""The laws about sums do not cover floats: their sums are rounded. Any scale comes close to a bound."""

from functools import reduce
from operator import add

import pytest

from acompass.prove import prove_policy
from acompass.syntax.parse import parse

AT_LEAST_TEN = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 10;"
CASES = [
    (f"{AT_LEAST_TEN} EACH RESULT : Pay >= 0.1;", "SUM(Pay) AS s GROUP BY Zip : s >= 1.0"),
    ("EACH RESULT : Pay >= 0; EACH PROCESS SUM(Pay) AS s GROUP BY Zip : s <= 9;", "MAX(Pay) AS s : s <= 9"),
    (
        "EACH PROCESS SUM(Pay) AS s GROUP BY Zip : s <= 9; EACH RESULT : Pay <= 6 : REPLACE Pay WITH 6;",
        "SUM(Pay) AS s GROUP BY Zip : s <= 9",
    ),
]


def _verdict(policy: str, claim: str, type_: str) -> str:
    (found,) = prove_policy(parse(policy)[0], policy, [f"EACH PROCESS {claim}"], types={"Pay": type_}).claims
    return str(found.verdict)


@pytest.mark.parametrize(("policy", "claim"), CASES)
@pytest.mark.parametrize("type_", ["integer", "decimal(1)", "decimal"])
def test_a_law_of_sums_covers_exact_numbers(policy: str, claim: str, type_: str) -> None:
    if type_ == "integer":
        policy, claim = (text.replace("0.1", "1").replace("1.0", "10") for text in (policy, claim))
    assert _verdict(policy, claim, type_) == "proved"


@pytest.mark.parametrize(("policy", "claim"), CASES)
def test_a_law_of_sums_does_not_cover_floats(policy: str, claim: str) -> None:
    assert _verdict(policy, claim, "float") != "proved"


def test_ten_tenths_as_floats_are_less_than_one() -> None:
    assert reduce(add, [0.1] * 10) < 1.0


def test_numbers_of_any_scale_come_arbitrarily_close_to_a_bound() -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 20; EACH RESULT : Pay > 2;"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s > 40", "decimal") == "proved"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s >= 40.1", "decimal(2)") == "proved"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s >= 40.1", "decimal") != "proved"
