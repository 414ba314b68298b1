"""Claims of `prove` about a whole policy, and assumptions: each one proved, refuted and refused."""

import pytest

import acompass
from acompass.prove import Claim, ClaimVerdict

PROVED, REFUTED, UNDECIDED = ClaimVerdict.PROVED, ClaimVerdict.REFUTED, ClaimVerdict.UNDECIDED
K = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 : REJECT;"
CAP = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
POLICY = f"ALWAYS : DROP Name;\n{CAP}\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;\n{K}"


def only(policy: str, claim: str, **settings: object) -> Claim:
    return acompass.prove(policy, [claim], **settings).claims[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (POLICY, PROVED),
        (CAP, PROVED),
        (
            "EACH RESULT : Age != 1 : REPLACE Age WITH 2; EACH RESULT : Age != 0 : REPLACE Age WITH 1;",
            REFUTED,
        ),
        ("ALWAYS : RANDOM Age 0 9;", REFUTED),
        (f"ALWAYS : DROP Name THEN REPLACE Zip WITH '*'; {K}", PROVED),
        ("EACH RESULT : Age <= 80; EACH RESULT : Age < 50 : REPLACE Age WITH 99;", REFUTED),
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5; ALWAYS : GENERALIZE Age TO BANDS OF 10;", PROVED),
        ("EACH RESULT : Age > 5 : REPLACE Age WITH '*';", UNDECIDED),
        ("EACH RESULT : Name != 'a' : REJECT; ALWAYS : DROP Name;", UNDECIDED),
    ],
)
def test_idempotent(policy: str, verdict: ClaimVerdict) -> None:
    claim = only(policy, "idempotent", types={"Age": "integer"} if "Age" in policy else None)
    assert (claim.text, claim.line, claim.verdict) == ("idempotent", None, verdict), claim.reason
    if verdict is REFUTED:
        assert claim.counterexample is not None
        assert claim.counterexample.instead is not None
        assert claim.counterexample.instead.title == "after a second run"


def test_a_second_run_that_fails_is_shown() -> None:
    claim = only("EACH RESULT : Age <= 80; EACH RESULT : Age < 50 : REPLACE Age WITH 99;", "idempotent")
    assert claim.counterexample is not None
    assert claim.counterexample.instead is not None
    assert claim.counterexample.instead.records is None
    assert claim.counterexample.left


def test_a_policy_that_cannot_be_run_again_is_undecided_for_that_reason() -> None:
    claim = only("EACH RESULT : Name != 'a' : REJECT; ALWAYS : DROP Name;", "idempotent")
    assert claim.reason.startswith("the policy cannot be run on its own output: ")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("order of 1, 2", PROVED),
        ("order of 1, 4", REFUTED),
        ("order of 2, 3", PROVED),
        ("Order of 3 and 2", PROVED),
        ("order of 2, 2", PROVED),
        ("order of 2, 4", REFUTED),
        ("order of 3, 4;", REFUTED),
    ],
)
def test_order_of(claim: str, verdict: ClaimVerdict) -> None:
    found = only(POLICY, claim)
    assert (found.text, found.verdict) == (claim, verdict), found.reason
    assert (found.counterexample is not None) == (verdict is REFUTED)


def test_the_steps_of_a_then_move_with_their_assertion() -> None:
    then = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3\n: REPLACE Zip WITH '*'\nTHEN REJECT;"
    policy = f"{then}\nALWAYS : DROP Name;"
    assert only(policy, "order of 1, 4").verdict is PROVED
    with pytest.raises(acompass.CallError) as raised:
        only(policy, "order of 3, 4")
    (found,) = raised.value.diagnostics
    assert (found.code, found.help) == ("AC561", "lines with a requirement: 1, 4")


def test_lines_that_are_no_policy_in_the_other_order() -> None:
    claim = only("EACH RESULT : Age > 5 : REJECT;\nALWAYS : REPLACE Age WITH '*';", "order of 1, 2")
    assert claim.verdict is UNDECIDED
    assert claim.reason.startswith("exchanged, the lines are not a valid policy: ")


