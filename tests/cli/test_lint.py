import json

GAPS = (
    "EACH FILTER Zip > '10' AND Zip < '20' : Zip = '1*' : REPLACE Zip WITH '1*';\n"
    "EACH FILTER Zip > '20' AND Zip < '30' : Zip = '2*' : REPLACE Zip WITH '2*';\n"
)
SOUND = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def test_findings_are_shown_with_their_page_and_exit_with_1(acompass, policy):
    ran = acompass("lint", policy(GAPS))
    assert ran.exit_code == 1
    assert "warning[AC507]" in ran.stdout
    assert "acompass explain AC507" in ran.stdout


def test_nothing_found_exits_with_0(acompass, policy):
    ran = acompass("lint", policy(SOUND))
    assert (ran.exit_code, ran.stdout) == (0, "nothing found\n")


def test_several_policies_are_all_reported_and_the_worst_exit_code_wins(acompass, policy):
    sound, gaps, broken = policy(SOUND, "a b.acp"), policy(GAPS, "gaps.acp"), policy("EACH", "broken.acp")
    ran = acompass("lint", gaps, sound)
    assert (ran.exit_code, "gaps.acp:" in ran.stdout) == (1, True)
    assert ran.stdout.endswith("nothing found in a b.acp\n")
    ran = acompass("lint", broken, gaps, sound)
    assert (ran.exit_code, "gaps.acp:" in ran.stdout, "broken.acp:" in ran.stderr) == (2, True, True)


def test_a_parameter_that_is_not_bound_is_shown_in_its_file(acompass, policy):
    name = policy("EACH RESULT : Age <= k;", "unbound.acp")
    for command in ("lint", "prove"):
        assert "unbound.acp:1:22" in acompass(command, name).stderr


def test_several_policies_are_fixed(acompass, policy, tmp_path):
    names = [policy("EACH RESULT : Age <= 3", name) for name in ("one.acp", "two.acp")]
    assert acompass("lint", "--fix", *names).exit_code == 0
    assert {(tmp_path / name).read_text() for name in names} == {"EACH RESULT : Age <= 3;"}


def test_a_format_for_programs_takes_one_policy(acompass, policy):
    names = [policy(SOUND, name) for name in ("one.acp", "two.acp")]
    for options in (("--json",), ("--format", "sarif"), ("--also", "sarif=lint.sarif")):
        ran = acompass("lint", *names, *options)
        assert (ran.exit_code, "several policies are reported as text" in ran.stderr) == (2, True)


def test_findings_as_json(acompass, policy):
    found = json.loads(acompass("lint", policy(GAPS), "--json").stdout)["diagnostics"]
    assert "AC507" in {each["code"] for each in found}
    assert {each["severity"] for each in found} == {"warning"}


def test_run_and_check_point_at_lint_in_one_line(acompass, policy, tmp_path):
    table = tmp_path / "zips.csv"
    table.write_text("Zip,Age\n15,30\n")
    path = policy(GAPS)
    for command in (("check", path, str(table)), ("run", path, str(table), "-o", str(tmp_path / "out.csv"))):
        hints = [line for line in acompass(*command).stderr.splitlines() if line.startswith("hint: ")]
        assert len(hints) == 1
        assert f"acompass lint {path}" in hints[0]


def test_no_hint_without_findings(acompass, policy):
    assert acompass("check", policy(SOUND), "people.csv").stderr == ""


def test_no_hint_under_quiet_or_json(acompass, policy, tmp_path):
    table = tmp_path / "zips.csv"
    table.write_text("Zip,Age\n15,30\n")
    path = policy(GAPS)
    assert acompass("check", path, str(table), "--quiet").stderr == ""
    assert acompass("check", path, str(table), "--format", "json").stderr == ""


def test_types_can_be_given(acompass, policy):
    path = policy("EACH RESULT : Age <= 3 OR Age >= 4 : REJECT;")
    assert "AC501" in acompass("lint", path).stdout
    assert "AC501" not in acompass("lint", path, "--types", "Age=decimal(1)").stdout
