"""The page "Your first release in the studio", step by step."""

from pathlib import Path

from playwright.sync_api import Browser

from tests.assist.studio.browsing import browse, copy_admissions
from tests.assist.studio.first_release import first_release
from tests.report.browser import browser

__all__ = ["browser"]


def test_a_raw_table_becomes_a_release(browser: Browser, tmp_path: Path) -> None:
    folder = copy_admissions(tmp_path)
    with browse(browser, folder, "admissions.csv") as tab:
        assert list(first_release(tab))[-1] == "release"
    header, *records = (folder / "admissions-released.csv").read_text(encoding="utf-8").splitlines()
    assert header == "age,zip,education,admission,diagnosis"
    assert len(records) == 298
    assert "every check holds" in (folder / "admissions-report.html").read_text(encoding="utf-8")
    assert (folder / "admissions.acp").read_text(encoding="utf-8").startswith("ALWAYS : DROP name")
