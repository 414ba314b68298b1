"""One version of a policy, its diagnostics and their fixes, as the client sees them.

Offsets become positions of the protocol, in the encoding that server and client agreed on. No message quotes a record.
"""

import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from lsprotocol.types import ErrorCodes, LSPErrorCodes, Position, PositionEncodingKind, Range, TextEdit
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path

from acompass.assist.analysis import Context, diagnose
from acompass.assist.document import Document, line_edits
from acompass.assist.lsp.open_documents import Mistakes, OpenDocument
from acompass.assist.request_queue import Stale
from acompass.dataclasses import dataclass
from acompass.errors.catalog import page_path
from acompass.errors.diagnostics import AcompassError, Diagnostic, Edit, Severity, Source, Span, fix_safely


@dataclass(frozen=True)
class Client:
    capabilities: types.ClientCapabilities
    encoding: types.PositionEncodingKind | str | None = None  # agreed on by server and client

    def can(self, capability: str) -> bool:
        return bool(get_capability(self.capabilities, capability, False))

    def markup(self, capability: str) -> types.MarkupKind:
        """Markdown if the client's list of formats contains it."""
        kinds = get_capability(self.capabilities, capability, None) or ()
        return types.MarkupKind.Markdown if types.MarkupKind.Markdown in kinds else types.MarkupKind.PlainText


class Positions:
    """Convert offsets and positions. By default, columns are counted in UTF-16 code units."""

    def __init__(self, source: Source, encoding: PositionEncodingKind | str | None = None):
        self._source = source
        self._encoding = encoding or PositionEncodingKind.Utf16

    def position(self, offset: int) -> Position:
        if self._encoding == PositionEncodingKind.Utf16:
            return Position(*self._source.utf16_position(offset))
        line, column = self._source.position(offset)
        before = self._source.line(line)[: column - 1]
        return Position(line - 1, self._length(before))

    def offset(self, position: Position) -> int:
        """A position past the end of a line means its end."""
        if self._encoding == PositionEncodingKind.Utf16:
            return self._source.utf16_offset(position.line, position.character)
        start = self._source.utf16_offset(position.line, 0)
        if start == len(self._source.text):
            return start
        return start + self._column(self._source.line(position.line + 1), position.character)

    def range(self, span: Span) -> Range:
        inside = self._source.clamp(span)
        return Range(self.position(inside.start), self.position(inside.end))

    def span(self, range_: Range) -> Span:
        return Span(self.offset(range_.start), self.offset(range_.end))

    def edit(self, edit: Edit) -> TextEdit:
        return TextEdit(self.range(edit.span), edit.text)

    def _column(self, line: str, units: int) -> int:
        passed = 0
        for index, character in enumerate(line):
            passed += self._length(character)
            if passed > units:
                return index
        return len(line)

    def _length(self, text: str) -> int:
        if self._encoding == PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text)


@dataclass(frozen=True)
class View:
    opened: OpenDocument
    client: Client

    @property
    def document(self) -> Document:
        return self.opened.document

    @property
    def context(self) -> Context:
        return self.opened.context

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.document.source, self.client.encoding)

    def location(self, span: Span) -> types.Location:
        return types.Location(self.opened.uri, self.positions.range(span))

    def workspace_edit(
        self, edits: tuple[Edit, ...], elsewhere: Mapping[str, list[types.TextEdit]] | None = None
    ) -> types.WorkspaceEdit:
        """An edit of this version of the policy, if the client supports versions."""
        changes = {self.opened.uri: [self.positions.edit(edit) for edit in edits], **(elsewhere or {})}
        if not self.client.can("workspace.workspace_edit.document_changes"):
            return types.WorkspaceEdit(changes=changes)
        return types.WorkspaceEdit(document_changes=[self._document_edit(uri, edits) for uri, edits in changes.items()])

    def _document_edit(self, uri: str, edits: list[types.TextEdit]) -> types.TextDocumentEdit:
        version = self.opened.version if uri == self.opened.uri else None
        return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), [*edits])


SOURCE = "acompass"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def protocol_diagnostics(view: View, mistakes: Mistakes) -> list[types.Diagnostic]:
    error = mistakes.inputs.error
    return [protocol_diagnostic(view, each, error) for each in mistakes.found]


