"""Quick fixes, and all safe ones at once."""

from collections.abc import Iterator

from lsprotocol import types

from acompass.assist.diagnose import diagnose
from acompass.assist.document import Document
from acompass.assist.formatting import line_edits
from acompass.diagnostics import Diagnostic, Span
from acompass.diagnostics.fixing import fix_safely
from acompass.lsp.findings import finding
from acompass.lsp.sheets import Mistakes
from acompass.lsp.view import View

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.acompass"
KINDS: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]


def code_actions(view: View, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Fixes of the diagnostics in the range, safe ones first; all safe ones if they are asked for."""
    mistakes = view.sheet.mistakes.result()
    found: list[types.CodeAction] = []
    if _is_wanted(params, types.CodeActionKind.QuickFix.value):
        found += sorted(_quick_fixes(view, mistakes, params), key=lambda action: not action.is_preferred)
    if params.context.only and _is_wanted(params, FIX_ALL):
        found += _fix_all(view)
    return found


def _is_wanted(params: types.CodeActionParams, kind: str) -> bool:
    """A kind includes those that begin with it and a dot."""
    return params.context.only is None or any(
        f"{kind}.".startswith(f"{only}.") for only in params.context.only
    )


def _quick_fixes(
    view: View, mistakes: Mistakes, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    span = view.positions.span(params.range)
    for diagnostic in mistakes.found:
        if _touches(diagnostic, span):
            about = finding(view, diagnostic, mistakes.beside.refused)
            for fix in diagnostic.fixes:
                yield types.CodeAction(
                    title=fix.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[about],
                    is_preferred=fix.is_safe,
                    edit=view.workspace_edit(fix.edits),
                )


def _touches(diagnostic: Diagnostic, span: Span) -> bool:
    return any(
        label.span.start <= span.end and span.start <= label.span.end for label in diagnostic.labels[:1]
    )


def _fix_all(view: View) -> Iterator[types.CodeAction]:
    document, context = view.document, view.context
    fixed = fix_safely(
        document.text, lambda text: diagnose(Document(text, document.path, document.paper), context)
    )
    if fixed.applied:
        yield types.CodeAction(
            title="apply all safe fixes",
            kind=FIX_ALL,
            edit=view.workspace_edit(line_edits(document.text, fixed.text)),
        )
