"""Published rules in the studio: what the page shows, and what is written for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acompass.author.rules.library import Rules, read_rule
from tests.assist.studio.browsing import PEOPLE, write_people
from tests.assist.studio.pages import Page, open_studio

CELLS = "cms-cell-size"
SETTINGS = """\
title = "Areas of a list"
source = "https://example.org/areas"
dated = 2025-03-01
review = 2099-01-01
covers = "Only areas of a list are released."
leaves-out = ["Areas that were renamed."]

[columns.area]
meaning = "the area of residence"
names = ["zip"]
"""
LISTED = "EACH PROCESS COUNT(*) IN 'areas.csv' AS Listed GROUP BY area : Listed > 0"
AREAS = "area\n21401\n21402\n"


def make_rule(folder: Path, file: str = "areas.csv") -> Path:
    """A rule of another package, with a reference table."""
    rule = folder / "listed-areas"
    rule.mkdir()
    listed = LISTED.replace("areas.csv", file)
    contents = {
        "rule.toml": SETTINGS,
        "policy.acp": f"-- the list\n{listed} : REJECT;\n",
        "clauses.acp": f"-- listed: only areas of the list\n{listed};\n",
        "page.md": "# Areas of a list\n",
        file: AREAS,
    }
    for name, content in contents.items():
        (rule / name).write_text(content, encoding="utf-8")
    return rule


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Page, Path]]:
    yield from _open(tmp_path, monkeypatch, "areas.csv")


def _open(folder: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> Iterator[tuple[Page, Path]]:
    rule = read_rule(make_rule(folder, file))
    monkeypatch.setattr("acompass.assist.studio.answers.rules.all_rules", lambda: Rules([rule]))
    work = folder / "work"
    work.mkdir()
    with open_studio(*write_people(work)) as (page, _):
        yield page, work


def body(**changed: Any) -> dict[str, Any]:
    files = {"replace": False, "keep": False}
    return {"name": "listed-areas", "columns": {"area": ["Zip"]}, "numbers": {}, **files, **changed}


def test_the_gallery_lists_every_rule(page: Page) -> None:
    (rule,) = [each for each in page.ask("rules")["rules"] if each["name"] == CELLS]
    assert (rule["title"], rule["dated"]) == ("CMS cell size suppression policy", "2024-01-26")
    assert "1 to 10 beneficiaries" in rule["covers"]


def test_a_rule_comes_with_its_numbers_clauses_and_what_it_leaves_out(page: Page) -> None:
    rule = page.ask("rule", name=CELLS)["rule"]
    assert {name: each["value"] for name, each in rule["parameters"].items()} == {"k": 11}
    assert list(rule["clauses"]) == ["counts", "cells"]
    assert any("can be derived" in each for each in rule["leaves_out"])
    assert rule["source"] == "https://resdac.org/node/1506"


def test_the_columns_of_a_rule_are_matched_with_the_table(tmp_path: Path) -> None:
    table = PEOPLE.replace("Name", "Patient ID")
    with open_studio(*write_people(tmp_path, table=table)) as (page, _):
        page.ask("roles", roles={"quasi_identifiers": ["Age", "Zip"]})
        columns = {each["name"]: each for each in page.ask("rule", name=CELLS)["rule"]["columns"]}
    assert (columns["beneficiary"]["columns"], columns["beneficiary"]["reason"]) == (["Patient ID"], "name")
    assert (columns["cell"]["columns"], columns["cell"]["reason"]) == (["Age", "Zip"], "role")
    assert columns["count"]["columns"] == []
    assert (columns["cell"]["many"], columns["cell"]["unless"]) == (True, "count")


@pytest.mark.parametrize("name", ["", "none", "..", "/etc", "listed-areas"])
@pytest.mark.parametrize("route", ["rule", "rule/write"])
def test_an_unknown_rule_is_not_found(page: Page, route: str, name: str) -> None:
    assert page.send(route, **body(name=name)).status_code == 404


def test_the_page_opens_no_rule_in_a_folder(page: Page, tmp_path: Path) -> None:
    """`find_rule` reads a rule in any folder; the studio serves none that its page names."""
    assert page.send("rule", name=str(make_rule(tmp_path))).status_code == 404


@pytest.mark.parametrize("field", ["name", "columns", "numbers", "replace", "keep"])
def test_a_question_without_its_fields_is_rejected(page: Page, field: str) -> None:
    given = {"name": CELLS, "columns": {"count": [], "cell": ["Age"], "beneficiary": []}, field: 1}
    assert page.send("rule/write", **body(**given)).status_code == 400


def test_a_policy_has_the_chosen_columns_and_numbers(page: Page) -> None:
    columns = {"count": [], "cell": ["Age", "Zip"], "beneficiary": ["Name"]}
    answer = page.ask("rule/write", **body(name=CELLS, columns=columns, numbers={"k": "3"}))
    assert (answer["diagnostics"], answer["files"]) == ([], [])
    assert "COUNT DISTINCT(Name) AS Beneficiaries GROUP BY Age, Zip" in answer["text"]
    assert "Beneficiaries >= 3" in answer["text"]
    assert page.ask_about("verdicts", answer["text"])["verdicts"]["records_out"] == 3
    answer = page.ask("rule/write", **body(name=CELLS, columns=columns, numbers={"k": " "}))
    assert "Beneficiaries >= 11" in answer["text"]


def test_a_number_that_is_a_text_in_the_rule_stays_a_text(page: Page) -> None:
    """The years of HIPAA Safe Harbor are texts, because they are compared with `*`."""
    columns = {each["name"]: [] for each in page.ask("rule", name="hipaa-safe-harbor")["rule"]["columns"]}
    given = {"columns": columns | {"birth": ["Age"]}, "numbers": {"old": "1930"}}
    assert "Age > '1930'" in page.ask("rule/write", **body(name="hipaa-safe-harbor", **given))["text"]


def test_a_policy_is_not_written_while_a_column_is_in_doubt(page: Page) -> None:
    answer = page.ask("rule/write", **body(name="us-census-puma", columns={}))
    assert (answer["text"], [each["code"] for each in answer["diagnostics"]]) == (None, ["AC652"])


def test_a_column_that_the_rule_or_the_table_lacks_is_reported(page: Page) -> None:
    for columns in ({"cell": ["none"]}, {"none": ["Age"]}):
        answer = page.ask("rule/write", **body(name=CELLS, columns=columns))
        assert (answer["text"], [each["code"] for each in answer["diagnostics"]]) == (None, ["AC654"])


def test_clauses_are_checked_before_and_after_the_policy(page: Page) -> None:
    columns = {"count": [], "cell": ["Age", "Zip"], "beneficiary": []}
    text = page.ask("rule/write", **body(name=CELLS, columns=columns, numbers={"k": "2"}))["text"]
    asked = {"name": CELLS, "columns": columns, "numbers": {"k": "2"}}
    answer = page.ask_about("rule/check", text, **asked)
    checked = {
        side: [(each["name"], each["is_checked"], each["holds"], each["affected"]) for each in answer[side]]
        for side in ("before", "after")
    }
    assert answer["diagnostics"] == []
    assert checked["before"] == [("counts", False, True, None), ("cells", True, False, 1)]
    assert checked["after"] == [("counts", False, True, None), ("cells", True, True, 0)]
    dropped = page.ask_about("rule/check", "ALWAYS : DROP Age, Zip;", **asked)
    assert dropped["before"] == answer["before"]
    assert (dropped["after"], len(dropped["diagnostics"])) == (None, 1)


def test_a_reference_table_is_written_to_the_folder_of_the_policy(listed: tuple[Page, Path]) -> None:
    page, work = listed
    answer = page.ask("rule/write", **body())
    assert answer["files"] == ["areas.csv"]
    assert (work / "areas.csv").read_text(encoding="utf-8") == AREAS.replace("area", "Zip")
    assert page.ask_about("verdicts", answer["text"])["verdicts"]["records_out"] == 5
    assert page.ask("rule/write", **body()) == answer, "the same file is not replaced"


def test_another_file_is_replaced_only_when_asked(listed: tuple[Page, Path]) -> None:
    page, work = listed
    (work / "areas.csv").write_text("mine", encoding="utf-8")
    refused = page.send("rule/write", **body())
    assert (refused.status_code, refused.json()["exists"]) == (409, ["areas.csv"])
    assert (work / "areas.csv").read_text(encoding="utf-8") == "mine"
    assert "areas.csv" in page.ask("rule/write", **body(keep=True))["text"]
    assert (work / "areas.csv").read_text(encoding="utf-8") == "mine"
    assert "areas.csv" in page.ask("rule/write", **body(replace=True))["text"]
    assert (work / "areas.csv").read_text(encoding="utf-8") == AREAS.replace("area", "Zip")


@pytest.mark.parametrize("given", [{"replace": True}, {"keep": True}])
@pytest.mark.parametrize("file", ["people.csv", "people.acp"])
def test_table_and_policy_are_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, given: dict[str, bool]
) -> None:
    for page, work in _open(tmp_path, monkeypatch, file):
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        answer = page.send("rule/write", **body(**given))
        assert answer.status_code == 400 or answer.json()["text"] is None
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        assert len(list(work.iterdir())) == 2
