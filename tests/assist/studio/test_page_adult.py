"""The same panels on a real table: Adult, 32,561 records."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import ADULT, ADULT_ARGUMENTS, Tab, browse, copy_adult
from tests.report.browser import browser

__all__ = ["browser"]

POLICY = (ADULT / "policy.acp").read_text(encoding="utf-8")
REJECTED = 28
ANSWERS = "Answers side by side. Less is better in every column."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_adult(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def shared_tab(browser: Browser, folder: Path) -> Iterator[Tab]:
    with browse(browser, folder, *ADULT_ARGUMENTS) as tab:
        yield tab


@pytest.fixture
def tab(shared_tab: Tab) -> Tab:
    shared_tab.write(POLICY)
    shared_tab.show("Refine", "Lines")
    shared_tab.page.get_by_role("textbox", name="Parameter k").fill("5")
    expect(shared_tab.requirement(REJECTED)).to_contain_text("29 of 32,561 dropped")
    return shared_tab


def test_changing_k_shows_the_cost(tab: Tab) -> None:
    tab.page.get_by_role("textbox", name="Parameter k").fill("20")
    expect(tab.requirement(REJECTED)).not_to_contain_text("29 of 32,561 dropped")
    expect(tab.requirement(REJECTED)).to_contain_text("dropped")


def test_each_step_shows_its_text(tab: Tab) -> None:
    expect(tab.requirement(25)).to_contain_text("REPLACE age WITH '*'")
    expect(tab.requirement(16)).to_contain_text("∎ proved")


def test_distributions_are_also_shown_as_tables(tab: Tab) -> None:
    tab.show("Columns")
    expect(tab.heading("15 columns of 32,561 records")).to_be_visible()
    tab.press("sex")
    tab.page.locator("summary", has_text="Values of sex").click()
    expect(tab.row("Values of sex", "Male")).to_contain_text("21,790")


def test_risk_is_shown_with_the_column_that_drives_it(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    expect(tab.row("Risk before and after", "k").get_by_role("cell")).to_have_text(["1", "5"])
    expect(tab.row("Risk without each column", "without age")).to_contain_text("drives risk most")


def test_the_line_that_drops_columns_costs_most(tab: Tab) -> None:
    tab.show("Refine", "Change")
    first = tab.table("Cost of each line").get_by_role("row").nth(1)
    expect(first).to_contain_text("costs most")
    expect(first).to_contain_text("ALWAYS : DROP fnlwgt, relationship, education-num")


def test_a_record_is_explained(tab: Tab) -> None:
    tab.show("Refine", "Record")
    tab.press("Explain")
    expect(tab.heading("Record 1: released, changed")).to_be_visible()
    expect(tab.row("Values of record 1", "fnlwgt")).to_contain_text("column dropped")


def test_a_claim_is_refuted(tab: Tab) -> None:
    tab.show("Refine", "Proof")
    tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : hours-per-week <= 50")
    tab.press("Prove or refute")
    expect(tab.page.get_by_text("refuted by a counterexample")).to_be_visible()


def test_a_suggestion_is_accepted_and_released(tab: Tab, folder: Path) -> None:
    tab.write("ALWAYS : DROP fnlwgt, relationship;\n")
    tab.show("Columns")
    tab.mark(age="quasi-identifier", education="quasi-identifier", sex="quasi-identifier", occupation="sensitive")
    tab.press("Mark as other")
    tab.show("Rule or search", "Search")
    tab.page.get_by_role("textbox", name="Search for k").fill("10")
    tab.press("Search")
    expect(tab.row(ANSWERS, "cascade, at most 5")).to_contain_text("least loss")
    tab.press("Use this policy")
    expect(tab.editor).to_contain_text("ALWAYS : DROP fnlwgt, relationship;")
    expect(tab.editor).to_contain_text("n >= 10")
    expect(tab.status).to_contain_text("✓ no check is violated")
    tab.show("Release")
    tab.page.get_by_label("Table", exact=True).fill("suggested.csv")
    tab.press("Save and write")
    tab.expect_written("suggested.csv")
    header = (folder / "suggested.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "fnlwgt" not in header


def test_an_answer_changes_nothing_until_it_is_used(tab: Tab) -> None:
    tab.show("Rule or search", "Search")
    tab.press("Search")
    tab.page.get_by_role("radio", name="uniform, at most 5%").check()
    expect(tab.page.get_by_role("textbox", name="The answer compared with the policy")).to_contain_text("From a search")
    tab.press("Dismiss")
    expect(tab.page.get_by_text("The editor contains this policy.")).to_be_visible()
    expect(tab.editor).to_contain_text("THEN REPLACE race WITH '*'")
