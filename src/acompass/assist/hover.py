"""What the word under the cursor is and does."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from acompass.assist.context import Context
from acompass.assist.document import Document, contains
from acompass.assist.map_examples import map_lines
from acompass.assist.occurrences import occurrences_at
from acompass.assist.verdict_words import verdict_lines
from acompass.assist.words import MEANINGS, meaning
from acompass.checked.names import Names
from acompass.checked.types import Column
from acompass.diagnostics import Span
from acompass.measures import ColumnFacts
from acompass.syntax import tree
from acompass.syntax.format import format_aggregate, format_map
from acompass.syntax.spelling import spell_constant, unquote
from acompass.syntax.tokens import Token
from acompass.syntax.walk import draw_of, generalize_of, process_of, step_of, steps

_QUANTIFIERS = ("EACH", "SOME", "ALWAYS")
#: values of an urn whose probabilities are shown
_MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Hover:
    """Plain text; words of the policy are in backticks."""

    span: Span
    title: str
    lines: tuple[str, ...]


def hover(document: Document, offset: int, context: Context) -> Hover | None:
    """What is at an offset: a column, a name, a parameter, a map, or a word of the language."""
    found = _token_at(document, offset)
    if found is None:
        return None
    segment, at = found
    token = segment[at]
    generalize = _generalize_at(document, offset)
    if generalize is not None and not contains(generalize.name.span, offset):
        return _map(document, generalize, context)
    draw = _draw_at(document, offset)
    if draw is not None and token.type in ("FROM", "OF", "NUMBER"):
        return _urn(draw)
    match token.type:
        case "PARAMETER":
            return _parameter(token, context)
        case "WORD" | "QUOTED":
            return _name(document, offset, segment, at, context)
        case "EACH" | "SOME" | "ALWAYS":
            lines = (MEANINGS[token.type], *verdict_lines(document, token.start, context))
            return Hover(token.span, token.type, lines)
        case kind if kind in MEANINGS:
            return Hover(token.span, _title(token), (meaning(kind, segment[:at]),))
    return None


def _token_at(document: Document, offset: int) -> tuple[tuple[Token, ...], int] | None:
    """The token that an offset is in, or that begins or ends there, with the tokens of its requirement."""
    touching = [
        (segment, at)
        for segment in document.read_tokens
        if segment[0].start <= offset <= segment[-1].end
        for at, token in enumerate(segment)
        if token.text and contains(token.span, offset)
    ]
    inside = [(segment, at) for segment, at in touching if offset < segment[at].end]
    return next(iter(inside or touching), None)


def _title(token: Token) -> str:
    return token.text.upper() if token.text[0].isalpha() else f"`{token.text}`"


def _generalize_at(document: Document, offset: int) -> tree.Generalize | None:
    actions = (generalize_of(step_of(step)) for step in steps(document.program))
    return next((each for each in actions if each is not None and contains(each.span, offset)), None)


def _map(document: Document, action: tree.Generalize, context: Context) -> Hover:
    column = _column(action.name.text, context)
    title = f"GENERALIZE `{action.name.text}` TO {format_map(action.map)}"
    kind = format_map(action.map).split()[0]
    lines = (MEANINGS[kind], *map_lines(action, document.folder, column))
    return Hover(action.span, title, lines)


def _draw_at(document: Document, offset: int) -> tree.Draw | None:
    actions = (draw_of(step_of(step)) for step in steps(document.program))
    return next((each for each in actions if each is not None and contains(each.span, offset)), None)


def _urn(action: tree.Draw) -> Hover:
    """The exact probability of each value."""
    total = sum(ball.times for ball in action.balls)
    shares = [f"`{spell_constant(ball.constant)}`: {ball.times}/{total}" for ball in action.balls]
    more = [f"and {len(shares) - _MOST_VALUES:,} more"] if len(shares) > _MOST_VALUES else []
    lines = ("each affected record gets one value, by chance:", *shares[:_MOST_VALUES], *more)
    return Hover(action.span, f"RANDOM `{action.name.text}` FROM", lines)


def _column(name: str, context: Context) -> Column | None:
    schema = context.schema or ()
    found = Names([column.name for column in schema]).find(name)
    return schema[found[0]] if len(found) == 1 else None


def _parameter(token: Token, context: Context) -> Hover:
    value = context.params.get(token.text)
    line = "not bound: give it a value" if value is None else f"bound to `{value}`"
    return Hover(token.span, f"parameter `{token.text}`", (line,))


def _name(
    document: Document, offset: int, segment: tuple[Token, ...], at: int, context: Context
) -> Hover | None:
    found = occurrences_at(document, offset)
    if found is not None and found.kind == "name":
        assert found.requirement is not None
        return Hover(segment[at].span, f"`{found.name}`", tuple(_as_name(found.requirement, found.name)))
    name, span = _whole_name(segment, at)
    facts = _facts(name, context)
    known = _column(name, context)
    if facts is None and known is None:
        return None
    title = f"column `{name if facts is None else facts.name}`"
    return Hover(span, title, tuple(_about(known, facts)))


def _whole_name(segment: tuple[Token, ...], at: int) -> tuple[str, Span]:
    """The name that a word or a quoted text is part of."""
    if segment[at].type == "QUOTED":
        return unquote(segment[at].text), segment[at].span
    before = list(takewhile(lambda token: token.type == "WORD", reversed(segment[:at])))
    after = list(takewhile(lambda token: token.type == "WORD", segment[at:]))
    words = [*reversed(before), *after]
    return " ".join(word.text for word in words), words[0].span.to(words[-1].span)


def _as_name(requirement: tree.Requirement, name: str) -> Iterator[str]:
    process = process_of(requirement)
    assert process is not None, "an AS name is in a process query"
    for named in process.aggregates:
        if named.alias.text == name:
            yield f"`{format_aggregate(named.aggregate)}` of each class"
    groups = ", ".join(f"`{group.text}`" for group in process.group_by)
    yield f"a class: the records with equal {groups}" if groups else "one class: all records"


def _facts(name: str, context: Context) -> ColumnFacts | None:
    names = tuple(context.facts)
    found = Names(names).find(name)
    return context.facts[names[found[0]]] if len(found) == 1 else None


def _about(known: Column | None, facts: ColumnFacts | None) -> Iterator[str]:
    yield str(known.type) if known is not None else facts.type if facts is not None else ""
    if facts is None:
        return
    yield f"{facts.distinct:,} distinct values, {facts.missing:,} missing"
    if facts.summary:
        yield facts.summary
