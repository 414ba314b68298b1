"""The controls of the step Refine, and what the policy does to columns and records, as the page asks for them."""

from pathlib import Path
from typing import Any

import pytest

from tests.assist.studio.browsing import ADULT
from tests.assist.studio.pages import Page, open_studio

POLICY = """\
ALWAYS : DROP Name;
ALWAYS : GENERALIZE Age TO BANDS OF 20; -- é𝒳
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REPLACE Zip WITH '*' THEN REJECT;
"""


def controls(page: Page, text: str) -> dict[str, Any]:
    found = page.ask_about("refine/controls", text)
    assert found["diagnostics"] == []
    return {each["column"]: each for each in found["controls"]}


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """As the page edits the text, in UTF-16 code units."""
    units = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda each: -int(each["from"])):
        units = units[: 2 * edit["from"]] + edit["insert"].encode("utf-16-le") + units[2 * edit["to"] :]
    return units.decode("utf-16-le")


def choose(page: Page, text: str, column: str, key: str) -> str:
    (choice,) = (each for each in controls(page, text)[column]["choices"] if each["key"] == key)
    assert choice["edits"] is not None, choice["reason"]
    return edited(text, choice["edits"])


def test_each_column_has_a_control(page: Page) -> None:
    found = controls(page, POLICY)
    assert {column: each["setting"] for column, each in found.items()} == {
        "Name": "removed",
        "Age": "BANDS OF 20",
        "Zip": "as it is",
        "Disease": "as it is",
    }
    assert found["Age"]["line"]["line"] == 2
    assert found["Zip"]["others"][0]["words"] == "only in classes that miss the condition"


def test_a_choice_is_an_edit_of_the_text_in_the_units_of_the_page(page: Page) -> None:
    after = choose(page, POLICY, "Zip", "suppressed")
    assert after == POLICY.replace("é𝒳\n", "é𝒳\nALWAYS : REPLACE Zip WITH '*';\n")
    assert controls(page, after)["Zip"]["setting"] == "suppressed"
    assert page.ask_about("verdicts", after)["verdicts"]["records_out"] > 0


def test_an_empty_policy_has_controls_and_effects(page: Page) -> None:
    assert choose(page, "", "Name", "removed") == "ALWAYS : DROP Name;\n"
    effects = page.ask_about("refine/effects", "")
    assert {each["changed"] for each in effects["effects"]} == {0}


def test_a_text_that_does_not_parse_has_no_controls(page: Page) -> None:
    found = page.ask_about("refine/controls", "EACH")
    assert found["controls"] is None
    assert found["diagnostics"][0]["code"] == "AC015"


def test_effects_count_changed_cells_and_those_that_are_lost(page: Page) -> None:
    found = page.ask_about("refine/effects", POLICY)
    effects = {each["column"]: each for each in found["effects"]}
    assert not effects["Name"]["released"]
    assert effects["Age"]["changed"] == effects["Age"]["records"]
    assert effects["Disease"]["changed"] == 0
    assert effects["Zip"]["changed"] == effects["Zip"]["suppressed"]


def test_rows_are_shown_before_and_after_only_while_values_are(page: Page) -> None:
    page.ask("show", on=True)
    rows = page.ask_about("refine/rows", POLICY, first=0, count=10)["rows"]
    columns = page.ask("open")["opened"]["table"]["columns"]
    assert len(rows) == 6
    assert all(len(each["before"]) == len(columns) for each in rows)
    first = dict(zip(columns, zip(rows[0]["before"], rows[0]["after"], strict=True), strict=True))
    assert first["Name"][0] is not None
    assert first["Name"][1] is None
    assert first["Disease"][0] == first["Disease"][1]
    assert page.ask_about("refine/rows", POLICY, first=4, count=1)["rows"] == rows[4:5]
    assert all(
        each["after"] is None for each in page.ask_about("refine/rows", "ALWAYS : REJECT;", first=0, count=9)["rows"]
    )
    page.ask("show", on=False)
    try:
        assert page.send("refine/rows", text=POLICY, params={}, first=0, count=10).status_code == 403
        assert all(each["example"] is None for each in controls(page, POLICY)["Age"]["choices"])
    finally:
        page.ask("show", on=True)


@pytest.mark.parametrize(("first", "count"), [(-1, 5), (0, 0), (0, 1_000_000)])
def test_a_page_of_rows_is_limited(page: Page, first: int, count: int) -> None:
    assert page.send("refine/rows", text=POLICY, params={}, first=first, count=count).status_code == 400


@pytest.mark.slow
def test_adult_has_labels_of_its_hierarchies(tmp_path: Path) -> None:
    with open_studio(ADULT / "policy.acp", ADULT / "adult.csv.gz", params={"k": "5", "l": "3"}) as (page, _):
        text = page.ask("open")["opened"]["policy"]["text"]
        found = page.ask_about("refine/controls", text, {"k": "5", "l": "3"}, only=["education"])["controls"]
        (education,) = (each for each in found if each["column"] == "education")
        assert [each["words"] for each in education["choices"]] == [
            "as it is",
            "level 1",
            "level 2",
            "suppressed (*)",
            "removed",
        ]
        assert education["choices"][2]["example"] == "Higher education"
