"""The step Refine: controls that edit the policy's text, by mouse and by keyboard, and records before and after."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Route, expect

from tests.assist.studio.browsing import Tab, browse, write_people
from tests.report.browser import browser

__all__ = ["browser"]

POLICY = """\
ALWAYS : DROP Name;

EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip
   : n >= 2
   : REPLACE Zip WITH '*'
     THEN REJECT;
"""
AGES = [23, 24, 31, 35, 36, 42, 43, 57, 58, 66, 67, 71]
TABLE = "Name,Age,Zip,Disease\n" + "".join(f"P{age},{age},2140{age % 3},flu\n" for age in AGES for _ in "ab")


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    policy, table = write_people(tmp_path, POLICY, TABLE)
    with browse(browser, tmp_path, policy.name, table.name) as tab:
        tab.show("Refine", "Columns")
        yield tab


def control(tab: Tab, column: str) -> Locator:
    return tab.page.get_by_role("group", name=column, exact=True)


def test_a_control_edits_the_policy_and_the_text_moves_the_control(tab: Tab) -> None:
    control(tab, "Zip").get_by_role("radio", name="suppressed (*)").click()
    expect(tab.editor).to_contain_text("ALWAYS : REPLACE Zip WITH '*';")
    expect(control(tab, "Zip").get_by_role("radio", name="suppressed (*)")).to_be_checked()
    tab.page.get_by_role("button", name="Zip").click()
    expect(tab.table("Zip after")).to_contain_text("* (lost)")
    expect(tab.page.get_by_text("24 of 24 cells changed (100%), of which 24 are lost as *.")).to_be_visible()

    tab.editor.click()
    tab.page.keyboard.press("ControlOrMeta+z")
    expect(tab.editor).not_to_contain_text("ALWAYS : REPLACE")
    expect(control(tab, "Zip").get_by_role("radio", name="only by other lines")).to_be_checked()

    tab.write("ALWAYS : DROP Name;\n")
    expect(control(tab, "Zip").get_by_role("radio", name="as it is")).to_be_checked()

    tab.write("ALWAYS : DROP Name;\nALWAYS : GENERALIZE Age TO BANDS OF 10;\nALWAYS : PSEUDONYM Zip;\n")
    expect(control(tab, "Age").get_by_role("radio", checked=True)).to_have_accessible_name("bands of 10 30-39")
    expect(tab.page.get_by_text("Only the text says what happens to this column.")).to_be_visible()
    tab.page.get_by_role("group", name="Zip before and after").get_by_role("button", name="line 3").click()
    expect(tab.editor).to_be_focused()


def test_arrow_keys_move_a_control(tab: Tab) -> None:
    radios = control(tab, "Age").get_by_role("radio")
    radios.first.focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    expect(radios.nth(2)).to_be_checked()
    expect(radios.nth(2)).to_be_focused()
    expect(tab.editor).to_contain_text("ALWAYS : GENERALIZE Age TO BANDS OF")
    expect(tab.page.locator(".old")).to_have_count(0)
    expect(radios.nth(2)).to_be_checked()
    expect(radios.nth(2)).to_be_focused()


def test_records_show_their_changed_cells_while_values_are_shown(tab: Tab) -> None:
    control(tab, "Age").get_by_role("radio", name="bands of 10 30-39").click()
    tab.page.get_by_text("Records before and after").first.click()
    grid = tab.page.get_by_role("grid", name="Records before and after")
    cells = grid.get_by_role("row").nth(1).get_by_role("gridcell")
    expect(cells).to_have_text(["P23", "23 → 20-29", "21402", "flu"])
    expect(cells.first).to_have_attribute("title", "not released")
    tab.page.get_by_label("Show values").click()
    expect(tab.page.get_by_text("Values are hidden.")).to_be_visible()
    expect(grid.get_by_role("gridcell")).to_have_count(0)
    example = control(tab, "Age").get_by_role("radio", name=re.compile("^bands of 10"))
    expect(example).to_have_accessible_name("bands of 10")
    tab.page.get_by_label("Show values").click()
    expect(example).to_have_accessible_name("bands of 10 30-39")


def test_a_weight_that_is_none_is_taken_back_and_risks_are_dimmed_at_once(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    risk = tab.table("Risk before and after")
    expect(risk).to_be_visible()
    weights = tab.page.get_by_role("combobox", name="Sampling weights")
    weights.select_option("Disease")
    expect(tab.page.get_by_text("column Disease cannot be the weight")).to_be_visible()
    weights.select_option("")
    expect(risk).to_be_visible()
    held: list[Route] = []
    tab.page.route("**/api/risk", lambda route: held.append(route))
    weights.select_option("Disease")
    expect(tab.page.locator(".answer.old").filter(has=risk)).to_be_visible()
    weights.select_option("")
    expect(tab.page.locator(".answer.old")).to_have_count(0)
    tab.page.route("**/api/verdicts", lambda route: held.append(route))
    tab.write("ALWAYS : DROP Name;\n")
    expect(tab.page.locator(".status.old")).to_be_visible()


@pytest.mark.parametrize(("scheme", "size"), [("light", (1280, 800)), ("dark", (390, 800))])
def test_axe_finds_nothing(tab: Tab, scheme: Literal["light", "dark"], size: tuple[int, int]) -> None:
    tab.page.emulate_media(color_scheme=scheme)
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    tab.page.get_by_role("button", name="Age").click()
    tab.page.get_by_text("Records before and after").first.click()
    expect(tab.page.get_by_role("gridcell", name="P23").first).to_be_visible()
    expect(tab.page.locator(".old")).to_have_count(0)
    found = Axe().run(tab.page)
    assert not found.response["violations"], found.generate_report()
    assert tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
