"""Certificates of small policies, one for each rule; a changed field must invalidate them."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acompass.language.text.parser import parse_text
from acompass.prove.certify.certificate import MOST_STEPS, Certified, Uncertified, build_certificate, certify
from acompass.prove.search.verdicts import ProvedClaim, prove_policy
from tests.length import at_length
from tests.prove.certify.campaign import Outcome, answers, run_share
from tests.theory.building import BUILD, make, needs

TYPES = {"Age": "integer", "Zip": "text", "Disease": "text", "Weight": "float"}

K = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3"
L = "EACH PROCESS COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : d >= 2"

#: a rule of docs/certificates.md, a policy and a claim that need it
RULES = {
    "records": ("EACH RESULT : Age >= 18 : REJECT;", "EACH RESULT : Age > 17"),
    "records, written": ("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;", "EACH RESULT : Age <= 80"),
    "records, drawn": ("ALWAYS : RANDOM Age 20 29;", "EACH RESULT : Age >= 20 AND Age < 30"),
    "records, a check": ("EACH RESULT : Age < 9; ALWAYS : DROP Zip;", "EACH RESULT : Age <= 8"),
    "own": (f"{K} : REJECT;", K),
    "own, several": (
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= 3 AND d > 1 : REJECT;",
        K,
    ),
    "own, written": (
        "EACH PROCESS COUNT DISTINCT(Disease) AS d GROUP BY Age : d <= 2 : REPLACE Disease WITH 'x';",
        "EACH PROCESS COUNT DISTINCT(Disease) AS d GROUP BY Age : d <= 2",
    ),
    "check": (f"{K}; ALWAYS : DROP Disease;", K),
    "values": ("ALWAYS : RANDOM Zip FROM ('a', 'b');", "EACH PROCESS COUNT DISTINCT(Zip) AS d : d <= 2"),
    "classes, smaller k": (f"{K} : REJECT;", K.replace("3", "2")),
    "classes, fewer columns": (f"{K} : REJECT;", K.replace("Age, ", "")),
    "classes, parts": (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n <= 4 : REJECT;",
        "EACH PROCESS COUNT(*) AS n WHERE Zip = 'a' GROUP BY Age, Disease : n <= 5",
    ),
    "diversity is anonymity": (f"{L} : REJECT;", K.replace("3", "2")),
    "single value": (
        f"{K} : REJECT; ALWAYS : REPLACE Disease WITH '*';",
        K.replace("Zip :", "Zip, Disease :"),
    ),
    "reject": (f"{K} : REJECT; EACH FILTER Zip = 'a' : Zip > 'b' : REJECT;", K),
    "irrelevant column": (f"{K} : REJECT; ALWAYS : RANDOM Disease FROM ('a', 'b');", K),
    "merge": (f"{K} : REJECT; EACH RESULT : Zip <> '21201' : REPLACE Zip WITH '212**';", K),
    "merge, refined": (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip, Disease : n >= 3 : REJECT; "
        "EACH FILTER Disease = 'flu' : Age > 90 : REPLACE Zip WITH '*';",
        K,
    ),
    "labels": (f"{K} : REJECT; ALWAYS : GENERALIZE Zip TO PREFIX OF 3;", K),
    "bands": (f"{K} : REJECT; ALWAYS : GENERALIZE Age TO BANDS OF 5;", K),
    "branches": (f"{K} : GENERALIZE Zip TO PREFIX OF 3 THEN GENERALIZE Age TO BANDS OF 10 THEN REJECT;", K),
    "coin": (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n <= 4 : REJECT; ALWAYS : WITH PROBABILITY 0.5 REJECT;",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n <= 4",
    ),
    "drop": (f"{K} : REJECT; ALWAYS : DROP Disease;", K),
}

D = "EACH PROCESS COUNT DISTINCT(Age) AS d GROUP BY Zip : d >= 2"
#: a policy and a claim that `prove` proves with a rule that the checker lacks, and the reason that it reports
UNCERTIFIED = {
    "counted column of another type": (
        f"{D} : REJECT; EACH FILTER Age > 5 : Age > 5 : REPLACE Age WITH 'x';",
        D,
        "changes the type of the counted column",
    ),
    "drawn numbers": (
        f"{D.replace('>=', '<=')} : RANDOM Age 1 2;",
        D.replace(">=", "<="),
        "the checker does not count drawn numbers",
    ),
    "scattered class": (
        f"{K} : REJECT; EACH RESULT : Zip <> '1' : RANDOM Zip FROM ('a', 'b');",
        K.replace("n >= 3", "n >= 3 OR Zip = 'a' OR Zip = 'b'"),
        "chance decides which class a record joins",
    ),
    "keys without coins": (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n <= 4 AND Age = 1 OR n >= 5 AND Age <> 1 : REJECT;"
        "EACH RESULT : Age <> 1 : WITH PROBABILITY 0.5 REJECT;",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n <= 4 AND Age = 1 OR n >= 5 AND Age <> 1",
        "a coin decides which records of a class are left",
    ),
    "two bounds": (
        f"{K} : REJECT; {K.replace('>= 3', '<= 9')} : REJECT;",
        K.replace(">= 3", ">= 3 AND n <= 9"),
        "nothing is known about the input table",
    ),
}


def certify_claim(policy: str, claim: str, types: dict[str, str] = TYPES) -> Certified | Uncertified:
    proved: list[ProvedClaim] = []
    prove_policy(parse_text(policy)[0], policy, [claim], types, on_proof=proved.append)
    assert proved, "the claim is not proved"
    return certify(proved[0])


def certificate(policy: str, claim: str) -> Any:
    outcome = certify_claim(policy, claim)
    assert isinstance(outcome, Certified), outcome
    return build_certificate(policy, [outcome.claim], [outcome])


def set_field(path: list[str | int], value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = value

    return change


POLICY = f"{K} : REJECT; EACH RESULT : Zip <> '21201' : REPLACE Zip WITH '212**';"
STEPS = ["claims", 0, "steps"]
FACT = [*STEPS, 1, "facts", 0]
DRAW = ["from", 1, [[1, {"text": "a"}], [1, {"text": "b"}]]]
OTHER_COLUMN = ["not", ["=", 2, {"text": "21201"}]]
#: changes of a field in the certificate of POLICY and K that invalidate the proof
FIELDS: dict[str, Callable[[Any], None]] = {
    "a larger k in the claim": set_field(["claims", 0, "assertion", 2], [">=", 2, {"integer": "4"}]),
    "more columns in the claim": set_field(["claims", 0, "assertion", 1, 3], [0, 1, 2]),
    "a claim about some": set_field(["claims", 0, "assertion", 0], "some"),
    "a smaller k in the policy": set_field(["program", 0, "assertion", 2], [">=", 2, {"integer": "2"}]),
    "other columns in the policy": set_field(["program", 0, "assertion", 1, 3], [0]),
    "only a check in the policy": set_field(["program", 0, "action"], None),
    "a probability in the policy": set_field(["program", 0, "action"], ["probably", [1, 2], "reject"]),
    "another column is rewritten": set_field(["program", 1, "action", 1], 0),
    "a draw instead of a value": set_field(["program", 1, "action"], DRAW),
    "a condition on another column": set_field(["program", 1, "assertion", 2], OTHER_COLUMN),
    "other types": set_field(["types", 0], "text"),
    "other types at a step": set_field([*STEPS, 1, "types", 1], "integer"),
    "no facts": set_field([*STEPS, 2, "facts"], []),
    "no fact before": set_field([*STEPS, 1, "facts"], []),
    "a fact for no reason": set_field([*FACT, "because"], ["here", ["values", []]]),
    "a fact about a void": set_field([*FACT, "because"], ["back", "void", "void"]),
    "a line that is not there": set_field(["claims", 0, "parts", 0, 2], ["line", 7, []]),
    "an unknown rule": set_field([*FACT, "because", 0], "because"),
    "a stronger fact": set_field([*FACT, "fact", "allowed"], [">=", "count", {"integer": "4"}]),
    "a weaker part": set_field(["claims", 0, "parts", 0, 1], [">=", "count", {"integer": "2"}]),
    "another aggregate": set_field([*FACT, "fact", "function"], ["distinct", 2]),
    "nothing may be affected": set_field([*STEPS, 0, "may"], ["or"]),
    "everything must be affected": set_field([*STEPS, 0, "must"], ["and"]),
    "an invariant at the start": set_field([*STEPS, 0, "invariant"], ["=", 1, {"text": "a"}]),
    "an invariant at the end": set_field([*STEPS, 2, "invariant"], ["=", 1, {"text": "a"}]),
    "no steps": set_field(STEPS, []),
    "no parts": set_field(["claims", 0, "parts"], []),
}

pytestmark = [pytest.mark.slow, needs("make", "coqc", "ocamlfind")]


def test_every_rule_has_a_certificate_that_is_accepted() -> None:
    found = answers([certificate(*case) for case in RULES.values()])
    assert dict(zip(RULES, found, strict=True)) == dict.fromkeys(RULES, "a")


@pytest.mark.parametrize("name", UNCERTIFIED)
def test_proofs_beyond_the_checker_are_not_certified(name: str) -> None:
    policy, claim, reason = UNCERTIFIED[name]
    outcome = certify_claim(policy, claim)
    assert isinstance(outcome, Uncertified)
    assert outcome.reason == reason


def test_numbers_of_any_scale_have_many_texts() -> None:
    policy = f"{K} : REJECT; EACH RESULT : Age <> 1 : REPLACE Age WITH 'x';"
    outcome = certify_claim(policy, K, {**TYPES, "Age": "decimal"})
    assert isinstance(outcome, Uncertified)
    assert outcome.reason == "the change of type can merge or split the values of the column"


def test_every_field_matters() -> None:
    whole = certificate(POLICY, K)
    changes = []
    for change in FIELDS.values():
        changes.append(copy.deepcopy(whole))
        change(changes[-1])
    assert answers([whole]) == ["a"]
    assert dict(zip(FIELDS, answers(changes), strict=True)) == dict.fromkeys(FIELDS, "r")


def test_a_long_policy_has_a_certificate() -> None:
    lines = ["ALWAYS : RANDOM Disease FROM ('a', 'b');"] * (MOST_STEPS - 1)
    assert answers([certificate("\n".join([f"{K} : REJECT;", *lines]), K)]) == ["a"]
    outcome = certify_claim("\n".join([f"{K} : REJECT;", *lines, "ALWAYS : DROP Disease;"]), K)
    assert isinstance(outcome, Uncertified)
    assert outcome.reason == f"the policy has more than {MOST_STEPS} requirements"


def test_invalid_certificates_are_reported() -> None:
    assert answers([{}, [], {"claims": 3}]) == ["?", "?", "?"]


def test_an_auditor_runs_it_on_a_file(tmp_path: Path) -> None:
    make("verify")
    whole, target = certificate(POLICY, K), tmp_path / "certificate.json"
    for content, code, said in (
        (whole, 0, f"accepted  {K}\n"),
        ({**whole, "program": whole["program"][:1]}, 1, f"refused   {K}\n"),
        ({**whole, "claims": []}, 1, "no claim is certified\n"),
        ({}, 2, ""),
    ):
        target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        ran = subprocess.run([BUILD / "verify", target], capture_output=True, text=True)
        assert (ran.returncode, ran.stdout) == (code, said)


@pytest.mark.campaign
def test_random_proofs_are_accepted_and_tampered_ones_refused() -> None:
    outcome, policies = Outcome(), at_length(10)
    run_share(range(policies), outcome)
    assert outcome.refused == []
    assert outcome.tampered_accepted == []
    assert outcome.accepted > policies / 2
    assert outcome.tampered > policies
