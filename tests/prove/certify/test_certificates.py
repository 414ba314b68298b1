"""Certificates of small policies, one for each rule; a changed field must invalidate them."""

import copy
import hashlib
import json
import re
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.language.text.parser import parse_text
from acompass.prove.certify.certificate import MOST_STEPS, Certified, Uncertified, build_certificate, certify
from acompass.prove.certify.encoding import NotCertified, require_visible
from acompass.prove.search.verdicts import ProvedClaim, prove_policy
from tests.length import at_length
from tests.prove.certify.campaign import Outcome, answers, run_share, statements
from tests.repo.sources import ROOT
from tests.theory.building import BUILD, make, needs
from tests.theory.sources import THEORY

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
    "a column of unknown type": (
        "ALWAYS : RANDOM Weight 1 2; EACH RESULT : Weight < 2 : REJECT; ALWAYS : REPLACE Weight WITH 'x';",
        "EACH RESULT : Weight = 'x'",
    ),
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


def counts(groups: list[int]) -> Any:
    """At least three records in each class of these columns."""
    return ["each", ["process", ["count"], None, groups], [">=", len(groups), {"integer": "3"}]]


POLICY = f"{K} : REJECT; EACH RESULT : Zip <> '21201' : REPLACE Zip WITH '212**';"
STEPS = ["claims", 0, "steps"]
FACT = [*STEPS, 1, "facts", 0]
DRAW = ["from", 1, [[1, {"text": "a"}], [1, {"text": "b"}]]]
OTHER_COLUMN = ["not", ["=", 2, {"text": "21201"}]]
#: changes of a field in the certificate of POLICY and K that invalidate the proof
FIELDS: dict[str, Callable[[Any], None]] = {
    "a larger k in the claim": set_field(["claims", 0, "assertion", 2], [">=", 2, {"integer": "4"}]),
    "more columns in the claim": set_field(["claims", 0, "assertion"], counts([0, 1, 2])),
    "a claim about some": set_field(["claims", 0, "assertion", 0], "some"),
    "a smaller k in the policy": set_field(["program", 0, "assertion", 2], [">=", 2, {"integer": "2"}]),
    "other columns in the policy": set_field(["program", 0, "assertion"], counts([0])),
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

#: those that make it no certificate of any policy
UNREADABLE = {"other types at a step", "an unknown rule", "no steps"}

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
    found = dict(zip(FIELDS, answers(changes), strict=True))
    assert found == {name: "?" if name in UNREADABLE else "r" for name in FIELDS}


def test_a_long_policy_has_a_certificate() -> None:
    lines = ["ALWAYS : RANDOM Disease FROM ('a', 'b');"] * (MOST_STEPS - 1)
    assert answers([certificate("\n".join([f"{K} : REJECT;", *lines]), K)]) == ["a"]
    outcome = certify_claim("\n".join([f"{K} : REJECT;", *lines, "ALWAYS : DROP Disease;"]), K)
    assert isinstance(outcome, Uncertified)
    assert outcome.reason == f"the policy has more than {MOST_STEPS} requirements"


def test_what_is_not_a_certificate() -> None:
    whole = certificate(POLICY, K)
    text = json.dumps(whole)
    for changed, reason in (
        ("{}", "expected an object with the member acompass"),
        ("[]", "expected an object with the member acompass"),
        (text[:-1], "the text ends early"),
        (text + "{}", "there is text after the certificate"),
        (text.replace('"version": 2', '"version": 3'), "this checker reads version 2; write the certificate again"),
        (text.replace('"version": 2', '"version": 2.0'), "expected a value at byte"),
        (text.replace('"version": 2', '"version": 2, "version": 2'), "an object has a duplicate member"),
        (
            text.replace('"version": 2', '"version": 2, "claim": "a claim"'),
            "expected an object with the members acompass",
        ),
        (text.replace('"known": []', '"known": [-1]'), "expected a position from 0 to 99999"),
        (text.replace('"known": []', '"known": [0]'), "expected the positions of checks, in order"),
        (text.replace("[0, 1]", "[0, 01]"), "expected a value at byte"),
        (text.replace("[0, 1]", "[0, 4]"), "there is no column at a position"),
        (text.replace('"Age"', '"A\\u001bge"'), "a text has a control character"),
        (text.replace('"Age"', '"A\u202ege"'), "a text has a control character"),
        (text.replace('"Age"', '"A\\udc00ge"'), "a text has half a surrogate pair"),
        (text.replace('"Age"', '"Zip"'), "two columns have one name, or one has none"),
        (text.replace('"integer": "3"', '"text": "3"'), "a column is compared with a constant of another type"),
        (text.replace('"integer": "3"', '"integer": "03"'), "expected an integer"),
        (text.replace(whole["policy"]["sha256"], "0"), "expected a SHA-256 hash in hexadecimal"),
        ("[" * 100_000, "values are nested too deep"),
    ):
        (letters, said), *_ = statements([changed])
        assert (changed != text, letters) == (True, "?")
        assert said.startswith(reason), said


def test_columns_that_are_dropped_are_gone() -> None:
    """A certificate whose DROP keeps a column, or whose claim reads a dropped one, is about no policy."""
    whole = certificate("ALWAYS : DROP Zip;", "EACH RESULT : Age < 3 OR Age >= 3")
    kept, read = copy.deepcopy(whole), copy.deepcopy(whole)
    kept["program"][0]["types"] = []
    read["claims"][0]["assertion"][2] = ["or", ["<", 1, {"text": "a"}], [">=", 1, {"text": "a"}]]
    reasons = ["DROP is not as in a policy", "a dropped column is read"]
    assert statements(list(map(json.dumps, [kept, read]))) == [["?", reason] for reason in reasons]
    assert answers([whole]) == ["a"]


def test_python_and_the_checker_agree_on_control_characters() -> None:
    """Of all characters that Unicode calls controls, formats, separators or surrogates, and of others."""
    categories = {"Cc", "Cf", "Zl", "Zp", "Cs", "Zs", "Mn"}
    points = [point for point in range(0x110000) if unicodedata.category(chr(point)) in categories]
    whole = json.dumps(certificate(POLICY, K))
    found = statements([whole.replace('"Age"', f'"A\\u{point:04x}ge"') for point in points if point < 0x10000])
    found += statements([whole.replace('"Age"', f'"A{chr(point)}ge"') for point in points if point >= 0x10000])
    assert len(found) > 1_000
    for point, (letters, *_) in zip(points, found, strict=True):
        assert (letters == "a") == is_visible(chr(point)), hex(point)


def is_visible(text: str) -> bool:
    try:
        require_visible({"columns": [text]})
    except NotCertified:
        return False
    return True


#: a policy and a claim, and what `verify` prints about them
PRINTED = {
    f"{K}; EACH RESULT : NOT (Age < 3 OR Zip = 'it''s') AND Weight <= 0.1 : WITH PROBABILITY 0.25 REJECT;": """\
columns of the table
  Age      integer
  Zip      text
  Disease  text
  Weight   float
requirements
  1  EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3;
  2  EACH RESULT : NOT (Age < 3 OR Zip = 'it''s') AND Weight <= FLOAT 0.1 : WITH PROBABILITY 0.25 REJECT;
claims about the table that a run of these requirements leaves, for any table with these columns and any random numbers
  accepted  EACH RESULT : NOT Age < 0 OR Age <= 1.5
            if requirement 1 holds when the run reaches it
""",
    "ALWAYS : REPLACE Age WITH '*'; ALWAYS : DROP Zip; ALWAYS : RANDOM Weight 1 2;": """\
columns of the table
  Age      integer
  Zip      text
  Disease  text
  Weight   float
requirements
  1  ALWAYS : REPLACE Age WITH '*'; -- Age becomes text
  2  ALWAYS : DROP Zip;
  3  ALWAYS : RANDOM Weight 1 2; -- written as float
claims about the table that a run of these requirements leaves, for any table with these columns and any random numbers
  accepted  EACH RESULT : Age = '*'
""",
}


def run_verify(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    make("verify")
    return subprocess.run([BUILD / "verify", *arguments], capture_output=True, text=True)


def test_the_claim_is_printed_from_what_was_checked(tmp_path: Path) -> None:
    for (policy, printed), claim in zip(
        PRINTED.items(), ("EACH RESULT : NOT Age < 0 OR Age <= 1.5", "EACH RESULT : Age = '*'"), strict=True
    ):
        (tmp_path / "certificate.json").write_text(json.dumps(certificate(policy, claim)), encoding="utf-8")
        (tmp_path / "policy.acp").write_text(f"\ufeff{policy}", encoding="utf-8")
        ran = run_verify(tmp_path / "certificate.json", "--policy", tmp_path / "policy.acp")
        assert ran.stdout.startswith(printed)
        said = (
            f"policy\n  {tmp_path / 'policy.acp'} has the SHA-256 of the certificate\n"
            "  whether it has the requirements above is for the reader to compare\n"
        )
        assert (ran.returncode, ran.stdout.removeprefix(printed)) == (0, said)


def test_another_policy_is_refused(tmp_path: Path) -> None:
    target, policy = tmp_path / "certificate.json", tmp_path / "policy.acp"
    target.write_text(json.dumps(certificate(POLICY, K)), encoding="utf-8")
    for length in (*range(140), 100_000):
        policy.write_text((POLICY * 2_000)[:length], encoding="utf-8")
        if (length, policy.read_text(encoding="utf-8")) == (len(POLICY), POLICY):
            continue
        ran = run_verify(target, "--policy", policy)
        said = f"policy\n  {policy} is another policy: its SHA-256 is not that of the certificate\n"
        assert (ran.returncode, ran.stdout) == (1, said)


def test_hashes_are_those_of_python(tmp_path: Path) -> None:
    """`verify` compares the hash of a policy with any content that a certificate says it has."""
    whole, target, policy = certificate(POLICY, K), tmp_path / "certificate.json", tmp_path / "policy.acp"
    for length in (*range(130), 65_537):
        content = bytes((7 * at + length) % 256 for at in range(length))
        policy.write_bytes(content)
        named = {**whole, "policy": {"sha256": hashlib.sha256(content).hexdigest()}}
        target.write_text(json.dumps(named), encoding="utf-8")
        assert run_verify(target, "--policy", policy).returncode == 0


def test_an_auditor_runs_it_on_a_file(tmp_path: Path) -> None:
    whole, target = certificate(POLICY, K), tmp_path / "certificate.json"
    without = {**whole["claims"][0], "parts": []}
    for content, code, said in (
        (whole, 0, f"\n  accepted  {K}\n"),
        ({**whole, "claims": [without]}, 1, f"\n  refused   {K}\n"),
        ({**whole, "claims": []}, 1, "no claim is certified\n"),
        ({}, 2, ""),
    ):
        target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        ran = run_verify(target)
        assert ran.returncode == code
        assert said in ran.stdout
    assert run_verify().returncode == run_verify(tmp_path).returncode == run_verify("", "").returncode == 2


def test_what_is_trusted_is_printed_with_its_size() -> None:
    printed = run_verify("--trusts").stdout
    sizes = {path.name: path.read_text(encoding="utf-8").count("\n") for path in (THEORY / "checker").glob("*.ml")}
    unproved = sum(size for name, size in sizes.items() if name != "driver.ml")
    assert f"{unproved} lines of OCaml without a proof read JSON ({sizes['json.ml']} of them)" in printed
    extracted = (BUILD / "certificates.ml").read_text(encoding="utf-8").count("\n")
    assert f"to OCaml correctly, {extracted} lines" in printed


def test_the_page_shows_what_the_checker_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    (policy,) = re.findall(r"```acompass cascade.acp\n(.*?)```", page, re.DOTALL)
    (tmp_path / "cascade.acp").write_text(policy, encoding="utf-8")
    acompass.prove(acompass.load(tmp_path / "cascade.acp"), certificate=tmp_path / "cascade.json")
    make("verify")
    for command, shown in re.findall(r"^\$ build/theory/(verify .*)\n((?:(?!```|\$).*\n)*)", page, re.MULTILINE):
        ran = subprocess.run([BUILD / "verify", *command.split()[1:]], capture_output=True, text=True, cwd=tmp_path)
        assert ran.stdout == shown, command


@pytest.mark.campaign
def test_random_proofs_are_accepted_and_tampered_ones_refused() -> None:
    outcome, policies = Outcome(), at_length(10)
    run_share(range(policies), outcome)
    assert outcome.refused == []
    assert outcome.tampered_accepted == []
    assert outcome.accepted > policies / 2
    assert outcome.tampered > policies
