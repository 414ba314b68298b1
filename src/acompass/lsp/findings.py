"""Diagnostics as the protocol has them."""

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from acompass.diagnostics import AcompassError, Diagnostic, Severity, Span
from acompass.diagnostics.pages import page_of
from acompass.diagnostics.source import Source
from acompass.lsp.positions import Positions
from acompass.lsp.sheets import Mistakes
from acompass.lsp.view import View

SOURCE = "acompass"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def published(view: View, mistakes: Mistakes) -> list[types.Diagnostic]:
    refused = mistakes.beside.refused
    return [finding(view, each, refused) for each in mistakes.found]


def finding(view: View, diagnostic: Diagnostic, refused: AcompassError | None) -> types.Diagnostic:
    is_beside = refused is not None and diagnostic in refused.diagnostics
    labels = () if is_beside else diagnostic.labels
    related = _places_beside(view, diagnostic, refused) if is_beside else _other_places(view, diagnostic)
    return types.Diagnostic(
        range=view.positions.range(labels[0].span if labels else _first_line(view)),
        message=diagnostic.message
        if diagnostic.help is None
        else f"{diagnostic.message}\nhelp: {diagnostic.help}",
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=_page(view, diagnostic.code),
        source=SOURCE,
        related_information=list(related) or None,
    )


def _first_line(view: View) -> Span:
    """The place of what is wrong with the table or the settings."""
    return Span(0, len(view.document.source.line(1)))


def _page(view: View, code: str) -> types.CodeDescription | None:
    if not view.client.can("text_document.publish_diagnostics.code_description_support"):
        return None
    return types.CodeDescription(page_of(code).as_uri())


def _other_places(view: View, diagnostic: Diagnostic) -> Iterator[types.DiagnosticRelatedInformation]:
    if view.client.can("text_document.publish_diagnostics.related_information"):
        for label in diagnostic.labels[1:]:
            yield types.DiagnosticRelatedInformation(
                view.location(label.span), label.text or diagnostic.message
            )


def _places_beside(
    view: View, diagnostic: Diagnostic, refused: AcompassError | None
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The places in the acompass.toml."""
    if refused is None or refused.source is None or refused.name is None:
        return
    uri = from_fs_path(str(Path(refused.name).absolute()))
    if uri is None or not view.client.can("text_document.publish_diagnostics.related_information"):
        return
    positions = Positions(Source(refused.source), view.client.encoding)
    for label in diagnostic.labels:
        place = types.Location(uri, positions.range(label.span))
        yield types.DiagnosticRelatedInformation(place, label.text or diagnostic.message)
