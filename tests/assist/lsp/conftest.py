"""One server for all tests; a policy in a folder of its own for each."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.assist.lsp.editor import SETTINGS, TABLE, Editor, Wire, connected


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def wire() -> AsyncIterator[Wire]:
    async with connected() as wire:
        yield wire


@pytest_asyncio.fixture(loop_scope="session")
async def bare(wire: Wire, tmp_path: Path) -> AsyncIterator[Editor]:
    """An editor on a folder without a table."""
    editor = Editor(wire, tmp_path)
    yield editor
    if editor.version:
        editor.close()


@pytest_asyncio.fixture(loop_scope="session")
async def editor(bare: Editor) -> Editor:
    """An editor on a folder with a table of 100 people and settings for `release.acp`."""
    bare.write(people_csv=TABLE, acompass_toml=SETTINGS)
    return bare
