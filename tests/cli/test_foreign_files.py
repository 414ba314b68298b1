"""Workbooks and files in other encodings, as policy and as table: the help can be pasted."""

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


def test_a_table_in_utf16_is_read_by_its_mark(acompass, policy, tmp_path):
    (tmp_path / "windows.csv").write_bytes((tmp_path / "people.csv").read_text().encode("utf-16"))
    assert acompass("check", policy(POLICY), "windows.csv").exit_code == 0


def test_a_table_of_windows_is_read_as_the_help_says(acompass, policy, tmp_path):
    (tmp_path / "windows.csv").write_bytes("Name,Age\nZoë,36\n".encode("cp1252"))
    ran = acompass("check", policy(POLICY), "windows.csv")
    assert (ran.exit_code, "error[AC205]: line 2 of `windows.csv` is not UTF-8" in ran.stderr) == (2, True)
    option = re.search(r"`--encoding ([^`]*)`", ran.stderr)
    assert option is not None
    assert acompass("check", policy(POLICY), "windows.csv", "--encoding", option[1]).exit_code == 0


def test_a_workbook_is_no_policy(acompass, workbook):
    assert "error[AC408]" in acompass("check", workbook, "people.csv").stderr


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0", "AC217"),
        ("sheet.ods", b"PK\x03\x04", "AC217"),
        ("people.csv", b"PK\x03\x04", "AC217"),
        ("locked.xlsx", b"\xd0\xcf\x11\xe0", "AC244"),
        ("cut.xlsx", b"PK\x03\x04", "AC214"),
        ("empty.xlsx", b"", "AC214"),
    ],
)
def test_other_workbooks_are_refused(acompass, policy, tmp_path, name, content, code):
    (tmp_path / name).write_bytes(content)
    ran = acompass("check", policy(POLICY), name)
    assert (ran.exit_code, f"error[{code}]" in ran.stderr) == (2, True)


def test_a_workbook_without_its_parts_is_damaged(acompass, policy, workbook):
    ran = acompass("check", policy(POLICY), workbook)
    assert (ran.exit_code, "error[AC214]: `people.xlsx` is not a complete Excel file" in ran.stderr) == (
        2,
        True,
    )
