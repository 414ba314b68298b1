"""`acompass check`, `check-all`, `--fix` and the pages of error codes."""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

HOLDS = "EACH RESULT : Age < 120;"
VIOLATED = "EACH RESULT : Age < 120;\nEACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def test_exit_code_0_if_every_assertion_holds(acompass, policy):
    ran = acompass("check", policy(HOLDS), "people.csv")
    assert ran.exit_code == 0
    assert ran.stdout.endswith("3 records, every requirement holds\n")


def test_exit_code_1_if_one_does_not_hold_and_the_table_is_untouched(acompass, policy, tmp_path):
    before = (tmp_path / "people.csv").read_bytes()
    ran = acompass("check", policy(VIOLATED), "people.csv")
    assert ran.exit_code == 1
    assert ran.stdout.endswith("3 records, 1 of 2 requirements violated\n")
    assert (tmp_path / "people.csv").read_bytes() == before


def test_json_has_the_verdicts(acompass, policy):
    ran = acompass("check", policy(VIOLATED), "people.csv", "--format", "json")
    value = json.loads(ran.stdout)
    assert (ran.exit_code, value["ok"], value["trace_used"]) == (1, False, 0)
    assert [each["holds"] for each in value["requirements"]] == [True, False]


def test_junit_counts_the_violated_requirements(acompass, policy):
    (suite,) = Xml.fromstring(acompass("check", policy(VIOLATED), "people.csv", "--format", "junit").stdout)
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")


def test_sarif_has_the_place_of_a_violated_requirement(acompass, policy):
    log = json.loads(acompass("check", policy(VIOLATED), "people.csv", "--format", "sarif").stdout)
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("policy.acp", 2)


@pytest.mark.parametrize("format_", ["json", "junit", "sarif"])
def test_a_wrong_policy_is_reported_in_the_same_format(acompass, policy, format_):
    ran = acompass("check", policy("EACH RESULT Age;"), "people.csv", "--format", format_)
    assert ran.exit_code == 2
    assert "error[AC0" in ran.stderr
    (Xml.fromstring if format_ == "junit" else json.loads)(ran.stdout)
    assert "AC0" in ran.stdout


def test_record_values_are_shown_only_on_request(acompass, policy):
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


YOUNG = "EACH RESULT : Age <= 40 : REJECT;"
OLD = "EACH RESULT : Age <= 90 : REJECT;"


@pytest.fixture
def study(tmp_path: Path):
    """Write policies into a folder, with an acompass.toml that names people.csv as their table."""

    def write(folder: str, **policies: str) -> None:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        sections = []
        for name, text in policies.items():
            (tmp_path / folder / f"{name}.acp").write_text(text, encoding="utf-8")
            table = Path(*[".."] * len(Path(folder).parts), "people.csv").as_posix()
            sections.append(f'[policy."{name}.acp"]\ntable = "{table}"\n')
        (tmp_path / folder / "acompass.toml").write_text("".join(sections), encoding="utf-8")

    return write


def test_every_policy_below_the_folder_is_reported(acompass, study):
    study(".", release=OLD)
    study("inside/deeper", strict=YOUNG)
    ran = acompass("check-all")
    assert ran.exit_code == 1
    first, second = ran.stdout.index("release.acp\n"), ran.stdout.index("inside/deeper/strict.acp\n")
    assert "every requirement holds" in ran.stdout[first:second]
    assert "1 of 1 requirement violated" in ran.stdout[second:]


def test_a_folder_is_checked_under_both_names(acompass, study):
    study("one", release=OLD)
    study("two", strict=YOUNG)
    study("three", release=OLD)
    one, both = acompass("check", "one", "two", "three"), acompass("check-all", "one", "two", "three")
    assert (one.exit_code, one.stdout, one.stderr) == (1, both.stdout, both.stderr)
    assert acompass("check", "one", "--quiet").stdout == ""
    assert acompass("check", ".").stdout == acompass("check-all").stdout


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("one", "--report", "report.html"), "a page is about one policy"),
        (("one", "people.csv"), "'people.csv' is not a folder"),
        (("release.acp", "people.csv", "one"), "'release.acp' is not a folder"),
    ],
)
def test_folders_and_one_policy_exclude_each_other(acompass, study, arguments, found):
    study("one", release=OLD)
    ran = acompass("check", *arguments)
    assert (ran.exit_code, ran.stdout, found in ran.stderr) == (2, "", True), ran.stderr


def test_the_options_apply_to_every_policy_of_a_folder(acompass, study, tmp_path):
    study("one", release="EACH RESULT : Age <= top;")
    assert acompass("check", "one", "--set", "top=90").exit_code == 0
    assert "`--set top=3`" in acompass("check", "one").stderr


def test_exit_code_0_if_all_policies_hold(acompass, study):
    study(".", release=OLD)
    assert acompass("check-all").exit_code == 0


