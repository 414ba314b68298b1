"""The page "Your first release in the studio", step by step."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.assist.studio.browsing import browse
from tests.assist.studio.first_release import first_release
from tests.report.browser import browser

__all__ = ["browser"]


def test_a_raw_table_becomes_a_release(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))  # of the copy of the example
    with browse(browser, tmp_path) as tab:
        *_, last = first_release(tab)
        assert last == "first-written"
    (folder,) = (path.parent for path in tmp_path.rglob("admissions-released.csv"))
    header, *records = (folder / "admissions-released.csv").read_text(encoding="utf-8").splitlines()
    assert header == "age,zip,education,admission,diagnosis"
    assert len(records) == 300
    report = (folder / "admissions-report.html").read_text(encoding="utf-8")
    assert "every check holds" in report
    assert "Research on admissions" in report
    assert (folder / "admissions.acp").read_text(encoding="utf-8").startswith("ALWAYS : DROP name")
