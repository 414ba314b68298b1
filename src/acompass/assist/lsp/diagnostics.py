"""Convert diagnostics, their fixes and failures to the protocol. None of them quotes a record."""

import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from lsprotocol.types import ErrorCodes, LSPErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path

from acompass.assist.analysis import diagnose
from acompass.assist.document import Document, line_edits
from acompass.assist.lsp.open_documents import Mistakes
from acompass.assist.lsp.view import Positions, View
from acompass.assist.request_queue import Stale
from acompass.errors.catalog import page_path
from acompass.errors.diagnostics import AcompassError, Diagnostic, Severity, Source, Span
from acompass.errors.fixes import fix_safely

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
