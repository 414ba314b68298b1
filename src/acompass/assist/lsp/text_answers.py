"""Answers about the text: hover, completion, definition, references, rename, format, outline.

Names and values come from tables, so they are escaped."""

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from acompass.assist.completion import Completion, CompletionKind, complete
from acompass.assist.document import format_edits
from acompass.assist.hover import hover
from acompass.assist.lsp.view import Positions, View
from acompass.assist.names import Symbol, definition, occurrences_at, references, rename, symbols
from acompass.errors.diagnostics import Source, Span
from acompass.policy import SETTINGS_FILE, key_place

_COMPLETION_KINDS: dict[CompletionKind, types.CompletionItemKind] = {
    "keyword": types.CompletionItemKind.Keyword,
    "column": types.CompletionItemKind.Field,
    "parameter": types.CompletionItemKind.Constant,
    "name": types.CompletionItemKind.Variable,
    "map": types.CompletionItemKind.Function,
    "snippet": types.CompletionItemKind.Snippet,
    "value": types.CompletionItemKind.Value,
}


def hover_content(view: View, params: types.HoverParams) -> types.Hover | None:
    found = hover(view.document, view.positions.offset(params.position), view.context)
    if found is None:
        return None
    kind = view.client.markup("text_document.hover.content_format")
    as_text = to_markdown if kind is types.MarkupKind.Markdown else to_plain
    content = types.MarkupContent(kind, as_text(found.title, found.lines))
    return types.Hover(content, view.positions.range(found.span))


def completions(view: View, params: types.CompletionParams) -> types.CompletionList:
    """Mark the list as incomplete, so that the editor asks again after each character."""
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
        kind=_COMPLETION_KINDS[completion.kind],
        detail=completion.detail or None,
        sort_text=f"{at:05}",
        # editors compare it with the text to replace
        filter_text=completion.insert if is_quoted else typed if typed and not fits else completion.label,
        insert_text=None if fits else completion.insert,
        text_edit=edit if fits else None,
    )


def definition_location(view: View, params: types.DefinitionParams) -> types.Location | None:
    """An AS name is defined in the policy, a parameter in its acompass.toml, if that sets it."""
    offset = view.positions.offset(params.position)
    bound = _binding_location(view, offset)
    if bound is not None:
        return bound
    span = definition(view.document, offset)
    return None if span is None else view.location(span)


def _binding_location(view: View, offset: int) -> types.Location | None:
    """Where the acompass.toml sets the parameter at an offset, if it does so by its plain name."""
    policy, found = view.document.path, occurrences_at(view.document, offset)
    if policy is None or found is None or found.kind != "parameter":
        return None
    path = Path(policy).absolute().with_name(SETTINGS_FILE)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    span, uri = key_place(text, ("policy", Path(policy).name, "params", found.name)), from_fs_path(str(path))
    if span is None or uri is None or text[span.start : span.end].strip("'\"") != found.name:
        return None
    return types.Location(uri, Positions(Source(text), view.client.encoding).range(span))


def reference_locations(view: View, params: types.ReferenceParams) -> list[types.Location]:
    offset = view.positions.offset(params.position)
    spans = references(view.document, offset)
    if not params.context.include_declaration:
        spans = tuple(span for span in spans if span != definition(view.document, offset))
    return [view.location(span) for span in spans]


def highlights(view: View, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    spans = references(view.document, view.positions.offset(params.position))
    return [types.DocumentHighlight(view.positions.range(span)) for span in spans]


def rename_placeholder(view: View, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    offset = view.positions.offset(params.position)
    found = occurrences_at(view.document, offset)
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(view.positions.range(_span_at(found.spans, offset)), found.name)


def _span_at(spans: tuple[Span, ...], offset: int) -> Span:
    return next(span for span in spans if span.start <= offset <= span.end)


def rename_edits(view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """A parameter is also renamed in the acompass.toml that sets it."""
    offset = view.positions.offset(params.position)
    edits = rename(view.document, offset, params.new_name)
    bound = _binding_location(view, offset) if edits else None
    elsewhere = {} if bound is None else {bound.uri: [types.TextEdit(bound.range, params.new_name)]}
    return view.workspace_edit(edits, elsewhere)


def formatting_edits(view: View, _: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return [view.positions.edit(edit) for edit in format_edits(view.document)]


_SYMBOL_KINDS = {
    "requirement": types.SymbolKind.Event,
    "name": types.SymbolKind.Variable,
    "parameter": types.SymbolKind.Constant,
}


def outline(view: View, _: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """A tree, or a flat list for a client that does not support trees."""
    found = symbols(view.document)
    if view.client.can("text_document.document_symbol.hierarchical_document_symbol_support"):
        return [_symbol(view, each) for each in found]
    return [info for each in found for info in _flat(view, each, None)]


def _symbol(view: View, symbol: Symbol) -> types.DocumentSymbol:
    place = view.positions.range(symbol.span)
    return types.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_SYMBOL_KINDS[symbol.kind],
        range=place,
        selection_range=place,
        children=[_symbol(view, child) for child in symbol.children],
    )


def _flat(view: View, symbol: Symbol, container: str | None) -> Iterator[types.SymbolInformation]:
    yield types.SymbolInformation(
        location=view.location(symbol.span),
        name=symbol.name,
        kind=_SYMBOL_KINDS[symbol.kind],
        container_name=container,
    )
    for child in symbol.children:
        yield from _flat(view, child, symbol.name)


_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
_QUOTED = re.compile(r"`([^`\n]+)`")


def to_markdown(title: str, lines: tuple[str, ...]) -> str:
    """The title in bold, and a paragraph for each line. Words in backticks are code."""
    return "\n\n".join([f"**{_line(title)}**", *map(_line, lines)])


def to_plain(title: str, lines: tuple[str, ...]) -> str:
    return "\n".join([title, *lines])


def _line(text: str) -> str:
    """Escape the text outside backticks."""
    parts = _QUOTED.split(" ".join(text.split()))
    last = len(parts) - 1
    return "".join(_part(part, at % 2 == 1, 0 < at < last) for at, part in enumerate(parts))


def _part(text: str, is_code: bool, is_inside: bool) -> str:
    """Put a space between adjacent code spans, which would merge."""
    if is_code:
        return f"`{text}`"
    return _SPECIAL.sub(r"\\\1", text) or (" " if is_inside else "")
