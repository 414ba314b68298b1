"""A table too large to be asked at every letter is worked on as a sample, and the page says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from acompass.assist.request_queue import SAMPLE, SAMPLE_FROM
from tests.assist.studio.browsing import Tab, browsed
from tests.report.browser import browser

__all__ = ["browser"]

RECORDS = SAMPLE_FROM + 10
POLICY = "EACH RESULT : Age <= 0;\n"


@pytest.fixture(scope="module")
def tab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    folder: Path = tmp_path_factory.mktemp("studio")
    (folder / "large.csv").write_text("Age\n" + "1\n" * RECORDS, encoding="utf-8")
    (folder / "large.acp").write_text(POLICY, encoding="utf-8")
    with browsed(browser, folder, "large.acp", "large.csv") as tab:
        yield tab


def test_a_verdict_of_a_sample_says_so_until_all_records_are_asked_for(tab: Tab) -> None:
    told = f"on a sample of {SAMPLE:,} of {RECORDS:,} records"
    expect(tab.page.get_by_text(told)).to_be_visible()
    expect(tab.requirement(1)).to_contain_text(f"violated by {SAMPLE:,} of {SAMPLE:,}")
    expect(tab.status).to_contain_text("of a sample")
    tab.press("Use all records")
    expect(tab.requirement(1)).to_contain_text(f"violated by {RECORDS:,} of {RECORDS:,}")
    expect(tab.page.get_by_text(told)).to_have_count(0)
    expect(tab.status).not_to_contain_text("sample")
