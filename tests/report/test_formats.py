"""Output for other programs: JSON, JUnit, SARIF and the table in a notebook."""

import json
from xml.etree import ElementTree as Xml

import pytest

import acompass
from acompass.errors.diagnostics import Diagnostic, Label, PolicyError, Span
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.report.json import error_object, result_object, to_json
from acompass.report.junit import (
    comparison_to_junit,
    errors_to_junit,
    findings_to_junit,
    proof_to_junit,
    result_to_junit,
)
from acompass.report.notebook import answer_html
from acompass.report.sarif import comparison_to_sarif, diagnostics_to_sarif, proof_to_sarif, result_to_sarif
from tests.report.pages import EMPTY, MIXED
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


def test_json_has_exactly_its_documented_keys() -> None:
    value = json.loads(to_json(result_object(MIXED)))
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
    value = error_object(PolicyError([DIAGNOSTIC] * 3, SOURCE, "policy.acp"), most=1)
    found = json.loads(to_json(value))
    (diagnostic,) = found["diagnostics"]
    assert found["more"] == 2
    assert (diagnostic["code"], diagnostic["labels"][0]["line"]) == ("AC001", 2)


def test_junit_has_a_case_for_each_requirement_and_a_failure_for_each_violation() -> None:
    (suite,) = Xml.fromstring(result_to_junit(MIXED, "policy.acp"))
    assert suite.attrib == {"name": "policy.acp", "tests": "3", "failures": "2", "errors": "0"}
    cases = suite.findall("testcase")
    assert [case.find("failure") is not None for case in cases] == [True, False, True]
    assert cases[0].attrib["name"] == "line 2: EACH RESULT : Age <= 80 : REPLACE Age WITH 80"
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "violated: 3 of 1,000 records affected"


def test_junit_has_an_error_for_each_diagnostic() -> None:
    (suite,) = Xml.fromstring(errors_to_junit([DIAGNOSTIC], "policy.acp"))
    assert suite.attrib["errors"] == "1"
    assert suite[0][0].attrib == {"type": "AC001", "message": "found `Age`"}


def test_junit_has_a_failure_for_each_finding() -> None:
    (suite,) = Xml.fromstring(findings_to_junit([DIAGNOSTIC], SOURCE, "policy.acp"))
    assert suite.attrib == {"name": "policy.acp", "tests": "1", "failures": "1", "errors": "0"}
    assert suite[0].attrib["name"] == "line 2: AC001"
    assert suite[0][0].attrib == {"type": "AC001", "message": "found `Age`"}
    assert "put `:` before it" in (suite[0][0].text or "")


def test_junit_without_findings_has_a_case_that_passes() -> None:
    (suite,) = Xml.fromstring(findings_to_junit([], SOURCE, "policy.acp"))
    assert suite.attrib == {"name": "policy.acp", "tests": "1", "failures": "0", "errors": "0"}
    assert list(suite[0]) == []


def test_junit_of_a_proof_has_a_failure_unless_a_claim_is_proved() -> None:
    (suite,) = Xml.fromstring(proof_to_junit(PROOF, "policy.acp"))
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
    found = results(json.loads(to_json(result_to_sarif(MIXED, "some policies/ages.acp"))))
    places = [result["locations"][0]["physicalLocation"] for result in found]
    assert [place["region"]["startLine"] for place in places] == [2, 7]
    assert places[0]["artifactLocation"]["uri"] == "some%20policies/ages.acp"


def test_sarif_has_no_results_if_every_requirement_holds() -> None:
    assert results(result_to_sarif(EMPTY, "policy.acp")) == []


def test_sarif_of_an_error_points_to_its_place() -> None:
    (result,) = results(diagnostics_to_sarif([DIAGNOSTIC], SOURCE, "policy.acp"))
    assert result["ruleId"] == "AC001"
    assert result["message"]["text"] == "found `Age`\nhelp: put `:` before it"
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 13,
        "endLine": 2,
        "endColumn": 16,
    }


def test_sarif_of_an_error_without_a_place_points_to_the_first_line() -> None:
    (result,) = results(diagnostics_to_sarif([Diagnostic("AC201", "no table")], None, "policy.acp"))
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_sarif_lists_claims_that_are_not_proved_at_their_lines() -> None:
    refuted, undecided = results(proof_to_sarif(PROOF, "policy.acp"))
    assert (refuted["ruleId"], refuted["level"]) == ("claim-refuted", "error")
    assert refuted["message"]["text"] == "refuted: EACH RESULT : Age <= 70\nfails on a table of 1 record"
    assert refuted["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert (undecided["ruleId"], undecided["level"]) == ("claim-undecided", "warning")
    assert undecided["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_html_escapes_the_text_of_a_policy() -> None:
    html = answer_html(MIXED)
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
    log = comparison_to_sarif(acompass.compare(old, new), old, new, "a policy.acp")
    return [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in results(log)
    ]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("n >= 5", "n >= 3", 5),
        # the guarantee is on line 4, and line 5 changed; line 1 did too, but is farther away
        ("-- one\n", "-- two\n-- lines\n", 6),
        ("\n-- the end\n", "", 5),
    ],
    ids=["a line", "among other changes", "with the end removed"],
)
def test_a_lost_guarantee_is_at_the_nearest_change(before: str, after: str, line: int) -> None:
    new = OLD.replace("n >= 5", "n >= 3").replace(before, after)
    assert findings(new) == [("guarantee-lost", "error", line)]


def test_a_guarantee_whose_lines_were_removed_is_at_the_end() -> None:
    new = OLD[: OLD.index("EACH PROCESS")].rstrip() + "\n"
    assert findings(new) == [("guarantee-lost", "error", 2)]


def test_lines_are_counted_as_in_an_editor() -> None:
    old = OLD.replace("-- one", "-- one\u2028\x0bstill").replace("\n", "\r\n")
    assert findings(old.replace("n >= 5", "n >= 3"), old) == [("guarantee-lost", "error", 5)]


def test_a_newly_released_column_is_a_result() -> None:
    old = "ALWAYS : DROP Name;\nEACH RESULT : Age <= 80 : REJECT;\n"
    assert findings("EACH RESULT : Age <= 80 : REJECT;\n", old) == [("more-released", "error", 1)]


@pytest.mark.parametrize("new", [OLD, OLD.replace("5", "10"), "EACH RESULT : Age <= 80 : REJECT;\n" + OLD])
def test_a_policy_that_loses_no_guarantee_has_no_results(new: str) -> None:
    assert findings(new) == []


def test_guarantees_are_junit_cases() -> None:
    new = OLD.replace("5", "3")
    suite = Xml.fromstring(comparison_to_junit(acompass.compare(OLD, new), "policy.acp"))[0]
    assert [(case.get("name", "").split(":")[0], len(case)) for case in suite] == [
        ("line 2", 0),
        ("line 4", 1),
        ("releases nothing that the old policy could not", 0),
    ]
    assert suite[1][0].get("message", "").startswith("refuted: ")


def test_a_newly_released_column_is_a_failed_junit_case() -> None:
    comparison = acompass.compare("ALWAYS : DROP Name;", "EACH RESULT : Age <= 80 : REJECT;")
    suite = Xml.fromstring(comparison_to_junit(comparison, "policy.acp"))[0]
    assert "Name" in (suite[-1][0].text or "")
