"""Offsets of a text as positions of the protocol, in the encoding that server and client agreed on."""

from lsprotocol.types import Position, PositionEncodingKind, Range, TextEdit

from acompass.diagnostics import Edit, Span
from acompass.diagnostics.source import Source


class Positions:
    """Without an agreement, columns are counted in UTF-16 code units."""

    def __init__(self, source: Source, encoding: PositionEncodingKind | str | None = None):
        self._source = source
        self._encoding = encoding or PositionEncodingKind.Utf16

    def position(self, offset: int) -> Position:
        if self._encoding == PositionEncodingKind.Utf16:
            return Position(*self._source.utf16_position(offset))
        line, column = self._source.position(offset)
        before = self._source.line(line)[: column - 1]
        return Position(line - 1, self._length(before))

    def offset(self, position: Position) -> int:
        """A position past the end of a line means its end."""
        if self._encoding == PositionEncodingKind.Utf16:
            return self._source.utf16_offset(position.line, position.character)
        start = self._source.utf16_offset(position.line, 0)
        if start == len(self._source.text):
            return start
        return start + self._column(self._source.line(position.line + 1), position.character)

    def range(self, span: Span) -> Range:
        inside = self._source.clamp(span)
        return Range(self.position(inside.start), self.position(inside.end))

    def span(self, range_: Range) -> Span:
        return Span(self.offset(range_.start), self.offset(range_.end))

    def edit(self, edit: Edit) -> TextEdit:
        return TextEdit(self.range(edit.span), edit.text)

    def _column(self, line: str, units: int) -> int:
        passed = 0
        for index, character in enumerate(line):
            passed += self._length(character)
            if passed > units:
                return index
        return len(line)

    def _length(self, text: str) -> int:
        if self._encoding == PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text)
