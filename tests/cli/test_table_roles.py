"""The roles of columns in an acompass.toml beside the table."""

from pathlib import Path

import pytest

from acompass.diagnostics import CallError
from acompass.table_roles import FILE, TableRoles, roles_beside

SECTION = '[table."people.csv"]\n'


def said(folder: Path, text: str) -> TableRoles:
    (folder / FILE).write_text(text, encoding="utf-8")
    return roles_beside(folder / "people.csv")


def test_roles_are_those_of_the_tables_section(tmp_path: Path) -> None:
    own = f'{SECTION}quasi-identifiers = ["age", "zip"]\nsensitive = ["diagnosis"]\n'
    text = f'{own}[table."other.csv"]\nx = 1\n'
    assert said(tmp_path, text) == TableRoles(("age", "zip"), ("diagnosis",))


def test_there_are_none_without_a_file_a_section_or_a_path(tmp_path: Path) -> None:
    assert roles_beside(tmp_path / "people.csv") == TableRoles()
    assert roles_beside([{"age": 1}]) == TableRoles()
    assert said(tmp_path, "[policy]\n") == TableRoles()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[table", "not TOML"),
        ("table = 1", "no section"),
        ('table."people.csv" = 1', "no section"),
        (f'{SECTION}quasi-identifier = ["age"]', "unknown key `quasi-identifier`"),
        (f'{SECTION}sensitive = "age"', "`sensitive` is not a list of names"),
        (f"{SECTION}quasi-identifiers = [1]", "`quasi-identifiers` is not a list of names"),
    ],
)
def test_what_has_no_meaning_is_an_error(tmp_path: Path, text: str, found: str) -> None:
    with pytest.raises(CallError) as error:
        said(tmp_path, text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "AC625"
    assert found in diagnostic.message
