"""Column names, values and policies are shown as text, whatever they contain."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import open_tab
from tests.assist.studio.pages import start_studio
from tests.report.browser import browser

__all__ = ["browser"]

MARKUP = "<img src=x onerror=alert(1)>"
TABLE = f'"{MARKUP}",Age\n' + f'"<script>alert(2)</script>{MARKUP}",34\n' * 20
POLICY = f'-- {MARKUP}\nEACH PROCESS COUNT(*) AS n GROUP BY "{MARKUP}" : n >= 2;\n'


def test_markup_is_shown_and_never_becomes_an_element(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "people.acp").write_text(POLICY, encoding="utf-8")
    with start_studio("people.csv", folder=tmp_path) as (_, address), open_tab(browser, address) as tab:
        tab.page.on("dialog", lambda dialog: tab.complaints.append(dialog.message))
        expect(tab.requirement(2)).to_contain_text(MARKUP)
        tab.show("Table")
        expect(tab.row("Columns with their roles", MARKUP[:4])).to_contain_text(MARKUP)
        tab.page.get_by_role("combobox", name=f"Role of {MARKUP}").select_option("quasi-identifier")
        expect(tab.page.locator(".cards").get_by_text(MARKUP).first).to_be_visible()
        tab.show("Risk")
        expect(tab.page.get_by_role("img", name="Records by the size of their class")).to_be_visible()
        tab.show("Record")
        tab.page.get_by_role("switch", name="Show records").check()
        tab.press("Explain")
        expect(tab.table("Values of record 1")).to_contain_text("<script>alert(2)</script>")
        assert tab.page.locator("img, #app script").count() == 0
