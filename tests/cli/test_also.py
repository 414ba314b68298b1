"""`--also` writes the same report in other formats, from one answer, whole or not at all."""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.cli.conftest import Acompass

OLD = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5 : REJECT;\n"
NEW = OLD.replace("5", "3")
CALLS = {
    "check": ("check", "new.acp", "people.csv"),
    "compare": ("compare", "old.acp", "new.acp"),
    "lint": ("lint", "new.acp"),
    "prove": ("prove", "new.acp"),
}


@pytest.fixture(autouse=True)
def policies(acompass: Acompass) -> None:
    Path("old.acp").write_text(OLD)
    Path("new.acp").write_text(NEW)


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize("format_", ["json", "markdown", "junit", "sarif"])
def test_a_file_has_what_the_format_prints(acompass: Acompass, command: str, format_: str) -> None:
    alone = acompass(*CALLS[command], "--format", format_)
    ran = acompass(*CALLS[command], "--also", f"{format_}=report file")
    assert Path("report file").read_text().rstrip("\n") == alone.stdout.rstrip("\n")
    assert (ran.exit_code, ran.stdout) == (alone.exit_code, acompass(*CALLS[command]).stdout)


@pytest.mark.parametrize("command", CALLS)
def test_an_error_is_written_in_place_of_an_answer(acompass: Acompass, command: str) -> None:
    Path("new.acp").write_text("EACH RESULT : Age <= 3")
    ran = acompass(
        *CALLS[command], "--also", "sarif=a.sarif", "--also", "junit=a.xml", "--also", "json=a.json"
    )
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
def test_what_is_not_a_format_and_a_file_is_refused(acompass: Acompass, value: str) -> None:
    ran = acompass("prove", "new.acp", "--also", value)
    assert (ran.exit_code, "is not FORMAT=FILE" in ran.stderr) == (2, True)


@pytest.mark.parametrize("file", ["old.acp", "people.CSV", "lists/jobs.csv.gz", "acompass.toml"])
def test_a_report_has_no_suffix_of_an_input(acompass: Acompass, file: str) -> None:
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
