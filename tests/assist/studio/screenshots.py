"""Takes the screenshots of the studio in docs/images: `make screenshots`. Needs Chromium."""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.assist.studio.browsing import SIZE, Tab, copy_admissions, open_tab
from tests.assist.studio.first_release import first_release
from tests.assist.studio.pages import start_studio
from tests.assist.studio.png import with_palette
from tests.assist.studio.rule_release import ARGUMENTS, make_hospital, rule_release
from tests.assist.studio.whole_way import Journey, Mouse, settle, visit, whole_way
from tests.repo.sources import ROOT
from tests.report.browser import CHROMIUM

IMAGES = ROOT / "docs" / "images"
ADMISSIONS = Journey(copy_admissions, drops_identifiers=True)
#: text without colored edges makes smaller files
PLAIN = ("--disable-lcd-text",)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if CHROMIUM is None:
        sys.exit("Chromium is needed; on Debian: apt install chromium")
    with sync_playwright() as playwright, _shown_folder() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *PLAIN])
        os.environ["XDG_DATA_HOME"] = str(folder / "data")  # no recent projects
        _whole_way(browser, copy_admissions(folder))
        with _studio(browser, folder) as tab:
            _first_release(tab)
        with _studio(browser, make_hospital(folder / "hospital", 1_000), *ARGUMENTS) as tab:
            _rules(tab)
        browser.close()


@contextmanager
def _shown_folder() -> Iterator[Path]:
    """Pictures show its path, which is the same each time."""
    folder = Path(tempfile.gettempdir(), "studio")
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def _studio(browser: Browser, folder: Path, *arguments: str) -> Iterator[Tab]:
    with start_studio(*arguments, folder=folder) as (_, address), open_tab(browser, address, SIZE) as tab:
        yield tab


def _take(page: Page, name: str) -> None:
    """Wait until the page is idle, so that screenshots do not differ in a spinner."""
    expect(page.locator("main[aria-busy=false]")).to_be_visible()
    expect(page.locator(".busy.on, .old")).to_have_count(0)
    IMAGES.joinpath(f"studio-{name}.png").write_bytes(
        with_palette(page.screenshot(animations="disabled", caret="hide"))
    )


def _whole_way(browser: Browser, folder: Path) -> None:
    """Each step from the raw table to the release."""
    with visit(browser, folder) as visited:
        page = visited.page
        for step in whole_way(Mouse(page), "admissions.csv", ADMISSIONS):
            settle(page)
            if step in ("columns", "release"):
                _scroll_to_top(page)
            if step == "search":
                page.get_by_role("heading", name="Answers", exact=True).evaluate("each => each.scrollIntoView()")
            _take(page, step)
            if step == "columns":
                _hierarchy(page)
            if step == "refine":
                page.get_by_role("tab", name="Risk").click()
                expect(page.get_by_role("heading", name="Columns that drive the risk")).to_be_visible()
                _take(page, "risk")


def _scroll_to_top(page: Page) -> None:
    page.locator(".panel").evaluate("each => each.scrollTo(0, 0)")


def _hierarchy(page: Page) -> None:
    page.get_by_role("table", name="Columns with their roles").get_by_role("button", name="education").click()
    page.get_by_role("button", name="Edit hierarchy").click()
    for value in ("bachelor", "doctorate", "master"):
        page.get_by_role("checkbox", name=value).check()
    page.get_by_placeholder("name of a group").fill("university")
    page.get_by_role("button", name="Merge", exact=True).click()
    settle(page)
    _take(page, "hierarchy")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def _first_release(tab: Tab) -> None:
    for step in first_release(tab):
        _take(tab.page, step)


def _rules(tab: Tab) -> None:
    """The gallery, and a rule with matched columns and doubts."""
    for step in rule_release(tab):
        if step in ("rules", "rule"):
            _take(tab.page, step)


if __name__ == "__main__":
    main()
