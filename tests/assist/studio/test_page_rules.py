"""The gallery of rules: find a rule, match its columns, write its policy, search with its numbers, release."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.assist.studio.browsing import Tab, browse, copy_admissions
from tests.assist.studio.rule_release import ARGUMENTS, COLUMNS, DOUBTFUL, RENAMED, make_hospital, rule_release
from tests.author.rules import hospital, recheck
from tests.report.browser import browser

__all__ = ["browser"]

PATIENTS = 10_000
ONTARIO = "Ontario IPC, De-Identification Guidelines for Structured Data"
AREAS = "US Census Bureau, public use microdata areas of 100,000 people"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_admissions(tmp_path)


@pytest.fixture
def tab(browser: Browser, folder: Path) -> Iterator[Tab]:
    with browse(browser, folder, "admissions.csv") as tab:
        yield tab


def open_rule(tab: Tab, title: str) -> None:
    tab.show("Rule or search", "Rules")
    tab.press(title)
    expect(tab.heading(title)).to_be_visible()


def add(tab: Tab, column: str, *names: str) -> None:
    """Add columns of the table to a column of the rule."""
    for name in names:
        tab.page.get_by_role("combobox", name=f"Add a column for {column}", exact=True).select_option(name)


def write_button(tab: Tab) -> Locator:
    return tab.page.get_by_role("button", name="Write policy", exact=True)


def test_the_gallery_is_loaded_on_first_use(tab: Tab) -> None:
    """Other steps that are loaded on first use are not in the way: the page begins with one that is there at once."""
    tab.show("Refine", "Lines")
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.page.reload()
    expect(tab.heading("Getting started")).to_be_visible()
    assert [url for url in asked if "more.js" in url] == []
    with tab.page.expect_response("**/static/more.js"):
        tab.show("Rule or search", "Rules")
    expect(tab.heading("Published rules")).to_be_visible()
    expect(tab.page.get_by_text("This is not legal advice.")).to_be_visible()


def test_rules_are_found_by_words(tab: Tab) -> None:
    tab.show("Rule or search", "Rules")
    cards = tab.page.get_by_role("tabpanel").get_by_role("listitem")
    expect(cards.filter(has_text=ONTARIO)).to_be_visible()
    tab.page.get_by_role("searchbox", name="Search").fill("cell medicare")
    expect(tab.page.get_by_text("1 rule", exact=True)).to_be_visible()
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("no cell shows 1 to 10 beneficiaries")
    tab.page.get_by_role("searchbox", name="Search").fill("no such rule")
    expect(cards).to_have_count(0)


def test_a_rule_shows_its_source_and_what_it_leaves_out(tab: Tab) -> None:
    open_rule(tab, ONTARIO)
    source = tab.page.get_by_role("link", name="its source")
    expect(source).to_have_attribute(
        "href", "https://www.managedprivacy.ca/the-easiest-way-to-protect-personal-information/"
    )
    expect(source).to_have_attribute("rel", "noreferrer")
    expect(tab.page.get_by_text("Free text, images, and rare values")).to_be_visible()
    expect(tab.row(COLUMNS, "identifier")).to_contain_text("by its name")
    expect(tab.page.get_by_text("Its policy releases them unchanged.")).to_contain_text("diagnosis")


def test_a_rule_is_written_searched_with_its_numbers_and_released(tab: Tab, folder: Path) -> None:
    open_rule(tab, ONTARIO)
    add(tab, "identifier", "insurance number", "employer")
    tab.page.get_by_role("textbox", name="Number k", exact=True).fill("15")
    expect(tab.page.get_by_text("△ the rule says 20")).to_be_visible()
    write_button(tab).click()
    expect(tab.page.get_by_text("✓ written")).to_be_visible()
    expect(tab.editor).to_contain_text("Persons >= 15")
    expect(tab.status).to_contain_text("300 records in, 0 records out")
    tab.press("Search with these numbers")
    expect(tab.page.get_by_role("textbox", name="Search for k", exact=True)).to_have_value("15")
    tab.press("Use this policy")
    expect(tab.status).to_contain_text("300 records in, 2")
    tab.show("Columns")
    expect(tab.page.get_by_role("combobox", name="Role of zip", exact=True)).to_have_value("quasi-identifier")
    expect(tab.page.get_by_role("combobox", name="Role of employer", exact=True)).to_have_value("identifier")
    tab.press("Mark as other")
    tab.show("Release")
    tab.press("Save and write")
    tab.expect_written("admissions-released.csv", "admissions-report.html")
    _require_released(folder)


def _require_released(folder: Path) -> None:
    """Read both tables again, without the product."""
    with (folder / "admissions.csv").open(encoding="utf-8", newline="") as file:
        names = {record["name"] for record in csv.DictReader(file)}
    text = (folder / "admissions-released.csv").read_text(encoding="utf-8")
    assert not [name for name in names if name in text]
    records = list(csv.DictReader(text.splitlines()))
    assert list(records[0]) == ["age", "zip", "education", "admission", "diagnosis"]
    classes = Counter((record["age"], record["zip"], record["education"]) for record in records)
    assert min(classes.values()) >= 15
    assert len(records) > 200


@pytest.mark.slow
def test_a_hospital_table_is_released_by_hipaa_safe_harbor(browser: Browser, tmp_path: Path) -> None:
    """The release is checked by a script that uses nothing of the product."""
    folder = make_hospital(tmp_path / "hospital", PATIENTS)
    with browse(browser, folder, *ARGUMENTS) as tab:
        assert list(rule_release(tab))[-1] == "rule-released"
    released = [_renamed(row) for row in recheck.read_rows(str(folder / "hospital-released.csv"))]
    assert len(released) >= PATIENTS
    lines = recheck.report(recheck.Known(list(hospital.hospital_rows(PATIENTS))), released, hospital.release_year())
    assert len(lines) == 18
    assert [line for line in lines if line.cells] == []


def _renamed(row: dict[str, str]) -> dict[str, str]:
    return {RENAMED if name == DOUBTFUL else name: cell for name, cell in row.items()}


def test_undo_restores_the_text_that_a_rule_replaced(tab: Tab) -> None:
    tab.write("EACH RESULT : age <= 80;")
    open_rule(tab, ONTARIO)
    write_button(tab).click()
    expect(tab.editor).not_to_contain_text("age <= 80")
    tab.editor.focus()
    tab.page.keyboard.press("ControlOrMeta+z")
    expect(tab.editor).to_have_text("EACH RESULT : age <= 80;")


def test_a_required_column_is_chosen_before_the_policy_is_written(tab: Tab, folder: Path) -> None:
    open_rule(tab, AREAS)
    expect(tab.row(COLUMNS, "area")).to_contain_text("△ choose")
    expect(tab.page.get_by_text("△ Choose a column for area first.")).to_be_visible()
    expect(write_button(tab)).to_be_disabled()
    tab.page.get_by_role("combobox", name="Column for area", exact=True).select_option("zip")
    expect(tab.row(COLUMNS, "area")).to_contain_text("chosen")
    expect(tab.page.get_by_role("button", name="Remove zip from finer")).to_have_count(0)
    write_button(tab).click()
    expect(tab.page.get_by_text("Its reference tables are in the policy's folder: areas.csv.")).to_be_visible()
    assert (folder / "areas.csv").read_text(encoding="utf-8").startswith("zip,people\n")
    expect(tab.status).to_contain_text("300 records out")


@pytest.mark.parametrize(
    ("button", "content"), [("Keep", "zip,people\n21224,200000\n"), ("Replace", "zip,people\nexa")]
)
def test_a_file_with_other_content_is_kept_or_replaced(tab: Tab, folder: Path, button: str, content: str) -> None:
    mine = folder / "areas.csv"
    mine.write_text("zip,people\n21224,200000\n", encoding="utf-8")
    open_rule(tab, AREAS)
    tab.page.get_by_role("combobox", name="Column for area", exact=True).select_option("zip")
    write_button(tab).click()
    expect(tab.page.get_by_text("already exists")).to_be_visible()
    expect(tab.editor).not_to_contain_text("areas.csv")
    tab.press(button)
    expect(tab.editor).to_contain_text("areas.csv")
    assert mine.read_text(encoding="utf-8").startswith(content)


def test_a_rule_is_used_by_keyboard_only(tab: Tab) -> None:
    keyboard, page = tab.page.keyboard, tab.page
    tab.show("Rule or search", "Rules")
    page.get_by_role("button", name=ONTARIO).focus()
    keyboard.press("Enter")
    expect(tab.heading(ONTARIO)).to_be_focused()
    page.get_by_role("button", name="Remove education from quasi-identifier").focus()
    keyboard.press("Enter")
    choice = page.get_by_role("combobox", name="Add a column for quasi-identifier")
    expect(choice).to_be_focused()
    keyboard.type("diag")
    expect(page.get_by_role("button", name="Remove diagnosis from quasi-identifier")).to_be_visible()
    write_button(tab).focus()
    keyboard.press("Enter")
    expect(tab.editor).to_contain_text("GROUP BY age, zip, diagnosis")
    page.get_by_role("button", name="All rules").focus()
    keyboard.press("Enter")
    expect(page.get_by_role("button", name=ONTARIO)).to_be_focused()


def test_another_panel_keeps_the_focus_and_the_choices(tab: Tab) -> None:
    open_rule(tab, ONTARIO)
    add(tab, "identifier", "employer")
    tab.page.get_by_role("tab", name="Rules").focus()
    for key, panel in (("ArrowLeft", "Search"), ("ArrowRight", "Rules")):
        tab.page.keyboard.press(key)
        expect(tab.page.get_by_role("tab", name=panel)).to_be_focused()
    expect(tab.page.get_by_role("button", name="Remove employer from identifier")).to_be_visible()
    expect(tab.page.get_by_role("tab", name="Rules")).to_be_focused()
