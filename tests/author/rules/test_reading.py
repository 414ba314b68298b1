"""Folders of rules: every mistake is AC651 with its file and place; installed packages add rules by an entry point."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import acompass
from acompass.author.rules import library
from acompass.author.rules.library import all_rules, find_rule, read_rule
from acompass.author.rules.likeness import FORMS
from acompass.errors.diagnostics import CallError, PolicyError, Source

FILES = {
    "rule.toml": """\
title = "CMS cell size suppression policy"
source = "https://resdac.org/node/1506"
dated = 2024-01-26
review = 2027-11-18
covers = "No cell shows 1 to 10 beneficiaries."
leaves-out = ["Cells that can be derived from others."]

[parameters.k]
value = 11
meaning = "the smallest number of beneficiaries in a cell that may be shown"

[columns.count]
meaning = "the number of beneficiaries in a cell, in a table of counts"
names = ["n", "beneficiaries", "patients", "persons", "people", "cases", "number of patients"]
values = ["count"]
many = true

[columns.cell]
unless = "count"
meaning = "the columns that cells are made of, in a table of records"
role = "quasi-identifiers"
many = true

[columns.beneficiary]
meaning = "the column that tells beneficiaries apart, in a table of records"
role = "person"
names = ["bene id", "patient", "patient id", "person", "person id"]
""",
    "policy.acp": """\
-- a table of counts: CMS cell size suppression policy, "1 to 10"
EACH RESULT : count = 0 OR count >= k : REJECT;

-- a table of records: the cells that will be made of it, CMS cell size suppression policy
EACH PROCESS COUNT DISTINCT(beneficiary) AS Beneficiaries GROUP BY cell : Beneficiaries >= k : REJECT;
""",
    "clauses.acp": """\
-- counts: no count of 1 to 10 beneficiaries
EACH RESULT : count = 0 OR count >= k;

-- cells: no cell of 1 to 10 beneficiaries
EACH PROCESS COUNT DISTINCT(beneficiary) AS Beneficiaries GROUP BY cell : Beneficiaries >= k;
""",
    "page.md": "# CMS cell size suppression policy\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A rule to make mistakes in."""
    made = tmp_path / "our-rule"
    made.mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def _change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} is not in {file} once"
    file.write_text(text.replace(old, new), encoding="utf-8")


def _mistake(folder: Path) -> CallError:
    with pytest.raises(CallError) as caught:
        read_rule(folder)
    (finding,) = caught.value.diagnostics
    assert finding.code == "AC651"
    assert finding.help
    return caught.value


