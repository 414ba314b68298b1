"""The outline of a policy."""

from collections.abc import Iterator

from lsprotocol import types

from acompass.assist.names import Symbol, symbols
from acompass.lsp.view import View

_KINDS = {
    "requirement": types.SymbolKind.Event,
    "name": types.SymbolKind.Variable,
    "parameter": types.SymbolKind.Constant,
}


def outlined(
    view: View, _: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """A tree, or a flat list for a client that shows no trees."""
    found = symbols(view.document)
    if view.client.can("text_document.document_symbol.hierarchical_document_symbol_support"):
        return [_symbol(view, each) for each in found]
    return [info for each in found for info in _flat(view, each, None)]


def _symbol(view: View, symbol: Symbol) -> types.DocumentSymbol:
    place = view.positions.range(symbol.span)
    return types.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_KINDS[symbol.kind],
        range=place,
        selection_range=place,
        children=[_symbol(view, child) for child in symbol.children],
    )


def _flat(view: View, symbol: Symbol, container: str | None) -> Iterator[types.SymbolInformation]:
    yield types.SymbolInformation(
        location=view.location(symbol.span),
        name=symbol.name,
        kind=_KINDS[symbol.kind],
        container_name=container,
    )
    for child in symbol.children:
        yield from _flat(view, child, symbol.name)
