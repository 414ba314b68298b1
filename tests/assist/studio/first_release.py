"""The steps of docs/first-release.md in the page, for its test and its screenshots."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.assist.studio.browsing import Tab

DROP = "Insert Drop name, insurance number, employer"


def first_release(tab: Tab) -> Iterator[str]:
    """Go from a raw table to the released files, and yield the name of each step after it."""
    expect(tab.heading("Getting started")).to_be_visible()
    yield "new"
    _mark_roles(tab)
    expect(tab.page.get_by_role("button", name=DROP)).to_be_visible()
    yield "table"
    tab.press(DROP)
    expect(tab.editor).to_contain_text("ALWAYS : DROP name")
    expect(tab.status).to_contain_text("no check in this policy")
    _search(tab)
    yield "suggest"
    tab.press("Accept")
    tab.show("Policy")
    expect(tab.requirement(8)).to_contain_text("proved")
    expect(tab.status).to_contain_text("no check is violated")
    yield "first-policy"
    tab.show("Risk")
    expect(tab.row("Risk before and after", "k").get_by_role("cell")).to_have_text(["1", "3"])
    yield "first-risk"
    _preview(tab)
    yield "report"
    tab.press("Save and write")
    expect(tab.page.get_by_text("✓ written")).to_be_visible()
    tab.page.get_by_text("✓ written").scroll_into_view_if_needed()
    yield "release"


def _mark_roles(tab: Tab) -> None:
    tab.show("Table")
    tab.mark(name="identifier", insurance_number="identifier", employer="identifier")
    tab.mark(age="quasi-identifier", zip="quasi-identifier", admission="quasi-identifier")
    tab.mark(diagnosis="sensitive")
    expect(tab.page.get_by_text("1 column without a role: education")).to_be_visible()
    tab.press("Mark as other")
    expect(tab.page.get_by_role("combobox", name="Role of education", exact=True)).to_have_value("other")


def _search(tab: Tab) -> None:
    tab.show("Release")
    tab.page.get_by_role("textbox", name="Search for k", exact=True).fill("3")
    tab.page.get_by_role("textbox", name="Search for l", exact=True).fill("2")
    tab.press("Search")
    expect(tab.page.get_by_role("button", name="Accept", exact=True)).to_be_visible()


def _preview(tab: Tab) -> None:
    tab.show("Release")
    tab.press("Show the report")
    frame = tab.page.get_by_title("Preview of the report")
    expect(frame.content_frame.get_by_text("every check holds")).to_be_visible()
    frame.scroll_into_view_if_needed()
