"""Lines and columns of a policy's text, for terminals and for editors."""

import re
import unicodedata
from bisect import bisect_right

from acompass.diagnostics.diagnostic import Span

_TAB = 4
_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """Lines end as in an editor: at a line feed, a carriage return, or the two together."""

    def __init__(self, text: str):
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both counted from 1."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def utf16_position(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset as the Language Server Protocol counts them.

        Both are counted from 0, and the column in UTF-16 code units.
        """
        line, column = self.position(offset)
        start = self._starts[line - 1]
        return line - 1, _utf16_length(self.text[start : start + column - 1])

    def utf16_offset(self, line: int, column: int) -> int:
        """The offset of a position as `utf16_position` counts it.

        A position past the end of its line means the end of the line. A column in the middle of a character
        means the start of that character.
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


def shown(text: str) -> str:
    """The text without anything that moves the cursor of a terminal; tabs become spaces."""
    return "".join(_shown(character) for character in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_width(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in _UNSHOWN else character


#: controls, formats (which can reverse a line), surrogates, line and paragraph separators
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
