"""Help for writing the policy: diagnostics, hover, completions, names, formatting."""

from typing import Any

from acompass.assist.analysis import Context, diagnose
from acompass.assist.completion import Completion, complete
from acompass.assist.document import format_edits, parameters
from acompass.assist.hover import hover
from acompass.assist.names import Symbol, definition, references, rename, symbols
from acompass.assist.studio.messages import Body, Offsets, diagnostics_json, edits_json
from acompass.assist.studio.question import Ask
from acompass.assist.studio.state import Studio


def find_diagnostics(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    context = Context(ask.params, studio.queue.session.columns)
    found = studio.recall(
        ("diagnose", ask.key),
        lambda: studio.ask_whole(body, lambda session: diagnose(ask.document, context, session)),
    )
    return {"diagnostics": diagnostics_json(found, ask.offsets), "parameters": list(parameters(ask.document))}


def hover_at(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    found = hover(ask.document, ask.at, ask.context)
    if found is None:
        return {"hover": None}
    return {"hover": {**ask.offsets.span(found.span), "title": found.title, "lines": list(found.lines)}}


def complete_at(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    found = complete(ask.document, ask.at, ask.context)
    return {"completions": [_completion(each, ask.offsets) for each in found]}


def _completion(found: Completion, offsets: Offsets) -> dict[str, Any]:
    return {
        "label": found.label,
        "kind": found.kind,
        "insert": found.insert,
        "detail": found.detail,
        **offsets.span(found.replace),
    }


def rename_at(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    edits = rename(ask.document, ask.at, body.text("name"))
    return {"diagnostics": [], "edits": edits_json(edits, ask.offsets)}


def references_at(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    offset = ask.at
    defined = definition(ask.document, offset)
    return {
        "definition": None if defined is None else ask.offsets.span(defined),
        "references": [ask.offsets.span(span) for span in references(ask.document, offset)],
    }


def format_text(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    return {"edits": edits_json(format_edits(ask.document), ask.offsets)}


def outline(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    return {"symbols": [_symbol(each, ask.offsets) for each in symbols(ask.document)]}


def _symbol(symbol: Symbol, offsets: Offsets) -> dict[str, Any]:
    return {
        "name": symbol.name,
        "kind": symbol.kind,
        "detail": symbol.detail,
        "children": [_symbol(each, offsets) for each in symbol.children],
        **offsets.span(symbol.span),
    }