def protocol_diagnostic(view: View, diagnostic: Diagnostic, error: AcompassError | None) -> types.Diagnostic:
    is_elsewhere = error is not None and diagnostic in error.diagnostics
    labels = () if is_elsewhere else diagnostic.labels
    related = _places_in_settings(view, diagnostic, error) if is_elsewhere else _other_places(view, diagnostic)
    return types.Diagnostic(
        range=view.positions.range(labels[0].span if labels else _first_line(view)),
        message=diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}",
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=_page(view, diagnostic.code),
        source=SOURCE,
        related_information=list(related) or None,
    )


def _first_line(view: View) -> Span:
    """Where to report mistakes in the table or the settings."""
    return Span(0, len(view.document.source.line(1)))


def _page(view: View, code: str) -> types.CodeDescription | None:
    if not view.client.can("text_document.publish_diagnostics.code_description_support"):
        return None
    return types.CodeDescription(page_path(code).as_uri())


def _other_places(view: View, diagnostic: Diagnostic) -> Iterator[types.DiagnosticRelatedInformation]:
    if view.client.can("text_document.publish_diagnostics.related_information"):
        for label in diagnostic.labels[1:]:
            yield types.DiagnosticRelatedInformation(view.location(label.span), label.text or diagnostic.message)


def _places_in_settings(
    view: View, diagnostic: Diagnostic, error: AcompassError | None
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The places in the acompass.toml."""
    if error is None or error.source is None or error.name is None:
        return
    uri = from_fs_path(str(Path(error.name).absolute()))
    if uri is None or not view.client.can("text_document.publish_diagnostics.related_information"):
        return
    positions = Positions(Source(error.source), view.client.encoding)
    for label in diagnostic.labels:
        place = types.Location(uri, positions.range(label.span))
        yield types.DiagnosticRelatedInformation(place, label.text or diagnostic.message)


FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.acompass"
KINDS: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]


def code_actions(view: View, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes for the diagnostics in the range, safe ones first, and on request one that applies all safe fixes."""
    mistakes = view.opened.mistakes.result()
    found: list[types.CodeAction] = []
    if _is_wanted(params, types.CodeActionKind.QuickFix.value):
        found += sorted(_quick_fixes(view, mistakes, params), key=lambda action: not action.is_preferred)
    if params.context.only and _is_wanted(params, FIX_ALL):
        found += _fix_all(view)
    return found


def _is_wanted(params: types.CodeActionParams, kind: str) -> bool:
    """Whether the kind was requested: a kind includes those that begin with it and a dot."""
    return params.context.only is None or any(f"{kind}.".startswith(f"{only}.") for only in params.context.only)


def _quick_fixes(view: View, mistakes: Mistakes, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    span = view.positions.span(params.range)
    for diagnostic in mistakes.found:
        if _touches(diagnostic, span):
            about = protocol_diagnostic(view, diagnostic, mistakes.inputs.error)
            for fix in diagnostic.fixes:
                yield types.CodeAction(
                    title=fix.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[about],
                    is_preferred=fix.is_safe,
                    edit=view.workspace_edit(fix.edits),
                )


def _touches(diagnostic: Diagnostic, span: Span) -> bool:
    return any(label.span.start <= span.end and span.start <= label.span.end for label in diagnostic.labels[:1])


def _fix_all(view: View) -> Iterator[types.CodeAction]:
    document, context = view.document, view.context
    fixed = fix_safely(document.text, lambda text: diagnose(Document(text, document.path, document.paper), context))
    if fixed.applied:
        yield types.CodeAction(
            title="apply all safe fixes",
            kind=FIX_ALL,
            edit=view.workspace_edit(line_edits(document.text, fixed.text)),
        )


def as_response(error: Exception) -> JsonRpcException:
    """The error response to a request."""
    match error:
        case JsonRpcException():
            return error
        case Stale():
            return JsonRpcException("the policy has changed", LSPErrorCodes.ContentModified)
        case AcompassError():
            return JsonRpcException(refusal(error), LSPErrorCodes.RequestFailed)
        case _:
            return JsonRpcException(internal(error), ErrorCodes.InternalError)


def refusal(error: AcompassError) -> str:
    first = error.diagnostics[0]
    return first.message if first.help is None else f"{first.message}; {first.help}"


def internal(error: BaseException) -> str:
    """Report only the exception's type: its message may contain record values."""
    if os.environ.get("ACOMPASS_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    hint = "start the server with `ACOMPASS_DEBUG=1` to see a traceback on standard error"
    return f"internal error (AC901): `{type(error).__name__}`; {hint}"
