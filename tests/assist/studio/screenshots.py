"""Takes the screenshots of the studio in docs/images: `make screenshots`. Needs Chromium."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.assist.studio.browsing import (
    ADULT_ARGUMENTS,
    ELECTRICITY_ARGUMENTS,
    Tab,
    copy_admissions,
    copy_adult,
    copy_electricity,
    open_tab,
)
from tests.assist.studio.first_release import first_release
from tests.assist.studio.pages import start_studio
from tests.assist.studio.rule_release import ARGUMENTS, make_hospital, rule_release
from tests.repo.sources import ROOT
from tests.report.browser import CHROMIUM

IMAGES = ROOT / "docs" / "images"
SIZE = (1280, 800)
#: text without colored edges makes smaller files
PLAIN = ("--disable-lcd-text",)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if CHROMIUM is None:
        sys.exit("Chromium is needed; on Debian: apt install chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *PLAIN])
        folder = Path(temporary)
        with _studio(browser, copy_electricity(folder), *ELECTRICITY_ARGUMENTS) as tab:
            _paper(tab)
        with _studio(browser, copy_electricity(folder / "dark"), *ELECTRICITY_ARGUMENTS, scheme="dark") as tab:
            expect(tab.requirement(35)).to_contain_text("proved")
            _take(tab, "dark")
        with _studio(browser, copy_adult(folder), *ADULT_ARGUMENTS) as tab:
            _adult(tab)
        with _studio(browser, copy_admissions(folder), "admissions.csv") as tab:
            _first_release(tab)
        with _studio(browser, make_hospital(folder / "hospital", 1_000), *ARGUMENTS) as tab:
            _rules(tab)
        browser.close()


@contextmanager
def _studio(browser: Browser, folder: Path, *arguments: str, scheme: str = "light") -> Iterator[Tab]:
    with (
        start_studio(*arguments, folder=folder) as (_, address),
        open_tab(browser, address, SIZE, color_scheme=scheme) as tab,
    ):
        yield tab


def _take(tab: Tab, name: str) -> None:
    """Wait until the page is idle, so that screenshots do not differ in a spinner."""
    expect(tab.page.locator("main[aria-busy=false]")).to_be_visible()
    expect(tab.page.locator(".busy.on")).to_have_count(0)
    tab.page.screenshot(path=IMAGES / f"studio-{name}.png", animations="disabled", caret="hide")


def _paper(tab: Tab) -> None:
    """The paper's policy: its effect, a k that it does not reach, a record, a false claim."""
    expect(tab.requirement(35)).to_contain_text("proved")
    _take(tab, "policy")
    tab.press("Parameter k: one more")
    expect(tab.status).to_contain_text("a check is violated")
    expect(tab.requirement(27)).to_contain_text("refuted")
    _take(tab, "violated")
    tab.press("Parameter k: one less")
    tab.show("Record")
    tab.page.get_by_role("switch", name="Show records").check()
    tab.press("Explain")
    expect(tab.heading("Record 1: released, changed")).to_be_visible()
    _take(tab, "record")
    tab.show("Proof")
    tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Age <= 70")
    tab.press("Prove or refute")
    expect(tab.page.get_by_text("refuted by a counterexample")).to_be_visible()
    _take(tab, "proof")


def _adult(tab: Tab) -> None:
    """A real table: its risk next to a pinned version, and the cost of each line."""
    expect(tab.requirement(28)).to_contain_text("dropped")
    tab.show("Risk")
    tab.press("Pin this version")
    tab.page.get_by_role("textbox", name="Parameter k").fill("20")
    expect(tab.row("Risk before and after", "k").get_by_role("cell")).to_have_text(["1", "5", "20"])
    _take(tab, "risk")
    tab.show("Change")
    expect(tab.heading("Change of each column's distribution")).to_be_visible()
    _take(tab, "change")


def _first_release(tab: Tab) -> None:
    for step in first_release(tab):
        _take(tab, step)


def _rules(tab: Tab) -> None:
    """The gallery, and a rule with matched columns and doubts."""
    for step in rule_release(tab):
        if step in ("rules", "rule"):
            _take(tab, step)


if __name__ == "__main__":
    main()
