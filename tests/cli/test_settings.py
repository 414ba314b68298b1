"""acompass.toml has settings for the policies and the tables in its folder."""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.errors.diagnostics import AcompassError, CallError, Source
from acompass.measure.hierarchy import table_hierarchies
from acompass.policy import (
    SETTINGS_FILE,
    PolicySettings,
    TableRoles,
    policies_in,
    policy_settings,
    reading_settings,
    table_roles,
)
from tests.cli.tables import PEOPLE, TOP_CODED

TABLE = '[table."people.csv"]\n'
POLICY = '[policy."release.acp"]\n'


def roles(folder: Path, text: str) -> TableRoles:
    (folder / SETTINGS_FILE).write_text(text, encoding="utf-8")
    reading_settings(folder / "people.csv")
    table_hierarchies(folder / "people.csv", ["age"])
    return table_roles(folder / "people.csv")


def settings(folder: Path, text: str) -> PolicySettings:
    (folder / SETTINGS_FILE).write_text(text, encoding="utf-8")
    return policy_settings(folder / "release.acp")


def test_the_section_of_a_table_gives_its_roles(tmp_path: Path) -> None:
    own = f'{TABLE}quasi-identifiers = ["age", "zip"]\nsensitive = ["diagnosis"]\nidentifiers = ["name"]\n'
    text = f'{own}[table."other.csv"]\nx = 1\n'
    assert roles(tmp_path, text) == TableRoles(("age", "zip"), ("diagnosis",), ("name",))


def test_there_are_no_roles_without_a_file_a_section_or_a_path(tmp_path: Path) -> None:
    assert table_roles(tmp_path / "people.csv") == TableRoles()
    assert table_roles([{"age": 1}]) == TableRoles()
    assert roles(tmp_path, "[policy]\n") == TableRoles()


def test_the_section_of_a_policy_gives_its_settings(tmp_path: Path) -> None:
    params = '{ k = 5, t = 0.1, since = 2024-02-03, who = "x", on = true }'
    text = f'{POLICY}table = "people.csv"\nparams = {params}\n'
    assert settings(tmp_path, f'{text}[policy."other.acp"]\nx = 1\n') == PolicySettings(
        str(tmp_path / "people.csv"),
        {"k": 5, "t": Decimal("0.1"), "since": "2024-02-03", "who": "x", "on": True},
    )


def test_the_section_of_a_policy_gives_the_front_page_of_a_report(tmp_path: Path) -> None:
    text = f'{POLICY}purpose = "a study"\nprepared-by = "us"\nrecipients = "them"\nvalid-until = 2027-12-31\n'
    expected = PolicySettings(purpose="a study", prepared_by="us", recipients="them", valid_until=date(2027, 12, 31))
    assert settings(tmp_path, text) == expected


def test_there_are_no_settings_without_a_file_a_section_or_a_path(tmp_path: Path) -> None:
    assert policy_settings(tmp_path / "release.acp") == PolicySettings()
    assert policy_settings(None) == PolicySettings()
    assert settings(tmp_path, TABLE) == PolicySettings()


