"""axe-core finds no problems on a report: WCAG 2.2 AA and best practices."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import acompass
from tests.report.browser import inaccessible
from tests.report.pages import POLICY, people

WIDE, NARROW = 1280, 390


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report of each command that writes one."""
    folder = tmp_path_factory.mktemp("reports")
    before, after, params = folder / "people.csv", folder / "out.csv", {"k": 2}
    before.write_text(people(), encoding="utf-8")
    pages = {"report": folder / "run.html", "report_internal": folder / "internal.html"}
    acompass.run(POLICY, before, params=params, output=after, **pages)
    acompass.check(POLICY, before, params=params, report=folder / "check.html")
    acompass.measure(after, policy=POLICY, against=before, report=folder / "measure.html")
    return folder


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("command", ["run", "internal", "check", "measure"])
def test_a_report_is_accessible(browser: Browser, reports: Path, command: str, scheme: str, width: int) -> None:
    assert inaccessible(browser, reports / f"{command}.html", scheme, width) == []


def test_axe_finds_a_pale_verdict(browser: Browser, reports: Path, tmp_path: Path) -> None:
    page = (reports / "run.html").read_text(encoding="utf-8")
    pale = tmp_path / "pale.html"
    pale.write_text(re.sub(r"--good: #\w+", "--good: #15803d", page, count=1), encoding="utf-8")
    found = inaccessible(browser, pale, "light", WIDE)
    assert found
    assert all("verdict good" in each for each in found)