def test_the_worst_exit_code_wins_and_nothing_stops_the_others(acompass, study, tmp_path):
    study(".", broken="EACH RESULT : Age <= 40", release=OLD)
    study("strict", strict=YOUNG)
    study("unreadable", release=OLD)
    (tmp_path / "unreadable" / "acompass.toml").write_text("[policy", encoding="utf-8")
    ran = acompass("check-all")
    assert ran.exit_code == 2
    assert "error[AC010]" in ran.stderr
    assert "error[AC625]" in ran.stderr
    assert "\nrelease.acp\n" in "\n" + ran.stdout
    assert "strict/strict.acp\n" in ran.stdout


def test_a_missing_policy_is_an_error(acompass, study, tmp_path):
    study(".", release=OLD)
    (tmp_path / "release.acp").unlink()
    ran = acompass("check-all")
    assert (ran.exit_code, "error[AC402]" in ran.stderr) == (2, True)


def test_policies_without_a_table_are_listed(acompass, study, policy):
    study(".", release=OLD)
    policy(YOUNG, "draft.acp")
    ran = acompass("check-all")
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (0, "not checked, because no table is named: draft.acp")


def test_nothing_to_check_is_an_error(acompass, policy):
    policy(OLD)
    ran = acompass("check-all")
    assert ran.exit_code == 2
    assert "error[AC411]: no `acompass.toml` in this folder or its subfolders" in ran.stderr


def test_hidden_folders_are_left_out(acompass, study):
    study(".", release=OLD)
    study(".cache/copy", strict=YOUNG)
    assert acompass("check-all").exit_code == 0


def test_folders_can_be_chosen_and_are_checked_once(acompass, study):
    study("one", release=OLD)
    study("two", strict=YOUNG)
    ran = acompass("check-all", "one", "one")
    assert (ran.exit_code, ran.stdout.count("release.acp")) == (0, 1)


def test_check_all_shows_no_value_of_the_table(acompass, study):
    study(".", strict=YOUNG)
    ran = acompass("check-all")
    assert not {"Ada", "Bob", "82", "21101"} & set(ran.stdout.replace(",", " ").split())


BROKEN = "-- ages == here\r\nEACH RESULT : Age == 80 || Age < 80 : REPALCE Age WITH 80 -- top\n"
FIXED = "-- ages == here\r\nEACH RESULT : Age = 80 OR Age < 80 : REPLACE Age WITH 80; -- top\n"
BEYOND = "EACH RESULT : Age == 36;\nEACH RESULT : Aeg < 3;\n"


@pytest.mark.parametrize("command", [("lint",), ("check", "people.csv")])
def test_the_safe_fixes_are_written_and_the_command_continues(acompass, policy, tmp_path, command):
    path = policy(BROKEN)
    name, *table = command
    ran = acompass(name, path, *table, "--fix")
    assert (tmp_path / path).read_bytes() == FIXED.encode()
    assert ran.stderr == "fixed 4 mistakes in policy.acp\n"
    assert ran.exit_code == (1 if name == "check" else 0)
    assert ran.stdout == acompass(name, path, *table).stdout


def test_the_remaining_errors_are_reported_and_decide_the_exit_code(acompass, policy, tmp_path):
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


def test_a_diff_marks_a_missing_newline_at_the_end(acompass, policy):
    ran = acompass("lint", policy("EACH RESULT : Age < 80"), "--diff")
    assert ran.stdout.count("\\ No newline at end of file\n") == 2


def test_a_policy_without_mistakes_is_not_touched(acompass, policy, tmp_path):
    path = policy("EACH RESULT : Age<=80;")
    before = (tmp_path / path).stat().st_mtime_ns
    assert acompass("lint", path, "--fix").output == "nothing found\n"
    assert acompass("lint", path, "--diff").stdout == ""
    assert (tmp_path / path).stat().st_mtime_ns == before


def test_a_policy_from_standard_input_is_fixed_on_standard_output(acompass):
    ran = acompass("lint", "-", "--fix", given=BROKEN)
    assert (ran.exit_code, ran.stdout) == (0, FIXED.replace("\r\n", "\n"))
    assert "nothing found" in ran.stderr


def test_a_byte_order_mark_is_kept(acompass, tmp_path):
    (tmp_path / "marked.acp").write_bytes(b"\xef\xbb\xbfEACH RESULT : Age == 1;")
    acompass("lint", "marked.acp", "--fix")
    assert (tmp_path / "marked.acp").read_bytes() == b"\xef\xbb\xbfEACH RESULT : Age = 1;"


def test_fix_can_be_combined_with_json_and_diff_cannot(acompass, policy):
    ran = acompass("lint", policy(BROKEN), "--fix", "--json")
    assert json.loads(ran.stdout) == {"diagnostics": []}
    assert acompass("lint", policy(BROKEN), "--diff", "--json").exit_code == 2
    assert acompass("lint", "-", "--fix", "--json", given=BROKEN).exit_code == 2


