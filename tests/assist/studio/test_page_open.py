"""The step Open in a real browser: from the start page to the columns, by mouse and by keyboard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.assist.studio.browsing import LONGEST, PEOPLE, write_people
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

BIRDS = """\
id;species;seen;weight
1;owl;30/9/1990 0:00:00;1,5
2;owl;1/10/1990 0:00:00;2,5
3;;2/10/1990 0:00:00;
4;jay;4/10/1990 0:00:00;0,5
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recent projects of other tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))


@contextmanager
def start_page(browser: Browser, folder: Path, *arguments: str) -> Iterator[Page]:
    """A tab on a studio in its own process; an error in its console fails the test."""
    with start_studio(*arguments, folder=folder) as (_, address), browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        yield page
        assert complaints == []


def columns_link(page: Page) -> Locator:
    return page.get_by_role("link", name="Go on to the columns")


def test_the_example_leads_to_the_columns(browser: Browser, tmp_path: Path) -> None:
    with start_page(browser, tmp_path) as page:
        page.get_by_role("button", name="Open a copy").click()
        expect(page.get_by_role("heading", name="admissions.csv")).to_be_visible()
        expect(page.get_by_text(re.compile("300 records, 8 columns, from"))).to_be_visible()
        expect(columns_link(page)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="8 columns of 300 records")).to_be_visible()
        page.go_back()
        page.get_by_text("Open another table").click()
        expect(page.get_by_role("button", name=re.compile("^admissions.csv in"))).to_be_visible()


def test_a_file_is_opened_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    write_people(inner)
    with start_page(browser, tmp_path) as page:
        page.get_by_role("searchbox", name="Filter the files").focus()
        page.keyboard.type("inn")
        page.keyboard.press("Enter")
        expect(page.locator(".browser .path")).to_have_text(str(inner))
        expect(page.get_by_role("button", name="people.acp")).to_be_focused()
        page.keyboard.press("Backspace")
        expect(page.locator(".browser .path")).to_have_text(str(tmp_path))
        page.get_by_role("searchbox", name="Filter the files").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".browser .path")).to_have_text(str(inner))
        page.get_by_role("searchbox", name="Filter the files").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("button", name="people.csv")).to_be_focused()
        page.keyboard.press("Enter")
        expect(columns_link(page)).to_be_focused()


def test_a_dropped_file_is_read_as_it_was_found(browser: Browser, tmp_path: Path) -> None:
    """Choosing the file is the only action; what was assumed is shown, and changed where it stands."""
    table = tmp_path / "elsewhere" / "birds.csv"
    table.parent.mkdir()
    table.write_text(BIRDS, encoding="utf-8")
    with start_page(browser, tmp_path) as page:
        page.get_by_label("Drop a file anywhere here").set_input_files(table)
        expect(columns_link(page)).to_be_visible()
        expect(
            page.get_by_text(re.compile(r"Read with: delimiter semicolon \(;\), .*decimal comma, dates in seen"))
        ).to_be_visible()
        row = page.get_by_role("table", name="Missing values and dates").get_by_role("row", name="species")
        expect(page.get_by_text("Missing values of 2 columns are not decided")).to_be_visible()
        page.get_by_role("button", name="Drop the records").click()
        expect(row).to_contain_text("drops 1 of 4 records")
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(row).to_contain_text("a policy that uses this column cannot run yet")
        records = page.get_by_role("table", name="as they are read")
        expect(records.get_by_role("row").nth(1)).to_contain_text("1.5")
        expect(page.get_by_text("all values are dates like 31/12/1999 0:00:00")).to_be_visible()
        page.get_by_label("Another word").fill("jay")
        page.keyboard.press("Enter")
        expect(row).to_contain_text("2 of 4 records")
        page.get_by_role("checkbox", name="jay").uncheck()
        expect(row).to_contain_text("1 of 4 records; a policy that uses this column cannot run yet")
        row.get_by_role("combobox", name="Missing values of species").select_option("drop the records")
        expect(row).to_contain_text("drops 1 of 4 records")
        row.get_by_role("combobox", name="Missing values of species").select_option("keep as a category")
        expect(row).to_contain_text("become the category")
        page.get_by_label("Decimal mark").select_option(".")
        expect(page.get_by_text("Read with:")).not_to_contain_text("decimal comma")
        page.get_by_label("Decimal mark").select_option(",")
        expect(page.get_by_text("Read with:")).to_contain_text("decimal comma")
        expect(row).to_contain_text("become the category")


