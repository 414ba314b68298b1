"""The step Columns: records in a grid that is used by keyboard, and proposals of roles that are accepted."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.assist.studio.browsing import Tab, browse, copy_admissions
from tests.report.browser import browser

__all__ = ["browser"]

#: records that a browser could not show in an element of their height
MANY = 400_000
WIDE = 60


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    with browse(browser, copy_admissions(tmp_path), "admissions.csv") as tab:
        tab.show("Columns")
        yield tab


def grid(tab: Tab) -> Locator:
    return tab.page.get_by_role("grid", name="Records")


def active(tab: Tab) -> Locator:
    return grid(tab).locator(".active")


def press(tab: Tab, *keys: str) -> None:
    for key in keys:
        tab.page.keyboard.press(key)


def test_the_records_are_read_by_keyboard(tab: Tab) -> None:
    expect(grid(tab).get_by_role("gridcell").first).to_have_text("Mia Cole")
    expect(grid(tab)).to_have_attribute("aria-rowcount", "301")
    grid(tab).focus()
    press(tab, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown")
    expect(active(tab)).to_have_text("A238950780")
    expect(tab.heading("Column insurance number")).to_be_visible()
    press(tab, "Control+End")
    expect(active(tab).locator("xpath=..")).to_have_attribute("aria-rowindex", "301")
    expect(active(tab)).to_have_attribute("aria-colindex", "9")
    expect(grid(tab)).to_have_attribute("aria-activedescendant", active(tab).get_attribute("id") or "no id")
    press(tab, "PageUp", "Home")
    expect(active(tab)).to_have_text(re.compile(r"2[5-9]\d"))
    press(tab, "Control+Home", "ArrowUp", "ArrowRight", "Enter")
    expect(tab.page.get_by_role("combobox", name="Role of name")).to_be_focused()
    press(tab, "i", "Escape")
    expect(grid(tab)).to_be_focused()
    expect(tab.page.get_by_role("combobox", name="Role of name")).to_have_value("identifier")


def test_records_disappear_while_values_are_hidden(tab: Tab) -> None:
    expect(grid(tab).get_by_role("gridcell").first).to_have_text("Mia Cole")
    tab.page.get_by_role("switch", name="Show values").click()
    expect(grid(tab).get_by_role("gridcell")).to_have_count(0)
    expect(tab.page.get_by_text("the page receives no record", exact=False).first).to_be_visible()
    expect(grid(tab).get_by_role("columnheader")).to_have_count(9)


def test_proposals_are_accepted_undone_and_identifiers_dropped(tab: Tab) -> None:
    role = tab.page.get_by_role("combobox", name="Role of zip")
    expect(tab.row("Columns with their roles", "zip")).to_contain_text("HIPAA (B): geographic subdivisions, a ZIP code")
    expect(role).to_have_value("none")
    tab.press("Accept all proposals")
    expect(role).to_have_value("quasi-identifier")
    expect(tab.page.get_by_text("without a role")).to_have_count(0)
    tab.press("Undo")
    expect(role).to_have_value("none")
    tab.press("Accept quasi-identifier for zip")
    expect(tab.page.get_by_text("7 columns without a role").first).to_be_visible()
    tab.press("Accept all proposals")
    tab.press("Drop identifiers")
    expect(tab.editor).to_contain_text("ALWAYS : DROP name, insurance number;")
    expect(tab.page.get_by_role("button", name="Drop identifiers")).to_have_count(0)


def test_the_details_of_a_column_follow_the_grid(tab: Tab) -> None:
    grid(tab).get_by_role("gridcell", name="80", exact=True).first.click()
    expect(tab.heading("Column age")).to_be_visible()
    expect(tab.page.get_by_text("number (integer): can be put into bands")).to_be_visible()
    tab.press("Next column")
    expect(tab.page.get_by_text("a code has no order and is never put into bands")).to_be_visible()
    expect(tab.page.locator(".rarest .value").first).to_be_visible()
    tab.page.get_by_role("switch", name="Show values").click()
    expect(tab.page.locator(".rarest")).to_have_count(0)
    tab.table("Columns with their roles").get_by_role("button", name="age", exact=True).click()
    expect(tab.heading("Column age")).to_be_focused()
    expect(tab.heading("Column age")).to_be_in_viewport()


def test_the_end_of_a_long_table_is_reached_by_keyboard_wheel_and_scrollbar(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("n\n" + "\n".join(map(str, range(MANY))) + "\n", encoding="utf-8")
    with browse(browser, tmp_path, "long.csv") as tab:
        tab.show("Columns")
        first = grid(tab).get_by_role("rowheader").first
        expect(first).to_have_text("1")
        grid(tab).focus()
        press(tab, "Control+End")
        expect(active(tab)).to_have_text(str(MANY - 1))
        grid(tab).evaluate("element => { element.scrollTop = 0 }")
        expect(first).to_have_text("1")
        grid(tab).evaluate("element => { element.scrollTop = (element.scrollHeight - element.clientHeight) / 2 }")
        expect(first).not_to_have_text("1")  # the browser reports a scroll later
        expect(grid(tab).locator(".awaited")).to_have_count(0)
        middle = int(first.inner_text().replace(",", ""))
        assert abs(middle - MANY / 2) < 100
        grid(tab).evaluate("element => { element.scrollTop += 90 }")  # three records, not three in proportion
        expect(first).to_have_text(f"{middle + 3:,}")


def test_a_wide_table_has_only_the_visible_cells_in_the_page(browser: Browser, tmp_path: Path) -> None:
    lines = [",".join(f"{name}{at}" for at in range(WIDE)) for name in ("column", *map(str, range(50)))]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with browse(browser, tmp_path, "wide.csv") as tab:
        tab.show("Columns")
        expect(grid(tab).get_by_role("columnheader").nth(1)).to_contain_text("column0")
        assert grid(tab).get_by_role("columnheader").count() < WIDE / 2
        grid(tab).focus()
        press(tab, "End")
        expect(active(tab)).to_contain_text(f"column{WIDE - 1}")
        expect(grid(tab)).to_have_attribute("aria-colcount", str(WIDE + 1))


def test_a_table_without_records_has_its_columns(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("age,sex\n", encoding="utf-8")
    with browse(browser, tmp_path, "empty.csv") as tab:
        tab.show("Columns")
        tab.press("Accept all proposals")
        expect(tab.row("Columns with their roles", "age")).to_contain_text("quasi-identifier")