def test_a_file_with_a_byte_order_mark_and_crlf_is_read(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(f'\ufeff{POLICY}table = "people.csv"\n'.replace("\n", "\r\n").encode())
    assert policy_settings(tmp_path / "release.acp").table == str(tmp_path / "people.csv")


def test_a_table_is_relative_to_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study[1]").mkdir()
    (tmp_path / "study[1]" / "plain").write_text("Age\n1\n", encoding="utf-8")

    def table(said: str) -> str | None:
        (tmp_path / "study[1]" / SETTINGS_FILE).write_text(f'{POLICY}table = "{said}"\n', encoding="utf-8")
        return policy_settings("study[1]/release.acp").table

    assert table("plain") == "study[1]/plain"
    assert table("*.csv") == "study[[]1]/*.csv"
    assert table("/data/people.csv") == "/data/people.csv"
    assert table("public.people") == "public.people"


def test_every_policy_with_a_section_is_listed(tmp_path: Path) -> None:
    assert policies_in(tmp_path) == ()
    (tmp_path / SETTINGS_FILE).write_text(f'{POLICY}[policy."other.acp"]\n{TABLE}', encoding="utf-8")
    assert policies_in(tmp_path) == ("release.acp", "other.acp")


#: a text, a part of the message, and the words that it marks
UNUSABLE_TABLES = [
    ("[table\n", "not TOML", ""),
    ("table = 1", "`table` is not a section", "table"),
    ('table."people.csv" = 1', "`people.csv` is not a section of `table`", '"people.csv"'),
    (f'{TABLE}quasi-identifier = ["age"]', "unknown key `quasi-identifier`", "quasi-identifier"),
    (f'{TABLE}sensitive = "age"', "`sensitive` is not a list of names", "sensitive"),
    (
        f"{TABLE}quasi-identifiers = [\n1\n]",
        "`quasi-identifiers` is not a list of names",
        "quasi-identifiers",
    ),
    (f'{TABLE}sensitive = ["a"]\nidentifiers = ["a"]', "column `a` has two roles", "identifiers"),
    (f"{TABLE}delimiter = 5", "`delimiter` is a number, expected text", "delimiter"),
    (f"{TABLE}missing = {{ Zip = [1] }}", "`missing` is a list, expected text, a number", "missing"),
    (f'{TABLE}na = "NA"', "`na` is text, expected a list of texts", "na"),
    (f'{TABLE}dates = "%d.%m.%Y"', "`dates` is text, expected a dict of column names and formats", "dates"),
    (f"{TABLE}hierarchies = {{ age = 5 }}", "`hierarchies` is a dict that contains a number", "hierarchies"),
    (f'# tabel\n[tabel."people.csv"]\n{TABLE}', "unknown key `tabel`", "tabel"),
]
UNUSABLE_POLICIES = [
    ("x = 'é\n", "not TOML", ""),
    ("policy = 1", "`policy` is not a section", "policy"),
    (f"{POLICY}param = {{ k = 5 }}", "unknown key `param`", "param"),
    (f"{POLICY}table = 5", "`table` is not a path", "table"),
    (f'{POLICY}table = "-"', "`table` is not a path", "table"),
    (f"{POLICY}purpose = 5", "`purpose` is not a line of text", "purpose"),
    (f'{POLICY}recipients = "a\\nb"', "`recipients` is not a line of text", "recipients"),
    (f'{POLICY}prepared-by = " "', "`prepared-by` is not a line of text", "prepared-by"),
    (f'{POLICY}valid-until = "2027-12-31"', "`valid-until` is not a date", "valid-until"),
    (f"{POLICY}valid-until = 2027-12-31T00:00:00", "`valid-until` is not a date", "valid-until"),
    (f"{POLICY}params = 5", "`params` is not a table", "params"),
    (f'{POLICY}params = {{ kk = "k", k = [1] }}', "the value of parameter `k`", "k"),
    (f"{POLICY}params.k = nan", "the value of parameter `k`", "k"),
    ('[policy]\n"release.acp".params.k = 2024-01-01T00:00:00', "the value of parameter `k`", "k"),
    ('[policy."release.acp".params]\n"a b" = 1', "`a b` is not the name of a parameter", '"a b"'),
    (f'{POLICY}params = {{ "a\\"b" = 1 }}', "not the name of a parameter", 'params = { "a\\"b" = 1 }'),
]


@pytest.mark.parametrize(
    ("read", "text", "found", "place"),
    [(roles, *case) for case in UNUSABLE_TABLES] + [(settings, *case) for case in UNUSABLE_POLICIES],
)
def test_an_invalid_setting_is_an_error_at_its_position(
    tmp_path: Path, read: Callable[[Path, str], Any], text: str, found: str, place: str
) -> None:
    with pytest.raises(CallError) as error:
        read(tmp_path, text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "AC625"
    assert found in diagnostic.message
    assert (error.value.source, error.value.name) == (text, str(tmp_path / SETTINGS_FILE))
    span = diagnostic.labels[0].span
    assert text[span.start : span.end] == place


def test_a_syntax_error_points_to_its_line(tmp_path: Path) -> None:
    text = f"{POLICY}é = 1\n"
    with pytest.raises(AcompassError) as error:
        settings(tmp_path, text)
    assert Source(text).position(error.value.diagnostics[0].labels[0].span.start) == (2, 1)


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(CallError, match="not UTF-8"):
        policy_settings(tmp_path / "release.acp")


TOP_CODES = "EACH RESULT : Age <= top : REPLACE Age WITH 80;"
REJECTS = "EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= k : REJECT;"
SECTION = '[policy."policy.acp"]\n'


@pytest.fixture
def toml(tmp_path: Path):
    def write(text: str) -> None:
        (tmp_path / "acompass.toml").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def with_settings(acompass, policy, toml):
    """A policy whose table and parameter are in acompass.toml."""
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80 }}\n')
    policy(TOP_CODES)
    return acompass


