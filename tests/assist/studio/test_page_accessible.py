"""The page meets WCAG 2.2 AA, as far as axe-core can check, and can be used by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import ELECTRICITY_ARGUMENTS, SIZE, Tab, copy_electricity, open_tab
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

PHONE = (390, 800)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: each panel, and the heading it shows once it has its answer
PANELS = {
    "Policy": "Requirements, in order",
    "Table": "Insert a requirement",
    "Rules": "Published rules",
    "Risk": "Columns that drive the risk",
    "Change": "Change of each column's distribution",
    "Record": "What the policy does to a record",
    "Proof": "The policy's own assertions",
    "Release": "3. Write the release",
}


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
def test_axe_finds_nothing_on_any_panel(browser: Browser, address: str, scheme: str, size: tuple[int, int]) -> None:
    with open_tab(browser, address, size, color_scheme=scheme) as tab:
        for panel, heading in PANELS.items():
            tab.show(panel)
            expect(tab.heading(heading)).to_be_visible()
            _open_everything(tab, panel)
            assert _violations(tab) == [], panel
            assert _overflow(tab) <= 0, f"{panel} is wider than the page"


def _open_everything(tab: Tab, panel: str) -> None:
    """Show what appears only after a click, so that it is checked too."""
    closed = tab.page.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    match panel:
        case "Record":
            tab.page.get_by_role("switch", name="Show records").check()
            tab.press("Explain")
            expect(tab.heading("Record 1: released, changed")).to_be_visible()
        case "Proof":
            tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Age <= 70")
            tab.press("Prove or refute")
            expect(tab.page.get_by_text("refuted by a counterexample")).to_be_visible()
        case "Table":
            # without a role, `Record ID` would prevent the preview of the report
            tab.mark(Age="quasi-identifier", Postal_Code="quasi-identifier", AEC="sensitive", Record_ID="other")
        case "Rules":
            assert _violations(tab) == [], "the gallery"
            tab.press("CMS cell size suppression policy")
            expect(tab.heading("Use the rule")).to_be_visible()
        case "Release":
            tab.press("Search")
            expect(tab.page.get_by_role("button", name="Accept all")).to_be_visible()
            tab.press("Show the report")
            expect(tab.page.get_by_title("Preview of the report")).to_be_visible()


def _violations(tab: Tab) -> list[str]:
    found = Axe().run(tab.page, options={"runOnly": RULES}).response["violations"]
    return [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]


def _overflow(tab: Tab) -> int:
    root = "document.documentElement"
    return int(tab.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


def test_every_control_is_large_enough(browser: Browser, address: str) -> None:
    with open_tab(browser, address, PHONE) as tab:
        for panel, heading in PANELS.items():
            tab.show(panel)
            expect(tab.heading(heading)).to_be_visible()
            for control in tab.page.locator("button:visible, select:visible, summary:visible").all():
                box = control.bounding_box()
                assert box is not None
                assert min(box["width"], box["height"]) >= 24, control.inner_html()


def test_tab_leaves_the_editor(tab: Tab) -> None:
    tab.editor.focus()
    tab.page.keyboard.press("Tab")
    expect(tab.editor).not_to_be_focused()
    expect(tab.page.get_by_text("saved", exact=True)).to_be_visible()


def test_arrow_keys_move_between_the_tabs(tab: Tab) -> None:
    tab.page.get_by_role("tab", name="Policy").focus()
    for panel in list(PANELS)[1:]:
        tab.page.keyboard.press("ArrowRight")
        expect(tab.page.get_by_role("tab", name=panel)).to_be_focused()
        expect(tab.page.get_by_role("tabpanel", name=panel)).to_be_visible()
    tab.page.keyboard.press("Home")
    expect(tab.page.get_by_role("tab", name="Policy")).to_be_focused()


def test_a_policy_is_written_fixed_and_saved_by_keyboard_only(tab: Tab) -> None:
    keyboard = tab.page.keyboard
    _tab_to(tab, "Policy text")
    keyboard.press("ControlOrMeta+a")
    keyboard.insert_text("EACH RESULT : Agee <= 90;\n")
    expect(tab.page.get_by_text("unknown column Agee")).to_be_visible()
    _tab_to(tab, "Fix: ")
    keyboard.press("Enter")
    expect(tab.editor).to_contain_text("EACH RESULT : Age <= 90;")
    expect(tab.requirement(1)).to_contain_text("✓ holds")
    keyboard.press("ControlOrMeta+s")
    expect(tab.page.get_by_text("saved", exact=True)).to_be_visible()


def test_a_suggestion_is_accepted_by_keyboard_only(tab: Tab) -> None:
    keyboard = tab.page.keyboard
    _tab_to(tab, "Policy", role="tab")
    keyboard.press("ArrowRight")
    expect(tab.heading(PANELS["Table"])).to_be_visible()
    for column in ("Age", "Postal Code"):
        _tab_to(tab, f"Role of {column}")
        keyboard.type("quasi")
    while tab.page.evaluate("document.activeElement.getAttribute('role')") != "tab":
        keyboard.press("Shift+Tab")
    keyboard.press("End")
    _tab_to(tab, "Search", exact=True)
    keyboard.press("Enter")
    expect(tab.page.get_by_role("button", name="Accept", exact=True).first).to_be_visible()
    _tab_to(tab, "Accept", exact=True)
    keyboard.press("Enter")
    expect(tab.editor).to_contain_text("GROUP BY Age, Postal Code")
    expect(tab.page.get_by_text("not saved")).to_be_visible()


_FOCUSED = """() => {
  const element = document.activeElement;
  const text = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  return [element.getAttribute("role") ?? "", text.trim()];
}"""
_MOST_STOPS = 200


def _tab_to(tab: Tab, name: str, role: str | None = None, exact: bool = False) -> None:
    """Press Tab until an element with this name has the focus."""
    for _ in range(_MOST_STOPS):
        found, text = tab.page.evaluate(_FOCUSED)
        if (text == name if exact else text.startswith(name)) and role in (None, found):
            return
        tab.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches `{name}`")
