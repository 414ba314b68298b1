"""Which message of the protocol is answered by which function."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from acompass.lsp import commands, watching
from acompass.lsp.actions import KINDS, code_actions
from acompass.lsp.failures import as_response
from acompass.lsp.hints import code_lenses, inlay_hints
from acompass.lsp.outline import outlined
from acompass.lsp.server import Server
from acompass.lsp.sheets import Sheet
from acompass.lsp.texts import (
    completions,
    defined,
    formatted,
    highlighted,
    hovered,
    referred,
    renamable,
    renamed,
)
from acompass.lsp.threads import in_thread
from acompass.lsp.view import View

Answering: TypeAlias = Callable[[View, Any], Any]
#: the steps of a handler: each yields what pygls is to call next, and is sent the result
Working: TypeAlias = Generator[tuple[Callable[..., Any], tuple[Any, ...], None], Any, Any]
Handler: TypeAlias = Callable[..., Working]

#: requests about an open policy: the function that answers, and what the client is told about it
ANSWERS: dict[str, tuple[Answering, Any]] = {
    types.TEXT_DOCUMENT_HOVER: (hovered, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        completions,
        types.CompletionOptions(trigger_characters=["'", '"', "("]),
    ),
    types.TEXT_DOCUMENT_DEFINITION: (defined, None),
    types.TEXT_DOCUMENT_REFERENCES: (referred, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (highlighted, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (renamable, None),
    types.TEXT_DOCUMENT_RENAME: (renamed, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_FORMATTING: (formatted, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (outlined, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_actions, types.CodeActionOptions(code_action_kinds=KINDS)),
    types.TEXT_DOCUMENT_INLAY_HINT: (inlay_hints, None),
    types.TEXT_DOCUMENT_CODE_LENS: (code_lenses, None),
}
#: commands on an open policy, or on one of its requirements
COMMANDS: dict[str, Callable[[Sheet, int | None], commands.Answer]] = {
    commands.RUN: commands.run,
    commands.PROVE: commands.prove,
    commands.EXPLAIN: commands.explain,
}


def server_for_editors(server: Server) -> Server:
    """The server with everything that it can do."""
    for method, (answer, options) in ANSWERS.items():
        server.feature(method, options)(_answering(server, answer))
    for name, command in COMMANDS.items():
        server.command(name)(_performing(server, command))
    _follow_texts(server)
    _follow_files(server)
    return server


def _answering(server: Server, answer: Answering) -> Handler:
    """What pygls calls when the message arrives. The version that the message is about is taken at once; the
    rest may wait until later messages have changed it."""

    def handler(params: Any) -> Working:
        view = server.view(params.text_document.uri)
        if view is None:
            return None
        return (yield _guarded, (partial(answer, view, params),), None)

    return handler


def _performing(server: Server, command: Callable[[Sheet, int | None], commands.Answer]) -> Handler:
    def handler(*arguments: Any) -> Working:
        sheet, number = _about(server, *arguments)
        answer = yield _guarded, (partial(command, sheet, number),), None
        server.show(f"{answer.title}: {answer.summary}")
        return {"title": answer.title, "text": answer.text}

    return handler


def _about(server: Server, uri: Any = None, number: Any = None, *_: Any) -> tuple[Sheet, int | None]:
    sheet = server.sheets.only() if uri is None else server.sheets.get(str(uri))
    if sheet is None:
        raise JsonRpcException("open the policy first", types.LSPErrorCodes.RequestFailed)
    known = range(1, len(sheet.document.program.requirements) + 1)
    return sheet, number if number in known else None


async def _guarded(work: Callable[[], Any]) -> Any:
    """Do the work in a thread. A failure is an answer, too."""
    try:
        return await in_thread(work)
    except Exception as error:
        raise as_response(error) from None


def _follow_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        if _is_policy(params.text_document):
            server.put(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        if server.sheets.get(params.text_document.uri) is not None:
            server.put(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        """A client may watch no files, so that changes beside the policy show here."""
        server.sheets.again(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.sheets.close(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _is_policy(item: types.TextDocumentItem) -> bool:
    """Some editors start a server for all texts."""
    return item.language_id == "acompass" or item.uri.endswith(".acp")


def _follow_files(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        if server.client.can("workspace.did_change_watched_files.dynamic_registration"):
            server.client_register_capability(watching.registration())

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.sheets.refresh(watching.changed_files(params.changes))
