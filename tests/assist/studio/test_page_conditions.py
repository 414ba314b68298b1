"""The whole way under other conditions: a phone, dark colors, a zoomed page, a dropped file, slow answers, a killed
studio, and a million records."""

import os
import re
import signal
import subprocess
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.assist.studio.pages import start_studio
from tests.assist.studio.tables import write_birds
from tests.assist.studio.whole_way import Mouse, Visit, Watch, settle, step_link, visit, whole_way
from tests.report.browser import browser
from tests.waiting import wait_until

__all__ = ["browser"]

pytest.importorskip("numpy")

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PANELS = {"Rule or search": ["Rules"], "Refine": ["Lines", "Risk", "Change", "Record", "Proof"]}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recent projects of other tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    folder.mkdir()
    return folder


# 640 × 400 is 1280 × 800 at a zoom of 200 %
@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", (390, 800)), ("dark", (1280, 800)), ("dark", (640, 400))],
    ids=["phone", "dark", "zoomed"],
)
def test_every_step_fits_and_is_accessible(
    browser: Browser, folder: Path, scheme: Literal["light", "dark"], size: tuple[int, int]
) -> None:
    table = write_birds(folder)
    with visit(browser, folder, size=size, color_scheme=scheme) as visited:
        for step in whole_way(Mouse(visited.page), table.name):
            assert _faults(visited.page) == [], step
        for step, panels in PANELS.items():
            for panel in panels:
                step_link(visited.page, step).click()
                visited.page.get_by_role("tab", name=panel).click()
                settle(visited.page)
                assert _faults(visited.page) == [], panel


def _faults(page: Page) -> list[str]:
    """What axe finds, and what makes the page larger than the screen. A narrow page scrolls as a whole."""
    page.evaluate("window.scrollTo(0, 0)")  # axe takes a first link that is scrolled away for a hidden one
    found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
    faults = [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    faults += [f"the page is {wide} px too wide"] if wide > 0 else []
    below = page.evaluate(_BELOW)
    return [*faults, f"the page is {below} px too high"] if below > 0 else faults


#: how far a page whose panel scrolls can be scrolled as a whole
_BELOW = """() => {
  const panel = document.querySelector(".panel");
  const scrolls = panel !== null && getComputedStyle(panel).overflowY === "auto";
  return scrolls ? document.documentElement.scrollHeight - innerHeight : 0;
}"""


def test_slow_answers_show_progress(browser: Browser, folder: Path) -> None:
    table = write_birds(folder, 100)
    held: list[Route] = []

    def wait_for(page: Page) -> None:
        wait_until(lambda: held or page.wait_for_timeout(20))

    with visit(browser, folder) as visited:
        page = visited.page
        for name in ("open/table", "table", "search", "release"):
            page.route(f"**/api/{name}", lambda route: held.append(route))
        page.get_by_role("button", name=table.name).click()
        wait_for(page)
        expect(page.get_by_role("progressbar", name="Opening birds.csv")).to_be_visible()
        expect(page.get_by_text("Opening birds.csv, ")).to_be_visible()
        expect(page.get_by_role("button", name="Cancel")).to_be_visible()
        held.pop().continue_()
        page.get_by_role("link", name="Go on to the columns").click()
        wait_for(page)
        expect(page.locator("main[aria-busy=true]")).to_be_visible()
        held.pop().continue_()
        page.get_by_role("button", name="Accept all proposals").click()
        step_link(page, "Rule or search").click()
        page.get_by_role("button", name="Leave these records out").click()
        expect(page.get_by_text("Every answer leaves them out")).to_be_visible()
        page.get_by_role("button", name="Search", exact=True).click()
        wait_for(page)
        expect(page.get_by_role("progressbar", name="Progress of the search")).to_be_visible()
        held.pop().continue_()
        page.get_by_role("button", name="Use this policy").click()
        step_link(page, "Release").click()
        page.get_by_role("button", name="Save and write").click()
        wait_for(page)
        expect(page.get_by_role("button", name="Writing…")).to_be_disabled()
        expect(page.get_by_text("Reading the table…")).to_be_visible()
        held.pop().continue_()
        expect(page.get_by_text("✓ written")).to_be_visible()


_DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const target = document.querySelector(".drop");
  for (const type of ["dragover", "drop"]) {
    target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""


def test_a_dropped_file_is_copied_with_progress_and_can_be_canceled(
    browser: Browser, tmp_path: Path, folder: Path
) -> None:
    text = write_birds(tmp_path, 60_000).read_text()
    with visit(browser, folder) as visited:
        page = visited.page
        network = page.context.new_cdp_session(page)
        conditions = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": 30_000,
        }  # a minute and a half
        expect(page.get_by_text("Drop a file anywhere here")).to_be_visible()
        network.send("Network.enable")
        network.send("Network.emulateNetworkConditions", conditions)
        page.wait_for_timeout(500)  # the browser applies them a moment later
        page.evaluate(_DROP, ["birds.csv", text])
        progress = page.get_by_role("progressbar", name="Copying birds.csv")
        expect(progress).to_have_attribute("value", re.compile(r"0\.\d+"))
        page.get_by_role("button", name="Cancel").click()
        expect(progress).to_have_count(0)
        network.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": -1})
        private = tmp_path / ".data" / "acompass" / "studio"
        wait_until(lambda: not _copies(private))
        page.evaluate(_DROP, ["birds.csv", text])
        expect(page.get_by_role("heading", name="birds.csv")).to_be_visible()
        expect(page.get_by_text("60,000 records, 8 columns, from")).to_be_visible()
        (copy,) = _copies(private)
        assert copy.read_text() == text
        settle(page)


def _copies(private: Path) -> list[Path]:
    return [
        each
        for each in private.rglob("*")
        if each.is_file() and "recent" not in each.parts and each.stat().st_size > 1000
    ]


RECORDS = 1_000_000


def _write_million(folder: Path) -> Path:
    """A million admissions; random columns repeat, because only their number matters."""
    draw = Random(37)
    tails = [
        f"{draw.randrange(18, 95)},{draw.choice('fm')},2{draw.randrange(10, 14)}0{draw.randrange(5)},"
        f"{draw.choice(('surgery', 'medicine', 'eye'))},{draw.choice(('asthma', 'flu', 'fracture', 'diabetes'))}\n"
        for _ in range(9973)
    ]
    path = folder / "million.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("id,age,sex,zip,ward,diagnosis\n")
        file.writelines(f"{number},{tails[number % len(tails)]}" for number in range(RECORDS))
    return path


def test_a_million_records(browser: Browser, folder: Path) -> None:
    table = _write_million(folder)
    with visit(browser, folder) as visited:
        page, watch = visited.page, Watch()
        page.get_by_role("button", name=table.name).click()
        page.get_by_role("link", name="Go on to the columns").click()
        watch.note("open")
        page.get_by_role("button", name="Accept all proposals").click()
        watch.note("columns")
        page.get_by_role("button", name="Drop identifiers").click()
        step_link(page, "Rule or search").click()
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.get_by_role("button", name="Use this policy")).to_be_visible()
        watch.note("search")
        page.get_by_role("button", name="Use this policy").click()
        expect(page.get_by_text("no check is violated")).to_be_visible()
        settle(page)
        watch.note("first policy, with its effect on each column")
        page.get_by_role("group", name="sex", exact=True).get_by_role("radio", name="removed").click()
        expect(page.get_by_role("textbox", name="Policy text")).to_contain_text("DROP id, sex")
        watch.note("move a control")
        expect(page.get_by_text("no check is violated")).to_be_visible()
        settle(page)
        watch.note("all that a moved control shows")
        step_link(page, "Release").click()
        page.get_by_role("button", name="Save and write").click()
        expect(page.get_by_text("✓ written")).to_be_visible()
        watch.note("release with two reports")
    with (folder / "million-released.csv").open(encoding="utf-8") as file:
        assert sum(1 for _ in file) > RECORDS * 0.94