@pytest.mark.parametrize(
    ("policy", "claim", "verdict"),
    [
        (POLICY, "Age unchanged", REFUTED),
        (POLICY, "Zip unchanged", REFUTED),
        (POLICY, "Name unchanged", REFUTED),
        (K, "Zip unchanged", PROVED),
        (K, '"zip" unchanged', PROVED),
        ("EACH RESULT : Age != 5 : REPLACE Age WITH 5;", "Age unchanged", PROVED),
        ("EACH RESULT : Age != 5 : REPLACE Age WITH 6;", "Age unchanged", REFUTED),
        ("EACH RESULT : Age > 5 OR Age <= 5 : REPLACE Age WITH '*';", "Age unchanged", PROVED),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REPLACE Zip WITH '*';",
            "Zip unchanged",
            REFUTED,
        ),
        ("ALWAYS : WITH PROBABILITY 0.5 RANDOM Age 0 9;", "Age unchanged", REFUTED),
        ("ALWAYS : WITH PROBABILITY 0.5 REJECT;", "Age unchanged", PROVED),
    ],
)
def test_unchanged(policy: str, claim: str, verdict: ClaimVerdict) -> None:
    types = {"Age": "integer", "Zip": "text", "Name": "text"}
    found = only(policy, claim, schema=types)
    assert found.verdict is verdict, found.reason
    assert (found.counterexample is not None) == (verdict is REFUTED)


def test_the_line_that_changes_a_column_is_named() -> None:
    assert only(POLICY, "Zip unchanged").reason.splitlines()[1] == "line 3 changes it"


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(acompass.CallError) as raised:
        only(K, "Sex unchanged")
    (found,) = raised.value.diagnostics
    assert (found.code, found.help) == ("AC562", "columns: Age, Zip")


def test_claims_keep_their_order() -> None:
    claims = ["idempotent", "EACH RESULT : Age <= 80", "Zip unchanged", "EACH RESULT : Age <= 70"]
    proof = acompass.prove(f"{CAP} {K}", claims)
    assert [claim.text for claim in proof.claims] == claims
    assert [claim.verdict for claim in proof.claims] == [PROVED, PROVED, PROVED, REFUTED]


@pytest.mark.parametrize(
    ("claim", "assumed", "verdict"),
    [
        ("EACH RESULT : Age <= 70", "EACH RESULT : Age <= 60", PROVED),
        ("EACH RESULT : Age <= 70", "EACH RESULT : Age <= 75", REFUTED),
        ("Age unchanged", "EACH RESULT : Age < 81", PROVED),
        ("Age unchanged", "EACH RESULT : Age < 82", REFUTED),
        ("order of 1, 2", "EACH RESULT : Age <= 80", PROVED),
        ("order of 1, 2", "EACH RESULT : Age <= 81", REFUTED),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5",
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5",
            REFUTED,
        ),
    ],
)
def test_assumptions(claim: str, assumed: str, verdict: ClaimVerdict) -> None:
    found = only(f"{CAP}\n{K}", claim, assume=[assumed], types={"Age": "integer"})
    assert found.verdict is verdict, found.reason


def test_an_assumption_about_classes_is_known() -> None:
    assumed = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k"
    claim = only(CAP, assumed, assume=[assumed], params={"k": 5})
    assert claim.verdict is PROVED
    assert claim.reason.splitlines()[0] == f"assumed: {assumed}"


def test_own_claims_know_assumptions() -> None:
    policy = "EACH RESULT : Age <= 80;"
    (claim,) = acompass.prove(policy, assume=["EACH RESULT : Age <= 60"]).claims
    assert (claim.verdict, claim.line) == (PROVED, 1)
    (claim,) = acompass.prove(policy).claims
    assert claim.verdict is REFUTED


def test_a_counterexample_satisfies_the_assumptions() -> None:
    claim = only(K, "EACH RESULT : Age = 7", assume=["EACH RESULT : Age > 20 AND Zip = 'x'"])
    assert claim.counterexample is not None
    assert {(age > 20, zip_) for age, zip_ in claim.counterexample.records} == {(True, "x")}  # type: ignore[operator]


@pytest.mark.parametrize("assumed", ["EACH RESULT : Age = 1 : REJECT", "ALWAYS : DROP Age"])
def test_an_assumption_is_an_assertion(assumed: str) -> None:
    with pytest.raises(acompass.CallError) as raised:
        only(K, "idempotent", assume=[assumed])
    assert raised.value.diagnostics[0].code == "AC560"
