"""One version of a policy, as the client sees it.

Offsets become positions of the protocol, in the encoding that server and client agreed on."""

from collections.abc import Mapping
from functools import cached_property

from lsprotocol import types
from lsprotocol.types import Position, PositionEncodingKind, Range, TextEdit
from pygls.capabilities import get_capability

from acompass.assist.analysis import Context
from acompass.assist.document import Document
from acompass.assist.lsp.open_documents import OpenDocument
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Edit, Source, Span


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