def test_run_needs_only_the_policy(with_settings, tmp_path):
    ran = with_settings("run", "policy.acp", "-o", "out.csv")
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
def test_the_other_commands_need_only_the_policy(with_settings, command, exit_code):
    ran = with_settings(*command)
    assert ran.exit_code == exit_code, ran.output


def test_arguments_override_the_settings(with_settings, tmp_path):
    (tmp_path / "other.csv").write_text("Age\n90\n70\n", encoding="utf-8")
    checked = with_settings("check", "policy.acp", "other.csv", "--format", "json", "--set", "top=60")
    (outcome,) = json.loads(checked.stdout)["requirements"]
    assert outcome["affected"] == 2


def test_a_set_overrides_one_parameter_at_a_time(acompass, policy, toml):
    policy(TOP_CODES + REJECTS)
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80, k = 2 }}\n')
    ran = acompass("check", "policy.acp", "--set", "k=3", "--format", "json")
    assert [each["affected"] for each in json.loads(ran.stdout)["requirements"]] == [1, 3]


def test_a_policy_in_another_folder_uses_the_settings_of_that_folder(acompass, tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    (study / "own.csv").write_text(PEOPLE, encoding="utf-8")
    (study / "policy.acp").write_text(TOP_CODES, encoding="utf-8")
    (study / "acompass.toml").write_text(f'{SECTION}table = "own.csv"\nparams.top = 80', encoding="utf-8")
    assert acompass("check", "study/policy.acp").exit_code == 1


def test_without_a_table_the_error_names_both_remedies(acompass, policy):
    ran = acompass("run", policy(TOP_CODES), "-o", "out.csv", "--set", "top=80")
    assert ran.exit_code == 2
    assert "AC411" in ran.stderr
    assert "`people.csv`" in ran.stderr
    assert '`[policy."policy.acp"]`' in ran.stderr


def test_a_policy_on_standard_input_has_no_settings(with_settings):
    ran = with_settings("check", "-", given=TOP_CODES)
    assert ran.exit_code == 2
    assert "AC411" in ran.stderr
    assert "acompass.toml" not in ran.stderr
    assert "AC106" in with_settings("check", "-", "people.csv", given=TOP_CODES).stderr


def test_a_mistake_in_the_policy_is_reported_before_a_missing_table(acompass, policy):
    ran = acompass("check", policy("EACH;"))
    assert ran.exit_code == 2
    assert "AC411" not in ran.stderr
    assert "AC408" in acompass("check", "people.csv").stderr


def test_an_unused_parameter_is_an_error_as_with_set(acompass, policy, toml):
    toml(f'{SECTION}table = "people.csv"\nparams = {{ top = 80, l = 3 }}\n')
    ran = acompass("check", policy(TOP_CODES))
    assert ran.exit_code == 2
    assert "AC107" in ran.stderr


def test_an_error_in_the_settings_shows_its_line(acompass, policy, toml):
    toml(f'{SECTION}tabel = "people.csv"\n')
    ran = acompass("run", policy(TOP_CODES), "-o", "out.csv")
    assert ran.exit_code == 2
    assert "--> acompass.toml:2:1" in ran.stderr
    reported = json.loads(acompass("check", "policy.acp", "--format", "sarif").stdout)
    (location,) = reported["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "acompass.toml"


def test_prove_uses_the_types_of_the_table(acompass, policy, toml):
    policy("EACH RESULT : Age > 9 AND Age < 10 : REJECT;")
    claim = ("prove", "policy.acp", "--claim", "EACH RESULT : Age = 7", "--json")
    toml(f'{SECTION}table = "people.csv"\n')
    assert json.loads(acompass(*claim).stdout)["types"]["Age"] == "integer"
    given = acompass(*claim, "--types", "Age=decimal(1)")
    assert json.loads(given.stdout)["types"]["Age"] == "decimal(1)"


def test_a_policy_can_be_proved_without_its_table(with_settings, tmp_path):
    (tmp_path / "people.csv").unlink()
    assert with_settings("prove", "policy.acp").exit_code == 0
    assert with_settings("lint", "policy.acp").exit_code == 0
    assert "AC2" in with_settings("check", "policy.acp").stderr


def test_suggest_and_measure_use_the_hierarchies_of_the_table(acompass, tmp_path, toml, monkeypatch):
    """A file is relative to the settings, and another column's hierarchy is not used."""
    (tmp_path / "jobs.csv").write_text("cook;food;*\nbaker;food;*\njudge;law;*\nlawyer;law;*\n", encoding="utf-8")
    rows = [f"{20 + age},{job}" for age in range(4) for job in ("cook", "baker", "judge", "lawyer")]
    (tmp_path / "staff.csv").write_text("\n".join(["age,job", *rows]) + "\n", encoding="utf-8")
    toml('[table."staff.csv"]\nhierarchies = { job = "jobs.csv", age = "bands:7", other = "dates" }\n')
    assert "GENERALIZE job TO LEVEL 1 OF 'jobs.csv'" in _suggest(acompass, "staff.csv", "job")
    assert "GENERALIZE age TO BANDS OF 2" in _suggest(acompass, "staff.csv", "age", "--hierarchy", "age=bands:2")
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert "GENERALIZE job TO LEVEL 1 OF '../jobs.csv'" in _suggest(acompass, "../staff.csv", "job")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "released.csv").write_text("job\n" + "food\n" * 8 + "law\n" * 8, encoding="utf-8")
    measured = acompass("measure", "released.csv", "--qi", "job", "--against", "staff.csv", "--json")
    assert json.loads(measured.stdout)["loss"]["levels"] == {"job": "level 1 of jobs.csv"}
    alone = json.loads(acompass("measure", "staff.csv", "--qi", "job", "--json").stdout)
    assert alone["loss"] is None


def _suggest(acompass, table, columns, *options):
    return acompass("suggest", table, "--qi", columns, "--k", "5", "-o", "-", *options).stdout


def test_measure_uses_the_roles_of_the_table(acompass, toml, policy):
    toml('[table."people.csv"]\nquasi-identifiers = ["Zip"]\nsensitive = ["Age"]\n')
    measured = json.loads(acompass("measure", "people.csv", "--json").stdout)
    assert measured["k"] == 1
    assert acompass("measure", "people.csv", "--json").exit_code == 0
    checks = policy("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 1;")
    by_roles = json.loads(acompass("measure", "people.csv", "--policy", checks, "--json").stdout)
    assert by_roles["quasi_identifiers"] == ["Zip"]
    assert [each["column"] for each in by_roles["sensitive"]] == ["Age"]


READING = """\
[table."visits.csv"]
delimiter = ";"
decimal = ","
na = ["NA", "?"]
missing = { Age = 7 }
dates = { Day = "%d.%m.%Y" }
"""
VISITS = "Age;Day;Cost\n54;31.03.2018;1,5\nNA;02.04.2018;2,5\n"
RECENT = "EACH RESULT : Age <= 80; EACH RESULT : Day >= '2018-03-01'; EACH RESULT : Cost < 3.0;"


@pytest.fixture
def visits(acompass, policy, toml, tmp_path):
    """A table that only its settings can read."""
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    toml(READING)
    policy(RECENT)
    return acompass


def test_the_section_of_a_table_says_how_to_read_it(visits, tmp_path):
    assert reading_settings(tmp_path / "visits.csv") == {
        "delimiter": ";",
        "decimal": ",",
        "na": ("NA", "?"),
        "missing": {"Age": "7"},
        "dates": {"Day": "%d.%m.%Y"},
    }
    assert reading_settings(tmp_path / "other.csv") == reading_settings("-") == reading_settings([{}]) == {}


@pytest.mark.parametrize(
    "command",
    [
        ("check", "policy.acp", "visits.csv"),
        ("run", "policy.acp", "visits.csv", "-o", "out.csv"),
        ("plan", "policy.acp", "visits.csv"),
        ("explain", "policy.acp", "visits.csv", "--record", "2"),
        ("explain", "policy.acp", "visits.csv", "--sql"),
        ("lint", "policy.acp", "--table", "visits.csv", "--types", "Age=integer"),
        ("measure", "visits.csv", "--qi", "Day"),
        ("core", "policy.acp", "--table", "visits.csv"),
        ("hierarchy", "visits.csv", "Age"),
        ("pram", "visits.csv", "Day", "--keep", "0.8"),
    ],
)
def test_every_command_reads_a_table_by_its_settings(visits, command):
    ran = visits(*command)
    assert ran.exit_code == 0, ran.output


def test_the_call_comes_before_the_settings_of_the_table(visits, tmp_path):
    assert visits("run", "policy.acp", "visits.csv", "-o", "out.csv", "--missing", "9").exit_code == 0
    assert (tmp_path / "out.csv").read_text() == "Age;Day;Cost\n54;2018-03-31;1,5\n9;2018-04-02;2,5\n"
    assert "columns: Age;Day;Cost" in visits("check", "policy.acp", "visits.csv", "--delimiter", "|").stderr


def test_a_call_in_python_does_not_read_the_settings(visits):
    with pytest.raises(AcompassError):
        acompass.check(RECENT, "visits.csv", delimiter=";")


@pytest.mark.parametrize(
    "command",
    [
        ("suggest", "people.csv", "--qi", "Age", "--k", "2", "--keep", "Age", "--seconds", "9", "-o", "-"),
        ("suggest", "people.csv", "--qi", "Age", "--k", "2", "--change-last", "Age", "--deadline", "9", "-o", "-"),
        ("hierarchy", "days.csv", "Day", "--dates"),
        ("hierarchy", "days.csv", "Day", "--date-units"),
        ("conform", "--engine", "duckdb", "--cases", "1", "--seed", "5"),
        ("conform", "--engine", "duckdb", "--cases", "1", "--case-seed", "5"),
    ],
)
def test_an_earlier_flag_is_accepted_and_not_shown(acompass, tmp_path, command):
    (tmp_path / "days.csv").write_text("Day\n2024-01-31\n", encoding="utf-8")
    ran = acompass(*command)
    assert ran.exit_code in (0, 1), ran.stderr
    shown = acompass(command[0], "--help").stdout.partition("Examples:")[0]
    hidden = {"suggest": ("--keep", "--seconds"), "hierarchy": ("--dates",), "conform": ("--seed",)}[command[0]]
    assert not any(f" {flag} " in shown for flag in hidden)
