"""The page meets WCAG 2.2 AA, as far as axe-core can check, and can be used by keyboard alone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.assist.studio.browsing import ELECTRICITY_ARGUMENTS, SIZE, Tab, copy_electricity, open_tab
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

PHONE = (390, 800)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: each place of the page, and the heading it shows once it has its answer
PLACES: dict[tuple[str, str | None], str] = {
    ("Open", None): "How the table is read",
    ("Columns", None): "Insert a requirement",
    ("Rule or search", "Search"): "Search for a policy",
    ("Rule or search", "Rules"): "Published rules",
    ("Refine", "Columns"): "What happens to each column",
    ("Refine", "Lines"): "Requirements, in order",
    ("Refine", "Risk"): "Columns that drive the risk",
    ("Refine", "Change"): "Change of each column's distribution",
    ("Refine", "Record"): "What the policy does to a record",
    ("Refine", "Proof"): "The policy's own assertions",
    ("Release", None): "What this release promises",
}
CONTROLS = "button:visible, select:visible, summary:visible, a:visible, input:visible, label:has(input):visible"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = copy_electricity(tmp_path_factory.mktemp("studio"))
    with start_studio(*ELECTRICITY_ARGUMENTS, folder=folder) as (_, address):
        yield address


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Tab]:
    with open_tab(browser, address) as tab:
        yield tab


@pytest.mark.parametrize("size", [SIZE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_step(browser: Browser, address: str, scheme: str, size: tuple[int, int]) -> None:
    with open_tab(browser, address, size, color_scheme=scheme) as tab:
        for place in PLACES:
            _go(tab, place)
            _open_everything(tab, place)
            _check(tab.page, str(place))


@pytest.mark.parametrize("size", [SIZE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_start_page(
    browser: Browser, tmp_path: Path, scheme: str, size: tuple[int, int]
) -> None:
    folder = copy_electricity(tmp_path)
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    width, height = size
    with (
        start_studio(folder=folder, env=env) as (_, address),
        browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme) as context,
    ):
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("button", name="Open a copy").first).to_be_visible()
        expect(page.get_by_role("button", name="policy.acp").first).to_be_visible()
        _check(page, "the start page")
        page.get_by_role("button", name="table.csv").click()
        expect(page.get_by_role("heading", name="How the table is read")).to_be_visible()
        page.reload()
        page.get_by_role("link", name="Open", exact=True).click()
        page.get_by_text("Open another table").click()
        expect(page.get_by_role("heading", name="Recent projects")).to_be_visible()
        _check(page, "the start page with a recent project")


def _go(tab: Tab, place: tuple[str, str | None]) -> None:
    tab.show(*place)
    expect(tab.heading(PLACES[place])).to_be_visible()


def _open_everything(tab: Tab, place: tuple[str, str | None]) -> None:
    """Show what appears only after a click, so that it is checked too."""
    match place:
        case "Columns", None:
            # without a role, `Record ID` would prevent the preview of the report
            tab.mark(Age="quasi-identifier", Postal_Code="quasi-identifier", AEC="sensitive", Record_ID="other")
            tab.page.get_by_role("gridcell").nth(1).click()
            expect(tab.heading("Column Age")).to_be_visible()
        case _, "Search":
            tab.press("Search")
            expect(tab.page.get_by_role("button", name="Use this policy")).to_be_visible()
        case _, "Rules":
            assert _violations(tab.page) == [], "the gallery"
            tab.press("CMS cell size suppression policy")
            expect(tab.heading("Use the rule")).to_be_visible()
        case "Refine", "Columns":
            tab.page.get_by_role("button", name="Postal Code").click()
            expect(tab.heading("Postal Code before and after")).to_be_visible()
        case _, "Record":
            tab.press("Explain")
            expect(tab.heading("Record 1: released, changed")).to_be_visible()
        case _, "Proof":
            tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Age <= 70")
            tab.press("Prove or refute")
            expect(tab.page.get_by_text("refuted by a counterexample")).to_be_visible()
        case "Release", None:
            tab.press("Show the report")
            expect(tab.page.get_by_title("Preview of the report")).to_be_visible()
    closed = tab.page.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    expect(tab.page.locator("main[aria-busy=false]")).to_be_visible()
    expect(tab.page.locator(".old")).to_have_count(0)


def _check(page: Page, what: str) -> None:
    assert _violations(page) == [], what
    assert _overflow(page) <= 0, f"{what} is wider than the page"


def _violations(page: Page) -> list[str]:
    found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
    return [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]


def _overflow(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


#: a link within a sentence is as large as its letters (WCAG 2.2, 2.5.8), and a label enlarges its checkbox
_TOO_SMALL = """elements => elements.filter(element => {
  const box = element.getBoundingClientRect();
  const isHidden = element.closest(".hidden, [aria-hidden=true]") !== null || box.width <= 1;
  const isInLabel = element.matches("input") && element.closest("label") !== null;
  const isInText = element.matches("a, .place, .link") && element.closest("p, li, dd, span") !== null;
  return !isHidden && !isInLabel && !isInText && Math.min(box.width, box.height) < 24;
}).map(element => element.outerHTML)"""


def test_every_control_is_large_enough(browser: Browser, address: str) -> None:
    with open_tab(browser, address, PHONE) as tab:
        for place in PLACES:
            _go(tab, place)
            _open_everything(tab, place)
            assert tab.page.locator(CONTROLS).evaluate_all(_TOO_SMALL) == [], place


def test_tab_leaves_the_editor(tab: Tab) -> None:
    before = tab.editor.inner_text()
    tab.editor.focus()
    tab.page.keyboard.press("Tab")
    expect(tab.editor).not_to_be_focused()
    assert tab.editor.inner_text() == before


@pytest.mark.parametrize("step", ["Rule or search", "Refine"])
def test_arrow_keys_move_between_the_tabs(tab: Tab, step: str) -> None:
    first, *others = [panel for name, panel in PLACES if name == step and panel is not None]
    tab.show(step, first)
    tab.page.get_by_role("tab", name=first).focus()
    for panel in [*others, first]:
        tab.page.keyboard.press("ArrowRight")
        expect(tab.page.get_by_role("tab", name=panel)).to_be_focused()
        expect(tab.page.get_by_role("tabpanel", name=panel)).to_be_visible()
    tab.page.keyboard.press("End")
    expect(tab.page.get_by_role("tab", name=others[-1])).to_be_focused()
    tab.page.keyboard.press("Home")
    expect(tab.page.get_by_role("tab", name=first)).to_be_focused()


def test_the_steps_are_in_the_history_of_the_browser(tab: Tab) -> None:
    for place in PLACES:
        _go(tab, place)
    for place in list(reversed(PLACES))[1:]:
        tab.page.go_back()
        expect(tab.heading(PLACES[place])).to_be_visible()


def test_a_policy_is_written_fixed_and_saved_by_keyboard_only(tab: Tab) -> None:
    keyboard = tab.page.keyboard
    _tab_to(tab, "Policy text")
    keyboard.press("ControlOrMeta+a")
    keyboard.insert_text("EACH RESULT : Agee <= 90;\n")
    expect(tab.page.get_by_text("unknown column Agee")).to_be_visible()
    _tab_to(tab, "Fix: ")
    keyboard.press("Enter")
    expect(tab.editor).to_contain_text("EACH RESULT : Age <= 90;")
    expect(tab.status).to_contain_text("no check is violated")
    keyboard.press("ControlOrMeta+s")
    expect(tab.page.get_by_text("saved", exact=True)).to_be_visible()


def test_a_suggestion_is_accepted_by_keyboard_only(tab: Tab) -> None:
    keyboard = tab.page.keyboard
    _tab_to(tab, "Columns")
    keyboard.press("Enter")
    expect(tab.heading(PLACES["Columns", None])).to_be_visible()
    _tab_to(tab, "Records", role="grid")
    for column in ("Record ID", "Age", "Postal Code"):
        keyboard.press("ArrowRight")
        keyboard.press("Enter")
        keyboard.type("other" if column == "Record ID" else "quasi")
        keyboard.press("Escape")
        role = tab.page.get_by_role("combobox", name=f"Role of {column}", exact=True)
        expect(role).to_have_value("other" if column == "Record ID" else "quasi-identifier")
    _tab_to(tab, "Rule or search", backward=True)
    keyboard.press("Enter")
    _tab_to(tab, "Search", exact=True, role="")
    keyboard.press("Enter")
    expect(tab.page.get_by_role("radio", name="cascade, at most 5%")).to_be_visible()
    _tab_to(tab, "", role="radio")  # the picked one of the group
    keyboard.press("ArrowDown")
    _tab_to(tab, "Use this policy", exact=True)
    keyboard.press("Enter")
    expect(tab.editor).to_contain_text("GROUP BY Age, Postal Code")
    expect(tab.page.get_by_text("not saved")).to_be_visible()


_FOCUSED = """() => {
  const element = document.activeElement;
  const text = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  const role = element.matches("[type=radio]") ? "radio" : "";
  return [element.getAttribute("role") ?? role, text.trim()];
}"""
_MOST_STOPS = 200


def _tab_to(tab: Tab, name: str, role: str | None = None, exact: bool = False, backward: bool = False) -> None:
    """Press Tab until an element with this name has the focus."""
    for _ in range(_MOST_STOPS):
        found, text = tab.page.evaluate(_FOCUSED)
        if (text == name if exact else text.startswith(name)) and role in (None, found):
            return
        tab.page.keyboard.press("Shift+Tab" if backward else "Tab")
    raise AssertionError(f"Tab never reaches `{name}`")
