"""The editor and the panel Policy show mistakes and verdicts as the policy is typed, on the paper's table."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.assist.studio.browsing import ELECTRICITY, Tab
from tests.assist.studio.papers_page import folder, shared_tab
from tests.report.browser import browser

__all__ = ["browser", "folder", "shared_tab"]

POLICY = (ELECTRICITY / "policy.acp").read_text(encoding="utf-8")
CLASS_SIZE, HOMOGENEITY = 27, 35
ONE_CHECK = "EACH RESULT : Age <= {age};\n"


@pytest.fixture
def tab(shared_tab: Tab) -> Tab:
    """The tab with the paper's policy, k = 2 and l = 1, on the panel Policy."""
    shared_tab.write(POLICY)
    for name, value in (("k", "2"), ("l", "1")):
        shared_tab.page.get_by_role("textbox", name=f"Parameter {name}").fill(value)
    shared_tab.show("Refine", "Lines")
    expect(shared_tab.requirement(HOMOGENEITY)).to_contain_text("2 of 10 dropped")
    return shared_tab


def test_each_requirement_has_its_verdict_count_and_proof(tab: Tab) -> None:
    expect(tab.requirement(4)).to_contain_text("✎ 3 of 10 replaced")
    expect(tab.requirement(4)).to_contain_text("∎ proved")
    expect(tab.requirement(CLASS_SIZE)).to_contain_text("✓ holds")
    expect(tab.status).to_contain_text("✓ no check is violated")
    expect(tab.status).to_contain_text("10 records in, 8 records out")


def test_the_verdicts_are_next_to_the_lines(tab: Tab) -> None:
    expect(tab.marks.first).to_contain_text("✎ 3 replaced")
    expect(tab.marks.first).to_contain_text("∎ proved")


def test_changing_k_changes_the_verdict_and_announces_it(tab: Tab) -> None:
    tab.press("Parameter k: one more")
    expect(tab.requirement(CLASS_SIZE)).to_contain_text("✗ violated by 4 of 10")
    expect(tab.requirement(CLASS_SIZE)).to_contain_text("≠ refuted")
    expect(tab.status).to_contain_text("✗ a check is violated")
    announced = tab.page.locator("[role=status][aria-live=polite]")
    expect(announced).to_contain_text(f"Line {CLASS_SIZE}: violated by 4 of 10 records")
    tab.press("Parameter k: one less")
    expect(tab.requirement(CLASS_SIZE)).to_contain_text("✓ holds")


def test_arrow_keys_change_a_parameter(tab: Tab) -> None:
    field = tab.page.get_by_role("textbox", name="Parameter k")
    field.press("ArrowUp")
    expect(field).to_have_value("3")
    expect(tab.requirement(CLASS_SIZE)).to_contain_text("✗ violated")


def test_an_edit_changes_the_verdict(tab: Tab) -> None:
    tab.write(ONE_CHECK.format(age=80))
    expect(tab.requirement(1)).to_contain_text("✗ violated by 3 of 10")
    tab.write(ONE_CHECK.format(age=90))
    expect(tab.requirement(1)).to_contain_text("✓ holds")


def test_only_the_newest_of_many_edits_is_shown(tab: Tab) -> None:
    for age in range(60, 90):
        tab.write(ONE_CHECK.format(age=age))
    expect(tab.requirement(1)).to_contain_text("✓ holds")
    expect(tab.heading("No check is violated")).to_be_visible()


def test_a_mistake_is_shown_as_it_is_typed_and_fixed_from_the_panel(tab: Tab) -> None:
    tab.write("EACH RESULT : Agee <= 90;\n")
    expect(tab.page.get_by_text("unknown column Agee")).to_be_visible()
    expect(tab.status).to_contain_text("✗ 1 error")
    tab.press(re.compile("^Fix: .*Age"))
    expect(tab.editor).to_contain_text("EACH RESULT : Age <= 90;")
    expect(tab.requirement(1)).to_contain_text("✓ holds")


def test_a_mistake_is_fixed_in_the_editor(tab: Tab) -> None:
    tab.write("EACH RESULT : Agee <= 90;\n")
    tab.page.locator(".cm-lintRange-error").hover()
    tab.page.locator(".cm-diagnostic").get_by_role("button", name=re.compile("Age")).click()
    expect(tab.editor).to_contain_text("EACH RESULT : Age <= 90;")


def test_a_warning_is_fixed_and_undone(tab: Tab) -> None:
    tab.press("Fix: remove the requirement")
    expect(tab.editor).not_to_contain_text("Diversity AEC ≥ l")
    tab.editor.press("ControlOrMeta+z")
    expect(tab.page.get_by_role("button", name="Fix: remove the requirement")).to_be_visible()


def test_a_policy_that_does_not_parse_shows_no_verdicts(tab: Tab) -> None:
    tab.write("EACH RESULT : Age <= ;\n")
    expect(tab.status).to_contain_text("✗ 1 error")
    expect(tab.marks).to_have_count(0)


def test_a_policy_is_formatted_by_button_or_key(tab: Tab) -> None:
    tab.write("each result:Age<=90;\n")
    tab.press("Format")
    expect(tab.editor).to_contain_text("EACH RESULT")
    tab.write("each result:Age<=90;\n")
    tab.editor.press("Shift+Alt+f")
    expect(tab.editor).to_contain_text("EACH RESULT")


def test_an_as_name_is_renamed_everywhere(tab: Tab) -> None:
    tab.write("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 1;\n")
    expect(tab.requirement(1)).to_contain_text("✓ holds")
    tab.editor.press("ControlOrMeta+Home")
    for _ in range(len("EACH PROCESS COUNT(*) AS ")):
        tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("F2")
    tab.page.get_by_label("New name").fill("size")
    tab.press("Rename everywhere")
    expect(tab.editor).to_contain_text("AS size GROUP BY Age : size >= 1")
    expect(tab.editor).to_be_focused()


def test_a_rename_that_fails_says_why(tab: Tab) -> None:
    tab.write("EACH RESULT : Age <= 90;\n")
    tab.editor.press("ControlOrMeta+Home")
    tab.press("Rename")
    tab.page.get_by_label("New name").fill("size")
    tab.press("Rename everywhere")
    expect(tab.page.locator("#rename-problem")).not_to_be_empty()
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_label("New name")).to_have_count(0)


def test_completion_offers_the_columns(tab: Tab) -> None:
    tab.write("EACH RESULT : ")
    tab.page.keyboard.type("Pos")
    tab.page.get_by_role("option", name=re.compile("Postal Code")).click()
    expect(tab.editor).to_contain_text("EACH RESULT : Postal Code")


def test_hovering_over_a_word_explains_it(tab: Tab) -> None:
    tab.write("EACH RESULT : Age <= 90;\n")
    expect(tab.requirement(1)).to_contain_text("✓ holds")
    tab.editor.get_by_text("Age").hover(position={"x": 110, "y": 8})
    expect(tab.page.locator(".hover-help")).to_be_visible()


def test_a_policy_is_saved_only_when_asked(tab: Tab, folder: Path) -> None:
    before = (folder / "policy.acp").read_text(encoding="utf-8")
    tab.write(ONE_CHECK.format(age=90))
    expect(tab.page.get_by_text("not saved")).to_be_visible()
    assert (folder / "policy.acp").read_text(encoding="utf-8") == before
    tab.save()
    assert (folder / "policy.acp").read_text(encoding="utf-8") == ONE_CHECK.format(age=90)


def test_columns_that_the_policy_never_names_are_listed(tab: Tab) -> None:
    expect(tab.page.get_by_text("The policy does not name these columns")).to_contain_text("Record ID")
