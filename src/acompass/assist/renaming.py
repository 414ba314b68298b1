"""Rename an AS name or a parameter. The policy means the same afterwards, up to the name."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from acompass.assist.document import Document
from acompass.assist.occurrences import Occurrences, occurrences_at, parameters_of
from acompass.diagnostics import CallError, Diagnostic, Edit, Span
from acompass.diagnostics.fixing import apply_edits
from acompass.syntax import tree
from acompass.syntax.parse import parse
from acompass.syntax.spelling import quoted_name, spell_name
from acompass.syntax.tokens import KEYWORDS, is_word
from acompass.syntax.walk import process_of


def rename(document: Document, offset: int, new: str) -> tuple[Edit, ...]:
    """The edits that give the name at an offset another one. Comments and texts are never edited.

    Raise CallError if there is no AS name or parameter, or if the policy cannot have the new name there.
    """
    found = occurrences_at(document, offset)
    if found is None:
        raise _refused("only AS names and parameters can be renamed", "choose a name after AS or a parameter")
    if new == found.name:
        return ()
    _require_free(document, found, new)
    for spell in _spellings(found):
        edits = tuple(edit for span in found.spans for edit in _edits(document, span, spell(new)))
        if _means_the_same(document, found, edits, new):
            return edits
    raise _refused(f"`{new}` is not a name that can stand in place of `{found.name}`", _EXAMPLE)


_EXAMPLE = "choose a word, such as `size`"


def _require_free(document: Document, found: Occurrences, new: str) -> None:
    if found.requirement is None:
        if not is_word(new) or new.lower() in KEYWORDS:
            raise _refused(f"`{new}` is not a word, and a parameter is one", _EXAMPLE)
        if document.policy is None:
            raise _refused("a parameter may also be in a line with a mistake", "correct the mistakes first")
        taken = {other.name for other in parameters_of(document.program)}
    else:
        process = process_of(found.requirement)
        assert process is not None, "an AS name is in a process query"
        others = (*process.group_by, *(named.alias for named in process.aggregates))
        taken = {name.text.casefold() for name in others} - {found.name.casefold()}
        new = new.casefold()
    if new in taken:
        raise _refused(f"`{new}` is already a name here", "choose another one")


def _spellings(found: Occurrences) -> tuple[Callable[[str], str], ...]:
    """Bare where that is possible. Some words would be read as others in their place, so quotes come next."""
    return (str,) if found.kind == "parameter" else (spell_name, quoted_name)


def _edits(document: Document, span: Span, new: str) -> Iterator[Edit]:
    """One edit for the name, or where comments are between its words, one for each word."""
    inside = [token.span for token in document.tokens if span.start <= token.start < span.end]
    is_whole = not any(span.start < comment.span.start < span.end for comment in document.comments)
    if is_whole:
        yield Edit(span, new)
        return
    first, *others = inside
    yield Edit(first, new)
    yield from (Edit(other, "") for other in others)


def _means_the_same(document: Document, found: Occurrences, edits: tuple[Edit, ...], new: str) -> bool:
    program, _ = parse(apply_edits(document.text, edits))
    spans = frozenset(found.spans)
    expected: tuple[tree.Requirement, ...] = _renamed(document.program.requirements, spans, new)
    return program.requirements == expected


def _renamed(node: Any, spans: frozenset[Span], new: str) -> Any:
    """The tree in which the names and parameters at the given places have another name."""
    match node:
        case tuple():
            return tuple(_renamed(each, spans, new) for each in node)
        case tree.Name() if node.span in spans:
            return replace(node, text=new)
        case tree.Parameter() if node.span in spans:
            return replace(node, name=new)
    if not is_dataclass(node) or isinstance(node, type | Span):
        return node
    return replace(node, **{f.name: _renamed(getattr(node, f.name), spans, new) for f in fields(node)})


def _refused(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC407", message, help=help_)])
