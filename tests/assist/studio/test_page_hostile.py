"""Column names, values and policies are shown as text, whatever they contain."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import Tab, open_tab
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

MARKUP = "<img src=x onerror=alert(1)>"
#: without `=`, which would be a partition
FOLDER = "a <img src> and <script>"
SCRIPT = f"<script>alert(2)</script>{MARKUP}"
TABLE = f'"{MARKUP}",Age\n' + f'"{SCRIPT}",34\n' * 20
POLICY = f'-- {MARKUP}\nEACH PROCESS COUNT(*) AS n GROUP BY "{MARKUP}" : n >= 2;\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / f"{MARKUP}.csv").write_text(TABLE, encoding="utf-8")
    (folder / "people.csv").write_text(TABLE, encoding="utf-8")
    (folder / "people.acp").write_text(POLICY, encoding="utf-8")
    return folder


@contextmanager
def unharmed(tab: Tab) -> Iterator[None]:
    """No markup becomes an element or runs, and the content policy of the page had nothing to stop."""
    tab.page.on("dialog", lambda dialog: tab.complaints.append(dialog.message))
    yield
    assert tab.page.locator("img, #app script").count() == 0


def test_markup_is_shown_and_never_becomes_an_element(browser: Browser, folder: Path) -> None:
    with (
        start_studio("people.csv", folder=folder) as (_, address),
        open_tab(browser, address) as tab,
        unharmed(tab),
    ):
        tab.show("Refine", "Lines")
        expect(tab.requirement(2)).to_contain_text(MARKUP)
        tab.show("Columns")
        expect(tab.row("Columns with their roles", MARKUP[:4])).to_contain_text(MARKUP)
        tab.page.get_by_role("combobox", name=f"Role of {MARKUP}").select_option("quasi-identifier")
        expect(tab.page.locator(".cards").get_by_text(MARKUP).first).to_be_visible()
        tab.show("Refine", "Risk")
        expect(tab.page.get_by_role("img", name="Records by the size of their class")).to_be_visible()
        tab.show("Refine", "Record")
        tab.press("Explain")
        expect(tab.table("Values of record 1")).to_contain_text(SCRIPT)


def test_markup_in_the_grids_the_hierarchy_and_the_promises_is_text(browser: Browser, folder: Path) -> None:
    with (
        start_studio("people.csv", folder=folder) as (_, address),
        open_tab(browser, address) as tab,
        unharmed(tab),
    ):
        tab.show("Columns")
        tab.page.get_by_role("grid", name="Records").get_by_role("gridcell", name=SCRIPT).first.click()
        expect(tab.heading(f"Column {MARKUP}")).to_be_visible()
        expect(tab.page.locator(".rarest")).to_contain_text(SCRIPT)
        tab.press("Edit hierarchy")
        dialog = tab.page.get_by_role("dialog", name=f"Hierarchy of {MARKUP}")
        value = dialog.get_by_role("checkbox", name=SCRIPT)
        value.check()
        dialog.get_by_role("combobox", name="Merge into").fill(MARKUP)
        tab.page.keyboard.press("Enter")
        expect(dialog.get_by_label(f"Name of the group {MARKUP}")).to_have_value(MARKUP)
        dialog.get_by_role("button", name="Close").click()
        tab.show("Refine", "Columns")
        tab.page.get_by_text("Records before and after").first.click()
        after = tab.page.get_by_role("grid", name="Records before and after")
        expect(after.get_by_role("gridcell", name=SCRIPT).first).to_be_visible()
        tab.show("Release")
        promises = tab.page.get_by_role("region", name="What this release promises")
        expect(promises).to_contain_text(MARKUP)


def test_markup_in_the_names_of_files_is_text(browser: Browser, folder: Path) -> None:
    with start_studio(folder=folder) as (_, address), open_tab(browser, address) as tab, unharmed(tab):
        expect(tab.page.locator(".browser .path")).to_contain_text(FOLDER)
        tab.page.get_by_role("button", name=f"{MARKUP}.csv").click()
        expect(tab.heading(f"{MARKUP}.csv")).to_be_visible()
        expect(tab.table("The first 8 records, as they are read")).to_contain_text(SCRIPT)
        tab.page.get_by_text("Open another table").click()
        recent = tab.page.get_by_role("region", name="Recent projects")
        expect(recent.get_by_role("button", name=f"{MARKUP}.csv in")).to_be_visible()
