"""Commands take what they are not given from the acompass.toml beside the policy or the table."""

import json
from pathlib import Path

import pytest

from tests.cli.tables import PEOPLE, TOP_CODED

TOP_CODES = "EACH RESULT : Age <= top : REPLACE Age WITH 80;"
REJECTS = "EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= k : REJECT;"
SECTION = '[policy."policy.acp"]\n'


@pytest.fixture
def toml(tmp_path: Path):
    def write(text: str) -> None:
        (tmp_path / "acompass.toml").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def settled(acompass, policy, toml):
    """A policy whose table and parameter are in the acompass.toml."""
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80 }}\n')
    policy(TOP_CODES)
    return acompass


def test_run_needs_only_the_policy(settled, tmp_path):
    ran = settled("run", "policy.acp", "-o", "out.csv")
    assert ran.exit_code == 0, ran.stderr
    assert (tmp_path / "out.csv").read_text() == TOP_CODED


@pytest.mark.parametrize(
    ("command", "exit_code"),
    [
        (("check", "policy.acp"), 1),
        (("plan", "policy.acp"), 0),
        (("prove", "policy.acp"), 0),
        (("lint", "policy.acp"), 0),
        (("explain", "policy.acp", "--record", "1"), 0),
        (("explain", "policy.acp", "--sql"), 0),
        (("explain", "policy.acp", "--algebra"), 0),
        (("core", "policy.acp"), 0),
    ],
)
def test_so_do_the_others(settled, command, exit_code):
    ran = settled(*command)
    assert ran.exit_code == exit_code, ran.output


def test_the_call_comes_first(settled, tmp_path):
    (tmp_path / "other.csv").write_text("Age\n90\n70\n", encoding="utf-8")
    checked = settled("check", "policy.acp", "other.csv", "--format", "json", "--set", "top=60")
    (outcome,) = json.loads(checked.stdout)["requirements"]
    assert outcome["affected"] == 2


def test_a_set_overrides_one_parameter_at_a_time(acompass, policy, toml):
    policy(TOP_CODES + REJECTS)
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80, k = 2 }}\n')
    ran = acompass("check", "policy.acp", "--set", "k=3", "--format", "json")
    assert [each["affected"] for each in json.loads(ran.stdout)["requirements"]] == [1, 3]


def test_a_policy_in_another_folder_has_its_table_there(acompass, tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    (study / "own.csv").write_text(PEOPLE, encoding="utf-8")
    (study / "policy.acp").write_text(TOP_CODES, encoding="utf-8")
    (study / "acompass.toml").write_text(f'{SECTION}table = "own.csv"\nparams.top = 80', encoding="utf-8")
    assert acompass("check", "study/policy.acp").exit_code == 1


def test_without_a_table_both_remedies_are_named(acompass, policy):
    ran = acompass("run", policy(TOP_CODES), "-o", "out.csv", "--set", "top=80")
    assert ran.exit_code == 2
    assert "AC411" in ran.stderr
    assert "`people.csv`" in ran.stderr
    assert '`[policy."policy.acp"]`' in ran.stderr


def test_a_policy_on_standard_input_has_no_settings(settled):
    ran = settled("check", "-", given=TOP_CODES)
    assert ran.exit_code == 2
    assert "AC411" in ran.stderr
    assert "acompass.toml" not in ran.stderr
    assert "AC106" in settled("check", "-", "people.csv", given=TOP_CODES).stderr


def test_a_mistake_in_the_policy_comes_before_a_missing_table(acompass, policy):
    ran = acompass("check", policy("EACH;"))
    assert ran.exit_code == 2
    assert "AC411" not in ran.stderr
    assert "AC408" in acompass("check", "people.csv").stderr


def test_a_parameter_that_the_policy_does_not_use_is_an_error_as_with_set(acompass, policy, toml):
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80, l = 3 }}\n')
    ran = acompass("check", policy(TOP_CODES))
    assert ran.exit_code == 2
    assert "AC107" in ran.stderr


def test_an_error_shows_its_line(acompass, policy, toml):
    toml(f'{SECTION}tabel = "people.csv"\n')
    ran = acompass("run", policy(TOP_CODES), "-o", "out.csv")
    assert ran.exit_code == 2
    assert "--> acompass.toml:2:1" in ran.stderr
    reported = json.loads(acompass("check", "policy.acp", "--format", "sarif").stdout)
    (location,) = reported["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "acompass.toml"


def test_prove_takes_the_types_of_the_table(acompass, policy, toml):
    policy("EACH RESULT : Age > 9 AND Age < 10 : REJECT;")
    claim = ("prove", "policy.acp", "--claim", "EACH RESULT : Age = 7", "--json")
    toml(f'{SECTION}table = "people.csv"\n')
    assert json.loads(acompass(*claim).stdout)["types"]["Age"] == "integer"
    given = acompass(*claim, "--types", "Age=decimal(1)")
    assert json.loads(given.stdout)["types"]["Age"] == "decimal(1)"


def test_a_policy_is_proved_where_its_table_is_not(settled, tmp_path):
    (tmp_path / "people.csv").unlink()
    assert settled("prove", "policy.acp").exit_code == 0
    assert settled("lint", "policy.acp").exit_code == 0
    assert "AC2" in settled("check", "policy.acp").stderr


def test_measure_takes_the_roles_of_the_table(acompass, toml, policy):
    toml('[table."people.csv"]\nquasi-identifiers = ["Zip"]\nsensitive = ["Age"]\n')
    measured = json.loads(acompass("measure", "people.csv", "--json").stdout)
    assert measured["k"] == 1
    assert acompass("measure", "people.csv", "--json").exit_code == 0
    by_policy = acompass("measure", "people.csv", "--policy", policy("EACH RESULT : Age <= 80;"))
    assert "AC601" in by_policy.stderr
