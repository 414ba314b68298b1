"""The outline of a policy, and where its names are defined and used."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from acompass.assist.document import Document
from acompass.assist.occurrences import occurrences_at, parameters_in
from acompass.assist.renaming import rename
from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.format import format_aggregate, format_requirement
from acompass.syntax.walk import process_of

__all__ = ["Symbol", "definition", "references", "rename", "symbols"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """`detail` is the rest of what an outline shows: the action of a requirement, the aggregate of a name."""

    name: str
    kind: Literal["requirement", "name", "parameter"]
    span: Span
    detail: str
    children: tuple["Symbol", ...] = ()


def symbols(document: Document) -> tuple[Symbol, ...]:
    """The requirements that parse, each with its AS names and parameters."""
    return tuple(_requirement(document, each) for each in document.program.requirements)


def _requirement(document: Document, requirement: tree.Requirement) -> Symbol:
    assertion, action = _halves(requirement)
    names = list(_names(requirement))
    children = sorted([*names, *_parameters(requirement)], key=lambda symbol: symbol.span.start)
    return Symbol(assertion, "requirement", requirement.span, action, tuple(children))


def _halves(requirement: tree.Requirement) -> tuple[str, str]:
    """The assertion and the action on one line each."""
    whole = " ".join(format_requirement(requirement).removesuffix(";").split())
    alone = tree.Requirement(requirement.assertion)
    assertion = " ".join(format_requirement(alone).removesuffix(";").removesuffix(":").split())
    return assertion, whole.removeprefix(assertion).removeprefix(" : ")


def _names(requirement: tree.Requirement) -> Iterator[Symbol]:
    process = process_of(requirement)
    for named in () if process is None else process.aggregates:
        yield Symbol(named.alias.text, "name", named.alias.span, format_aggregate(named.aggregate))


def _parameters(requirement: tree.Requirement) -> list[Symbol]:
    first: dict[str, Symbol] = {}
    for parameter in parameters_in(requirement):
        first.setdefault(parameter.name, Symbol(parameter.name, "parameter", parameter.span, ""))
    return list(first.values())


def definition(document: Document, offset: int) -> Span | None:
    """Where the name at an offset begins: at its AS. A parameter is bound elsewhere, so at its first use."""
    found = occurrences_at(document, offset)
    return None if found is None else found.spans[0]


def references(document: Document, offset: int) -> tuple[Span, ...]:
    """Every place of the name at an offset, its definition included."""
    found = occurrences_at(document, offset)
    return () if found is None else found.spans
