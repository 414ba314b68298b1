"""Diagnostics: a message about a policy, a table or a call, with labeled spans of the policy and edits that fix it.

`AcompassError` and its subclasses are the exceptions of the public API; each carries diagnostics. `Source` converts
offsets to lines and columns, for terminals and for editors."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum

from acompass.dataclasses import dataclass

#: diagnostics shown by default; the rest are counted
MOST_SHOWN = 50
#: the parser stops after this many diagnostics
MOST_REPORTED = 1_000


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """The characters of a policy's text from `start` up to but not including `end`."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Label:
    span: Span
    text: str = ""  # a note about the span; empty for a bare underline


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the characters of `span` with `text`. An empty span inserts, an empty text deletes."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove a diagnostic."""

    title: str
    edits: tuple[Edit, ...]  # they overlap neither each other nor a comment
    #: whether this is the only possible reading of the text. `--fix` applies safe fixes only; any other fix may change
    #: the meaning of the policy, so the user has to choose it.
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding."""

    code: str
    #: lowercase, without a period; the user's words are in backticks; never contains a record value
    message: str
    labels: tuple[Label, ...] = ()  # the first is the primary one; findings about a table or a call have none
    help: str | None = None  # text to paste, or a step to take
    severity: Severity = Severity.ERROR
    fixes: tuple[Fix, ...] = ()  # at most one is safe


class AcompassError(Exception):
    """A mistake that the user can fix. `diagnostics` are in the order of the text."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: str | None = None, name: str | None = None):
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        #: the text and the name of the policy that the labels point into
        self.source = source
        self.name = name
        super().__init__(*self.diagnostics)

    def __str__(self) -> str:
        from acompass.errors.rendering import render_text  # only needed when an error is shown

        return render_text(self.diagnostics, self.source, self.name)


class PolicyError(AcompassError):
    """The policy does not parse, or does not fit the schema of the table."""


class TableError(AcompassError):
    """The table cannot be read or written, or lacks something that the policy needs."""


class CallError(AcompassError):
    """An option, a parameter, a seed or a trace is wrong."""


class EngineError(AcompassError):
    """The engine could not be reached, or failed while it ran."""


class Canceled(EngineError):
    """The call was canceled from another thread; nothing was written."""


def insert(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


def replace(span: Span, text: str) -> Edit:
    return Edit(span, text)


def delete(span: Span) -> Edit:
    return Edit(span, "")


def safe(title: str, *edits: Edit) -> tuple[Fix, ...]:
    """One safe fix: the only possible reading of the text."""
    return (Fix(title, edits, is_safe=True),)


def offer(title: str, *edits: Edit) -> tuple[Fix, ...]:
    """One fix that the user has to choose: the text has several readings."""
    return (Fix(title, edits),)


_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """A text with its lines, which end as in an editor: at a line feed, a carriage return, or the two together."""

    def __init__(self, text: str):
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both counted from 1."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def utf16_position(self, offset: int) -> tuple[int, int]:
        """The same in the Language Server Protocol: both from 0, the column in UTF-16 code units."""
        line, column = self.position(offset)
        start = self._starts[line - 1]
        return line - 1, _utf16_length(self.text[start : start + column - 1])

    def utf16_offset(self, line: int, column: int) -> int:
        """The inverse of `utf16_position`.

        A column past the end of its line means the end of the line; inside a character, it means the character's start.
        """
        if line >= len(self._starts):
            return len(self.text)
        start, before = self._starts[line], 0
        for index, character in enumerate(self.line(line + 1)):
            before += _utf16_length(character)
            if before > column:
                return start + index
        return start + len(self.line(line + 1))

    def line(self, number: int) -> str:
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end].rstrip("\r\n")

    def clamp(self, span: Span) -> Span:
        start = max(0, min(span.start, len(self.text)))
        return Span(start, max(start, min(span.end, len(self.text))))


def _utf16_length(text: str) -> int:
    return sum(2 if character > "\uffff" else 1 for character in text)
