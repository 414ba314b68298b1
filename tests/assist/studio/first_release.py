"""The steps of docs/first-release.md in the page, for its test and its screenshots: open the example, accept the
proposed roles and change two of them, drop the identifiers, search with k and l, use the answer, look at its lines and
risk, fill in the front page, look at the report, and write."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.assist.studio.browsing import Tab

ROLES = {
    "name": "identifier",
    "insurance number": "identifier",
    "employer": "identifier",
    "age": "quasi-identifier",
    "zip": "quasi-identifier",
    "admission": "quasi-identifier",
    "education": "other",
    "diagnosis": "sensitive",
}


def first_release(tab: Tab) -> Iterator[str]:
    """Go from the start page to the released files, and yield the name of each step after it."""
    tab.press("Open a copy")
    expect(tab.heading("How the table is read")).to_be_visible()
    expect(tab.page.get_by_text("300 records, 8 columns, from")).to_be_visible()
    yield "new"
    tab.page.get_by_role("link", name="Go on to the columns").click()
    _mark_roles(tab)
    yield "table"
    tab.press("Drop identifiers")
    expect(tab.editor).to_contain_text("ALWAYS : DROP name, insurance number, employer;")
    expect(tab.status).to_contain_text("no check in this policy")
    _search(tab)
    yield "suggest"
    tab.press("Use this policy")
    tab.show("Refine", "Lines")
    expect(tab.requirement(8)).to_contain_text("proved")
    expect(tab.status).to_contain_text("no check is violated")
    yield "first-policy"
    tab.show("Refine", "Risk")
    expect(tab.row("Risk before and after", "k").get_by_role("cell")).to_have_text(["1", "3"])
    yield "first-risk"
    _preview(tab)
    yield "report"
    tab.press("Save and write")
    tab.expect_written("admissions-released.csv", "admissions-report.html", "admissions-internal.html")
    tab.page.get_by_text("✓ written").scroll_into_view_if_needed()
    yield "first-written"


def _mark_roles(tab: Tab) -> None:
    """The proposals, and what the curator knows better."""
    tab.press("Accept all proposals")
    expect(tab.page.get_by_text("accepted. Check the reasons below")).to_be_visible()
    tab.mark(employer="identifier", education="other")
    for column, role in ROLES.items():
        expect(tab.page.get_by_role("combobox", name=f"Role of {column}", exact=True)).to_have_value(role)
    expect(tab.page.get_by_text("without a role")).to_have_count(0)


def _search(tab: Tab) -> None:
    tab.show("Rule or search", "Search")
    tab.page.get_by_role("textbox", name="Search for k", exact=True).fill("3")
    tab.page.get_by_role("textbox", name="Search for l", exact=True).fill("2")
    tab.press("Search")
    expect(tab.page.get_by_role("button", name="Use this policy", exact=True)).to_be_visible()


def _preview(tab: Tab) -> None:
    tab.show("Release")
    tab.page.get_by_label("Purpose").fill("Research on admissions")
    tab.page.get_by_role("textbox", name="Recipients", exact=True).fill("The university")
    tab.press("Show the report")
    frame = tab.page.get_by_title("Preview of the report")
    expect(frame.content_frame.get_by_text("every check holds")).to_be_visible()
    frame.scroll_into_view_if_needed()
