"""The last step in a real browser: promises with their controls, the front page, and the files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from acompass.policy import policy_settings
from tests.assist.studio.browsing import CLASSES, Tab, open_tab, write_people
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

DROP = "ALWAYS : DROP Name;\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_people(tmp_path, CLASSES)
    settings = '# ours\n[table."people.csv"]\nidentifiers = ["Name"]\nquasi-identifiers = ["Age", "Zip"]\n'
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    return tmp_path


@pytest.fixture
def tab(browser: Browser, folder: Path) -> Iterator[Tab]:
    with start_studio("people.acp", "people.csv", folder=folder) as (_, address), open_tab(browser, address) as tab:
        tab.show("Release")
        yield tab


def promises(tab: Tab) -> Locator:
    return tab.page.get_by_role("region", name="What this release promises")


def test_from_an_unbound_parameter_to_the_written_release(tab: Tab, folder: Path) -> None:
    write = tab.page.get_by_role("button", name="Write", exact=True)
    expect(tab.page.get_by_text("Nothing can be written before the policy has values for k.")).to_be_visible()
    expect(write).to_be_disabled()
    promises(tab).get_by_role("textbox", name="Value of k").fill("2")
    expect(promises(tab)).to_contain_text("form classes with at least 2 records")
    expect(promises(tab)).to_contain_text("The identifier Name would be released")
    promises(tab).get_by_role("button", name="Fix: add ALWAYS : DROP Name;").click()
    expect(promises(tab)).to_contain_text("The identifier Name is not in the released table")
    expect(promises(tab)).to_contain_text("Disease has no role")
    promises(tab).get_by_role("combobox", name="Role of Disease").select_option("sensitive")
    expect(promises(tab)).to_contain_text("Nothing is promised about Disease within a class")
    expect(promises(tab)).not_to_contain_text("no role")
    tab.page.get_by_label("Purpose").fill("A study of tests")
    tab.page.get_by_label("Valid until").fill("2027-12-31")
    tab.press("Save and write")
    expect(tab.page.get_by_text("✓ written")).to_be_visible()
    expect(tab.page.get_by_text(str(folder))).to_be_visible()
    assert (folder / "people-released.csv").read_text().startswith("Age,Zip,Disease\n")
    settings = policy_settings(folder / "people.acp")
    assert (dict(settings.params), settings.purpose) == ({"k": 2}, "A study of tests")
    assert str(settings.valid_until) == "2027-12-31"
    assert (folder / "acompass.toml").read_text().startswith("# ours\n")
    for name, title in (("report for the recipients", "A study of tests"), ("internal report", "do not publish")):
        with tab.page.context.expect_page() as opened:
            tab.page.get_by_role("link", name=f"Open the {name}").click()
        expect(opened.value.get_by_text(title).first).to_be_visible()


def test_a_violated_line_is_named_with_what_to_do(tab: Tab, folder: Path) -> None:
    tab.write("EACH RESULT : Age <= 80;\n" + DROP)
    tab.mark(Disease="other")
    expect(promises(tab)).to_contain_text("is violated by 1 of 6 records")
    tab.press("Save and write")
    expect(tab.page.get_by_text("✗ the policy is violated: nothing was written")).to_be_visible()
    region = tab.page.get_by_role("region", name="Write the release")
    region.get_by_role("button", name="line 1").click()
    expect(tab.editor).to_be_focused()
    assert not (folder / "people-released.csv").exists()
