"""Where the names of a policy are: AS names, which one requirement sees, and parameters, which all share."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from acompass.assist.document import Document, contains
from acompass.checked.names import Names
from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.walk import assertion_of, constants, leaves, process_of, steps_of

Kind: TypeAlias = Literal["name", "parameter"]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """A name and all its places, in the order of the text. `requirement` is that of an AS name."""

    name: str
    kind: Kind
    spans: tuple[Span, ...]
    requirement: tree.Requirement | None = None


def occurrences_at(document: Document, offset: int) -> Occurrences | None:
    """The AS name or parameter at an offset, if there is one in a requirement that parses."""
    requirement = document.requirement_at(offset)
    if requirement is None:
        return None
    found = (*as_names(requirement), *parameters_of(document.program))
    return next((each for each in found if any(contains(span, offset) for span in each.spans)), None)


def as_names(requirement: tree.Requirement) -> Iterator[Occurrences]:
    """The AS names of a requirement. The condition after PROCESS sees them beside the columns of GROUP BY
    (D15), so that the same word elsewhere is another name."""
    process, assertion = process_of(requirement), assertion_of(requirement)
    if process is None or assertion is None:
        return
    aliases = [named.alias for named in process.aggregates]
    seen = Names([name.text for name in (*process.group_by, *aliases)])
    used = [name_of(leaf) for leaf in leaves(assertion.condition)]
    for position, alias in enumerate(aliases, start=len(process.group_by)):
        uses = [name.span for name in used if seen.find(name.text) == (position,)]
        yield Occurrences(alias.text, "name", (alias.span, *uses), requirement)


def name_of(leaf: tree.Condition) -> tree.Name:
    """The name in a condition that `leaves` yields."""
    match leaf:
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between() | tree.Like():
            return leaf.name
        case tree.Not() | tree.And() | tree.Or():
            raise AssertionError("not a leaf")
        case _:
            assert_never(leaf)


def parameters_of(program: tree.Program) -> Iterator[Occurrences]:
    """The parameters of a policy, in the order in which they first occur."""
    places: dict[str, set[Span]] = {}
    for requirement in program.requirements:
        for parameter in parameters_in(requirement):
            places.setdefault(parameter.name, set()).add(parameter.span)
    for name, spans in places.items():
        yield Occurrences(name, "parameter", tuple(sorted(spans, key=lambda span: span.start)))


def parameters_in(requirement: tree.Requirement) -> Iterator[tree.Parameter]:
    """The parameters of one requirement; one in the assertion of a THEN comes once for each step."""
    for step in steps_of(requirement):
        for constant in constants(step):
            if isinstance(constant, tree.Parameter):
                yield constant
