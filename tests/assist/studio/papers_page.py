"""A tab of the studio with the paper's table, for tests that write their own policy into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.assist.studio.browsing import ELECTRICITY_ARGUMENTS, Tab, browse, copy_electricity
from tests.report.browser import browser

__all__ = ["browser", "folder", "shared_tab"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_electricity(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def shared_tab(browser: Browser, folder: Path) -> Iterator[Tab]:
    with browse(browser, folder, *ELECTRICITY_ARGUMENTS) as tab:
        yield tab
