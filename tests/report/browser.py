"""Opens a page in a real browser: headless Chromium."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, sync_playwright

from tests.waiting import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_PLAIN = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
#: Blink's numbers for the preferred color schemes
_SCHEMES = {"light": "1", "dark": "0"}


def _browse(*arguments: str) -> str:
    assert CHROMIUM is not None
    ran = subprocess.run([CHROMIUM, *_PLAIN, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return ran.stdout


def dump_dom(page: Path) -> str:
    """The page's elements after the browser has parsed them."""
    return _browse("--window-size=1280,900", "--dump-dom", page.resolve().as_uri())


def screenshot(page: Path, image: Path, scheme: str, size: tuple[int, int]) -> None:
    _browse(
        f"--blink-settings=preferredColorScheme={_SCHEMES[scheme]}",
        f"--window-size={size[0]},{size[1]}",
        f"--screenshot={image}",
        page.resolve().as_uri(),
    )


def print_pdf(page: Path, document: Path) -> None:
    _browse("--no-pdf-header-footer", f"--print-to-pdf={document}", page.resolve().as_uri())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for interactive tests, closed after each module, because asyncio tests need its thread."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def inaccessible(browser: Browser, page: Path, scheme: str, width: int) -> list[str]:
    """The rules of axe-core that a page breaks, with the elements that break them."""
    with browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800}) as tab:
        tab.goto(page.resolve().as_uri())
        found = Axe().run(tab).response["violations"]
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]
