"""Output for other programs: JSON, JUnit, SARIF and the table in a notebook."""

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

import acompass
from acompass.errors.diagnostics import Diagnostic, Label, PolicyError, Span
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.lint import Findings
from acompass.report import Context, render
from tests.report.pages import MIXED
from tests.report.sarif_rules import results

SOURCE = "EACH RESULT : Age <= 80;\nEACH RESULT Age;"
PROOF = Proof(
    (
        Claim("EACH RESULT\n   : Age <= 80", 1, ClaimVerdict.PROVED, "line 1: leaves no such record"),
        Claim("EACH RESULT : Age <= 70", 3, ClaimVerdict.REFUTED, "fails on a table of 1 record"),
        Claim("idempotent", None, ClaimVerdict.UNDECIDED, "the deadline has passed"),
    ),
    {"Age": "integer"},
)
DIAGNOSTIC = Diagnostic("AC001", "found `Age`", (Label(Span(37, 40)),), help="put `:` before it")


def junit(answer: Any) -> str:
    return render(answer, "junit", Context("policy.acp"))


def sarif(answer: Any, file: str = "policy.acp") -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render(answer, "sarif", Context(file)))
    return log


def test_json_has_exactly_its_documented_keys() -> None:
    value = json.loads(render(MIXED, "json"))
    assert list(value) == [
        *("records_in", "records_out", "dropped", "ok", "requirements", "trace_used", "unnamed", "notes")
    ]
    assert value["requirements"][2] == {
        "index": 3,
        "line": 7,
        "text": "EACH RESULT : Name < '<b>&' OR Name > '\x07'",
        "holds": False,
        "affected": 1,
        "action": None,
    }


def test_json_of_an_error_lists_its_first_diagnostics() -> None:
    error = PolicyError([DIAGNOSTIC] * 3, SOURCE, "policy.acp")
    found = json.loads(render(error, "json", Context(most=1)))
    (diagnostic,) = found["diagnostics"]
    assert found["more"] == 2
    assert (diagnostic["code"], diagnostic["labels"][0]["line"]) == ("AC001", 2)


def test_junit_has_a_case_for_each_requirement_and_a_failure_for_each_violation() -> None:
    (suite,) = Xml.fromstring(junit(MIXED))
    assert suite.attrib == {"name": "policy.acp", "tests": "3", "failures": "2", "errors": "0"}
    cases = suite.findall("testcase")
    assert [case.find("failure") is not None for case in cases] == [True, False, True]
    assert cases[0].attrib["name"] == "line 2: EACH RESULT : Age <= 80 : REPLACE Age WITH 80"
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "violated: 3 of 1,000 records affected"


def test_junit_has_an_error_for_each_diagnostic() -> None:
    (suite,) = Xml.fromstring(junit(PolicyError([DIAGNOSTIC])))
    assert suite.attrib["errors"] == "1"
    assert suite[0][0].attrib == {"type": "AC001", "message": "found `Age`"}


def test_junit_has_a_failure_for_each_finding() -> None:
    (suite,) = Xml.fromstring(junit(Findings.of([DIAGNOSTIC], SOURCE, "policy.acp")))
    assert suite.attrib == {"name": "policy.acp", "tests": "1", "failures": "1", "errors": "0"}
    assert suite[0].attrib["name"] == "line 2: AC001"
    assert suite[0][0].attrib == {"type": "AC001", "message": "found `Age`"}
    assert "put `:` before it" in (suite[0][0].text or "")


def test_junit_without_findings_has_a_case_that_passes() -> None:
    (suite,) = Xml.fromstring(junit(Findings.of([], SOURCE, "policy.acp")))
    assert suite.attrib == {"name": "policy.acp", "tests": "1", "failures": "0", "errors": "0"}
    assert list(suite[0]) == []


def test_junit_of_a_proof_has_a_failure_unless_a_claim_is_proved() -> None:
    (suite,) = Xml.fromstring(junit(PROOF))
    assert suite.attrib == {"name": "policy.acp", "tests": "3", "failures": "2", "errors": "0"}
    assert [case.attrib["name"] for case in suite] == [
        "line 1: EACH RESULT : Age <= 80",
        "line 3: EACH RESULT : Age <= 70",
        "claim: idempotent",
    ]
    assert [[(end.attrib["type"], end.attrib["message"]) for end in case] for case in suite] == [
        [],
        [("refuted", "refuted: fails on a table of 1 record")],
        [("undecided", "undecided: the deadline has passed")],
    ]


def test_sarif_points_to_the_line_of_each_violation() -> None:
    found = results(sarif(MIXED, "some policies/ages.acp"))
    places = [result["locations"][0]["physicalLocation"] for result in found]
    assert [place["region"]["startLine"] for place in places] == [2, 7]
    assert places[0]["artifactLocation"]["uri"] == "some%20policies/ages.acp"