#: a file, what is replaced in it, by what, the message, and the text at the place of the mistake
MISTAKES = {
    "not TOML": ("rule.toml", 'title = "', "title = ", "not TOML: invalid value", "C"),
    "missing key": ("rule.toml", "review = 2027-11-18\n", "", "{path}: `review` is missing", None),
    "missing meaning": (
        "rule.toml",
        'meaning = "the smallest number of beneficiaries in a cell that may be shown"\n',
        "",
        "`meaning` is missing",
        "k",
    ),
    "title that is a number": (
        "rule.toml",
        '"CMS cell size suppression policy"',
        "3",
        "`title` is not a line",
        "title",
    ),
    "title of two lines": ("rule.toml", "size suppression", "size\\nsuppression", "`title` is not a line", "title"),
    "date in quotes": ("rule.toml", "2024-01-26", '"2024-01-26"', "`dated` is not a date", "dated"),
    "time": ("rule.toml", "2024-01-26", "2024-01-26T10:00:00", "`dated` is not a date", "dated"),
    "no such date": ("rule.toml", "2024-01-26", "2024-02-30", "not TOML: invalid date or datetime", "2"),
    "review before the source": ("rule.toml", "2027-11-18", "2023-11-18", "`review` is not after `dated`", "review"),
    "source without a link": (
        "rule.toml",
        "https://resdac.org/node/1506",
        "a book",
        "`source` is not a link",
        "source",
    ),
    "unknown key": ("rule.toml", "covers = ", 'cover = "x"\ncovers = ', "unknown key `cover`", "cover"),
    "unknown key of a column": (
        "rule.toml",
        "many = true\n\n[columns.cell]",
        "some = true\n[columns.cell]",
        "unknown key `some`",
        "some",
    ),
    "unknown role": ("rule.toml", '"quasi-identifiers"', '"quasi"', "`role` is not a role", "role"),
    "names that are text": ("rule.toml", 'values = ["count"]', 'values = "count"', "`values` is not a list", "values"),
    "alias of another column": ("rule.toml", '"bene id"', '"Cell"', "`Cell` is the name of another column", "names"),
    "alias with other separators": (
        "rule.toml",
        'names = ["n", ',
        'names = ["n", "BENEFICIARY", ',
        "`BENEFICIARY` is the name of another",
        "names",
    ),
    "unless of no column": (
        "rule.toml",
        'unless = "count"',
        'unless = "counts"',
        "`counts` is not another column",
        "unless",
    ),
    "unless of itself": ("rule.toml", 'unless = "count"', 'unless = "cell"', "`cell` is not another column", "unless"),
    "unknown form": ("rule.toml", 'values = ["count"]', 'values = ["counts"]', "`values` is not a list of", "values"),
    "two persons": ("rule.toml", '"quasi-identifiers"', '"person"', "`cell` has the role person already", "role"),
    "columns that are a list": (
        "rule.toml",
        "[columns.count]",
        "[[columns.count]]",
        "`columns` does not consist of sections",
        "columns",
    ),
    "value of a parameter": ("rule.toml", "value = 11", "value = true", "`value` is not a number or text", "value"),
    "parameter that nothing uses": (
        "rule.toml",
        "[columns.count]",
        '[parameters.j]\nvalue = 1\nmeaning = "x"\n\n[columns.count]',
        "has a parameter `j`",
        "j",
    ),
    "parameter that is not declared": ("policy.acp", "count >= k", "count >= j", "`j` is not a parameter", "j"),
    "column that is not declared": ("policy.acp", "count = 0", "counts = 0", "`counts` is not a column", "counts"),
    "column as the name of a count": (
        "clauses.acp",
        "AS Beneficiaries GROUP BY cell : Beneficiaries",
        "AS Beneficiary GROUP BY cell : Beneficiary",
        "`Beneficiary` is a column",
        "Beneficiary",
    ),
    "column of a clause": ("clauses.acp", "GROUP BY cell", "GROUP BY cells", "`cells` is not a column", "cells"),
    "clause without a name": ("clauses.acp", "-- counts: no", "-- no", "a clause has no name", "EACH RESULT "),
    "clause without a title": (
        "clauses.acp",
        "-- counts: no count of 1 to 10 beneficiaries",
        "-- counts:",
        "a clause has no name",
        "EACH RESULT ",
    ),
    "two clauses with one name": (
        "clauses.acp",
        "-- cells:",
        "-- counts:",
        "two clauses are named `counts`",
        "EACH PROCESS ",
    ),
    "clause with an action": (
        "clauses.acp",
        "count >= k;",
        "count >= k : REJECT;",
        "a clause has an action",
        "EACH RESULT ",
    ),
    "file that is not there": (
        "policy.acp",
        "EACH RESULT : count = 0",
        "EACH PROCESS COUNT(*) IN 'codes.csv' AS n GROUP BY cell : n > 0;\n\nEACH RESULT : count = 0",
        "`codes.csv` is not a file",
        "'codes.csv'",
    ),
    "two columns with one name": (
        "rule.toml",
        "[columns.cell]",
        '[columns.COUNT]\nmeaning = "a count"\n\n[columns.cell]',
        "two columns are named `count`",
        "count",
    ),
    "column without a name": (
        "rule.toml",
        "[columns.cell]",
        '[columns.""]\nmeaning = "a count"\n\n[columns.cell]',
        "a column has an empty name",
        '""',
    ),
    "infinite number": ("rule.toml", "value = 11", "value = inf", "`value` is not a number or text", "value"),
    "alias that is a column in another case": (
        "clauses.acp",
        "AS Beneficiaries GROUP BY cell : Beneficiaries",
        "AS CELL GROUP BY cell : CELL",
        "`CELL` is a column of the rule",
        "CELL",
    ),
    "file in another folder": (
        "policy.acp",
        "EACH RESULT : count = 0",
        "ALWAYS : GENERALIZE cell TO LEVEL 1 OF '../our-rule/table.csv';\nEACH RESULT : count = 0",
        "is not a file in the folder",
        "'../our-rule/table.csv'",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "message", "place"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_has_a_place(folder: Path, file: str, old: str, new: str, message: str, place: str | None) -> None:
    _change(folder / file, old, new)
    error = _mistake(folder)
    (finding,) = error.diagnostics
    assert message.format(path=f"`{folder / file}`") in finding.message
    assert error.name == str(folder / file)
    assert error.source is not None
    spans = [error.source[label.span.start : label.span.end] for label in finding.labels]
    assert [span[: len(place or "")] for span in spans] == ([] if place is None else [place])
    assert ("rule.toml" in finding.message) == (place is None)


@pytest.mark.parametrize("content", [b"", b'cell,b\n"a\n', b"cell,b\n1,2\n3\n", b"cell\n\xff\n"])
def test_a_reference_table_that_cannot_be_read(folder: Path, content: bytes) -> None:
    required = "EACH PROCESS COUNT(*) IN 'codes.csv' AS Known GROUP BY cell : Known > 0;\n"
    _change(folder / "policy.acp", "EACH RESULT", f"{required}EACH RESULT")
    (folder / "codes.csv").write_bytes(content)
    (finding,) = _mistake(folder).diagnostics
    assert str(folder / "codes.csv") in finding.message


@pytest.mark.parametrize("file", ["rule.toml", "policy.acp", "clauses.acp", "page.md"])
def test_every_file_is_needed(folder: Path, file: str) -> None:
    (folder / file).unlink()
    message = _mistake(folder).diagnostics[0].message
    assert message == f"`{folder / file}` cannot be read: no such file or directory"


@pytest.mark.parametrize("file", ["rule.toml", "policy.acp", "clauses.acp", "page.md"])
def test_every_file_is_utf_8(folder: Path, file: str) -> None:
    (folder / file).write_bytes("é".encode("latin-1"))
    assert _mistake(folder).diagnostics[0].message == f"`{folder / file}` is not UTF-8"


@pytest.mark.parametrize("file", ["policy.acp", "clauses.acp"])
def test_a_rule_requires_something(folder: Path, file: str) -> None:
    (folder / file).write_text("-- later\n", encoding="utf-8")
    assert _mistake(folder).diagnostics[0].message == f"`{folder / file}`: no requirement"


def test_a_syntax_error_is_reported_as_in_every_policy(folder: Path) -> None:
    _change(folder / "policy.acp", "count = 0 OR", "count = 0 OR OR")
    with pytest.raises(PolicyError) as caught:
        read_rule(folder)
    assert caught.value.name == str(folder / "policy.acp")
    assert Source(caught.value.source or "").position(caught.value.diagnostics[0].labels[0].span.start)[0] == 2


def test_a_folder_is_named_like_a_rule(folder: Path) -> None:
    spaced = folder.rename(folder.parent / "our rule")
    assert _mistake(spaced).diagnostics[0].message == "`our rule` is not the name of a rule"


def test_a_folder_is_found_by_its_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_rule(str(folder)).name == "our-rule"
    monkeypatch.chdir(folder)
    assert find_rule(".").name == "our-rule"


def test_a_folder_does_not_hide_a_published_rule(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.rename(folder.parent / "cms-cell-size")
    monkeypatch.chdir(folder.parent)
    assert find_rule("cms-cell-size").folder == library._LIBRARY / "cms-cell-size"
    assert find_rule("./cms-cell-size").folder == Path("./cms-cell-size")


def test_a_folder_without_a_rule(tmp_path: Path) -> None:
    assert _mistake(tmp_path).diagnostics[0].message.startswith(f"`{tmp_path / 'page.md'}` cannot be read")


@pytest.mark.parametrize(
    ("name", "help_"),
    [("cms-cel-size", "did you mean `cms-cell-size`?"), ("§", "list the rules with `acompass rules`")],
)
def test_unknown_rule(name: str, help_: str) -> None:
    with pytest.raises(CallError) as caught:
        acompass.rules.find(name)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.message, finding.help) == ("AC650", f"there is no rule `{name}`", help_)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules, with the metadata of an installed package that adds rules."""
    site = tmp_path / "site"
    info = site / "office_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: office-rules\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[acompass.rules]\noffice = office_rules.ours\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    all_rules.cache_clear()
    yield site
    all_rules.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "office_rules"]:
        del sys.modules[name]


def _package(site: Path, folder: Path, name: str) -> Path:
    package = site / "office_rules" / "ours"
    package.mkdir(parents=True)
    for each in (package, package.parent):
        (each / "__init__.py").write_text("", encoding="utf-8")
    return Path(shutil.copytree(folder, package / name))


def test_an_installed_package_adds_rules(installed: Path, folder: Path) -> None:
    made = _package(installed, folder, "our-rule")
    assert "our-rule" in [rule.name for rule in acompass.rules.all()]
    assert acompass.rules.find("our-rule").folder == made.resolve()


def test_two_rules_with_one_name(installed: Path, folder: Path) -> None:
    made = _package(installed, folder, "cms-cell-size")
    for call in (acompass.rules.all, lambda: acompass.rules.find("cms-cell-size")):
        with pytest.raises(CallError) as caught:
            call()
        (finding,) = caught.value.diagnostics
        assert finding.code == "AC651"
        assert finding.message.startswith("two rules are named `cms-cell-size`")
        assert str(made.resolve()) in finding.message


def test_a_broken_rule_of_a_package_does_not_hide_others(installed: Path, folder: Path) -> None:
    made = _package(installed, folder, "our-rule")
    (made / "policy.acp").unlink()
    assert acompass.rules.find("cms-cell-size").name == "cms-cell-size"
    with pytest.raises(CallError, match="AC651"):
        acompass.rules.all()


@pytest.mark.parametrize("has_package", [True, False])
def test_an_entry_point_without_rules(installed: Path, folder: Path, has_package: bool) -> None:
    if has_package:
        shutil.rmtree(_package(installed, folder, "our-rule"))
    with pytest.raises(CallError) as caught:
        acompass.rules.all()
    (finding,) = caught.value.diagnostics
    assert finding.code == "AC651"
    assert finding.message == "the entry point `office = office_rules.ours` is not a package with folders of rules"
    assert finding.help == "correct or uninstall `office-rules`"
    assert acompass.rules.find("cms-cell-size").name == "cms-cell-size"


def test_every_form_of_values_is_known() -> None:
    assert tuple(FORMS) == library.FORM_NAMES