def test_json_lists_the_fixes(acompass, policy):
    (found,) = json.loads(acompass("lint", policy("EACH RESULT : Age == 80;"), "--json").stdout)["diagnostics"]
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


def test_explain_lists_the_nearest_codes_of_an_unknown_one(acompass):
    ran = acompass("explain", "AC199")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC709]: unknown code `AC199`" in ran.stderr
    assert "AC130: " in ran.stderr


def test_explain_prints_the_page_of_a_code_as_json(acompass):
    value = json.loads(acompass("explain", "AC101", "--json").stdout)
    assert (value["code"], value["title"]) == ("AC101", "unknown column")
    assert value["page"].startswith("# AC101")


COUNTS = "Region,Patients\nnorth,25\nsouth,{}\n"


@pytest.fixture
def counts(tmp_path):
    def write(number):
        (tmp_path / "counts.csv").write_text(COUNTS.format(number))
        return "counts.csv"

    return write


@pytest.mark.parametrize(("number", "code"), [(0, 0), (11, 0), (10, 1), ("few", 1)])
def test_a_rule_is_checked_on_a_table(acompass, counts, number, code):
    ran = acompass("check", "--rule", "cms-cell-size", counts(number))
    assert ran.exit_code == code
    verdict = "violates 1 clause" if code else "satisfies every clause"
    assert f"2 records; the table {verdict} of cms-cell-size" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("policy.acp", "counts.csv"), "--rule takes the place of the policy"),
        (("counts.csv", "people.csv", "more"), "--rule takes the place of the policy"),
        ((".",), "'.' is a folder; a rule is checked on one table"),
        (("counts.csv", "--fix"), "--fix is for a policy, not for a rule"),
        (("counts.csv", "--paper"), "--paper is for a policy, not for a rule"),
    ],
)
def test_a_rule_takes_one_table_and_no_policy(acompass, counts, policy, arguments, message):
    policy(HOLDS)
    counts(25)
    ran = acompass("check", "--rule", "cms-cell-size", *arguments)
    assert (ran.exit_code, message in ran.stderr) == (2, True)


def test_columns_of_a_rule_need_a_rule(acompass, policy):
    ran = acompass("check", policy(HOLDS), "people.csv", "--column", "count=Age")
    assert (ran.exit_code, "name it with --rule" in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--rule", "cms-cel", "counts.csv"), "AC650"),
        (("--rule", "cms-cell-size", "people.csv", "--column", "cell="), "AC652"),
        (("--rule", "cms-cell-size", "counts.csv", "--column", "count=Nurses"), "AC654"),
        (("--rule", "cms-cell-size", "none.csv"), "AC201"),
    ],
)
def test_a_rule_that_cannot_be_checked_is_an_error(acompass, counts, arguments, code):
    counts(25)
    ran = acompass("check", *arguments)
    assert (ran.exit_code, f"error[{code}]" in ran.stderr) == (2, True)


def test_a_rule_has_a_case_for_each_clause_and_a_result_for_each_violated_one(acompass, counts, tmp_path):
    also = ("--also", "sarif=check.sarif", "--also", "junit=junit.xml")
    ran = acompass("check", "--rule", "cms-cell-size", counts(3), "--json", *also)
    found = json.loads(ran.stdout)
    assert (found["rule"], found["ok"], found["records_in"]) == ("cms-cell-size", False, 2)
    assert [(each["name"], each["holds"], each["affected"], each["problem"]) for each in found["clauses"]] == [
        ("counts", False, 1, None),
        ("cells", True, None, None),
    ]
    (suite,) = Xml.fromstring((tmp_path / "junit.xml").read_text())
    assert [(case.attrib["name"].partition(":")[0], [each.tag for each in case]) for case in suite] == [
        ("counts", ["failure"]),
        ("cells", ["skipped"]),
    ]
    (run,) = json.loads((tmp_path / "check.sarif").read_text())["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "counts.csv"
    links = {each["id"]: each["helpUri"] for each in run["tool"]["driver"]["rules"]}
    assert links[result["ruleId"]] == found["source"]


def test_a_quiet_check_of_a_rule_prints_nothing(acompass, counts):
    ran = acompass("check", "--rule", "cms-cell-size", counts(3), "--quiet")
    assert (ran.exit_code, ran.output) == (1, "")


def test_violating_records_of_a_rule_are_shown_only_on_request(acompass, counts):
    arguments = ("check", "--rule", "cms-cell-size", counts(3))
    assert "south" not in acompass(*arguments).output
    assert "south" in acompass(*arguments, "--show", "1").stdout


def test_a_report_of_a_rule_never_replaces_the_table(acompass, counts):
    ran = acompass("check", "--rule", "cms-cell-size", counts(25), "--report", "counts.csv")
    assert (ran.exit_code, "AC708" in ran.stderr) == (2, True)
