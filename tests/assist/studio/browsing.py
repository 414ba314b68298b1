"""The studio's page in a real browser, as a user sees it."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from tests.assist.studio.pages import start_studio
from tests.repo.sources import ROOT
from tests.waiting import PATIENCE

SIZE = (1280, 800)
#: milliseconds to wait for the page, even on a busy machine
LONGEST = PATIENCE * 1000
#: the browser logs this when a test stops the server or sends a request that the server rejects
_EXPECTED = re.compile("Failed to load resource")

expect.set_options(timeout=LONGEST)


class Tab:
    """A tab of the browser, open on a studio."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(LONGEST)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._listen)
        page.goto(address)
        expect(page.get_by_role("navigation", name="Steps")).to_be_visible()

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _EXPECTED.search(message.text):
            self.complaints.append(message.text)

    @property
    def editor(self) -> Locator:
        return self.page.get_by_role("textbox", name="Policy text")

    @property
    def status(self) -> Locator:
        """The summary below the editor."""
        return self.page.locator(".status")

    @property
    def marks(self) -> Locator:
        """Verdicts and proofs next to the lines of the policy."""
        return self.page.locator(".cm-verdicts .verdict-mark")

    def write(self, policy: str) -> None:
        self.editor.click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(policy)

    def show(self, step: str, panel: str | None = None) -> None:
        """Go to a step and, if it has any, to one of its sub-tabs."""
        self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=step).click()
        if panel is not None:
            self.page.get_by_role("tab", name=panel).click()

    def press(self, button: str | re.Pattern[str]) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def heading(self, words: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("heading", name=words)

    def table(self, name: str) -> Locator:
        return self.page.get_by_role("table", name=name)

    def row(self, table: str, words: str) -> Locator:
        """The row of a table that begins with these words."""
        first = self.page.locator(":is(th, td):first-child").filter(has_text=re.compile(rf"^\s*{re.escape(words)}\b"))
        return self.table(table).get_by_role("row").filter(has=first)

    def requirement(self, line: int) -> Locator:
        return self.row("Requirements with verdict and proof", f"line {line}")

    def mark(self, **roles: str) -> None:
        """Assign roles to columns; in their names, write underscores for spaces."""
        for column, role in roles.items():
            name = f"Role of {column.replace('_', ' ')}"
            self.page.get_by_role("combobox", name=name, exact=True).select_option(role)

    def expect_written(self, *names: str) -> None:
        """The release was written as these files."""
        expect(self.page.get_by_text("✓ written")).to_be_visible()
        listed = self.page.get_by_role("region", name="Write the release").locator("li > strong")
        for name in names:
            expect(listed.get_by_text(name, exact=True)).to_be_visible()

    def save(self) -> None:
        self.page.keyboard.press("ControlOrMeta+s")
        expect(self.page.get_by_text("saved", exact=True)).to_be_visible()


@contextmanager
def open_tab(browser: Browser, address: str, size: tuple[int, int] = SIZE, **context: Any) -> Iterator[Tab]:
    """A tab with its own profile; an error in its console fails the test."""
    width, height = size
    with browser.new_context(viewport={"width": width, "height": height}, **context) as own:
        tab = Tab(own.new_page(), address)
        yield tab
        assert not tab.complaints, tab.complaints


@contextmanager
def browse(browser: Browser, folder: Path, *arguments: str) -> Iterator[Tab]:
    """Start a studio in its own process, and open a tab on it."""
    with start_studio(*arguments, folder=folder) as (_, address), open_tab(browser, address) as tab:
        yield tab


ELECTRICITY_ARGUMENTS = ("policy.acp", "table.csv", "--set", "k=2", "--set", "l=1")
ADULT_ARGUMENTS = ("policy.acp", "adult.csv.gz", "--set", "k=5", "--set", "l=2")


def copy_electricity(folder: Path) -> Path:
    return _copy(ELECTRICITY, folder)


def copy_adult(folder: Path) -> Path:
    return _copy(ADULT, folder)


def copy_admissions(folder: Path) -> Path:
    """Only the raw table, as a hospital has it."""
    copy = folder / "admissions"
    copy.mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "admissions" / "admissions.csv", copy)
    return copy


def _copy(example: Path, folder: Path) -> Path:
    return Path(shutil.copytree(example, folder / example.name))


ELECTRICITY = ROOT / "examples" / "electricity"
ADULT = ROOT / "examples" / "adult"

AGES = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k : REJECT;\n"

PEOPLE = """\
Name,Age,Zip,Disease
Ann,34,21401,flu
Bob,34,21401,cold
Cid,86,21403,flu
Dee,34,21401,flu
Eve,51,21402,cold
Fay,51,21402,flu
"""


def write_people(folder: Path, policy: str = AGES, table: str = PEOPLE) -> tuple[Path, Path]:
    """Write a policy and a table into a folder."""
    paths = folder / "people.acp", folder / "people.csv"
    for path, text in zip(paths, (policy, table), strict=True):
        path.write_bytes(text.encode())
    return paths
