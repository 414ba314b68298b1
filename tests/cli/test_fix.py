"""`lint --fix`, `check --fix` and `--diff`."""

import json

import pytest

BROKEN = "-- ages == here\r\nEACH RESULT : Age == 80 || Age < 80 : REPALCE Age WITH 80 -- top\n"
FIXED = "-- ages == here\r\nEACH RESULT : Age = 80 OR Age < 80 : REPLACE Age WITH 80; -- top\n"
BEYOND = "EACH RESULT : Age == 36;\nEACH RESULT : Aeg < 3;\n"


@pytest.mark.parametrize("command", [("lint",), ("check", "people.csv")])
def test_the_safe_fixes_are_written_and_the_command_goes_on(acompass, policy, tmp_path, command):
    path = policy(BROKEN)
    name, *table = command
    ran = acompass(name, path, *table, "--fix")
    assert (tmp_path / path).read_bytes() == FIXED.encode()
    assert ran.stderr == "fixed 4 mistakes in policy.acp\n"
    assert ran.exit_code == (1 if name == "check" else 0)
    assert ran.stdout == acompass(name, path, *table).stdout


def test_the_rest_is_reported_and_decides_the_exit_code(acompass, policy, tmp_path):
    path = policy(BEYOND)
    ran = acompass("check", path, "people.csv", "--fix")
    assert ran.exit_code == 2
    assert "error[AC101]" in ran.stderr
    assert "error[AC031]" not in ran.stderr
    assert (tmp_path / path).read_text() == BEYOND.replace("==", "=")


def test_diff_writes_nothing(acompass, policy, tmp_path):
    path = policy(BROKEN)
    ran = acompass("check", path, "people.csv", "--diff")
    assert (tmp_path / path).read_bytes() == BROKEN.encode()
    assert ran.stdout.splitlines()[:3] == ["--- policy.acp", "+++ policy.acp", "@@ -1,2 +1,2 @@"]
    assert f"\n+{FIXED.splitlines()[1]}\n" in ran.stdout
    assert "would fix 4 mistakes in policy.acp\n" in ran.stderr
    assert "1 of 1 requirement violated" in ran.stderr
    assert ran.exit_code == 1


def test_diff_of_a_policy_without_a_line_end(acompass, policy):
    ran = acompass("lint", policy("EACH RESULT : Age < 80"), "--diff")
    assert ran.stdout.count("\\ No newline at end of file\n") == 2


def test_a_policy_without_mistakes_is_not_touched(acompass, policy, tmp_path):
    path = policy("EACH RESULT : Age<=80;")
    before = (tmp_path / path).stat().st_mtime_ns
    assert acompass("lint", path, "--fix").output == "nothing found\n"
    assert acompass("lint", path, "--diff").stdout == ""
    assert (tmp_path / path).stat().st_mtime_ns == before


def test_standard_input_goes_to_standard_output(acompass):
    ran = acompass("lint", "-", "--fix", given=BROKEN)
    assert (ran.exit_code, ran.stdout) == (0, FIXED.replace("\r\n", "\n"))
    assert "nothing found" in ran.stderr


def test_a_byte_order_mark_is_kept(acompass, tmp_path):
    (tmp_path / "marked.acp").write_bytes(b"\xef\xbb\xbfEACH RESULT : Age == 1;")
    acompass("lint", "marked.acp", "--fix")
    assert (tmp_path / "marked.acp").read_bytes() == b"\xef\xbb\xbfEACH RESULT : Age = 1;"


def test_fixing_with_a_report_as_data(acompass, policy):
    ran = acompass("lint", policy(BROKEN), "--fix", "--json")
    assert json.loads(ran.stdout) == {"diagnostics": []}
    assert acompass("lint", policy(BROKEN), "--diff", "--json").exit_code == 2
    assert acompass("lint", "-", "--fix", "--json", given=BROKEN).exit_code == 2


def test_json_lists_the_fixes(acompass, policy):
    (found,) = json.loads(acompass("lint", policy("EACH RESULT : Age == 80;"), "--json").stdout)[
        "diagnostics"
    ]
    edit = {"line": 1, "column": 19, "end_line": 1, "end_column": 21, "text": "="}
    assert found["fixes"] == [{"title": "write `=`", "safe": True, "edits": [edit]}]
    assert found["see"] == "acompass explain AC031"


def test_sarif_lists_the_fixes(acompass, policy):
    ran = acompass("check", policy("EACH RESULT : Age == 80;"), "people.csv", "--format", "sarif")
    (result,) = json.loads(ran.stdout)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    region = {"startLine": 1, "startColumn": 19, "endLine": 1, "endColumn": 21}
    assert change["artifactLocation"] == {"uri": "policy.acp"}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "="}}]


def test_a_policy_that_cannot_be_written_is_an_error(acompass, tmp_path, policy, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = policy("EACH RESULT : Age == 1;")
    monkeypatch.setattr("os.replace", refuse)
    ran = acompass("lint", path, "--fix")
    assert (ran.exit_code, "error[AC491]" in ran.stderr) == (2, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["people.csv", "policy.acp"]


@pytest.mark.parametrize("code", ["AC101", "ac101"])
def test_explain_prints_the_page_of_a_code(acompass, code):
    ran = acompass("explain", code)
    assert ran.exit_code == 0
    assert ran.stdout.startswith("AC101: unknown column\n\nWhat\n\n")
    assert "\n    EACH RESULT: Post code = '212**';\n" in ran.stdout
    assert "```" not in ran.stdout


def test_explain_of_an_unknown_code_lists_the_nearest(acompass):
    ran = acompass("explain", "AC199")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC709]: unknown code `AC199`" in ran.stderr
    assert "AC124: " in ran.stderr


def test_explain_of_a_code_as_json(acompass):
    value = json.loads(acompass("explain", "AC101", "--json").stdout)
    assert (value["code"], value["title"]) == ("AC101", "unknown column")
    assert value["page"].startswith("# AC101")
