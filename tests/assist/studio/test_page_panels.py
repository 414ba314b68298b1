"""Each panel next to the editor, with the paper's table."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.assist.studio.browsing import ELECTRICITY, Tab
from tests.assist.studio.papers_page import folder, shared_tab
from tests.report.browser import browser

__all__ = ["browser", "folder", "shared_tab"]

POLICY = (ELECTRICITY / "policy.acp").read_text(encoding="utf-8")
RISK, COST = "Risk before and after", "Cost of each line"


@pytest.fixture
def tab(shared_tab: Tab) -> Tab:
    """The tab with the paper's policy and k = 2."""
    shared_tab.write(POLICY)
    shared_tab.page.get_by_role("textbox", name="Parameter k").fill("2")
    expect(shared_tab.status).to_contain_text("no check is violated")
    return shared_tab


def test_the_table_panel_shows_the_columns(tab: Tab) -> None:
    tab.show("Columns")
    expect(tab.heading("4 columns of 10 records")).to_be_visible()
    expect(tab.row("Columns with their roles", "Age")).to_contain_text("integer")
    expect(tab.row("Columns with their roles", "AEC")).to_contain_text("none")


def test_roles_decide_the_templates_and_a_template_is_inserted(tab: Tab) -> None:
    tab.show("Columns")
    tab.mark(Age="quasi-identifier", Postal_Code="quasi-identifier", AEC="sensitive", Record_ID="identifier")
    tab.press("Insert Drop Record ID")
    expect(tab.editor).to_contain_text(re.compile("DROP .?Record ID"))
    tab.show("Refine", "Lines")
    expect(tab.page.get_by_text("columns dropped").last).to_be_visible()
    expect(tab.page.get_by_text("The policy does not name")).to_have_count(0)


def test_the_other_panels_use_the_roles(tab: Tab) -> None:
    tab.show("Columns")
    tab.mark(Age="quasi-identifier", Postal_Code="other", AEC="other", Record_ID="other")
    tab.show("Refine", "Risk")
    expect(tab.page.get_by_text("By Age. Pin a version")).to_be_visible()
    tab.show("Columns")
    tab.mark(Postal_Code="quasi-identifier", AEC="sensitive")
    tab.show("Refine", "Risk")
    expect(tab.page.get_by_text("By Age, Postal Code. Pin a version")).to_be_visible()


