"""Answers about the text under the cursor: hover, completion, definition, references, rename, format."""

from lsprotocol import types
from pygls.uris import from_fs_path

from acompass.assist.complete import Completion, CompletionKind, complete
from acompass.assist.formatting import format_edits
from acompass.assist.hover import hover
from acompass.assist.names import definition, references, rename
from acompass.assist.occurrences import occurrences_at
from acompass.diagnostics import Span
from acompass.lsp.bindings import binding
from acompass.lsp.markup import to_markdown, to_plain
from acompass.lsp.positions import Positions
from acompass.lsp.view import View

_KINDS: dict[CompletionKind, types.CompletionItemKind] = {
    "keyword": types.CompletionItemKind.Keyword,
    "column": types.CompletionItemKind.Field,
    "parameter": types.CompletionItemKind.Constant,
    "name": types.CompletionItemKind.Variable,
    "map": types.CompletionItemKind.Function,
    "snippet": types.CompletionItemKind.Snippet,
    "value": types.CompletionItemKind.Value,
}


def hovered(view: View, params: types.HoverParams) -> types.Hover | None:
    found = hover(view.document, view.positions.offset(params.position), view.context)
    if found is None:
        return None
    kind = view.client.markup("text_document.hover.content_format")
    as_text = to_markdown if kind is types.MarkupKind.Markdown else to_plain
    content = types.MarkupContent(kind, as_text(found.title, found.lines))
    return types.Hover(content, view.positions.range(found.span))


def completions(view: View, params: types.CompletionParams) -> types.CompletionList:
    """Incomplete: what fits depends on what is typed next."""
    offset = view.positions.offset(params.position)
    found = complete(view.document, offset, view.context)
    items = [_item(view, offset, at, each) for at, each in enumerate(found)]
    return types.CompletionList(is_incomplete=True, items=items)


def _item(view: View, offset: int, at: int, completion: Completion) -> types.CompletionItem:
    span = completion.replace
    typed = view.document.text[span.start : offset]
    is_quoted = typed[:1] in ("'", '"')
    fits = span.start <= offset and not set(view.document.text[span.start : span.end]) & {"\n", "\r"}
    edit = types.TextEdit(view.positions.range(span), completion.insert)
    return types.CompletionItem(
        label=completion.label,
        kind=_KINDS[completion.kind],
        detail=completion.detail or None,
        sort_text=f"{at:05}",
        # editors compare it with the text that is replaced
        filter_text=completion.insert if is_quoted else typed if typed and not fits else completion.label,
        insert_text=None if fits else completion.insert,
        text_edit=edit if fits else None,
    )


def defined(view: View, params: types.DefinitionParams) -> types.Location | None:
    """An AS name is defined in the policy, a parameter in the acompass.toml beside it, if it is there."""
    offset = view.positions.offset(params.position)
    bound = _bound_at(view, offset)
    if bound is not None:
        return bound
    span = definition(view.document, offset)
    return None if span is None else view.location(span)


def _bound_at(view: View, offset: int) -> types.Location | None:
    """Where the parameter at an offset is bound."""
    found = occurrences_at(view.document, offset)
    bound = None if found is None or found.kind != "parameter" else binding(view.document.path, found.name)
    uri = None if bound is None else from_fs_path(str(bound.path))
    if bound is None or uri is None:
        return None
    return types.Location(uri, Positions(bound.source, view.client.encoding).range(bound.span))


def referred(view: View, params: types.ReferenceParams) -> list[types.Location]:
    offset = view.positions.offset(params.position)
    spans = references(view.document, offset)
    if not params.context.include_declaration:
        spans = tuple(span for span in spans if span != definition(view.document, offset))
    return [view.location(span) for span in spans]


def highlighted(view: View, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    spans = references(view.document, view.positions.offset(params.position))
    return [types.DocumentHighlight(view.positions.range(span)) for span in spans]


def renamable(view: View, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    offset = view.positions.offset(params.position)
    found = occurrences_at(view.document, offset)
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(view.positions.range(_touched(found.spans, offset)), found.name)


def _touched(spans: tuple[Span, ...], offset: int) -> Span:
    return next(span for span in spans if span.start <= offset <= span.end)


def renamed(view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """A parameter is also renamed where the acompass.toml binds it."""
    offset = view.positions.offset(params.position)
    edits = rename(view.document, offset, params.new_name)
    bound = _bound_at(view, offset) if edits else None
    elsewhere = {} if bound is None else {bound.uri: [types.TextEdit(bound.range, params.new_name)]}
    return view.workspace_edit(edits, elsewhere)


def formatted(view: View, _: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return [view.positions.edit(edit) for edit in format_edits(view.document)]
