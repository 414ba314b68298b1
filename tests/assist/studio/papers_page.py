"""A tab of the studio on the paper's table, for tests that write a policy of their own into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.assist.studio.browsing import ELECTRICITY_ARGUMENTS, Tab, browsed, electricity
from tests.report.browser import browser

__all__ = ["browser", "folder", "opened"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return electricity(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def opened(browser: Browser, folder: Path) -> Iterator[Tab]:
    with browsed(browser, folder, *ELECTRICITY_ARGUMENTS) as tab:
        yield tab
