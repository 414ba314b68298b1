"""The search in a real browser: from its fields to several answers, one of which becomes the policy."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import Tab, browse
from tests.report.browser import browser

__all__ = ["browser"]

pytest.importorskip("numpy")

ANSWERS = "Answers side by side. Less is better in every column."
PREVIEW = "The answer compared with the policy"
RECORDS = 400


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    """A table with missing values, which the options drop; no policy yet."""
    random = Random(2)
    rows = [
        f"{random.choice(['', *range(18, 70)])},{random.choice(['21000', '21001', '21100', '30001'])},"
        f"{random.choice('mf')},{random.choice(['flu', 'cold', 'asthma'])}"
        for _ in range(RECORDS)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["age,zip,sex,disease", *rows, ""]), encoding="utf-8")
    with browse(browser, tmp_path, "new.acp", "people.csv", "--missing", "drop") as tab:
        tab.show("Columns")
        tab.mark(age="quasi-identifier", zip="quasi-identifier", sex="quasi-identifier", disease="sensitive")
        tab.show("Rule or search", "Search")
        yield tab


def test_an_answer_is_compared_picked_and_used(tab: Tab) -> None:
    expect(tab.page.get_by_text(re.compile(rf"of {RECORDS} records have a missing value"))).to_be_visible()
    tab.page.get_by_role("combobox", name="age").select_option("keep longest")
    tab.press("Search")
    expect(tab.page.get_by_role("button", name="Use this policy")).to_be_visible()
    first = tab.table(ANSWERS).get_by_role("row").nth(1)
    expect(first).to_contain_text("least loss")
    expect(first).to_contain_text("1 in ")
    _require_sorted(tab, 1)
    tab.press(re.compile("^Lines"))
    expect(tab.page.get_by_role("columnheader", name="Lines")).to_have_attribute("aria-sort", "ascending")
    _require_sorted(tab, 4)
    expect(tab.page.get_by_role("img", name="Loss of each answer by lost records")).to_be_visible()
    tab.page.get_by_role("radio", name="uniform, at most 5%").check()
    expect(tab.page.get_by_role("heading", name="Changes by uniform, at most 5% lost")).to_be_visible()
    expect(tab.page.get_by_role("textbox", name=PREVIEW)).to_contain_text(
        "(uniform, at most 5% of the records dropped)"
    )
    assert Axe().run(tab.page).response["violations"] == []
    tab.press("Use this policy")
    expect(tab.page).to_have_url(re.compile("#refine"))
    expect(tab.editor).to_contain_text("GROUP BY age, zip, sex")
    expect(tab.editor).not_to_contain_text("records, loss")
    expect(tab.status).to_contain_text("✓ no check is violated")


def _require_sorted(tab: Tab, column: int) -> None:
    rows = tab.table(ANSWERS).get_by_role("row").filter(has=tab.page.get_by_role("radio")).all()
    shown = [float(row.locator("th, td").nth(column).inner_text().replace(",", "")) for row in rows]
    assert len(shown) > 2
    assert shown == sorted(shown)


def test_a_found_policy_is_replaced_by_the_next_one_and_another_is_kept(tab: Tab) -> None:
    tab.press("Search")
    tab.press("Use this policy")
    found = tab.editor.inner_text()
    tab.show("Rule or search", "Search")
    tab.page.get_by_role("textbox", name="Search for k", exact=True).fill("12")
    tab.press("Search")
    use = tab.page.get_by_role("combobox", name="Use it")
    expect(use).to_have_value("instead")
    tab.press("Use this policy")
    expect(tab.editor).to_contain_text("n >= 12")
    assert tab.editor.inner_text() != found
    tab.write("EACH RESULT : age <= 60 : REPLACE age WITH 60;\n")
    tab.show("Rule or search", "Search")
    tab.press("Search")
    expect(use).to_have_value("after")
    tab.press("Use this policy")
    expect(tab.editor).to_contain_text("REPLACE age WITH 60")
    expect(tab.editor).to_contain_text("n >= 12")


def test_a_goal_out_of_reach_and_a_wrong_field_are_explained(tab: Tab) -> None:
    tab.page.get_by_role("textbox", name="Search for l", exact=True).fill("4")
    tab.press("Search")
    expect(tab.row(ANSWERS, "cascade, at most 5")).to_contain_text("no policy was found that reaches k = 5 and l = 4")
    tab.page.get_by_role("textbox", name="Largest share of lost records").fill("many")
    expect(tab.page.get_by_text("have changed since this search")).to_be_visible()
    tab.press("Search")
    expect(tab.page.get_by_text("many is not a share of the records")).to_be_visible()
    tab.page.get_by_role("textbox", name="Largest share of lost records").fill("0,05")
    k = tab.page.get_by_role("textbox", name="Search for k", exact=True)
    k.fill("1,000")
    expect(tab.page.get_by_text("k: a whole number is needed")).to_be_visible()
    expect(tab.page.get_by_role("button", name="Search", exact=True)).to_be_disabled()
    k.fill("1")
    tab.press("Search")
    expect(tab.page.get_by_text("k is 1, expected at least 2")).to_be_visible()
    k.fill("")
    tab.press("Search for k: one more")
    expect(k).to_have_value("6")


def test_answers_are_old_once_the_table_is_read_in_another_way(tab: Tab) -> None:
    tab.press("Search")
    expect(tab.page.get_by_role("button", name="Use this policy")).to_be_visible()
    old = tab.page.get_by_text("how the table is read have changed since this search")
    expect(old).to_have_count(0)
    tab.show("Open")
    tab.page.get_by_role("combobox", name="Missing values of age").select_option("fill")
    tab.show("Rule or search", "Search")
    expect(old).to_be_visible()
    expect(tab.page.locator(".answer.old").get_by_role("table", name=ANSWERS)).to_be_visible()
