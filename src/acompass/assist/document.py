"""The text of a policy that someone is writing. It need not parse."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from acompass.diagnostics import Diagnostic, PolicyError, Span
from acompass.diagnostics.source import Source
from acompass.policy import Policy, parse, parse_file
from acompass.syntax import tree
from acompass.syntax.parse import as_read, segments
from acompass.syntax.parse import parse as parse_text
from acompass.syntax.tokens import Token, tokenize


@dataclass(frozen=True)
class Document:
    """`path` is where the text is or will be saved: LEVEL looks for its files there."""

    text: str
    path: str | None = None
    paper: bool = False

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(self._scanned[0])

    @cached_property
    def read_tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each requirement, with the terminals as which they are read."""
        return tuple(tuple(as_read(segment)) for segment in segments(iter(self.tokens)))

    @cached_property
    def comments(self) -> tuple[tree.Comment, ...]:
        return self._scanned[1]

    @property
    def policy(self) -> Policy | None:
        """None unless the whole text parses."""
        return self._parsed if isinstance(self._parsed, Policy) else None

    @property
    def syntax_errors(self) -> tuple[Diagnostic, ...]:
        return () if isinstance(self._parsed, Policy) else self._parsed.diagnostics

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
        """The requirement that an offset is in, if it parses."""
        return next((each for each in self.program.requirements if contains(each.span, offset)), None)

    @cached_property
    def _scanned(self) -> tuple[list[Token], tuple[tree.Comment, ...]]:
        return tokenize(self.text)

    @cached_property
    def _parsed(self) -> Policy | PolicyError:
        try:
            if self.path is None:
                return parse(self.text, paper=self.paper)
            return parse_file(self.text, self.path, self.paper)
        except PolicyError as error:
            return error


def contains(span: Span, offset: int) -> bool:
    """Whether an offset is in a span or at one of its ends."""
    return span.start <= offset <= span.end
