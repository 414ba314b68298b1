"""Explain the word under the cursor. Examples for a map never come from the table."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice, takewhile
from typing import TypeVar

from acompass.assist.analysis import Context, verdict_lines
from acompass.assist.completion import MEANINGS, meaning
from acompass.assist.document import Document, contains, occurrences_at
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Span
from acompass.errors.display import list_names
from acompass.language.program.checker import check
from acompass.language.program.effects import map_of
from acompass.language.program.kernels import Map
from acompass.language.program.types import Column, Schema
from acompass.language.text import tree
from acompass.language.text.formatter import format_aggregate, format_map
from acompass.language.text.tokens import Token, spell_constant, unquote
from acompass.language.text.walk import (
    draw_in,
    generalize_in,
    level_in,
    nearest_in,
    process_of,
    processes,
    step_of,
    steps,
)
from acompass.measure.answer import ColumnFacts
from acompass.prove.search.column_types import inferred_schema

T = TypeVar("T", tree.Generalize, tree.Draw)

#: the maximum number of values whose probabilities are shown
_MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Hover:
    """Plain text; words of the policy are in backticks."""

    span: Span
    title: str
    lines: tuple[str, ...]


def hover(document: Document, offset: int, context: Context) -> Hover | None:
    """Explain the column, name, parameter, map or word of the language at an offset."""
    found = _token_at(document, offset)
    if found is None:
        return None
    segment, at = found
    token = segment[at]
    generalize = _action_at(document, offset, generalize_in)
    if generalize is not None and not contains(generalize.name.span, offset):
        return _map(document, generalize, context)
    draw = _action_at(document, offset, draw_in)
    if draw is not None and token.type in ("FROM", "OF", "NUMBER"):
        return _weighted_values(draw)
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
    """The token at an offset, with the tokens of its requirement."""
    touching = [
        (segment, at)
        for segment in document.classified_tokens
        if segment[0].start <= offset <= segment[-1].end
        for at, token in enumerate(segment)
        if token.text and contains(token.span, offset)
    ]
    inside = [(segment, at) for segment, at in touching if offset < segment[at].end]
    return next(iter(inside or touching), None)


def _title(token: Token) -> str:
    return token.text.upper() if token.text[0].isalpha() else f"`{token.text}`"


def _action_at(document: Document, offset: int, find: Callable[[tree.Step | None], T | None]) -> T | None:
    actions = (find(step_of(step)) for step in steps(document.program))
    return next((each for each in actions if each is not None and contains(each.span, offset)), None)


def _map(document: Document, action: tree.Generalize, context: Context) -> Hover:
    column = context.column(action.name.text)
    title = f"GENERALIZE `{action.name.text}` TO {format_map(action.map)}"
    kind = format_map(action.map).split()[0]
    lines = (MEANINGS[kind], *map_lines(action, document.folder, column))
    return Hover(action.span, title, lines)


def _weighted_values(action: tree.Draw) -> Hover:
    """The exact probability of each value."""
    total = sum(each.times for each in action.values)
    shares = [f"`{spell_constant(each.constant)}`: {each.times}/{total}" for each in action.values]
    more = [f"and {len(shares) - _MOST_VALUES:,} more"] if len(shares) > _MOST_VALUES else []
    lines = ("each affected record gets one value at random:", *shares[:_MOST_VALUES], *more)
    return Hover(action.span, f"RANDOM `{action.name.text}` FROM", lines)


def _parameter(token: Token, context: Context) -> Hover:
    value = context.params.get(token.text)
    line = "not set: give it a value" if value is None else f"set to `{value}`"
    return Hover(token.span, f"parameter `{token.text}`", (line,))


def _name(document: Document, offset: int, segment: tuple[Token, ...], at: int, context: Context) -> Hover | None:
    found = occurrences_at(document, offset)
    if found is not None and found.kind == "name":
        assert found.requirement is not None
        return Hover(segment[at].span, f"`{found.name}`", tuple(_alias_lines(found.requirement, found.name)))
    name, span = _whole_name(segment, at)
    file = _file_with_column(document, offset)
    if file is not None:
        return Hover(span, f"column `{name}` of `{file}`", ("a column of the reference table, not of this table",))
    facts = context.facts_about(name)
    known = context.column(name)
    if facts is None and known is None:
        return None
    title = f"column `{name if facts is None else facts.name}`"
    return Hover(span, title, tuple(_column_lines(known, facts)))


def _file_with_column(document: Document, offset: int) -> str | None:
    """The reference table with the column at an offset, in `SUM(people) IN 'zip.csv'` (X14)."""
    for process in processes(document.program):
        for aggregate in (named.aggregate for named in process.aggregates):
            if aggregate.file is not None and aggregate.column is not None and contains(aggregate.column.span, offset):
                return aggregate.file.value
    return None


def _whole_name(segment: tuple[Token, ...], at: int) -> tuple[str, Span]:
    """The whole name that a word or a quoted text is part of."""
    if segment[at].type == "QUOTED":
        return unquote(segment[at].text), segment[at].span
    before = list(takewhile(lambda token: token.type == "WORD", reversed(segment[:at])))
    after = list(takewhile(lambda token: token.type == "WORD", segment[at:]))
    words = [*reversed(before), *after]
    return " ".join(word.text for word in words), words[0].span.to(words[-1].span)


def _alias_lines(requirement: tree.Requirement, name: str) -> Iterator[str]:
    process = process_of(requirement)
    assert process is not None, "an AS name is in a process query"
    for named in process.aggregates:
        if named.alias.text == name:
            yield f"`{format_aggregate(named.aggregate)}` of each class"
    groups = list_names(group.text for group in process.group_by)
    yield f"a class: the records with equal {groups}" if groups else "one class: all records"


def _column_lines(known: Column | None, facts: ColumnFacts | None) -> Iterator[str]:
    yield str(known.type) if known is not None else facts.type if facts is not None else ""
    if facts is None:
        return
    yield f"{facts.distinct:,} distinct values, {facts.missing:,} missing"
    if facts.summary:
        yield facts.summary


#: the maximum numbers of labels and of examples that are listed
_LISTED = 12
_EXAMPLES = 3


def map_lines(action: tree.Generalize, folder: str, column: Column | None) -> Iterator[str]:
    """Examples of labels, then all labels if there are few. Empty if the map does not fit the column."""
    nearest = nearest_in(action)
    if nearest is not None:
        yield from _rounded_lines(nearest.number.value)
        return
    map_ = _checked_map(action, folder, column)
    if map_ is None:
        return
    for value in islice(map_.examples(), _EXAMPLES):
        label = map_.label(value)
        if label is not None:
            yield f"`{value}` becomes `{label}`" if label != value else f"`{value}` stays unchanged"
    labels = map_.labels()
    if labels is not None and len(labels) <= _LISTED:
        yield f"labels: {list_names(labels)}"
    elif labels is not None:
        yield f"{len(labels):,} labels"


def _rounded_lines(step: Decimal) -> Iterator[str]:
    """A number that is rounded down, and one that is rounded up."""
    for factor, multiple in (("1.4", 1), ("1.6", 2)) if step > 0 else ():
        value, rounded = (f"{(step * Decimal(each)).normalize():f}" for each in (factor, multiple))
        yield f"`{value}` becomes `{rounded}`"


def _checked_map(action: tree.Generalize, folder: str, column: Column | None) -> Map | None:
    """Check only this action, on a table with this column, and return its map."""
    alone = tree.Program((tree.Requirement(tree.Always(), _without_else_parameter(action)),), folder=folder)
    schema: Schema = inferred_schema(alone, {}) if column is None else (column,)
    program, _ = check(alone, "", schema)
    return None if program is None else map_of(program.requirements[0].action)


def _without_else_parameter(action: tree.Generalize) -> tree.Generalize:
    """Remove a parameter after ELSE, which may be unset and does not affect the examples."""
    level = level_in(action.map)
    if level is None or not isinstance(level.otherwise, tree.Parameter):
        return action
    return replace(action, map=replace(level, otherwise=None))
