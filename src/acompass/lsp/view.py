"""What an answer is made from: one version of a policy, and what the client understands."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types
from pygls.capabilities import get_capability

from acompass.assist.context import Context
from acompass.assist.document import Document
from acompass.diagnostics import Edit, Span
from acompass.lsp.positions import Positions
from acompass.lsp.sheets import Sheet


@dataclass(frozen=True)
class Client:
    """What the client said about itself. `encoding` is what was agreed on."""

    capabilities: types.ClientCapabilities
    encoding: types.PositionEncodingKind | str | None = None

    def can(self, capability: str) -> bool:
        return bool(get_capability(self.capabilities, capability, False))

    def markup(self, capability: str) -> types.MarkupKind:
        """Markdown if the client shows it, as its list of formats says."""
        kinds = get_capability(self.capabilities, capability, None) or ()
        return types.MarkupKind.Markdown if types.MarkupKind.Markdown in kinds else types.MarkupKind.PlainText


@dataclass(frozen=True)
class View:
    sheet: Sheet
    client: Client

    @property
    def document(self) -> Document:
        return self.sheet.document

    @property
    def context(self) -> Context:
        return self.sheet.context

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.document.source, self.client.encoding)

    def location(self, span: Span) -> types.Location:
        return types.Location(self.sheet.uri, self.positions.range(span))

    def workspace_edit(
        self, edits: tuple[Edit, ...], elsewhere: Mapping[str, list[types.TextEdit]] | None = None
    ) -> types.WorkspaceEdit:
        """Tied to the version that was looked at, if the client can do that."""
        changes = {self.sheet.uri: [self.positions.edit(edit) for edit in edits], **(elsewhere or {})}
        if not self.client.can("workspace.workspace_edit.document_changes"):
            return types.WorkspaceEdit(changes=changes)
        return types.WorkspaceEdit(
            document_changes=[self._document_edit(uri, edits) for uri, edits in changes.items()]
        )

    def _document_edit(self, uri: str, edits: list[types.TextEdit]) -> types.TextDocumentEdit:
        version = self.sheet.version if uri == self.sheet.uri else None
        return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), [*edits])
