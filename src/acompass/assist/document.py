"""The text of a policy that is being written and need not parse: its parameters, the edits that format it, its outline,
and the definitions and uses of its names, which can be renamed without changing the meaning.

An AS name is visible in one requirement, a parameter in all."""

from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, assert_never

from acompass.dataclasses import dataclass, fields, is_dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, Edit, PolicyError, Source, Span, apply_edits
from acompass.language.program.constants import ParamValue
from acompass.language.program.types import Names
from acompass.language.text import tree
from acompass.language.text.formatter import format_aggregate, format_program, format_requirement
from acompass.language.text.parser import classify_tokens, parse_text, segments
from acompass.language.text.tokens import KEYWORDS, Token, is_word, quoted_name, spell_name, tokenize
from acompass.language.text.walk import assertion_of, constants, leaves, parameter_names, process_of, steps_of
from acompass.policy import Policy, parse, parse_file


@dataclass(frozen=True)
class Document:
    text: str
    path: str | None = None  # where the text is or will be saved; LEVEL looks for its files in this folder
    paper: bool = False

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(self._scan_result[0])

    @cached_property
    def classified_tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each requirement, with the terminals that they are parsed as."""
        return tuple(tuple(classify_tokens(segment)) for segment in segments(iter(self.tokens)))

    @cached_property
    def comments(self) -> tuple[tree.Comment, ...]:
        return self._scan_result[1]

    @property
    def policy(self) -> Policy | None:
        """None unless the whole text parses."""
        return self._parse_result if isinstance(self._parse_result, Policy) else None

    @property
    def syntax_errors(self) -> tuple[Diagnostic, ...]:
        return () if isinstance(self._parse_result, Policy) else self._parse_result.diagnostics

    @cached_property
    def program(self) -> tree.Program:
        """The requirements that parse."""
        if self.policy is not None:
            return self.policy.tree
        return replace(parse_text(self.text)[0], folder=self.folder)

    @property
    def folder(self) -> str:
        return "" if self.path is None else str(Path(self.path).parent)

    @cached_property
    def source(self) -> Source:
        return Source(self.text)

    def requirement_at(self, offset: int) -> tree.Requirement | None:
        """The requirement at an offset, if it parses."""
        return next((each for each in self.program.requirements if contains(each.span, offset)), None)

    @cached_property
    def _scan_result(self) -> tuple[list[Token], tuple[tree.Comment, ...]]:
        return tokenize(self.text)

    @cached_property
    def _parse_result(self) -> Policy | PolicyError:
        try:
            if self.path is None:
                return parse(self.text, paper=self.paper)
            return parse_file(self.text, self.path, self.paper)
        except PolicyError as error:
            return error


def contains(span: Span, offset: int) -> bool:
    """Whether an offset is in a span or at one of its ends."""
    return span.start <= offset <= span.end


def parameters(document: Document) -> tuple[str, ...]:
    """The names of the parameters in the requirements that parse, sorted."""
    return tuple(sorted(parameter_names(document.program)))


def used_params(document: Document, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
    """The parameters that the policy uses now; a line that is being edited may use others soon."""
    names = parameter_names(document.program)
    return {name: value for name, value in params.items() if name in names}


def format_edits(document: Document) -> tuple[Edit, ...]:
    """The edits that format the text; empty if it does not parse.

    Edits replace whole lines, so that markers and cursors in other lines stay in place.
    """
    if document.policy is None:
        return ()
    return line_edits(document.text, format_program(document.text))


def line_edits(before: str, after: str) -> tuple[Edit, ...]:
    """The edits of whole lines that turn one text into another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return tuple(
        Edit(Span(starts[first], starts[last]), "".join(new[to:end]))
        for kind, first, last, to, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind != "equal"
    )


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    kind: Literal["requirement", "name", "parameter"]
    span: Span
    detail: str  # the action of a requirement, the aggregate of a name
    children: tuple["Symbol", ...] = ()


Kind: TypeAlias = Literal["name", "parameter"]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """A name and its places, in the order of the text."""

    name: str
    kind: Kind
    spans: tuple[Span, ...]
    requirement: tree.Requirement | None = None  # of an AS name


def symbols(document: Document) -> tuple[Symbol, ...]:
    """The requirements that parse, each with its AS names and parameters."""
    return tuple(map(_requirement, document.program.requirements))


def _requirement(requirement: tree.Requirement) -> Symbol:
    assertion, action = _halves(requirement)
    children = sorted([*_names(requirement), *_parameters(requirement)], key=lambda symbol: symbol.span.start)
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


def _parameters(requirement: tree.Requirement) -> Iterator[Symbol]:
    for found in parameter_occurrences(tree.Program((requirement,))):
        yield Symbol(found.name, "parameter", found.spans[0], "")


def definition(document: Document, offset: int) -> Span | None:
    """Where the name at an offset is defined: after AS, or for a parameter, its first use."""
    found = occurrences_at(document, offset)
    return None if found is None else found.spans[0]


def references(document: Document, offset: int) -> tuple[Span, ...]:
    """Every place of the name at an offset, including its definition."""
    found = occurrences_at(document, offset)
    return () if found is None else found.spans


