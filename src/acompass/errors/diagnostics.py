"""Diagnostics: a message about a policy, a table or a call, with labeled spans of the policy and edits that fix it.

`AcompassError` and its subclasses are the exceptions of the public API; each carries diagnostics. `Source` converts
offsets to lines and columns, for terminals and for editors. `option_text` spells an argument of the call for a message.
`fix_safely` applies fixes; `keep_sound_fixes` discards or adjusts those that would damage the text around them.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import count
from typing import Any, TypeAlias

from acompass import dataclasses
from acompass.dataclasses import dataclass

#: diagnostics shown by default; the rest are counted
MOST_SHOWN = 50
#: the parser stops after this many diagnostics
MOST_REPORTED = 1_000
#: the parser reports one mistake per requirement, so each further mistake in a requirement takes another round of fixes
MOST_ROUNDS = 100


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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the error, as process pools do; by default, each diagnostic would become an argument."""
        return type(self), (self.diagnostics,), self.__dict__

    def __str__(self) -> str:
        from acompass.errors.rendering import render_text  # only needed when an error is shown

        return render_text(self.diagnostics, self.source, self.name)


#: spells an argument of a call, given its name in Python and perhaps a value
Spelling: TypeAlias = Callable[..., str]


def option_text(name: str, *value: Any) -> str:
    """An argument of the call as the caller writes it: `missing="drop"` in Python, `--missing drop` in a shell.

    Without a value, only its name. The value `...` stands for any value.
    """
    return _spellings[-1](name, *value)


def missing_help() -> str:
    """What to do about missing values."""
    return (
        f"drop incomplete records with `{option_text('missing', 'drop')}`, "
        f"or fill them with `{option_text('missing', 'VALUE')}`"
    )


@contextmanager
def spelled_by(spelling: Spelling) -> Iterator[None]:
    """Spell arguments in this way, in all threads: a process serves one interface at a time."""
    _spellings.append(spelling)
    try:
        yield
    finally:
        _spellings.remove(spelling)


def _python_spelling(name: str, *value: Any) -> str:
    return f"{name}={_literal(value[0])}" if value else name


def _literal(value: Any) -> str:
    match value:
        case str():
            return repr(value) if set(value) & set('"\\') else f'"{value}"'
        case Mapping():
            return f"{{{', '.join(f'{_literal(key)}: {_literal(each)}' for key, each in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_literal, value))}]"
        case _:
            return "…" if value is ... else str(value)


_spellings: list[Spelling] = [_python_spelling]


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


@dataclass(frozen=True, slots=True)
class FixedText:
    text: str
    applied: int  # number of fixes


def fix_safely(text: str, diagnose: Callable[[str], Sequence[Diagnostic]]) -> FixedText:
    """Apply safe fixes until `diagnose` offers no more. The last call of `diagnose` is on the resulting text."""
    applied = 0
    for rounds in count():
        safe = (fix for diagnostic in diagnose(text) for fix in diagnostic.fixes if fix.is_safe)
        fixes = list(compatible_fixes(safe))
        if not fixes or rounds == MOST_ROUNDS:
            break
        text = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        applied += len(fixes)
    return FixedText(text, applied)


def compatible_fixes(fixes: Iterable[Fix]) -> Iterator[Fix]:
    """The fixes that do not touch the edits of an earlier one. The others wait for the next round."""
    taken: set[int] = set()
    for fix in fixes:
        # the gaps between characters; two edits that share one have no defined order
        gaps = {gap for edit in fix.edits for gap in range(edit.span.start, edit.span.end + 1)}
        if not gaps & taken:
            taken |= gaps
            yield fix


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    parts, end = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        parts += [text[end : edit.span.start], edit.text]
        end = edit.span.end
    return "".join([*parts, text[end:]])


def keep_sound_fixes(diagnostic: Diagnostic, text: str, comments: Sequence[Span]) -> Diagnostic:
    """The diagnostic without fixes that would change a comment, and with spaces around edits that would join words.

    `comments` are in the order of the text.
    """
    if not diagnostic.fixes:
        return diagnostic
    kept = [fix for fix in diagnostic.fixes if not any(_touches(edit.span, comments) for edit in fix.edits)]
    sound = (Fix(fix.title, tuple(_separate_words(edit, text) for edit in fix.edits), fix.is_safe) for fix in kept)
    return dataclasses.replace(diagnostic, fixes=tuple(sound))


def _touches(edited: Span, comments: Sequence[Span]) -> bool:
    index = bisect_right(comments, edited.start, key=lambda span: span.end)
    return index < len(comments) and comments[index].start < edited.end


def _separate_words(edit: Edit, text: str) -> Edit:
    """The edit with a space wherever it would join two words: `a&&b`."""
    start, end = edit.span.start, edit.span.end
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    replaced, left = text[max(end - 1, 0) : end], (edit.text or before)[-1:]
    is_apart = not (_join(left, after) or _hides_comment(left, replaced, after))
    if not edit.text:
        return edit if is_apart else Edit(edit.span, " ")
    first = " " if _join(before, edit.text[0]) else ""
    last = "" if is_apart else " "
    return Edit(edit.span, f"{first}{edit.text}{last}")


def _join(left: str, right: str) -> bool:
    """Whether two characters are read as one word, or as a doubled quote."""
    return (_is_word_character(left) and _is_word_character(right)) or (left == right and left in ("'", '"'))


def _hides_comment(left: str, replaced: str, right: str) -> bool:
    """Whether `#` or `//` is no longer read as a comment once `left` replaces the character before it."""
    return right in ("#", "/") and left.isalnum() and not replaced.isalnum()


def _is_word_character(character: str) -> bool:
    return character.isalnum() or (character != "" and character in "_.-+")
