"""A comparison in SARIF and JUnit: what is lost or released, where the policy changed."""

from xml.etree import ElementTree as Xml

import pytest

import acompass
from acompass.report.junit.comparison import comparison_to_junit
from acompass.report.sarif.comparison import comparison_to_sarif
from tests.report.sarif_rules import results

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


def test_a_guarantee_whose_lines_are_gone_is_at_the_end() -> None:
    new = OLD[: OLD.index("EACH PROCESS")].rstrip() + "\n"
    assert findings(new) == [("guarantee-lost", "error", 2)]


def test_lines_are_those_of_an_editor() -> None:
    old = OLD.replace("-- one", "-- one\u2028\x0bstill").replace("\n", "\r\n")
    assert findings(old.replace("n >= 5", "n >= 3"), old) == [("guarantee-lost", "error", 5)]


def test_what_is_released_is_a_result() -> None:
    old = "ALWAYS : DROP Name;\nEACH RESULT : Age <= 80 : REJECT;\n"
    assert findings("EACH RESULT : Age <= 80 : REJECT;\n", old) == [("more-released", "error", 1)]


@pytest.mark.parametrize("new", [OLD, OLD.replace("5", "10"), "EACH RESULT : Age <= 80 : REJECT;\n" + OLD])
def test_a_policy_that_gives_nothing_up_has_no_results(new: str) -> None:
    assert findings(new) == []


def test_guarantees_are_cases() -> None:
    new = OLD.replace("5", "3")
    suite = Xml.fromstring(comparison_to_junit(acompass.compare(OLD, new), "policy.acp"))[0]
    assert [(case.get("name", "").split(":")[0], len(case)) for case in suite] == [
        ("line 2", 0),
        ("line 4", 1),
        ("releases nothing that the old policy could not", 0),
    ]
    assert suite[1][0].get("message", "").startswith("refuted: ")


def test_what_is_released_is_a_failed_case() -> None:
    comparison = acompass.compare("ALWAYS : DROP Name;", "EACH RESULT : Age <= 80 : REJECT;")
    suite = Xml.fromstring(comparison_to_junit(comparison, "policy.acp"))[0]
    assert "Name" in (suite[-1][0].text or "")
