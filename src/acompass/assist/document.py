"""The text of a policy that is being written and need not parse; its parameters, and the edits that format it."""

from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Diagnostic, Edit, PolicyError, Source, Span
from acompass.language.program.constants import ParamValue
from acompass.language.text import tree
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import classify_tokens, parse_text, segments
from acompass.language.text.tokens import Token, tokenize
from acompass.language.text.walk import parameter_names
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