def test_a_studio_that_is_killed_loses_nothing(
    browser: Browser, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed while it searches, and again while it writes the release; the page goes on with the next one."""
    table = write_birds(folder, 200_000)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with browser.new_context(viewport={"width": 1280, "height": 800}) as profile:
        with start_studio(table.name, folder=folder) as (process, address):
            page = Visit(profile, address).page
            page.get_by_role("button", name="Accept all proposals").click()
            page.get_by_role("button", name="Drop identifiers").click()
            step_link(page, "Rule or search").click()
            page.get_by_role("button", name="Leave these records out").click()
            expect(page.get_by_text("Every answer leaves them out")).to_be_visible()
            page.get_by_role("button", name="Search", exact=True).click()
            expect(page.get_by_role("progressbar", name="Progress of the search")).to_be_visible()
            _kill(process, page)
        assert [each.name for each in folder.iterdir()] == ["birds.csv"]
        with start_studio(table.name, folder=folder) as (process, address):
            _return(profile, page, address)
            expect(page.get_by_role("textbox", name="Policy text")).to_contain_text("DROP id")
            page.get_by_role("button", name="Search", exact=True).click()
            page.get_by_role("button", name="Use this policy").click()
            expect(page.get_by_text("no check is violated")).to_be_visible()
            step_link(page, "Release").click()
            page.get_by_role("button", name="Save and write").click()
            expect(page.get_by_role("progressbar", name="Progress of the release")).to_be_visible()
            _kill(process, page)
        with start_studio(table.name, folder=folder) as (_, address):
            _return(profile, page, address)
            # nothing of the release, and nothing hidden; the policy was saved or is still in the page
            wait_until(lambda: {each.name for each in folder.iterdir()} <= {"acompass.toml", "birds.acp", "birds.csv"})
            page.get_by_role("button", name=re.compile("^(Save and write|Write)$")).click()
            expect(page.get_by_text("✓ written")).to_be_visible()
    assert not list(folder.glob(".*"))
    assert not list(temporary.glob("acompass*"))
    assert (folder / "birds-report.html").is_file()


def _kill(process: subprocess.Popen[str], page: Page) -> None:
    """As when the computer loses its power: the command has no time to end."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for each in (*map(int, children), process.pid):
        os.kill(each, signal.SIGKILL)
    wait_until(lambda: process.poll() is not None)
    expect(page.get_by_text("The studio is not responding.")).to_be_visible()


def _return(profile: BrowserContext, page: Page, address: str) -> None:
    """Log in again in another tab, as the page says."""
    expect(page.get_by_text("This page belongs to an earlier run of the studio.")).to_be_visible()
    other = profile.new_page()
    other.goto(address)
    notice = page.get_by_role("status").filter(has_text="The studio was restarted, and this page has reconnected.")
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Dismiss").click()
    other.close()
