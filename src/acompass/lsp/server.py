"""The server between the editor and the policies that are open in it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from acompass.arguments import Opening
from acompass.assist.document import Document
from acompass.lsp import threads
from acompass.lsp.failures import internal
from acompass.lsp.findings import published
from acompass.lsp.sheets import Mistakes, Sheet, Sheets
from acompass.lsp.tables import Tables
from acompass.lsp.view import Client, View
from acompass.version import __version__


class Server(LanguageServer):
    """The event loop only reads and writes messages. Texts are sent whole: policies are short, and no two
    programs count the lines of every text alike."""

    def __init__(self, opening: Opening | None = None) -> None:
        super().__init__("acompass", __version__, types.TextDocumentSyncKind.Full)
        self.tables = Tables(opening)
        self.sheets = Sheets(self.tables, self)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def client(self) -> Client:
        return Client(self.client_capabilities, self.server_capabilities.position_encoding)

    def put(self, uri: str, version: int | None) -> None:
        self._loop = asyncio.get_running_loop()
        text = self.workspace.get_text_document(uri).source
        self.sheets.put(uri, version, Document(text, to_fs_path(uri)))

    def view(self, uri: str) -> View | None:
        sheet = self.sheets.get(uri)
        return None if sheet is None else View(sheet, self.client)

    def end(self) -> None:
        """Drop all questions and close all tables, in a thread: an engine may take its time."""
        self.sheets.clear()
        threads.start(self.tables.close)

    def found(self, sheet: Sheet, mistakes: Mistakes) -> None:
        diagnostics = published(View(sheet, self.client), mistakes)
        self._say(sheet, types.PublishDiagnosticsParams(sheet.uri, diagnostics, sheet.version))

    def judged(self, sheet: Sheet) -> None:
        """A client asks for hints when a text changes, but not when a table or the settings do."""
        if sheet.is_again and self.client.can("workspace.inlay_hint.refresh_support"):
            self._soon(self.workspace_inlay_hint_refresh, None)

    def failed(self, error: BaseException) -> None:
        self._soon(self.show, internal(error), types.MessageType.Error)

    def show(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_show_message(types.ShowMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Nothing of the message: it may quote what it could not read."""
        if not isinstance(error, JsonRpcException):
            self.show(internal(error), types.MessageType.Error)

    def _say(self, sheet: Sheet, params: types.PublishDiagnosticsParams) -> None:
        def publish() -> None:
            if self.sheets.is_newest(sheet):
                self.text_document_publish_diagnostics(params)

        self._soon(publish)

    def _soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call in the event loop, which alone writes messages."""
        assert self._loop is not None, "a policy was opened"
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(call, *arguments)
