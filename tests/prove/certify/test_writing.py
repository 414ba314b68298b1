"""`prove --certificate` says which claims are certified, and why others are not."""

import hashlib
import json
from pathlib import Path

import pytest

import acompass
from acompass.language.text.parser import parse_text
from acompass.prove.certify.certificate import Uncertified, certify
from acompass.prove.proof import Claim, time_limit
from acompass.prove.search.verdicts import ProvedClaim, prove_policy

POLICY = """EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 : REJECT;
EACH PROCESS MAX(Age) AS m GROUP BY Zip : m <= 90 : REJECT;
"""


def _claims(folder: Path) -> tuple[Claim, ...]:
    return acompass.prove(POLICY, certificate=folder / "certificate.json").claims


def test_a_proved_claim_is_certified_or_says_why_not(tmp_path: Path) -> None:
    k, largest = _claims(tmp_path)
    assert (k.is_certified, k.uncertified) == (True, "")
    assert largest.is_certified is False
    assert largest.uncertified == "certificates are for records, COUNT and COUNT DISTINCT, not for MAX"


def test_json_shows_certification_only_with_a_certificate(tmp_path: Path) -> None:
    asked = acompass.prove(POLICY, certificate=tmp_path / "certificate.json")
    said = [(claim["certified"], claim["uncertified"]) for claim in asked.to_json()["claims"]]
    assert said == [(True, None), (False, asked.claims[1].uncertified)]
    assert "certified" not in acompass.prove(POLICY).to_json()["claims"][0]


def test_the_certificate_is_tied_to_the_policy(tmp_path: Path) -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k : REJECT;"
    (claim,) = acompass.prove(policy, params={"k": 3}, certificate=tmp_path / "certificate.json").claims
    content = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    assert claim.is_certified
    assert content["policy"] == {"sha256": hashlib.sha256(policy.encode()).hexdigest()}
    assert content["columns"] == ["Age", "Zip"]
    assert content["program"][0]["assertion"][2] == [">=", 2, {"integer": "3"}]


def test_the_certificate_has_no_text_that_nobody_checks(tmp_path: Path) -> None:
    _claims(tmp_path)
    text = (tmp_path / "certificate.json").read_text(encoding="utf-8")
    assert "PROCESS" not in text
    (claim,) = json.loads(text)["claims"]
    assert list(claim) == ["assertion", "known", "steps", "parts"]


def test_what_an_auditor_could_not_see_is_not_certified(tmp_path: Path) -> None:
    for policy in ("EACH RESULT : Zip <> 'a\u202eb' : REJECT;", 'EACH RESULT : "A\u200bge" < 3 : REJECT;'):
        (claim,) = acompass.prove(policy, certificate=tmp_path / "certificate.json").claims
        assert claim.uncertified == "a column name or a constant has a control character"
        assert json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))["claims"] == []


def test_without_a_proof_the_certificate_has_no_claims(tmp_path: Path) -> None:
    target = tmp_path / "certificate.json"
    acompass.prove("EACH RESULT : Age < 3;", ["EACH RESULT : Age < 2"], certificate=target)
    assert json.loads(target.read_text(encoding="utf-8"))["claims"] == []


def test_claims_about_the_whole_policy_are_not_certified(tmp_path: Path) -> None:
    policy, asked = "ALWAYS : REPLACE Age WITH 3;", ["idempotent", "EACH RESULT : Age = 3"]
    proof = acompass.prove(policy, asked, certificate=tmp_path / "certificate.json")
    said = [(claim.is_certified, claim.uncertified) for claim in proof.claims]
    assert said == [(False, "only assertions have certificates"), (True, "")]


def test_an_assumption_is_not_certified(tmp_path: Path) -> None:
    target, assume = tmp_path / "certificate.json", ["EACH RESULT : Age < 3"]
    claims = ["EACH RESULT : Age < 4"]
    (claim,) = acompass.prove("ALWAYS : DROP Zip;", claims, assume=assume, certificate=target).claims
    assert claim.uncertified == "the claim depends on an assumption"
    assert json.loads(target.read_text(encoding="utf-8"))["claims"] == []


def test_the_deadline_bounds_the_certificate_too() -> None:
    proved: list[ProvedClaim] = []
    prove_policy(parse_text(POLICY)[0], POLICY, on_proof=proved.append)
    with time_limit(0):
        outcome = certify(proved[0])
    assert isinstance(outcome, Uncertified)
    assert outcome.reason == "not decided within 0 s"


def test_the_policy_is_not_overwritten(tmp_path: Path) -> None:
    policy = tmp_path / "policy.acp"
    policy.write_text(POLICY, encoding="utf-8")
    with pytest.raises(acompass.CallError) as caught:
        acompass.prove(acompass.load(policy), certificate=policy)
    assert caught.value.diagnostics[0].code == "AC708"
    assert policy.read_text(encoding="utf-8") == POLICY


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ALWAYS : GENERALIZE Pay TO NEAREST 5;", "the checker does not know NEAREST"),
        ("ALWAYS : PSEUDONYM Name;", "the checker does not know PSEUDONYM"),
        ("ALWAYS : SHIFT Day BY Name WITHIN 3 DAYS;", "the checker does not know SHIFT"),
        ("ALWAYS : ADD RANDOM 0 3 TO Pay;", "the checker does not know ADD RANDOM"),
        ("ALWAYS : MICROAGGREGATE Pay BY 3;", "the checker does not know MICROAGGREGATE"),
        (
            "EACH PROCESS SHARE OF MODE (Sex) AS a : a > 0 : REJECT;",
            "the checker knows neither SHARE nor reference tables",
        ),
    ],
)
def test_words_that_the_checker_does_not_know_are_not_certified(tmp_path: Path, line: str, reason: str) -> None:
    k, *_ = acompass.prove(f"{POLICY}{line}", certificate=tmp_path / "certificate.json").claims
    assert (k.verdict, k.is_certified, k.uncertified) == ("proved", False, reason)
    content = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    assert (content["columns"], content["program"], content["claims"]) == ([], [], [])
