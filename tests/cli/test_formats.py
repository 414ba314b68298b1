"""`--format` of every command that has it: one report on standard output, even for an error."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.cli.conftest import Acompass
from tests.report.pages import render
from tests.report.sarif_rules import results

POLICY = "EACH RESULT : Age <= 80;\nEACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;\n"
WRONG = "EACH RESULT Age <= 80;\n"
GAPS = (
    "EACH FILTER Zip > '10' AND Zip < '20' : Zip = '1*' : REPLACE Zip WITH '1*';\n"
    "EACH FILTER Zip > '20' AND Zip < '30' : Zip = '2*' : REPLACE Zip WITH '2*';\n"
)
#: a command with its arguments, without options
CALLS = {
    "check": ("check", "policy.acp", "people.csv"),
    "lint": ("lint", "policy.acp"),
    "prove": ("prove", "policy.acp"),
    "run": ("run", "policy.acp", "people.csv", "-o", "out.csv"),
    "compare": ("compare", "policy.acp", "policy.acp"),
    "measure": ("measure", "people.csv", "--policy", "policy.acp"),
}
IN_CI = ("check", "compare", "lint", "prove")


@pytest.mark.parametrize(
    ("command", "exit_code", "heading"),
    [
        ("check", 1, "❌ Check of policy.acp: 2 of 2 requirements violated"),
        ("lint", 0, "✅ Lint of policy.acp: nothing found"),
        ("prove", 1, "❌ Proof of policy.acp: 1 proved, 1 refuted"),
        ("run", 1, "❌ Run of policy.acp: 1 requirement without an action violated"),
        ("compare", 0, "✅ Comparison of policy.acp: equivalent"),
        ("measure", 0, "Measures of people.csv: k = 1"),
    ],
)
def test_markdown_begins_with_the_verdict(command, exit_code, heading, acompass, policy):
    policy(POLICY)
    ran = acompass(*CALLS[command], "--format", "markdown")
    found = render(ran.stdout)
    assert (ran.exit_code, found.headings[0]) == (exit_code, heading)
    assert found.surprises == []


@pytest.mark.parametrize("command", sorted(CALLS))
def test_an_error_is_a_report_in_markdown_too(command, acompass, policy):
    policy(WRONG)
    ran = acompass(*CALLS[command], "--format", "markdown")
    found = render(ran.stdout)
    assert (ran.exit_code, found.headings) == (2, ["❌ 1 error in policy.acp"])
    ((line, code, _, _),) = found.table("line", "code", "finding", "help")
    assert (line, f"error[{code}]" in ran.stderr) == ("1", True)


@pytest.mark.parametrize("command", sorted(CALLS))
def test_json_is_short_for_format_json(command, acompass, policy):
    policy(POLICY)
    short = acompass(*CALLS[command], "--json")
    assert isinstance(json.loads(short.stdout), dict)
    assert acompass(*CALLS[command], "--format", "json").stdout == short.stdout
    assert acompass(*CALLS[command], "--json", "--format", "json").stdout == short.stdout


@pytest.mark.parametrize("command", sorted(CALLS))
def test_json_and_another_format_exclude_each_other(command, acompass, policy):
    policy(POLICY)
    ran = acompass(*CALLS[command], "--json", "--format", "markdown")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "--json and --format markdown exclude each other" in ran.stderr


@pytest.mark.parametrize("command", sorted(set(CALLS) - set(IN_CI)))
def test_only_reports_about_policies_have_sarif_and_junit(command, acompass, policy):
    policy(POLICY)
    ran = acompass(*CALLS[command], "--format", "sarif")
    assert ran.exit_code == 2
    assert "'sarif' is not one of 'text', 'json', 'markdown'" in ran.stderr


@pytest.mark.parametrize("command", IN_CI)
def test_an_error_is_sarif_and_junit_too(command, acompass, policy):
    policy(WRONG)
    sarif = acompass(*CALLS[command], "--format", "sarif")
    (result,) = results(json.loads(sarif.stdout))
    assert (sarif.exit_code, result["level"]) == (2, "error")
    (suite,) = Xml.fromstring(acompass(*CALLS[command], "--format", "junit").stdout)
    assert suite.attrib["errors"] == "1"


def test_findings_are_sarif_with_their_fixes(acompass, policy):
    policy("EACH RESULT : Age <= 80;\nEACH RESULT : Age <= 3 OR Age >= 4 : REJECT;\nEACH RESULT : Zip < '3';\n")
    ran = acompass("lint", "policy.acp", "--format", "sarif")
    (result,) = results(json.loads(ran.stdout))
    assert (ran.exit_code, result["ruleId"], result["level"]) == (1, "AC501", "warning")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "policy.acp"}
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"] == {"text": ""}
    assert replacement["deletedRegion"]["startLine"] == 2


def test_findings_are_failed_junit_cases(acompass, policy):
    policy(GAPS)
    ran = acompass("lint", "policy.acp", "--format", "junit")
    (suite,) = Xml.fromstring(ran.stdout)
    assert ran.exit_code == 1
    assert suite.attrib["failures"] == suite.attrib["tests"]
    assert suite[0].attrib["name"].startswith("line ")


def test_claims_are_sarif_results_and_junit_cases(acompass, policy):
    policy(POLICY)
    call = ("prove", "policy.acp", "--claim", "EACH RESULT : Age <= 70", "--claim", "EACH RESULT : Age <= 80")
    sarif = acompass(*call, "--format", "sarif")
    (result,) = results(json.loads(sarif.stdout))
    assert (sarif.exit_code, result["ruleId"]) == (1, "claim-refuted")
    (suite,) = Xml.fromstring(acompass(*call, "--format", "junit").stdout)
    assert suite.attrib == {"name": "policy.acp", "tests": "2", "failures": "1", "errors": "0"}


def test_only_the_first_findings_are_listed(acompass, policy):
    policy("".join(f"EACH RESULT : Age <= {n} OR Age > {n} : REJECT;\n" for n in range(3)))
    call = ("lint", "policy.acp", "--max-errors", "1")
    every = len(json.loads(acompass("lint", "policy.acp", "--json").stdout)["diagnostics"])
    assert every > 1
    found = render(acompass(*call, "--format", "markdown").stdout)
    assert found.headings == [f"❌ Lint of policy.acp: {every} findings"]
    assert len(found.table("line", "code", "finding", "help")) == 1
    assert f"and {every - 1} more" in found.paragraphs
    assert len(results(json.loads(acompass(*call, "--format", "sarif").stdout))) == 1


def test_a_run_says_that_nothing_was_written(acompass, policy, tmp_path):
    policy(POLICY)
    found = render(acompass(*CALLS["run"], "--format", "markdown").stdout)
    assert [text for text in found.paragraphs if text.startswith("out.csv not written: ")]
    assert not (tmp_path / "out.csv").exists()
    forced = render(acompass(*CALLS["run"], "--force", "--format", "markdown").stdout)
    assert [text for text in forced.paragraphs if "not written" in text] == []
    assert (tmp_path / "out.csv").exists()


def test_a_table_and_a_report_do_not_share_standard_output(acompass, policy):
    policy(POLICY)
    ran = acompass("run", "policy.acp", "people.csv", "-o", "-", "--format", "markdown")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "--format markdown and -o - both write to standard output" in ran.stderr


@pytest.mark.parametrize("command", ["check", "lint"])
def test_a_diff_and_a_report_do_not_share_standard_output(command, acompass, policy):
    policy(POLICY)
    ran = acompass(*CALLS[command], "--diff", "--format", "markdown")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "the report must be text" in ran.stderr


@pytest.mark.parametrize("command", ["check", "run"])
def test_quiet_prints_no_report(command, acompass, policy):
    policy(POLICY)
    assert acompass(*CALLS[command], "--quiet", "--format", "markdown").stdout == ""


@pytest.mark.parametrize("format_", ["markdown", "junit"])
@pytest.mark.slow
def test_a_report_is_utf8_in_every_locale(format_, policy, tmp_path):
    policy("EACH RESULT : Größe <= 80;")
    call = [sys.executable, "-m", "acompass", "prove", "policy.acp", "--format", format_]
    ran = subprocess.run(call, cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True)
    assert "Größe" in ran.stdout.decode("utf-8")


def test_a_policy_on_standard_input_has_no_name_in_the_heading(acompass):
    ran = acompass("check", "-", "people.csv", "--format", "markdown", given=POLICY)
    assert render(ran.stdout).headings[0].startswith("❌ Check: ")


OLD = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5 : REJECT;\n"
NEW = OLD.replace("5", "3")
ALSO_CALLS = {
    "check": ("check", "new.acp", "people.csv"),
    "compare": ("compare", "old.acp", "new.acp"),
    "lint": ("lint", "new.acp"),
    "prove": ("prove", "new.acp"),
}


@pytest.fixture(autouse=True)
def policies(acompass: Acompass) -> None:
    Path("old.acp").write_text(OLD)
    Path("new.acp").write_text(NEW)


@pytest.mark.parametrize("command", ALSO_CALLS)
@pytest.mark.parametrize("format_", ["json", "markdown", "junit", "sarif"])
def test_also_writes_what_format_prints(acompass: Acompass, command: str, format_: str) -> None:
    alone = acompass(*ALSO_CALLS[command], "--format", format_)
    ran = acompass(*ALSO_CALLS[command], "--also", f"{format_}=report file")
    assert Path("report file").read_text().rstrip("\n") == alone.stdout.rstrip("\n")
    assert (ran.exit_code, ran.stdout) == (alone.exit_code, acompass(*ALSO_CALLS[command]).stdout)


@pytest.mark.parametrize("command", ALSO_CALLS)
def test_also_writes_an_error_in_place_of_an_answer(acompass: Acompass, command: str) -> None:
    Path("new.acp").write_text("EACH RESULT : Age <= 3")
    ran = acompass(*ALSO_CALLS[command], "--also", "sarif=a.sarif", "--also", "junit=a.xml", "--also", "json=a.json")
    assert (ran.exit_code, ran.stdout) == (2, "")
    (result,) = json.loads(Path("a.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "AC010"
    assert Xml.parse("a.xml").getroot().find(".//error") is not None
    assert json.loads(Path("a.json").read_text())["diagnostics"][0]["code"] == "AC010"


def test_a_file_that_cannot_be_written_is_an_error(acompass: Acompass) -> None:
    ran = acompass("prove", "new.acp", "--also", "sarif=none/a.sarif")
    assert (ran.exit_code, "error[AC221]" in ran.stderr, ran.stdout) == (2, True, "")
    Path("new.acp").write_text("EACH RESULT : Age <= 3")
    ran = acompass("prove", "new.acp", "--also", "sarif=none/a.sarif", "--also", "json=a.json")
    assert (ran.exit_code, "error[AC221]" in ran.stderr, Path("a.json").exists()) == (2, True, True)


@pytest.mark.parametrize("value", ["sarif", "sarif=", "sarif=-", "text=a.txt", "=a.txt"])
def test_also_rejects_anything_but_a_format_and_a_file(acompass: Acompass, value: str) -> None:
    ran = acompass("prove", "new.acp", "--also", value)
    assert (ran.exit_code, "is not FORMAT=FILE" in ran.stderr) == (2, True)


@pytest.mark.parametrize("file", ["old.acp", "people.CSV", "lists/jobs.csv.gz", "acompass.toml"])
def test_a_report_may_not_have_the_suffix_of_an_input(acompass: Acompass, file: str) -> None:
    ran = acompass("prove", "new.acp", "--also", f"sarif={file}")
    assert (ran.exit_code, "has the suffix of" in ran.stderr, Path("old.acp").read_text()) == (2, True, OLD)


@pytest.mark.parametrize("text", [NEW, "EACH"])
def test_a_report_does_not_replace_an_input_with_another_name(acompass: Acompass, text: str) -> None:
    Path("policy").write_text(text)
    Path("link").symlink_to("policy")
    for call in (("lint", "policy"), ("prove", "policy"), ("check", "policy", "people.csv")):
        ran = acompass(*call, "--also", "sarif=link")
        assert (ran.exit_code, "would overwrite" in ran.stderr, Path("policy").read_text()) == (2, True, text)
    for call in (("compare", "policy", "new.acp"), ("compare", "new.acp", "policy")):
        assert acompass(*call, "--also", "sarif=policy").exit_code == 2
    assert Path("policy").read_text() == text
