"""An editor without a window: a client of a real server process."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from acompass.assist.lsp.view import Positions
from acompass.errors.diagnostics import Edit, Source, apply_edits
from tests.waiting import PATIENCE

COMMAND = (sys.executable, "-m", "acompass", "lsp")
TABLE = "Age,Zip,Job\n" + "".join(f"{20 + i % 40},{21200 + i % 5},{('judge', 'nurse')[i % 2]}\n" for i in range(100))
SETTINGS = '[policy."release.acp"]\ntable = "people.csv"\nparams = { k = 5 }\n'


class Connection:
    """A client of a server, and the notifications and requests that the server has sent."""

    def __init__(self, client: LanguageClient):
        self.client = client
        self.encoding: str | None = None
        self.registered: list[types.Registration] = []
        self.refreshed = 0
        self.published: dict[tuple[str, int | None], Sequence[types.Diagnostic]] = {}
        self._arrival = asyncio.Condition()

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self._arrival:
            await self._arrival.wait_for(happened)

    async def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri, params.version] = params.diagnostics
        await self._notify()

    async def register(self, params: types.RegistrationParams) -> None:
        self.registered.extend(params.registrations)
        await self._notify()

    async def refresh(self, _: Any) -> None:
        self.refreshed += 1
        await self._notify()

    async def _notify(self) -> None:
        async with self._arrival:
            self._arrival.notify_all()


class Editor:
    """An open policy. `at("n >= |k")` finds a position by the text around it: the bar marks it."""

    def __init__(self, connection: Connection, folder: Path):
        self.connection = connection
        self.client = connection.client
        self.folder = folder
        self.path = folder / "release.acp"
        self.version: int | None = 0
        self.text = ""

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    @property
    def positions(self) -> Positions:
        return Positions(Source(self.text), self.connection.encoding)

    def write(self, **files: str) -> None:
        """Write files next to the policy: `people_csv` is people.csv."""
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text, encoding="utf-8")

    def open(self, text: str) -> None:
        self.text, self.version = text, 1
        item = types.TextDocumentItem(self.uri, "acompass", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str) -> None:
        self.text, self.version = text, (self.version or 0) + 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def report_changed(self, *names: str) -> None:
        """Notify the server that files next to the policy have changed."""
        events = [types.FileEvent((self.folder / name).as_uri(), types.FileChangeType.Changed) for name in names]
        self.connection.published.clear()
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    async def diagnostics(self) -> Sequence[types.Diagnostic]:
        """Wait for the diagnostics of the newest version."""
        key = self.uri, self.version
        await self.connection.until(lambda: key in self.connection.published)
        return self.connection.published[key]

    async def final_diagnostics(self) -> Sequence[types.Diagnostic]:
        """Wait until the table is open, and return the last diagnostics. Others may have come before."""
        await self.hints()
        return await self.diagnostics()

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document))
        self.version = None

    def at(self, words: str) -> types.Position:
        """The position of the bar."""
        before, _, after = words.partition("|")
        assert self.text.count(before + after) == 1, words
        return self.positions.position(self.text.index(before + after) + len(before))

    def whole(self) -> types.Range:
        return types.Range(types.Position(0, 0), self.positions.position(len(self.text)))

    def text_in(self, range_: types.Range) -> str:
        span = self.positions.span(range_)
        return self.text[span.start : span.end]

    def apply(self, edits: Sequence[Any]) -> str:
        return apply_edits(self.text, [Edit(self.positions.span(edit.range), edit.new_text) for edit in edits])

    async def hints(self) -> list[str]:
        """The inlay hints, as `line: label`."""
        params = types.InlayHintParams(self.document, self.whole())
        found = await self.client.text_document_inlay_hint_async(params)
        return [f"{hint.position.line + 1}: {hint.label}" for hint in found or ()]

    async def command(self, name: str, *arguments: Any) -> dict[str, str]:
        params = types.ExecuteCommandParams(f"acompass.{name}", arguments=[self.uri, *arguments])
        answer: dict[str, str] = await self.client.workspace_execute_command_async(params)
        return answer


@asynccontextmanager
async def connect(
    capabilities: types.ClientCapabilities | None = None, command: Sequence[str] = COMMAND
) -> AsyncIterator[Connection]:
    """Start a server and initialize it with the client's capabilities."""
    client = LanguageClient(converter_factory=default_converter)
    connection = Connection(client)
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **_own_features(connection)})
    await client.start_io(*command)
    try:
        result = await client.initialize_session(types.InitializeParams(capabilities or modern_capabilities()))
        connection.encoding = result.capabilities.position_encoding
        yield connection
        await client.shutdown_session()
    finally:
        await client.stop()


def _own_features(connection: Connection) -> dict[str, Any]:
    async def publish(params: types.PublishDiagnosticsParams) -> None:
        await connection.publish(params)

    async def register(params: types.RegistrationParams) -> None:
        await connection.register(params)

    async def refresh(params: Any) -> None:
        await connection.refresh(params)

    return {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        types.CLIENT_REGISTER_CAPABILITY: register,
        types.WORKSPACE_INLAY_HINT_REFRESH: refresh,
    }


def modern_capabilities() -> types.ClientCapabilities:
    """The capabilities of VS Code; the stored list is older than inlay hints."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


class RawServer:
    def __init__(self, process: "subprocess.Popen[bytes]"):
        self.process = process
        self.received: list[dict[str, Any]] = []

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def request(self, number: int, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self.until(lambda answer: answer.get("id") == number and "method" not in answer)

    def until(self, is_wanted: Any) -> dict[str, Any]:
        while True:
            message = self._read_message()
            self.received.append(message)
            if is_wanted(message):
                return message

    def _read_message(self) -> dict[str, Any]:
        """Read a message; any other byte on standard output is an error."""
        assert self.process.stdout is not None
        headers = {}
        while (line := self.process.stdout.readline()) != b"\r\n":
            name, value = line.decode("ascii").split(": ")
            headers[name] = value.strip()
        message: dict[str, Any] = json.loads(self.process.stdout.read(int(headers["Content-Length"])))
        return message

    def start(self, **capabilities: Any) -> None:
        self.request(0, "initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.notify("initialized")

    def open(self, path: Path, text: str) -> dict[str, str]:
        item = {"uri": path.as_uri(), "languageId": "acompass", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)
        return {"uri": path.as_uri()}

    def wait(self) -> tuple[int, bytes]:
        """Wait for the end, with the input open; return the exit code and standard error."""
        self.process.wait(PATIENCE)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


@contextmanager
def raw_server(**environment: str) -> Iterator[RawServer]:
    pipe = subprocess.PIPE
    settings = {**os.environ, **environment}
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=settings) as process:
        try:
            yield RawServer(process)
        finally:
            process.kill()