def occurrences_at(document: Document, offset: int) -> Occurrences | None:
    """The AS name or parameter at an offset, if any, in a requirement that parses."""
    requirement = document.requirement_at(offset)
    if requirement is None:
        return None
    found = (*as_names(requirement), *parameter_occurrences(document.program))
    return next((each for each in found if any(contains(span, offset) for span in each.spans)), None)


def as_names(requirement: tree.Requirement) -> Iterator[Occurrences]:
    """The AS names of a requirement. Only they and the columns of GROUP BY are visible in the condition after PROCESS
    (D15, columns of a condition); the same word elsewhere is another name."""
    process, assertion = process_of(requirement), assertion_of(requirement)
    if process is None or assertion is None:
        return
    aliases = [named.alias for named in process.aggregates]
    seen = Names([name.text for name in (*process.group_by, *aliases)])
    used = [leaf_name(leaf) for leaf in leaves(assertion.condition)]
    for position, alias in enumerate(aliases, start=len(process.group_by)):
        uses = [name.span for name in used if seen.find(name.text) == (position,)]
        yield Occurrences(alias.text, "name", (alias.span, *uses), requirement)


def leaf_name(leaf: tree.Condition) -> tree.Name:
    """The name in a condition that `leaves` yields."""
    match leaf:
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between() | tree.Like():
            return leaf.name
        case tree.Not() | tree.And() | tree.Or():
            raise AssertionError("not a leaf")
        case _:
            assert_never(leaf)


def parameter_occurrences(program: tree.Program) -> Iterator[Occurrences]:
    """The parameters of a policy, in the order in which they first occur."""
    places: dict[str, set[Span]] = {}
    for requirement in program.requirements:
        for parameter in parameters_in(requirement):
            places.setdefault(parameter.name, set()).add(parameter.span)
    for name, spans in places.items():
        yield Occurrences(name, "parameter", tuple(sorted(spans, key=lambda span: span.start)))


def parameters_in(requirement: tree.Requirement) -> Iterator[tree.Parameter]:
    """The parameters of one requirement; those in the assertion of a THEN occur once for each step."""
    for step in steps_of(requirement):
        for constant in constants(step):
            if isinstance(constant, tree.Parameter):
                yield constant


def rename(document: Document, offset: int, new: str) -> tuple[Edit, ...]:
    """The edits that rename the AS name or parameter at an offset. Comments and texts are never edited.

    Raise CallError if there is none, or if the new name is not possible there.
    """
    found = occurrences_at(document, offset)
    if found is None:
        raise _refusal("only AS names and parameters can be renamed", "choose a name after AS or a parameter")
    if new == found.name:
        return ()
    _require_free(document, found, new)
    for spell in _spellings(found):
        edits = tuple(edit for span in found.spans for edit in _edits(document, span, spell(new)))
        if _means_the_same(document, found, edits, new):
            return edits
    raise _refusal(f"`{new}` cannot replace the name `{found.name}`", _EXAMPLE)


_EXAMPLE = "choose a word, such as `size`"


def _require_free(document: Document, found: Occurrences, new: str) -> None:
    if found.requirement is None:
        if not is_word(new) or new.lower() in KEYWORDS:
            raise _refusal(f"`{new}` is not a word, as the name of a parameter must be", _EXAMPLE)
        if document.policy is None:
            raise _refusal("a line with a mistake may use the parameter too", "correct the mistakes first")
        taken = {other.name for other in parameter_occurrences(document.program)}
    else:
        process = process_of(found.requirement)
        assert process is not None, "an AS name is in a process query"
        others = (*process.group_by, *(named.alias for named in process.aggregates))
        taken = {name.text.casefold() for name in others} - {found.name.casefold()}
        new = new.casefold()
    if new in taken:
        raise _refusal(f"`{new}` is already a name here", "choose another one")


def _spellings(found: Occurrences) -> tuple[Callable[[str], str], ...]:
    """Try the bare name first, then quotes: some words would be parsed as others in their place."""
    return (str,) if found.kind == "parameter" else (spell_name, quoted_name)


def _edits(document: Document, span: Span, new: str) -> Iterator[Edit]:
    """One edit for the name, or one for each word if comments are between its words."""
    inside = [token.span for token in document.tokens if span.start <= token.start < span.end]
    is_whole = not any(span.start < comment.span.start < span.end for comment in document.comments)
    if is_whole:
        yield Edit(span, new)
        return
    first, *others = inside
    yield Edit(first, new)
    yield from (Edit(other, "") for other in others)


def _means_the_same(document: Document, found: Occurrences, edits: tuple[Edit, ...], new: str) -> bool:
    program, _ = parse_text(apply_edits(document.text, edits))
    spans = frozenset(found.spans)
    expected: tuple[tree.Requirement, ...] = _rename_node(document.program.requirements, spans, new)
    return program.requirements == expected


def _rename_node(node: Any, spans: frozenset[Span], new: str) -> Any:
    """Rename the names and parameters at these places in the tree."""
    match node:
        case tuple():
            return tuple(_rename_node(each, spans, new) for each in node)
        case tree.Name() if node.span in spans:
            return replace(node, text=new)
        case tree.Parameter() if node.span in spans:
            return replace(node, name=new)
    if not is_dataclass(node) or isinstance(node, type | Span):
        return node
    return replace(node, **{f.name: _rename_node(getattr(node, f.name), spans, new) for f in fields(node)})


def _refusal(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC407", message, help=help_)])
