"""The page's settings are undone, saved with the policy, shared by tabs, and kept when the server or the page dies."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from acompass.policy import policy_settings, table_roles
from tests.assist.studio.browsing import CLASSES, Tab, open_tab, write_people
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser
from tests.waiting import wait_until

__all__ = ["browser"]

ARGUMENTS = ("people.acp", "people.csv")
DROP = "ALWAYS : DROP Name;\n"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_people(tmp_path)[0]


@pytest.fixture
def address(policy: Path) -> Iterator[str]:
    with start_studio(*ARGUMENTS, folder=policy.parent) as (_, address):
        yield address


def role(tab: Tab, column: str) -> str:
    return tab.page.get_by_role("combobox", name=f"Role of {column}", exact=True).input_value()


def test_settings_are_undone_saved_and_shared(browser: Browser, policy: Path, address: str) -> None:
    with open_tab(browser, address) as tab, open_tab(browser, address) as other:
        tab.page.goto(f"{address.partition('?')[0]}#columns")
        other.page.goto(f"{address.partition('?')[0]}#columns")
        tab.mark(Name="identifier", Age="quasi-identifier")
        expect(tab.page.get_by_text("● not saved")).to_be_visible()
        expect(other.page.get_by_role("combobox", name="Role of Age", exact=True)).to_have_value("quasi-identifier")
        tab.page.get_by_role("heading").first.click()
        tab.page.keyboard.press("ControlOrMeta+z")
        expect(tab.page.get_by_text("Undone: the role of Age")).to_be_attached()
        expect(other.page.get_by_role("combobox", name="Role of Age", exact=True)).to_have_value("none")
        assert role(other, "Name") == "identifier"
        assert not (policy.parent / "acompass.toml").exists()
        other.page.keyboard.press("ControlOrMeta+s")
        expect(tab.page.get_by_text("saved", exact=True)).to_be_visible()
    assert table_roles(policy.with_name("people.csv")).identifiers == ("Name",)
    assert policy_settings(policy).table is not None


def test_settings_of_another_program_are_followed_or_offered(browser: Browser, policy: Path, address: str) -> None:
    settings = policy.with_name("acompass.toml")
    with open_tab(browser, address) as tab:
        tab.page.goto(f"{address.partition('?')[0]}#columns")
        settings.write_text('[table."people.csv"]\nsensitive = ["Disease"]\n', encoding="utf-8")
        expect(tab.page.get_by_role("combobox", name="Role of Disease", exact=True)).to_have_value("sensitive")
        tab.mark(Zip="quasi-identifier")
        settings.write_text('[table."people.csv"]\nother = ["Disease"]\n', encoding="utf-8")
        expect(tab.page.get_by_text("acompass.toml was changed outside the studio")).to_be_visible()
        tab.press("Load their settings")
        expect(tab.page.get_by_role("combobox", name="Role of Disease", exact=True)).to_have_value("other")
        assert role(tab, "Zip") == "none"


def test_a_policy_that_is_deleted_stays_in_the_page(browser: Browser, policy: Path, address: str) -> None:
    with open_tab(browser, address) as tab:
        text = policy.read_text(encoding="utf-8")
        expect(tab.editor).to_contain_text("Age <= 80")
        policy.unlink()
        expect(tab.page.get_by_text("people.acp was deleted outside the studio")).to_be_visible()
        tab.save()
        assert policy.read_text(encoding="utf-8") == text
        policy.with_name("acompass.toml").write_text("[table\n", encoding="utf-8")
        expect(tab.page.get_by_role("alert")).to_contain_text("not TOML")


def test_nothing_is_lost_when_the_server_is_killed(browser: Browser, policy: Path) -> None:
    """The old page goes on after the new address was opened in its browser, and so does the new page."""
    with browser.new_context() as profile:
        old, new = profile.new_page(), profile.new_page()
        with start_studio(*ARGUMENTS, folder=policy.parent) as (process, address):
            tab = Tab(old, address)
            tab.page.goto(f"{address.partition('?')[0]}#columns")
            tab.mark(Name="identifier", Age="quasi-identifier")
            tab.write(CLASSES + DROP)
            old.get_by_role("textbox", name="Parameter k").fill("2")
            tab.show("Open")
            old.get_by_label("Another word").fill("cold")
            old.keyboard.press("Enter")
            expect(old.get_by_text("1 word for missing values")).to_be_visible()
            tab.show("Columns")
            wait_until(lambda: (_kept(old).get("params"), _kept(old).get("reading")) == ({"k": "2"}, {"na": ["cold"]}))
            process.send_signal(signal.SIGKILL)
            wait_until(lambda: process.poll() is not None)
            expect(old.get_by_text("The studio is not responding.")).to_be_visible()
        with start_studio(*ARGUMENTS, folder=policy.parent) as (_, again):
            assert again.partition("?")[0] == address.partition("?")[0]
            assert again != address
            expect(old.get_by_text("belongs to an earlier run")).to_be_visible()
            fresh = Tab(new, again)
            expect(old.get_by_text("this page has reconnected")).to_be_visible()
            expect(tab.editor).to_contain_text("COUNT(*)")
            assert (role(tab, "Name"), role(tab, "Age")) == ("identifier", "quasi-identifier")
            expect(old.get_by_role("textbox", name="Parameter k")).to_have_value("2")
            tab.show("Open")
            expect(old.get_by_text("1 word for missing values")).to_be_visible()
            tab.save()
            expect(fresh.editor).to_contain_text("COUNT(*)")
            expect(new.get_by_role("textbox", name="Parameter k")).to_have_value("2")
        assert tab.complaints + fresh.complaints == []
    assert policy.read_text(encoding="utf-8") == CLASSES + DROP
    assert table_roles(policy.with_name("people.csv")).quasi_identifiers == ("Age",)
    assert dict(policy_settings(policy).params) == {"k": 2}


def test_a_page_that_was_closed_leaves_a_draft(browser: Browser, policy: Path, address: str) -> None:
    origin = address.partition("?")[0]
    with browser.new_context() as profile:
        tab = Tab(profile.new_page(), address)
        tab.page.goto(f"{origin}#columns")
        tab.mark(Zip="quasi-identifier")
        tab.write(CLASSES)
        wait_until(lambda: bool(_kept(tab.page).get("roles")))
        tab.page.evaluate("window.stop()")
        tab.page.reload()
        expect(tab.page.get_by_text("was closed with unsaved changes")).to_be_visible()
        expect(tab.editor).not_to_contain_text("COUNT(*)")
        policy.write_text("EACH RESULT : Age <= 91;\n", encoding="utf-8")
        expect(tab.editor).to_contain_text("Age <= 91")
        tab.press("Restore them")
        expect(tab.editor).to_contain_text("COUNT(*)")
        expect(tab.page.get_by_text("Nothing was overwritten")).to_be_visible()
        tab.press("Keep mine")
        tab.save()
        wait_until(lambda: not _drafts(tab.page))
    assert policy.read_text(encoding="utf-8") == CLASSES


def _drafts(page: Page) -> list[dict[str, object]]:
    stored: dict[str, str] = page.evaluate("({...localStorage})")
    return [json.loads(text) for key, text in stored.items() if key.startswith("acompass-draft")]


def _kept(page: Page) -> dict[str, object]:
    """The settings in the draft of the page, which has no record."""
    drafts = _drafts(page)
    assert not any("Ann" in json.dumps(each) or "21401" in json.dumps(each) for each in drafts)
    return drafts[0]["settings"] if drafts else {}  # type: ignore[return-value]
