"""The decision procedure for claims about records, extracted from the theory, gives the verdicts of `prove`."""

import pytest

from acompass.language.program.types import INTEGER, TEXT, Column
from tests.length import at_length
from tests.theory.building import needs
from tests.theory.deciding import Decided, decide, random_policies, theory_answers
from tests.theory.record_policies import RecordPolicy

#: `python -m tests.theory.decisions` compares any number
CASES = at_length(40)
#: the least share of cases that the theory decides
LEAST_DECIDED = 0.95

pytestmark = [pytest.mark.slow, needs("make", "coqc", "ocamlfind")]


@pytest.mark.campaign
def test_no_verdict_differs() -> None:
    found = decide(random_policies(f"suite {number}" for number in range(CASES)))
    assert [each for each in found if not each.agrees] == []
    assert sum(each.applies for each in found) >= LEAST_DECIDED * CASES


def _answers(claims: dict[str, str], policy: str) -> list[str]:
    return [each.theory for each in decide(_asked(claims, policy)) if each.agrees]


def _asked(claims: dict[str, str], policy: str) -> list[RecordPolicy]:
    schema = (Column("Age", INTEGER), Column("Zip", TEXT))
    return [RecordPolicy(policy, claim, schema, frozenset()) for claim in claims]


@pytest.mark.parametrize(
    ("policy", "claims"),
    [
        (
            "EACH RESULT : Age > 3 AND Age < 6 : REJECT;",
            {"EACH RESULT : Age = 4 OR Age = 5": "proved", "EACH RESULT : Age = 4": "refuted"},
        ),
        (
            "ALWAYS : RANDOM Age 1 3; EACH RESULT : Age != 2 : REPLACE Age WITH 7;",
            {"EACH RESULT : Age IN (1, 3, 7)": "proved", "EACH RESULT : Age < 7": "refuted"},
        ),
        (
            "EACH RESULT : Age >= 0 : REPLACE Age WITH 'none';",
            {"EACH RESULT : Age >= '0'": "proved", "EACH RESULT : Age > '0'": "refuted"},
        ),
        (
            "EACH RESULT : Zip > 'a'; EACH RESULT : Age >= 0 : WITH PROBABILITY 0.5 REJECT;",
            {"EACH RESULT : NOT Zip = ''": "proved", "EACH RESULT : Age >= 0": "refuted"},
        ),
        (
            "EACH RESULT : Age < 18 : GENERALIZE Age TO BANDS AT 30, 65;",
            {"EACH RESULT : Age != '29'": "proved", "EACH RESULT : Age != '17'": "refuted"},
        ),
    ],
)
def test_claims_of_each_kind_are_decided(policy: str, claims: dict[str, str]) -> None:
    assert dict(zip(claims, _answers(claims, policy), strict=True)) == claims


@pytest.mark.parametrize(
    "action", ["GENERALIZE Age TO NEAREST 5", "PSEUDONYM Zip", "ADD RANDOM 0 1 TO Age", "MICROAGGREGATE Age BY 2"]
)
def test_what_published_rules_write_is_undecided(action: str) -> None:
    """Also where the claim does not read the column."""
    claims = {"EACH RESULT : Age > 0": "undecided", "EACH RESULT : Zip > ''": "undecided"}
    assert theory_answers(_asked(claims, f"EACH RESULT : Age > 0 AND Zip > '' : REJECT; ALWAYS : {action};")) == [
        *claims.values()
    ]


def test_a_difference_is_noticed() -> None:
    (policy,) = random_policies(["one"])
    assert not Decided(policy, "proved", "refuted").agrees
    assert not Decided(policy, "refuted", "proved").agrees
    assert Decided(policy, "refuted", "undecided").agrees
