"""An editor without a window: a client of a real server process, which a policy is written in."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

from tests.waiting import PATIENCE

COMMAND = [sys.executable, "-m", "acompass", "lsp"]


class Editor:
    """Positions are found by the words around them: `at("n >= |k|")` is between the bars."""

    def __init__(self, client: LanguageClient, folder: Path):
        self.client = client
        self.folder = folder
        self.path = folder / "release.acp"
        self.version = 0
        self.text = ""
        self.published: dict[tuple[str, int | None], Sequence[types.Diagnostic]] = {}
        self._arrived = asyncio.Event()
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._publish)

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri, params.version] = params.diagnostics
        self._arrived.set()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path