def test_risk_compares_before_and_after(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    expect(tab.row(RISK, "k-anonymity").get_by_role("cell")).to_have_text(["1", "2"])
    expect(tab.row(RISK, "unique records").get_by_role("cell")).to_have_text(["8", "0"])
    expect(tab.row(RISK, "highest prosecutor risk").get_by_role("cell")).to_have_text(["100%", "50%"])
    expect(tab.row("Risk without each column", "without Age")).to_contain_text("drives risk most")


def test_a_term_is_explained_on_the_spot(tab: Tab) -> None:
    """By a click, and by keyboard alone."""
    tab.show("Refine", "Risk")
    term = tab.table(RISK).get_by_role("button", name="k-anonymity")
    sentence = tab.page.get_by_text("The size of the smallest class:").locator("visible=true")
    expect(sentence).to_have_count(0)
    expect(term).to_have_accessible_description(re.compile("^The size of the smallest class"))
    term.click()
    expect(sentence).to_be_in_viewport()
    tab.page.keyboard.press("Escape")
    expect(sentence).to_have_count(0)
    term.focus()
    tab.page.keyboard.press("Enter")
    expect(sentence).to_be_in_viewport()
    tab.page.keyboard.press("Escape")
    expect(term).to_be_focused()


def test_sampling_weights_are_chosen_in_the_panel(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    tab.page.get_by_role("combobox", name="Sampling weights").select_option("Record ID")
    expect(tab.row(RISK, "highest individual risk").get_by_role("cell").first).to_have_text(re.compile("%$"))
    expect(tab.row(RISK, "average journalist risk")).to_be_visible()
    tab.page.get_by_role("combobox", name="Sampling weights").select_option("")
    expect(tab.row(RISK, "highest individual risk")).to_have_count(0)
    expect(tab.row(RISK, "marketer risk")).to_be_visible()


def test_the_risk_of_each_record_is_written_after_a_warning(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    expect(tab.page.get_by_text("it is personal data. Keep it with the original table")).to_be_visible()
    tab.press("Write the risks")
    expect(tab.page.get_by_text("risk-internal.csv, in the policy's folder: 10 records")).to_be_visible()
    tab.page.get_by_role("combobox", name="Records of").select_option("after")
    tab.press("Write the risks")
    tab.press("Replace")
    expect(tab.page.get_by_text("risk-internal.csv, in the policy's folder: 8 records")).to_be_visible()


def test_the_chart_of_class_sizes_has_its_table(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    expect(tab.page.get_by_role("img", name="Records by the size of their class")).to_be_visible()
    tab.page.get_by_text("Show as a table").click()
    expect(tab.row("Records by class size", "1").get_by_role("cell")).to_have_text(["8", "0"])


def test_a_version_can_be_pinned_and_restored(tab: Tab) -> None:
    tab.show("Refine", "Risk")
    expect(tab.row(RISK, "records").first.get_by_role("cell")).to_have_text(["10", "8"])
    tab.press("Pin this version")
    tab.write("EACH RESULT : Age <= 80 : REJECT;\n")
    expect(tab.row(RISK, "records").first.get_by_role("cell")).to_have_text(["10", "8", "7"])
    expect(tab.row(RISK, "k-anonymity").get_by_role("cell")).to_have_text(["1", "2", "1"])
    tab.press("Restore Pin 1")
    expect(tab.row(RISK, "k-anonymity").get_by_role("cell")).to_have_text(["1", "2", "2"])
    tab.press("Unpin Pin 1")
    expect(tab.row(RISK, "k-anonymity").get_by_role("cell")).to_have_text(["1", "2"])


def test_change_shows_the_line_that_costs_most(tab: Tab) -> None:
    tab.show("Refine", "Change")
    costs = tab.table(COST).get_by_role("row")
    expect(costs.nth(1)).to_contain_text("line 35")
    expect(costs.nth(1)).to_contain_text("costs most")
    tab.table(COST).get_by_role("button", name="Cells changed").click()
    expect(costs.nth(1)).to_contain_text("line 17")
    tab.table(COST).get_by_role("button", name="Where").click()
    expect(costs.nth(1)).to_contain_text("line 4")
    tab.table(COST).get_by_role("button", name="Cost").click()


def test_a_click_on_a_cost_goes_to_its_line(tab: Tab) -> None:
    tab.show("Refine", "Change")
    tab.table(COST).get_by_role("button", name="line 35").click()
    expect(tab.editor).to_be_focused()
    tab.page.keyboard.insert_text("-- gone")
    expect(tab.editor).not_to_contain_text("Diversity AEC > 1")


def test_change_shows_how_much_each_column_changed(tab: Tab) -> None:
    tab.show("Refine", "Change")
    expect(tab.row("Change of each column", "Postal Code")).to_contain_text("%")
    expect(tab.row("Change of each column", "Age").get_by_role("cell").nth(3)).to_have_text(
        "–"
    )  # 80 does not say which ages it covers


def test_records_are_shown_until_they_are_hidden(tab: Tab) -> None:
    tab.show("Refine", "Record")
    switch = tab.page.get_by_role("switch", name="Show values")
    expect(switch).to_be_checked()
    tab.page.get_by_role("textbox", name="Record number").fill("1")
    tab.press("Explain")
    expect(tab.heading("Record 1: released, changed")).to_be_visible()
    expect(tab.row("Values of record 1", "Postal Code").get_by_role("cell")).to_have_text(["21201", "✎ 212**"])
    switch.uncheck()
    expect(tab.heading("Record 1: released, changed")).to_have_count(0)
    expect(tab.page.get_by_role("button", name="Explain", exact=True)).to_have_count(0)
    switch.check()


def test_records_are_found_by_a_condition(tab: Tab) -> None:
    tab.show("Refine", "Record")
    tab.page.get_by_label("or where").fill("Age = 36")
    tab.press("Explain matches")
    expect(tab.heading("Record 7: dropped")).to_be_visible()
    expect(tab.heading("Record 8: dropped")).to_be_visible()


def test_the_policys_own_claims_are_proved(tab: Tab) -> None:
    tab.show("Refine", "Proof")
    claims = tab.page.get_by_role("region", name="The policy's own assertions").get_by_role("article")
    expect(claims.first).to_contain_text("proved")
    claims.first.get_by_text("Argument").click()
    expect(claims.first.get_by_role("listitem").first).to_be_visible()


def test_a_typed_claim_is_refuted_by_tables_before_and_after(tab: Tab) -> None:
    tab.show("Refine", "Proof")
    tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Age <= 70")
    tab.press("Prove or refute")
    expect(tab.page.get_by_text("refuted by a counterexample")).to_be_visible()
    expect(tab.table("Example input").first).to_contain_text("71")
    expect(tab.table("Output of the policy").first).to_contain_text("71")
    tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Age <= 90")
    tab.press("Prove or refute")
    expect(tab.page.get_by_text("proved for every table")).to_be_visible()


def test_an_invalid_claim_says_what_is_wrong(tab: Tab) -> None:
    tab.show("Refine", "Proof")
    tab.page.get_by_role("textbox", name="Claim").fill("EACH RESULT : Agee <= 70")
    tab.press("Prove or refute")
    expect(tab.page.get_by_text("unknown column Agee")).to_be_visible()


def test_the_report_is_previewed_in_a_sandboxed_frame(tab: Tab) -> None:
    tab.show("Release")
    tab.press(re.compile("Show the report|Show it again"))
    frame = tab.page.get_by_title("Preview of the report")
    expect(frame).to_have_attribute("sandbox", "")
    expect(frame.content_frame.get_by_text("every check holds")).to_be_visible()


def test_a_violated_check_writes_nothing(tab: Tab, folder: Path) -> None:
    tab.page.get_by_role("textbox", name="Parameter k").fill("3")
    expect(tab.status).to_contain_text("a check is violated")
    tab.show("Release")
    tab.press(re.compile("^(Save and write|Write)$"))
    expect(tab.page.get_by_text("the policy is violated: nothing was written")).to_be_visible()
    assert not (folder / "policy-released.csv").exists()


def test_table_and_report_are_written_and_replaced_only_when_asked(tab: Tab, folder: Path) -> None:
    tab.show("Release")
    tab.press(re.compile("^(Save and write|Write)$"))
    tab.expect_written("policy-released.csv", "policy-report.html", "policy-internal.html")
    assert len((folder / "policy-released.csv").read_text(encoding="utf-8").splitlines()) == 9
    assert "every check holds" in (folder / "policy-report.html").read_text(encoding="utf-8")
    tab.press("Write")
    expect(tab.page.get_by_text("already exist")).to_be_visible()
    tab.press("Replace")
    expect(tab.page.get_by_text("✓ written")).to_be_visible()
    stale = tab.page.get_by_text("The policy or its settings have changed since these files were written.")
    expect(stale).to_have_count(0)
    tab.write("ALWAYS : DROP Age;\n")
    expect(stale).to_be_visible()


def test_roles_are_sent_one_after_the_other(tab: Tab) -> None:
    """Otherwise the server could receive the newest roles first, and keep older ones."""
    held: list[Route] = []
    tab.page.route("**/api/roles", lambda route: held.append(route))
    tab.show("Columns")
    tab.mark(Age="other", Postal_Code="other")
    tab.page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert len(held) == 1
    with tab.page.expect_request("**/api/roles") as second:
        held[0].continue_()
    assert {"Age", "Postal Code"} <= set(second.value.post_data_json["roles"]["other"])
    tab.page.evaluate("0")  # lets the handler see the request
    held[1].continue_()
    tab.page.unroute("**/api/roles")
