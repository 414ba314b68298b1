"""The language server: dispatch each message from the editor to the function that answers it.

Messages are exchanged over standard input and output; nothing else may write to standard output."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from types import FrameType
from typing import Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from acompass.assist.document import Document
from acompass.assist.lsp.answers import (
    EXPLAIN,
    PROVE,
    RUN,
    CommandAnswer,
    code_lenses,
    completions,
    definition_location,
    explain_command,
    formatting_edits,
    highlights,
    hover_content,
    inlay_hints,
    outline,
    prove_command,
    reference_locations,
    rename_edits,
    rename_placeholder,
    run_command,
)
from acompass.assist.lsp.open_documents import (
    Mistakes,
    OpenDocument,
    OpenDocuments,
    Tables,
    in_thread,
    start_thread,
    wait_for_threads,
)
from acompass.assist.lsp.view import KINDS, Client, View, as_response, code_actions, internal, protocol_diagnostics
from acompass.options import Opening
from acompass.policy import SETTINGS_FILE
from acompass.version import __version__

AnswerFunction: TypeAlias = Callable[[View, Any], Any]
#: the steps of a handler: each yields what pygls should call next, and receives the result
HandlerSteps: TypeAlias = Generator[tuple[Callable[..., Any], tuple[Any, ...], None], Any, Any]
Handler: TypeAlias = Callable[..., HandlerSteps]

#: requests about an open policy: the function that answers, and the options to announce to the client
ANSWERS: dict[str, tuple[AnswerFunction, Any]] = {
    types.TEXT_DOCUMENT_HOVER: (hover_content, None),
    types.TEXT_DOCUMENT_COMPLETION: (completions, types.CompletionOptions(trigger_characters=["'", '"', "("])),
    types.TEXT_DOCUMENT_DEFINITION: (definition_location, None),
    types.TEXT_DOCUMENT_REFERENCES: (reference_locations, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (highlights, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (rename_placeholder, None),
    types.TEXT_DOCUMENT_RENAME: (rename_edits, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_FORMATTING: (formatting_edits, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (outline, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_actions, types.CodeActionOptions(code_action_kinds=KINDS)),
    types.TEXT_DOCUMENT_INLAY_HINT: (inlay_hints, None),
    types.TEXT_DOCUMENT_CODE_LENS: (code_lenses, None),
}
#: commands on an open policy, or on one of its requirements
COMMANDS: dict[str, Callable[[OpenDocument, int | None], CommandAnswer]] = {
    RUN: run_command,
    PROVE: prove_command,
    EXPLAIN: explain_command,
}


class Server(LanguageServer):
    """The event loop only reads and writes messages. Texts are sent whole, because policies are short and programs
    disagree on where lines end."""

    def __init__(self, opening: Opening | None = None) -> None:
        super().__init__("acompass", __version__, types.TextDocumentSyncKind.Full)
        self.tables = Tables(opening)
        self.documents = OpenDocuments(self.tables, self)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def client(self) -> Client:
        return Client(self.client_capabilities, self.server_capabilities.position_encoding)

    def put(self, uri: str, version: int | None) -> None:
        self._loop = asyncio.get_running_loop()
        text = self.workspace.get_text_document(uri).source
        self.documents.put(uri, version, Document(text, to_fs_path(uri)))

    def view(self, uri: str) -> View | None:
        opened = self.documents.get(uri)
        return None if opened is None else View(opened, self.client)

    def end(self) -> None:
        """Drop all questions and close all tables, in a thread, because an engine may be slow."""
        self.documents.clear()
        start_thread(self.tables.close)

    def show_mistakes(self, opened: OpenDocument, mistakes: Mistakes) -> None:
        diagnostics = protocol_diagnostics(View(opened, self.client), mistakes)
        self._publish(opened, types.PublishDiagnosticsParams(opened.uri, diagnostics, opened.version))

    def show_verdicts(self, opened: OpenDocument) -> None:
        """Refresh hints: a client requests them when a text changes, but not when a table or the settings do."""
        if opened.is_reanalysis and self.client.can("workspace.inlay_hint.refresh_support"):
            self._call_soon(self.workspace_inlay_hint_refresh, None)

    def show_failure(self, error: BaseException) -> None:
        self._call_soon(self.show, internal(error), types.MessageType.Error)

    def show(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_show_message(types.ShowMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Do not show the message, which may quote text that could not be read."""
        if not isinstance(error, JsonRpcException):
            self.show(internal(error), types.MessageType.Error)

    def _publish(self, opened: OpenDocument, params: types.PublishDiagnosticsParams) -> None:
        def publish() -> None:
            if self.documents.is_newest(opened):
                self.text_document_publish_diagnostics(params)

        self._call_soon(publish)

    def _call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call in the event loop, the only place where messages are written."""
        assert self._loop is not None, "a policy was opened"
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(call, *arguments)


def server_for_editors(server: Server) -> Server:
    """Register every request, command and notification with the server."""
    for method, (answer, options) in ANSWERS.items():
        server.feature(method, options)(_request_handler(server, answer))
    for name, command in COMMANDS.items():
        server.command(name)(_command_handler(server, command))
    _register_text_events(server)
    _register_file_events(server)
    return server


def _request_handler(server: Server, answer: AnswerFunction) -> Handler:
    """The handler of a request. It takes the current version at once; a thread may answer after later changes."""

    def handler(params: Any) -> HandlerSteps:
        view = server.view(params.text_document.uri)
        if view is None:
            return None
        return (yield _do_in_thread, (partial(answer, view, params),), None)

    return handler


def _command_handler(server: Server, command: Callable[[OpenDocument, int | None], CommandAnswer]) -> Handler:
    def handler(*arguments: Any) -> HandlerSteps:
        opened, number = _command_target(server, *arguments)
        answer = yield _do_in_thread, (partial(command, opened, number),), None
        server.show(f"{answer.title}: {answer.summary}")
        return {"title": answer.title, "text": answer.text}

    return handler


def _command_target(server: Server, uri: Any = None, number: Any = None, *_: Any) -> tuple[OpenDocument, int | None]:
    opened = server.documents.only() if uri is None else server.documents.get(str(uri))
    if opened is None:
        raise JsonRpcException("open the policy first", types.LSPErrorCodes.RequestFailed)
    known = range(1, len(opened.document.program.requirements) + 1)
    return opened, number if number in known else None


async def _do_in_thread(work: Callable[[], Any]) -> Any:
    """Do the work in a thread, and turn a failure into a response."""
    try:
        return await in_thread(work)
    except Exception as error:
        raise as_response(error) from None


def _register_text_events(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def on_open(params: types.DidOpenTextDocumentParams) -> None:
        if _is_policy(params.text_document):
            server.put(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def on_change(params: types.DidChangeTextDocumentParams) -> None:
        if server.documents.get(params.text_document.uri) is not None:
            server.put(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def on_save(params: types.DidSaveTextDocumentParams) -> None:
        """The client may not watch files, so pick up changes to neighboring files on save."""
        server.documents.reanalyze(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def on_close(params: types.DidCloseTextDocumentParams) -> None:
        server.documents.close(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _is_policy(item: types.TextDocumentItem) -> bool:
    """Some editors start the server for every file type."""
    return item.language_id == "acompass" or item.uri.endswith(".acp")


def _register_file_events(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    def on_initialized(_: types.InitializedParams) -> None:
        if server.client.can("workspace.did_change_watched_files.dynamic_registration"):
            server.client_register_capability(registration())

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def on_files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.documents.refresh(changed_files(params.changes))


#: changes to tables outside the open folders are noticed when the policy changes
PATTERNS = (f"**/{SETTINGS_FILE}", "**/*.{csv,csv.gz,tsv,tsv.gz,txt,parquet,pq}")


def registration() -> types.RegistrationParams:
    watchers = [types.FileSystemWatcher(pattern) for pattern in PATTERNS]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    return types.RegistrationParams([types.Registration("acompass-files", method, options)])


def changed_files(events: Iterable[types.FileEvent]) -> set[str]:
    paths = (to_fs_path(event.uri) for event in events)
    return {os.path.realpath(path) for path in paths if path is not None}


_INPUT, _OUTPUT, _ERROR = 0, 1, 2
_BLOCK = 1 << 16
#: seconds that running work may still take when the server ends
_GRACE = 2.0


def serve(server: Server) -> int:
    """Answer messages until the client sends `exit` or closes its end; return the exit code."""
    # pygls logs whole messages, which contain the policy
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    output = os.fdopen(_reserve_output(), "wb")
    server.protocol.set_writer(StdoutWriter(output))
    signals = _Signals()
    code = 0
    try:
        asyncio.run(_answer(server, signals))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except (BrokenPipeError, asyncio.CancelledError):
        code = 0
    server.end()
    ended = wait_for_threads(_GRACE)
    signals.pass_on()
    if not ended:
        os._exit(code)  # an engine that is stuck must not keep the process alive
    return code


class _Signals:
    """End the loop between two messages on a signal, then pass the signal to the previous handler, which ends the
    command."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._arrived: int | None = None

    def listen(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):  # an ignored signal stays ignored
                self._before[number] = signal.signal(number, self._note)

    def pass_on(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._arrived is not None:
            self._before[self._arrived](self._arrived, None)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._arrived = self._arrived or number
        with suppress(RuntimeError):  # the loop has ended already
            self._stop()


def _reserve_output() -> int:
    """Reserve standard output for messages: redirect all other output to standard error."""
    messages = os.dup(_OUTPUT)
    os.dup2(_ERROR, _OUTPUT)
    return messages


async def _answer(server: Server, signals: _Signals) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    signals.listen(lambda: loop.call_soon_threadsafe(task.cancel))
    _feed(loop, reader)
    try:
        await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)
    except asyncio.IncompleteReadError:
        sys.stderr.write("acompass lsp: the last message is incomplete\n")


def _feed(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    """Read without a thread where possible: nothing could wake up a thread when the server must end."""

    def read() -> None:
        if not _feed_block(reader, os.read(_INPUT, _BLOCK)):
            loop.remove_reader(_INPUT)

    try:
        loop.add_reader(_INPUT, read)
    except (NotImplementedError, PermissionError):  # on Windows, and for a file
        Thread(target=_read_in_thread, args=(loop, reader), daemon=True).start()


def _read_in_thread(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    block = b"-"
    while block:
        block = os.read(_INPUT, _BLOCK)
        loop.call_soon_threadsafe(_feed_block, reader, block)


def _feed_block(reader: asyncio.StreamReader, block: bytes) -> bool:
    if block:
        reader.feed_data(block)
    else:
        reader.feed_eof()
    return bool(block)
