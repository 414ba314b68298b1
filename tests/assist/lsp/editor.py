"""An editor without a window: a client of a real server process, in which a policy is written."""

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
from acompass.errors.diagnostics import Edit, Source
from acompass.errors.fixes import apply_edits
from tests.waiting import PATIENCE

COMMAND = (sys.executable, "-m", "acompass", "lsp")
TABLE = "Age,Zip,Job\n" + "".join(f"{20 + i % 40},{21200 + i % 5},{('judge', 'nurse')[i % 2]}\n" for i in range(100))
SETTINGS = '[policy."release.acp"]\ntable = "people.csv"\nparams = { k = 5 }\n'


class Wire:
    """A client of a server, and what the server has sent by itself."""

    def __init__(self, client: LanguageClient):
        self.client = client
        self.encoding: str | None = None
        self.registered: list[types.Registration] = []
        self.refreshed = 0
        self.published: dict[tuple[str, int | None], Sequence[types.Diagnostic]] = {}
        self._news = asyncio.Condition()

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(happened)

    async def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri, params.version] = params.diagnostics
        await self._tell()

    async def register(self, params: types.RegistrationParams) -> None:
        self.registered.extend(params.registrations)
        await self._tell()

    async def refresh(self, _: Any) -> None:
        self.refreshed += 1
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


class Editor:
    """A place in the text is found by the words around it: in `at("n >= |k")`, the bar is the place."""

    def __init__(self, wire: Wire, folder: Path):
        self.wire = wire
        self.client = wire.client
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
        return Positions(Source(self.text), self.wire.encoding)

    def write(self, **files: str) -> None:
        """Write files beside the policy: `people_csv` is people.csv."""
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

    def changed_outside(self, *names: str) -> None:
        """Tell the server that files beside the policy have changed."""
        events = [types.FileEvent((self.folder / name).as_uri(), types.FileChangeType.Changed) for name in names]
        self.wire.published.clear()
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    async def diagnostics(self) -> Sequence[types.Diagnostic]:
        """Those of the newest version; they need not have arrived."""
        key = self.uri, self.version
        await self.wire.until(lambda: key in self.wire.published)
        return self.wire.published[key]

    async def settled(self) -> Sequence[types.Diagnostic]:
        """Those that came last, when the table is open and all is known. Others may have come before."""
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

    def shown(self, range_: types.Range) -> str:
        span = self.positions.span(range_)
        return self.text[span.start : span.end]

    def edited(self, edits: Sequence[Any]) -> str:
        return apply_edits(self.text, [Edit(self.positions.span(edit.range), edit.new_text) for edit in edits])

    async def hints(self) -> list[str]:
        """What is shown at the ends of lines: `line: words`."""
        params = types.InlayHintParams(self.document, self.whole())
        found = await self.client.text_document_inlay_hint_async(params)
        return [f"{hint.position.line + 1}: {hint.label}" for hint in found or ()]

    async def command(self, name: str, *arguments: Any) -> dict[str, str]:
        params = types.ExecuteCommandParams(f"acompass.{name}", arguments=[self.uri, *arguments])
        answer: dict[str, str] = await self.client.workspace_execute_command_async(params)
        return answer


@asynccontextmanager
async def connected(
    capabilities: types.ClientCapabilities | None = None, command: Sequence[str] = COMMAND
) -> AsyncIterator[Wire]:
    """A server that has been told what the client can do."""
    client = LanguageClient(converter_factory=default_converter)
    wire = Wire(client)
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **_own_features(wire)})
    await client.start_io(*command)
    try:
        result = await client.initialize_session(types.InitializeParams(capabilities or modern()))
        wire.encoding = result.capabilities.position_encoding
        yield wire
        await client.shutdown_session()
    finally:
        await client.stop()


def _own_features(wire: Wire) -> dict[str, Any]:
    async def publish(params: types.PublishDiagnosticsParams) -> None:
        await wire.publish(params)

    async def register(params: types.RegistrationParams) -> None:
        await wire.register(params)

    async def refresh(params: Any) -> None:
        await wire.refresh(params)

    return {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        types.CLIENT_REGISTER_CAPABILITY: register,
        types.WORKSPACE_INLAY_HINT_REFRESH: refresh,
    }


def modern() -> types.ClientCapabilities:
    """What VS Code can do; the stored list is older than inlay hints."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


RAW_COMMAND = [sys.executable, "-m", "acompass", "lsp"]


class Raw:
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
            message = self._message()
            self.received.append(message)
            if is_wanted(message):
                return message

    def _message(self) -> dict[str, Any]:
        """Any other byte on standard output is an error here."""
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

    def ended(self) -> tuple[int, bytes]:
        """The exit code, and what was written to standard error. The input stays open until then."""
        self.process.wait(PATIENCE)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


@contextmanager
def raw_server(**environment: str) -> Iterator[Raw]:
    pipe = subprocess.PIPE
    settings = {**os.environ, **environment}
    with subprocess.Popen(RAW_COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=settings) as process:
        try:
            yield Raw(process)
        finally:
            process.kill()
