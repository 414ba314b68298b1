import json
from xml.etree import ElementTree as Xml

import pytest

HOLDS = "EACH RESULT : Age < 120;"
VIOLATED = "EACH RESULT : Age < 120;\nEACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def test_exit_code_0_where_every_assertion_holds(acompass, policy):
    ran = acompass("check", policy(HOLDS), "people.csv")
    assert ran.exit_code == 0
    assert ran.stdout.endswith("3 records, every requirement holds\n")


def test_exit_code_1_where_one_does_not_and_the_table_is_untouched(acompass, policy, tmp_path):
    before = (tmp_path / "people.csv").read_bytes()
    ran = acompass("check", policy(VIOLATED), "people.csv")
    assert ran.exit_code == 1
    assert ran.stdout.endswith("3 records, 1 of 2 requirements violated\n")
    assert (tmp_path / "people.csv").read_bytes() == before


def test_json(acompass, policy):
    ran = acompass("check", policy(VIOLATED), "people.csv", "--format", "json")
    value = json.loads(ran.stdout)
    assert (ran.exit_code, value["ok"], value["trace_used"]) == (1, False, 0)
    assert [each["holds"] for each in value["requirements"]] == [True, False]


def test_junit(acompass, policy):
    (suite,) = Xml.fromstring(acompass("check", policy(VIOLATED), "people.csv", "--format", "junit").stdout)
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")


def test_sarif(acompass, policy):
    log = json.loads(acompass("check", policy(VIOLATED), "people.csv", "--format", "sarif").stdout)
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("policy.acp", 2)


@pytest.mark.parametrize("format_", ["json", "junit", "sarif"])
def test_a_policy_that_is_wrong_is_reported_in_the_same_format(acompass, policy, format_):
    ran = acompass("check", policy("EACH RESULT Age;"), "people.csv", "--format", format_)
    assert ran.exit_code == 2
    assert "error[AC0" in ran.stderr
    (Xml.fromstring if format_ == "junit" else json.loads)(ran.stdout)
    assert "AC0" in ran.stdout


def test_no_value_of_a_record_is_shown_unless_asked_for(acompass, policy):
    path = policy("EACH FILTER Name < 'B' : Age > 80;")
    silent = acompass("check", path, "people.csv")
    assert "Ada" not in silent.output
    assert "36" not in silent.output
    assert "Ada" in acompass("check", path, "people.csv", "--show", "5").stdout


def test_quiet_leaves_the_verdict_to_the_exit_code(acompass, policy):
    ran = acompass("check", policy(VIOLATED), "people.csv", "--quiet")
    assert (ran.exit_code, ran.output) == (1, "")


def test_an_unknown_format_is_a_wrong_call(acompass, policy):
    assert acompass("check", policy(HOLDS), "people.csv", "--format", "xml").exit_code == 2
