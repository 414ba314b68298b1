"""One server for all tests; each test has its own folder with a policy."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.assist.lsp.editor import SETTINGS, TABLE, Connection, Editor, connect


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def connection() -> AsyncIterator[Connection]:
    async with connect() as connection:
        yield connection


@pytest_asyncio.fixture(loop_scope="session")
async def bare(connection: Connection, tmp_path: Path) -> AsyncIterator[Editor]:
    """An editor on a folder without a table."""
    editor = Editor(connection, tmp_path)
    yield editor
    if editor.version:
        editor.close()


@pytest_asyncio.fixture(loop_scope="session")
async def editor(bare: Editor) -> Editor:
    """An editor on a folder with a table of 100 people and settings for `release.acp`."""
    bare.write(people_csv=TABLE, acompass_toml=SETTINGS)
    return bare
