"""For a large table, the page uses a sample while the policy is typed, and says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from acompass.assist.request_queue import SAMPLE, SAMPLE_FROM
from tests.assist.studio.browsing import Tab, browse
from tests.report.browser import browser

__all__ = ["browser"]

RECORDS = SAMPLE_FROM + 10
POLICY = "EACH RESULT : Age <= 0;\n"


@pytest.fixture(scope="module")
def tab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    folder: Path = tmp_path_factory.mktemp("studio")
    (folder / "large.csv").write_text("Age\n" + "1\n" * RECORDS, encoding="utf-8")
    (folder / "large.acp").write_text(POLICY, encoding="utf-8")
    with browse(browser, folder, "large.acp", "large.csv") as tab:
        yield tab


def test_a_verdict_on_a_sample_says_so_until_all_records_are_used(tab: Tab) -> None:
    note = f"on a sample of {SAMPLE:,} of {RECORDS:,} records"
    expect(tab.page.get_by_text(note)).to_be_visible()
    tab.show("Refine", "Lines")
    expect(tab.requirement(1)).to_contain_text(f"violated by {SAMPLE:,} of {SAMPLE:,}")
    expect(tab.status).to_contain_text("of a sample")
    tab.press("Use all records")
    expect(tab.requirement(1)).to_contain_text(f"violated by {RECORDS:,} of {RECORDS:,}")
    expect(tab.page.get_by_text(note)).to_have_count(0)
    expect(tab.status).not_to_contain_text("sample")
