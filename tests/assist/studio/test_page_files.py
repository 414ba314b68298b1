"""Other tabs and programs may change the policy file; the page never overwrites a change it has not shown."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import Tab, open_tab, write_people
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser
from tests.waiting import wait_until

__all__ = ["browser"]

ARGUMENTS = ("people.acp", "people.csv")
THEIRS, MINE = "EACH RESULT : Age <= 91;\n", "EACH RESULT : Age <= 92;\n"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_people(tmp_path)[0]


@pytest.fixture
def address(policy: Path) -> Iterator[str]:
    with start_studio(*ARGUMENTS, folder=policy.parent) as (_, address):
        yield address


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Tab]:
    with open_tab(browser, address) as tab:
        tab.show("Refine", "Lines")
        yield tab


def content(policy: Path) -> str:
    return policy.read_text(encoding="utf-8")


def test_a_page_without_changes_follows_the_file(tab: Tab, policy: Path) -> None:
    policy.write_text(THEIRS, encoding="utf-8")
    expect(tab.editor).to_contain_text("Age <= 91")
    expect(tab.page.get_by_text("was changed outside the studio")).to_be_visible()
    tab.press("Dismiss")
    expect(tab.requirement(1)).to_contain_text("✓ holds")


def test_an_outside_change_is_noticed_and_can_be_loaded(tab: Tab, policy: Path) -> None:
    tab.write(MINE)
    policy.write_text(THEIRS, encoding="utf-8")
    tab.page.get_by_text("Show differences").click()
    expect(tab.page.locator(".diff")).to_contain_text("Age <= 91")
    tab.press("Load theirs")
    expect(tab.editor).to_contain_text("Age <= 91")
    tab.editor.press("ControlOrMeta+z")
    expect(tab.editor).to_contain_text("Age <= 92")
    assert content(policy) == THEIRS


def test_an_outside_change_is_not_overwritten_before_it_was_seen(tab: Tab, policy: Path) -> None:
    tab.write(MINE)
    policy.write_text(THEIRS, encoding="utf-8")
    tab.press("Save")
    expect(tab.page.get_by_text("Nothing was overwritten")).to_be_visible()
    assert content(policy) == THEIRS
    tab.press("Keep mine")
    expect(tab.page.get_by_text("not saved")).to_be_visible()
    tab.save()
    assert content(policy) == MINE


def test_two_tabs_share_a_file(tab: Tab, browser: Browser, address: str, policy: Path) -> None:
    with open_tab(browser, address) as other:
        other.write(THEIRS)
        other.save()
        expect(tab.editor).to_contain_text("Age <= 91")
        tab.write(MINE)
        other.write("EACH RESULT : Age <= 93;\n")
        other.save()
        expect(tab.page.get_by_text("Nothing was overwritten")).to_be_visible()
    assert content(policy) == "EACH RESULT : Age <= 93;\n"


def test_the_first_save_creates_a_new_policy(browser: Browser, policy: Path) -> None:
    policy.unlink()
    with start_studio("people.csv", folder=policy.parent) as (_, address), open_tab(browser, address) as tab:
        expect(tab.page.get_by_text("new file")).to_be_visible()
        tab.show("Refine", "Lines")
        expect(tab.heading("Getting started")).to_be_visible()
        tab.write(MINE)
        expect(tab.requirement(1)).to_contain_text("✓ holds")
        assert not policy.exists()
        tab.save()
    assert content(policy) == MINE


def test_the_text_survives_the_end_of_the_server(browser: Browser, policy: Path) -> None:
    with start_studio(*ARGUMENTS, folder=policy.parent) as (process, address), open_tab(browser, address) as tab:
        tab.write(MINE)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: process.poll() is not None)
        expect(tab.page.get_by_text("The studio is not responding.")).to_be_visible()
        expect(tab.editor).to_contain_text("Age <= 92")


def test_a_page_of_an_earlier_studio_says_so(browser: Browser, policy: Path, address: str) -> None:
    with open_tab(browser, address) as tab:
        tab.page.context.clear_cookies()
        expect(tab.page.get_by_text("belongs to an earlier run")).to_be_visible()


def test_missing_values_are_decided_beside_their_error(browser: Browser, tmp_path: Path) -> None:
    paths = write_people(tmp_path, table="Age,Zip\n34,21401\n,21402\n")
    with (
        start_studio(*(path.name for path in paths), folder=tmp_path) as (_, address),
        open_tab(browser, address) as tab,
    ):
        tab.show("Refine", "Lines")
        expect(tab.page.get_by_text("missing").first).to_be_visible()
        tab.page.get_by_role("combobox", name="Missing values of Age").first.select_option("drop the records")
        expect(tab.status).to_contain_text("✓ no check is violated")
        expect(tab.page.get_by_text("1 of them incomplete")).to_be_visible()
