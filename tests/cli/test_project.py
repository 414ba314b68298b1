"""The settings in an acompass.toml: of the policies beside it, and of the tables beside it."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from acompass.diagnostics import AcompassError, CallError
from acompass.diagnostics.source import Source
from acompass.project import FILE, PolicySettings, TableRoles, policies_in, policy_settings, roles_beside

TABLE = '[table."people.csv"]\n'
POLICY = '[policy."release.acp"]\n'


def roles(folder: Path, text: str) -> TableRoles:
    (folder / FILE).write_text(text, encoding="utf-8")
    return roles_beside(folder / "people.csv")


def settings(folder: Path, text: str) -> PolicySettings:
    (folder / FILE).write_text(text, encoding="utf-8")
    return policy_settings(folder / "release.acp")


def test_roles_are_those_of_the_tables_section(tmp_path: Path) -> None:
    own = f'{TABLE}quasi-identifiers = ["age", "zip"]\nsensitive = ["diagnosis"]\nidentifiers = ["name"]\n'
    text = f'{own}[table."other.csv"]\nx = 1\n'
    assert roles(tmp_path, text) == TableRoles(("age", "zip"), ("diagnosis",), ("name",))


def test_there_are_no_roles_without_a_file_a_section_or_a_path(tmp_path: Path) -> None:
    assert roles_beside(tmp_path / "people.csv") == TableRoles()
    assert roles_beside([{"age": 1}]) == TableRoles()
    assert roles(tmp_path, "[policy]\n") == TableRoles()


def test_settings_are_those_of_the_policys_section(tmp_path: Path) -> None:
    params = '{ k = 5, t = 0.1, since = 2024-02-03, who = "x", on = true }'
    text = f'{POLICY}table = "people.csv"\nparams = {params}\n'
    assert settings(tmp_path, f'{text}[policy."other.acp"]\nx = 1\n') == PolicySettings(
        str(tmp_path / "people.csv"),
        {"k": 5, "t": Decimal("0.1"), "since": "2024-02-03", "who": "x", "on": True},
    )


def test_there_are_no_settings_without_a_file_a_section_or_a_path(tmp_path: Path) -> None:
    assert policy_settings(tmp_path / "release.acp") == PolicySettings()
    assert policy_settings(None) == PolicySettings()
    assert settings(tmp_path, TABLE) == PolicySettings()


def test_a_file_of_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(f'\ufeff{POLICY}table = "people.csv"\n'.replace("\n", "\r\n").encode())
    assert policy_settings(tmp_path / "release.acp").table == str(tmp_path / "people.csv")


def test_a_table_is_found_from_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study[1]").mkdir()
    (tmp_path / "study[1]" / "plain").write_text("Age\n1\n", encoding="utf-8")

    def table(said: str) -> str | None:
        (tmp_path / "study[1]" / FILE).write_text(f'{POLICY}table = "{said}"\n', encoding="utf-8")
        return policy_settings("study[1]/release.acp").table

    assert table("plain") == "study[1]/plain"
    assert table("*.csv") == "study[[]1]/*.csv"
    assert table("/data/people.csv") == "/data/people.csv"
    assert table("public.people") == "public.people"


def test_the_policies_of_a_folder_are_those_with_a_section(tmp_path: Path) -> None:
    assert policies_in(tmp_path) == ()
    (tmp_path / FILE).write_text(f'{POLICY}[policy."other.acp"]\n{TABLE}', encoding="utf-8")
    assert policies_in(tmp_path) == ("release.acp", "other.acp")


#: a text, a part of the message, and the words at its place
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
    (f'# tabel\n[tabel."people.csv"]\n{TABLE}', "unknown key `tabel`", "tabel"),
]
UNUSABLE_POLICIES = [
    ("x = 'é\n", "not TOML", ""),
    ("policy = 1", "`policy` is not a section", "policy"),
    (f"{POLICY}param = {{ k = 5 }}", "unknown key `param`", "param"),
    (f"{POLICY}table = 5", "`table` is not a path", "table"),
    (f'{POLICY}table = "-"', "`table` is not a path", "table"),
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
def test_what_has_no_meaning_is_an_error_at_its_place(
    tmp_path: Path, read: Callable[[Path, str], Any], text: str, found: str, place: str
) -> None:
    with pytest.raises(CallError) as error:
        read(tmp_path, text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "AC625"
    assert found in diagnostic.message
    assert (error.value.source, error.value.name) == (text, str(tmp_path / FILE))
    span = diagnostic.labels[0].span
    assert text[span.start : span.end] == place


def test_the_place_of_a_syntax_error_is_its_line(tmp_path: Path) -> None:
    text = f"{POLICY}é = 1\n"
    with pytest.raises(AcompassError) as error:
        settings(tmp_path, text)
    assert Source(text).position(error.value.diagnostics[0].labels[0].span.start) == (2, 1)


def test_a_file_that_is_not_utf8_has_no_place(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(CallError, match="not UTF-8"):
        policy_settings(tmp_path / "release.acp")