def test_sarif_has_no_results_if_every_requirement_holds() -> None:
    assert results(sarif(replace(MIXED, requirements=MIXED.requirements[1:2]))) == []


def test_sarif_of_an_error_points_to_its_place() -> None:
    (result,) = results(sarif(PolicyError([DIAGNOSTIC], SOURCE, "policy.acp")))
    assert result["ruleId"] == "AC001"
    assert result["message"]["text"] == "found `Age`\nhelp: put `:` before it"
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 13,
        "endLine": 2,
        "endColumn": 16,
    }


def test_sarif_of_an_error_without_a_place_points_to_the_first_line() -> None:
    (result,) = results(sarif(PolicyError([Diagnostic("AC201", "no table")])))
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_sarif_lists_claims_that_are_not_proved_at_their_lines() -> None:
    refuted, undecided = results(sarif(PROOF))
    assert (refuted["ruleId"], refuted["level"]) == ("claim-refuted", "error")
    assert refuted["message"]["text"] == "refuted: EACH RESULT : Age <= 70\nfails on a table of 1 record"
    assert refuted["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert (undecided["ruleId"], undecided["level"]) == ("claim-undecided", "warning")
    assert undecided["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_html_escapes_the_text_of_a_policy() -> None:
    html = MIXED._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;&amp;" in html
    Xml.fromstring(html.replace("\x07", ""))


OLD = """\
-- one
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;

EACH PROCESS COUNT(*) AS n GROUP BY Zip
   : n >= 5
   : REJECT;
-- the end
"""


def findings(new: str, old: str = OLD) -> list[tuple[str, str, int]]:
    log = json.loads(render(acompass.compare(old, new), "sarif", Context("a policy.acp", texts=(old, new))))
    return [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in results(log)
    ]


@pytest.mark.parametrize(
    ("before", "after", "line", "first"),
    [
        ("n >= 5", "n >= 3", 5, 5),
        # the guarantee is on line 4, and line 5 changed; line 1 did too, but is farther away
        ("-- one\n", "-- two\n-- lines\n", 6, 1),
        ("\n-- the end\n", "", 5, 5),
    ],
    ids=["a line", "among other changes", "with the end removed"],
)
def test_a_lost_guarantee_is_at_the_nearest_change(before: str, after: str, line: int, first: int) -> None:
    """What is released in addition is at the first change."""
    new = OLD.replace("n >= 5", "n >= 3").replace(before, after)
    assert findings(new) == [("guarantee-lost", "error", line), ("more-released", "error", first)]


def test_a_guarantee_whose_lines_were_removed_is_at_the_end() -> None:
    new = OLD[: OLD.index("EACH PROCESS")].rstrip() + "\n"
    assert findings(new) == [("guarantee-lost", "error", 2), ("more-released", "error", 2)]


def test_lines_are_counted_as_in_an_editor() -> None:
    old = OLD.replace("-- one", "-- one\u2028\x0bstill").replace("\n", "\r\n")
    results = [("guarantee-lost", "error", 5), ("more-released", "error", 5)]
    assert findings(old.replace("n >= 5", "n >= 3"), old) == results


def test_an_undecided_release_is_a_warning() -> None:
    drawn = "EACH RESULT : Age <= 80 : REJECT; ALWAYS : RANDOM Age 0 80;"
    assert findings(drawn, "EACH RESULT : Age <= 80 : REJECT;") == [("release-undecided", "warning", 1)]


def test_a_newly_released_column_is_a_result() -> None:
    old = "ALWAYS : DROP Name;\nEACH RESULT : Age <= 80 : REJECT;\n"
    assert findings("EACH RESULT : Age <= 80 : REJECT;\n", old) == [("more-released", "error", 1)]


@pytest.mark.parametrize("new", [OLD, OLD.replace("5", "10"), "EACH RESULT : Age <= 80 : REJECT;\n" + OLD])
def test_a_policy_that_loses_no_guarantee_has_no_results(new: str) -> None:
    assert findings(new) == []


def test_guarantees_are_junit_cases() -> None:
    new = OLD.replace("5", "3")
    suite = Xml.fromstring(junit(acompass.compare(OLD, new)))[0]
    assert [(case.get("name", "").split(":")[0], len(case)) for case in suite] == [
        ("line 2", 0),
        ("line 4", 1),
        ("releases no more than the old policy", 1),
    ]
    assert suite[1][0].get("message", "").startswith("refuted: ")


def test_a_newly_released_column_is_a_failed_junit_case() -> None:
    comparison = acompass.compare("ALWAYS : DROP Name;", "EACH RESULT : Age <= 80 : REJECT;")
    suite = Xml.fromstring(junit(comparison))[0]
    assert "Name" in (suite[-1][0].text or "")
