"""A policy's text by lines and columns, as a terminal shows them."""

import re
import unicodedata
from bisect import bisect_right

from acompass.diagnostics.diagnostic import Span

_TAB = 4
_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """Lines end where an editor ends them: at a line feed, a carriage return, or both."""

    def __init__(self, text: str):
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end].rstrip("\r\n")

    def clamp(self, span: Span) -> Span:
        start = max(0, min(span.start, len(self.text)))
        return Span(start, max(start, min(span.end, len(self.text))))


def shown(text: str) -> str:
    """A text as a terminal can show it: tabs as spaces, nothing that moves the cursor."""
    return "".join(_shown(character) for character in text)


def width(text: str) -> int:
    """How many columns a terminal gives a shown text."""
    return sum(_width(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in _UNSHOWN else character


#: controls, formats (which can turn the direction of a line), surrogates, line and paragraph separators
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
