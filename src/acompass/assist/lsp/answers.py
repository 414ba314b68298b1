"""Answers about a policy: hover, completion, definition, references, rename, format and outline; inlay hints with each
requirement's verdict, affected count and proof, and commands above it.

Names and values come from tables, so they are escaped. A command returns a text to show; no command writes a file."""

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from acompass.assist.analysis import (
    SEED,
    STAND_IN_KEY,
    Context,
    ProofState,
    require_policy,
    step_indexes,
    verdict_words,
)
from acompass.assist.completion import Completion, CompletionKind, complete
from acompass.assist.document import (
    Symbol,
    definition,
    format_edits,
    occurrences_at,
    references,
    rename,
    symbols,
    used_params,
)
from acompass.assist.hover import hover
from acompass.assist.lsp.open_documents import Inputs, OpenDocument, OpenTable
from acompass.assist.lsp.view import Positions, View
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, Source, Span
from acompass.errors.display import count_text
from acompass.explain.algebra_text import to_algebra
from acompass.policy import SETTINGS_FILE, key_place
from acompass.prove.proof import ClaimVerdict, Proof
from acompass.report.answers.results import (
    TO_REPAIR,
    UNNAMED,
    VIOLATED,
    no_check_words,
    records_in_and_out,
    remarks,
    requirements_table,
    verdict,
)
from acompass.report.text import document_text
from acompass.result import Result
from acompass.session import Session

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
        location=view.location(symbol.span), name=symbol.name, kind=_SYMBOL_KINDS[symbol.kind], container_name=container
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


def inlay_hints(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Wait for the verdicts of this version. Each step of a THEN has its own (X10)."""
    context = view.opened.judged.result()
    asked = view.positions.span(params.range)
    return [
        _hint(view, span, words, proof)
        for span, words, proof in _requirement_hints(context)
        if asked.start <= span.end <= asked.end
    ]


def _requirement_hints(context: Context) -> Iterator[tuple[Span, str, ProofState | None]]:
    """The place of each requirement, its hint and its proof."""
    found = {} if context.verdicts is None else context.verdicts.by_index
    proved = {proof.index: proof for proof in context.proofs}
    for index in sorted(found.keys() | proved.keys()):
        parts, proof = [], proved.get(index)
        if context.verdicts is not None and index in found:
            outcome, span = found[index]
            parts.append(verdict_words(outcome, context.verdicts.sample))
        if proof is not None:
            span = proof.span
            parts.append(str(proof.claim.verdict))
        yield span, ", ".join(parts), proof


def _hint(view: View, span: Span, words: str, proof: ProofState | None) -> types.InlayHint:
    return types.InlayHint(
        position=view.positions.position(span.end),
        label=words,
        padding_left=True,
        tooltip=None if proof is None or not proof.claim.reason else f"{proof.claim.verdict}: {proof.claim.reason}",
    )


def code_lenses(view: View, _: types.CodeLensParams) -> list[types.CodeLens]:
    """*run* for the policy above its first requirement, *prove* and *explain* above each."""
    return [
        types.CodeLens(view.positions.range(Span(requirement.span.start, requirement.span.start)), command)
        for number, requirement in enumerate(view.document.program.requirements, start=1)
        for command in _commands(view, number)
    ]


def _commands(view: View, number: int) -> Iterator[types.Command]:
    if number == 1:
        yield types.Command("run", RUN, arguments=[view.opened.uri])
    yield types.Command("prove", PROVE, arguments=[view.opened.uri, number])
    yield types.Command("explain", EXPLAIN, arguments=[view.opened.uri, number])


RUN, PROVE, EXPLAIN = "acompass.run", "acompass.prove", "acompass.explain"


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    title: str  # of `text`
    summary: str  # one line
    text: str


def run_command(opened: OpenDocument, _: int | None = None) -> CommandAnswer:
    """Report the verdicts of a run on all records."""
    policy, inputs = require_policy(opened.document), opened.mistakes.result().inputs
    table = _require_table(opened, inputs)
    params = used_params(opened.document, inputs.settings.params)

    def preview(_: Session) -> Result:
        return table.queue.whole.preview(policy, params=params, seed=SEED, key=STAND_IN_KEY)

    result = table.queue.ask(f"run {opened.uri}", preview)
    words = [verdict(outcome, TO_REPAIR) for outcome in result.requirements]
    violated = f", {words.count(VIOLATED)} {VIOLATED}" if VIOLATED in words else ""
    repaired = f"{words.count(TO_REPAIR)} of {count_text(len(words), 'requirement')} {TO_REPAIR}"
    records = records_in_and_out(result) + no_check_words(result)
    summary = remarks(result, UNNAMED, f"{records}; nothing was written")
    text = document_text([*requirements_table(result, TO_REPAIR), summary])
    return CommandAnswer(_title(opened, "run"), f"{repaired}{violated}; {records}", text)


def prove_command(opened: OpenDocument, number: int | None = None) -> CommandAnswer:
    """Prove the policy's assertions, or those of one requirement."""
    indexes = step_indexes(require_policy(opened.document).tree, number)
    claims = tuple(proof.claim for proof in opened.judged.result().proofs if proof.index in indexes)
    verdicts = [claim.verdict for claim in claims]
    counts = (f"{verdicts.count(verdict)} {verdict}" for verdict in ClaimVerdict if verdict in verdicts)
    summary = ", ".join(counts) or "nothing to prove"
    return CommandAnswer(_title(opened, "prove"), summary, f"{Proof(claims, {})}\n" if claims else f"{summary}\n")


def explain_command(opened: OpenDocument, number: int | None = None) -> CommandAnswer:
    """Write the policy, or one of its requirements, as relational algebra."""
    policy = require_policy(opened.document)
    tree = policy.tree
    if number is not None:
        tree = replace(tree, requirements=tree.requirements[number - 1 : number])
    params = used_params(opened.document, opened.context.params)
    summary = "relational algebra" if number is None else f"requirement {number} as relational algebra"
    return CommandAnswer(_title(opened, "explain"), summary, to_algebra(tree, policy.text, params))


def _title(opened: OpenDocument, command: str) -> str:
    name = "policy" if opened.document.path is None else Path(opened.document.path).name
    return f"{command} {name}"


def _require_table(opened: OpenDocument, inputs: Inputs) -> OpenTable:
    if inputs.error is not None:
        raise inputs.error
    if inputs.table is None:
        name = "policy.acp" if opened.document.path is None else Path(opened.document.path).name
        help_ = f'name the table in `{SETTINGS_FILE}` in the folder:\n[policy."{name}"]\ntable = "people.csv"'
        raise CallError([Diagnostic("AC411", "no table is given", help=help_)])
    return inputs.table
