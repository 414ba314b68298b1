"""What may come next in a policy that someone is typing: words, columns, names, parameters, values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from acompass.assist.context import Context
from acompass.assist.document import Document
from acompass.assist.parameters import parameters
from acompass.assist.place import Place, place_at
from acompass.assist.templates import templates
from acompass.assist.words import SPELLED, meaning, spelled
from acompass.checked.names import Names
from acompass.diagnostics import Span
from acompass.measures import ColumnFacts
from acompass.syntax.spelling import quoted_name, spell_name, spell_string

CompletionKind: TypeAlias = Literal["keyword", "column", "parameter", "name", "map", "snippet", "value"]

_MAPS = frozenset({"BANDS", "PREFIX", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE"})


@dataclass(frozen=True, slots=True)
class Completion:
    """`insert` replaces the characters of `replace`. `label` is what is shown."""

    label: str
    kind: CompletionKind
    insert: str
    replace: Span
    detail: str


def complete(document: Document, offset: int, context: Context) -> tuple[Completion, ...]:
    """What fits at an offset and begins as the text there does. The likeliest come first."""
    place = place_at(document, offset)
    if place is None:
        return ()
    offered = (
        *_values(place, context),
        *_names(place),
        *_columns(place, context),
        *_parameters(document, place, context),
        *_words(place),
        *_snippets(place, context),
    )
    return tuple(each for each in offered if _begins(each, place.typed(each.replace)))


def _begins(completion: Completion, typed: str) -> bool:
    """Whether the completion, or a word of its label, begins with what has been typed."""
    begun, label = typed.casefold(), completion.label.casefold()
    if completion.kind in ("keyword", "map"):
        return label.startswith(begun)
    return label.startswith(begun) or any(word.startswith(begun) for word in label.split())


def _names(place: Place) -> Iterator[Completion]:
    for name in (place.visible or ()) if place.wants_name else ():
        written = quoted_name(name) if place.is_quoted else spell_name(name)
        yield Completion(name, "name", written, place.name_span, "")


def _columns(place: Place, context: Context) -> Iterator[Completion]:
    if not place.wants_name or place.visible is not None:
        return
    for column in context.columns:
        if column.casefold() not in place.gone:
            written = quoted_name(column) if place.is_quoted else spell_name(column, place.ending)
            yield Completion(column, "column", written, place.name_span, _type(column, context))


def _type(column: str, context: Context) -> str:
    for known in context.schema or ():
        if known.name == column:
            return str(known.type)
    facts = context.facts.get(column)
    return "" if facts is None else facts.type


def _parameters(document: Document, place: Place, context: Context) -> Iterator[Completion]:
    if "PARAMETER" not in place.accepted or place.is_quoted or place.is_string:
        return
    for name in sorted({*context.params, *parameters(document)}):
        detail = f"= {context.params[name]}" if name in context.params else "not bound"
        yield Completion(name, "parameter", name, place.span, detail)


def _values(place: Place, context: Context) -> Iterator[Completion]:
    """The frequent values of the column that is compared or replaced."""
    facts = _facts(place.compared, context)
    if "STRING" not in place.accepted or facts is None or facts.form == "number":
        return
    for bar in () if facts.distribution is None else facts.distribution.bars:
        if bar.label != "missing":
            detail = f"{bar.counts[0]:,} records"
            yield Completion(bar.label, "value", spell_string(bar.label), place.span, detail)


def _facts(name: str | None, context: Context) -> ColumnFacts | None:
    found = () if name is None else Names(context.columns).find(name)
    return context.facts.get(context.columns[found[0]]) if len(found) == 1 else None


def _words(place: Place) -> Iterator[Completion]:
    if place.is_quoted or place.is_string:
        return
    for terminal in SPELLED:
        if terminal in place.accepted:
            for word in spelled(terminal, place.tokens):
                kind: CompletionKind = "map" if terminal in _MAPS else "keyword"
                yield Completion(word, kind, word, place.span, meaning(terminal, place.tokens))


def _snippets(place: Place, context: Context) -> Iterator[Completion]:
    if "EACH" in place.accepted and not (place.is_quoted or place.is_string):
        for template in templates(context.roles, context.schema, facts=context.facts):
            yield Completion(template.title, "snippet", template.text, place.span, template.why)