def test_a_choice_that_fails_is_taken_back(browser: Browser, tmp_path: Path) -> None:
    _, table = write_people(tmp_path)
    with start_page(browser, tmp_path, "people.csv") as page:
        page.get_by_role("link", name="Open", exact=True).click()
        expect(page.get_by_text("Read with:")).to_be_visible()
        table.write_text("Name,Age\nAnn\n", encoding="utf-8")
        page.get_by_label("Decimal mark").select_option(",")
        expect(page.get_by_text("people.csv is still read as before")).to_be_visible()
        expect(page.locator(".problems")).to_contain_text("AC242")
        expect(page.locator("#reading-decimal")).to_have_value(".")


def test_what_the_command_line_did_not_say_is_offered(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "birds.csv").write_text(BIRDS, encoding="utf-8")
    with start_page(browser, tmp_path, "birds.csv") as page:
        page.get_by_role("link", name="Open", exact=True).click()
        expect(page.get_by_text("Found, but not used: decimal mark, date formats")).to_be_visible()
        page.get_by_role("button", name="Use what was found").click()
        expect(page.get_by_text("Read with:")).to_contain_text("decimal comma, dates in seen")
        expect(page.get_by_text("Found, but not used")).to_have_count(0)


def test_a_file_that_cannot_be_opened_has_the_control_beside_its_error(browser: Browser, tmp_path: Path) -> None:
    _, table = write_people(tmp_path)
    (tmp_path / "other.csv").write_text(PEOPLE, encoding="utf-8")
    with start_page(browser, tmp_path, "people.csv") as page:
        page.get_by_role("link", name="Open", exact=True).click()
        table.write_text("1990,21401\n1991,21402\n1992,21403\n", encoding="utf-8")
        page.get_by_text("Open another table").click()
        page.get_by_role("button", name="people.csv in").click()
        page.get_by_role("button", name="Choose another file").click()
        page.get_by_text("Open another table").click()
        page.get_by_role("button", name="other.csv").click()
        expect(page.get_by_role("heading", name="other.acp")).to_be_visible()
        page.get_by_text("Open another table").click()
        page.get_by_role("button", name="people.csv in").click()
        expect(page.get_by_text("people.csv is not open yet")).to_be_visible()
        problem = page.locator(".problems")
        expect(problem).to_contain_text("AC251")
        expect(problem).not_to_contain_text("--header")
        problem.get_by_role("combobox").select_option("has the names of the columns")
        expect(page.get_by_text("✓ The first records can be read like this")).to_be_visible()
        problem.get_by_role("button", name="Open with this").click()
        expect(page.get_by_text("2 records, 2 columns, from")).to_be_visible()


DROP = """([place, name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(place).dispatchEvent(event);
  return event.defaultPrevented;
}"""


def test_a_file_may_be_dropped_anywhere_and_never_becomes_text(browser: Browser, tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "titled.csv").write_text("Export,,\nAge,Zip,Sex\n1,2,F\n", encoding="utf-8")
    with start_page(browser, tmp_path) as page:
        page.goto(f"{page.url.partition('#')[0]}#columns")
        page.get_by_role("button", name="titled.csv").click()
        expect(page.get_by_text("columns 2 and 3 have no name")).to_be_visible()
        expect(page.get_by_role("combobox", name="Delimiter")).to_be_visible()
        page.get_by_role("button", name="Choose another file").click()
        assert page.evaluate(DROP, ["header", "one.csv", "Age\n1\n2\n"])
        expect(page.get_by_role("heading", name="one.csv")).to_be_visible()
        assert page.evaluate(DROP, [".cm-content", "two.csv", "Age\n1\n2\n"])
        expect(page.get_by_role("heading", name="two.csv")).to_be_visible()
        columns_link(page).click()
        expect(page.get_by_role("heading", name=re.compile("of 2 records"))).to_be_visible()
        assert page.evaluate(DROP, [".cm-content", "three.csv", "Age\n1\n2\n"])
        expect(page.get_by_text("drop the file there")).to_be_visible()
        expect(page.get_by_role("textbox", name="Policy text")).not_to_contain_text("Age")


def test_two_tabs_notice_each_other(browser: Browser, tmp_path: Path) -> None:
    write_people(tmp_path)
    with (
        start_studio("people.csv", folder=tmp_path) as (_, address),
        browser.new_context() as context,
    ):
        first, second = context.new_page(), context.new_page()
        for page in (first, second):
            page.set_default_timeout(LONGEST)
            page.goto(address)
            page.get_by_role("link", name="Open", exact=True).click()
        second.get_by_text("Open another table").click()
        second.get_by_role("button", name="Open a copy").click()
        expect(columns_link(second)).to_be_visible()
        expect(first.get_by_text("Another page has opened another table")).to_be_visible()
        first.get_by_role("button", name="Go to that table").click()
        expect(first.get_by_role("heading", name="admissions.csv")).to_be_visible()
