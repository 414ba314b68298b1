"""Every counterexample loads as its types say, and the claim fails on what a real run writes for it."""

import random
from pathlib import Path

import pytest

from acompass.policy import as_policy
from acompass.prove import ClaimVerdict, prove_policy
from acompass.syntax.parse import parse
from tests.prove.everyday_policies import EverydayCurator
from tests.prove.loading import fails_when_run
from tests.prove.policies import Claimed, Writer

_LONGEST = "9" * 38


def _curators(seed: int) -> Claimed:
    return Writer(random.Random(seed)).policy()


def _everyday(seed: int) -> Claimed:
    return EverydayCurator(random.Random(seed)).policy()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("write", [_curators, _everyday])
def test_counterexamples_of_random_policies_fail_when_run(write: object, seed: int, tmp_path: Path) -> None:
    case = write(seed)  # type: ignore[operator]
    types = {column.name: column.type for column in case.schema}
    for claim in prove_policy(parse(case.text)[0], case.text, case.claims, types).claims:
        if claim.counterexample is not None:
            assert fails_when_run(as_policy(case.text, False), claim.text, claim.counterexample, tmp_path)


@pytest.mark.parametrize(
    ("policy", "claim", "types"),
    [
        # the longest numbers: one digit more, or one after the point, cannot be loaded
        (f"EACH RESULT : Pay >= {_LONGEST[1:]} : REJECT;", f"EACH RESULT : Pay = {_LONGEST[1:]}", {}),
        (f"EACH RESULT : Pay >= {_LONGEST} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal(0)"}),
        (f"EACH RESULT : Pay >= -{_LONGEST} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal"}),
        (f"EACH RESULT : Pay <= {_LONGEST[2:]} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal(2)"}),
        ("EACH RESULT : Pay > 0.2 : REJECT;", "EACH RESULT : Pay < 0.1", {"Pay": "decimal(38)"}),
        (f"EACH RESULT : Id > {2**63 - 2} : REJECT;", "EACH RESULT : Id < 5", {"Id": "integer"}),
        (f"EACH RESULT : Id < -{2**63 - 1} : REJECT;", "EACH RESULT : Id > 5", {"Id": "integer"}),
        # the first and the last days
        ("EACH RESULT : Day < '0001-01-02' : REJECT;", "EACH RESULT : Day > '2000-01-01'", {"Day": "date"}),
        ("EACH RESULT : Day > '9999-12-30' : REJECT;", "EACH RESULT : Day < '2000-01-01'", {"Day": "date"}),
        (
            "EACH RESULT : At > '9999-12-31T23:59:59.999998' : REJECT;",
            "EACH RESULT : At < '2000-01-01'",
            {"At": "timestamp"},
        ),
        # neighbouring floats, and those with the greatest and the least exponents
        ("EACH RESULT : W > 0 AND W < 0.1 : REJECT;", "EACH RESULT : W > 0.05", {"W": "float"}),
        ("EACH RESULT : W > 1 : REJECT;", "EACH RESULT : W > 1.0000000000000002", {"W": "float"}),
        ("EACH RESULT : W < -1 : REJECT;", "EACH RESULT : W > -1", {"W": "float"}),
        ("EACH RESULT : Ok = 'true' : REJECT;", "EACH RESULT : Ok = 'false'", {"Ok": "boolean"}),
        # text: the empty text, text with marks of CSV, text before any letter
        ("EACH RESULT : Zip < '!' : REJECT;", "EACH RESULT : Zip = ''", {}),
        ("EACH RESULT : Zip > '\"' AND Zip < '#' : REJECT;", "EACH RESULT : Zip = 'x'", {}),
        ("EACH RESULT : Zip LIKE 'a\n%' : REJECT;", "EACH RESULT : Zip = 'x'", {}),
        # text that is compared with a date has one (D28)
        ("EACH RESULT : Day < '2018-03-17' : REJECT;", "EACH RESULT : Day > '2019'", {}),
        (
            "EACH PROCESS MAX(Day) AS m GROUP BY Zip : m < '2018-03-17' : REJECT;",
            "EACH RESULT : Zip = 'x'",
            {},
        ),
        ("EACH RESULT : Zip = 'x' OR Day = '2018-03-17' : REJECT;", "EACH RESULT : Day = '2018-03-17'", {}),
        # text that a number orders is in the order of numbers (D24)
        ("EACH RESULT : Age <= '80' : REJECT;", "EACH RESULT : Age >= '80'", {}),
        ("EACH RESULT : Age >= '80' : REJECT;", "EACH RESULT : Age <= '80'", {}),
        ("EACH FILTER Age < '100' : Zip = 'x' : REJECT;", "EACH RESULT : Zip = 'x' OR Age > '9'", {}),
    ],
)
def test_a_counterexample_at_the_limits_fails_when_run(
    policy: str, claim: str, types: dict[str, str], tmp_path: Path
) -> None:
    (found,) = prove_policy(parse(policy)[0], policy, [claim], types=types).claims
    assert found.verdict is ClaimVerdict.REFUTED
    assert found.counterexample is not None
    assert fails_when_run(as_policy(policy, False), claim, found.counterexample, tmp_path)


def test_a_number_that_no_table_has_is_no_counterexample() -> None:
    policy, claim = f"EACH RESULT : Id > {2**63 - 1} : REJECT;", "EACH RESULT : Id = 5"
    (found,) = prove_policy(parse(policy)[0], policy, [claim], types={"Id": "integer"}).claims
    assert found.verdict is ClaimVerdict.UNDECIDED
