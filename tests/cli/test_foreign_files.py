"""Excel workbooks and UTF-16 files, as policy and as table: the help can be pasted."""

import re
import subprocess
import zipfile

import pytest

POLICY = "EACH RESULT : Age <= 200;\n"


@pytest.fixture
def workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "people.xlsx", "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    return "people.xlsx"


def command_in(help_text: str) -> str:
    found = re.search(r"`(iconv [^`]*)`", help_text)
    assert found is not None
    return found[1]


def test_a_policy_in_utf16_can_be_converted_as_the_help_says(acompass, tmp_path):
    (tmp_path / "windows.acp").write_bytes(POLICY.encode("utf-16"))
    ran = acompass("check", "windows.acp", "people.csv")
    assert (ran.exit_code, "error[AC403]: the policy is UTF-16" in ran.stderr) == (2, True)
    subprocess.run(command_in(ran.stderr), shell=True, check=True, cwd=tmp_path)
    assert acompass("check", "policy-utf8.acp", "people.csv").exit_code == 0


def test_a_table_in_utf16_can_be_converted_as_the_help_says(acompass, policy, tmp_path):
    (tmp_path / "windows.csv").write_bytes((tmp_path / "people.csv").read_text().encode("utf-16"))
    ran = acompass("check", policy(POLICY), "windows.csv")
    assert (ran.exit_code, "error[AC205]: line 1 of `windows.csv` is not UTF-8 but UTF-16" in ran.stderr) == (
        2,
        True,
    )
    subprocess.run(command_in(ran.stderr), shell=True, check=True, cwd=tmp_path)
    assert acompass("check", policy(POLICY), "table.csv").exit_code == 0


def test_a_workbook_is_neither_a_policy_nor_a_table(acompass, policy, workbook):
    assert "error[AC408]" in acompass("check", workbook, "people.csv").stderr
    ran = acompass("check", policy(POLICY), workbook)
    assert (ran.exit_code, "error[AC217]: `people.xlsx` is an Excel workbook" in ran.stderr) == (2, True)
    assert "save the sheet as CSV" in ran.stderr
