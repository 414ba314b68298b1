"""Run the commands and Python blocks of the documentation and compare their output with the pages."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import blocks, pages, servers, without_blocks
from tests.docs.running import performed
from tests.docs.shell import COLUMNS
from tests.docs.update import UPDATING
from tests.repo.sources import shown

TEXTS = {page: page.read_text(encoding="utf-8") for page in pages()}


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if blocks(text)], ids=shown)
def test_a_page_shows_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    text = TEXTS[page]
    addresses = {name: _address(server, request) for server, name in servers(text).items()}
    happened = performed(text, tmp_path, addresses)
    if request.config.pluginmanager.has_plugin(UPDATING):
        page.write_text(happened, encoding="utf-8")
    assert text.splitlines() == happened.splitlines()


def _address(server: str, request: pytest.FixtureRequest) -> str:
    match server:
        case "postgres":
            return str(request.getfixturevalue("postgres").url("english"))
        case "spark":
            return str(request.getfixturevalue("spark").sparkContext.master)
        case "cluster":
            return str(request.getfixturevalue("cluster").url)
        case _:
            raise ValueError(f"no server `{server}` to run a page with")


@pytest.mark.parametrize("page", TEXTS, ids=shown)
def test_every_block_is_one_that_is_found(page: Path) -> None:
    """A fence that is indented or uses `~~~` would not be run."""
    assert re.findall(r"^\s*(?:```|~~~).*", without_blocks(TEXTS[page]), re.MULTILINE) == []


def test_the_pages_that_teach_are_run() -> None:
    run = {
        shown(page)
        for page, text in TEXTS.items()
        if any(block.language in ("console", "python") and block.excuse is None for block in blocks(text))
    }
    assert {"README.md", "docs/tutorial.md", "docs/measure.md", "examples/adult/README.md"} <= run
