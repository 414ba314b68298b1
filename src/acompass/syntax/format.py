"""Canonical text: a block for each requirement, colons aligned, every comment kept in its place."""

import re

from acompass.diagnostics import PolicyError
from acompass.syntax import tree, walk
from acompass.syntax.parse import parse
from acompass.syntax.pieces import BELOW, Piece, Pieces
from acompass.syntax.spelling import spell_name
from acompass.syntax.tokens import tokenize

_BELOW = " " * BELOW
_LINE_END = re.compile(r"\r\n|\r|\n")


def format_program(text: str, name: str | None = None) -> str:
    """A policy's canonical text. Raises PolicyError if any part of it does not parse."""
    program, diagnostics = parse(text)
    if diagnostics:
        raise PolicyError(diagnostics, text, name)
    starts = [token.start for token in tokenize(text)[0]]
    return _Formatter(text, program, starts).formatted()


def format_tree(program: tree.Program) -> str:
    """The canonical text of a tree, without comments."""
    out, above = [], None
    for requirement in program.requirements:
        if above is not None and not _are_lines(above, requirement):
            out.append("\n")
        out.append(f"{format_requirement(requirement)}\n")
        above = requirement
    return "".join(out)


def _are_lines(above: tree.Requirement, below: tree.Requirement) -> bool:
    """Whether both are of one line each, so that no blank line has to be between them."""
    return walk.is_line(above) and walk.is_line(below)


def format_requirement(requirement: tree.Requirement) -> str:
    """A requirement's canonical text, without comments."""
    block = _Block()
    for piece in Pieces([]).requirement(requirement):
        block.add(piece)
    return block.text


def format_map(map_: tree.Map) -> str:
    block = _Block()
    for piece in Pieces([]).map(map_):
        block.add(piece)
    return block.text


def format_aggregate(aggregate: tree.Aggregate) -> str:
    column = "*" if aggregate.column is None else spell_name(aggregate.column.text)
    return f"{aggregate.function}({column})"


def format_condition(condition: tree.Condition) -> str:
    block = _Block()
    for piece in Pieces([]).condition(condition):
        block.add(piece)
    return block.text


class _Block:
    """The text of a requirement, built piece by piece."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._broken = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, piece: Piece) -> None:
        if piece.indent is not None:
            self._parts.append(f"\n{' ' * piece.indent}")
        elif self._broken:
            self._parts.append(f"\n{_BELOW}")
        elif self._parts and not piece.tight:
            self._parts.append(" ")
        self._parts.append(piece.text)
        self._broken = False

    def add_comment(self, comment: tree.Comment, own_line: bool) -> None:
        """A comment on its own line and a comment that begins with `--` end the line."""
        self._parts.append(f"\n{_BELOW}" if own_line or self._broken else " ")
        self._parts.append(comment.text)
        self._broken = own_line or self._broken or comment.text.startswith("--")


class _Formatter:
    def __init__(self, text: str, program: tree.Program, token_starts: list[int]):
        self._text = text
        self._requirements = program.requirements
        self._comments = list(reversed(program.comments))
        self._pieces = Pieces(token_starts)
        self._out: list[str] = []

    def formatted(self) -> str:
        above = None
        for requirement in self._requirements:
            start = requirement.span.start
            is_apart = above is None or not _are_lines(above, requirement)
            self._between(self._comments_before(start), start, above, is_apart)
            self._out.append(self._block(requirement))
            above = requirement
        end = len(self._text)
        self._between(self._comments_before(end), end, above)
        return "".join(self._out) + ("\n" if self._out else "")

    def _comments_before(self, place: int) -> list[tree.Comment]:
        found = []
        while self._comments and self._comments[-1].span.start < place:
            found.append(self._comments.pop())
        return found

    def _block(self, requirement: tree.Requirement) -> str:
        """The requirement with the comments inside it. One before the semicolon moves behind it, unless that
        would push another one off the line."""
        block = _Block()
        *pieces, semicolon = self._pieces.requirement(requirement)
        for piece in pieces:
            if piece.at is not None:
                self._add_comments(block, piece.at)
            block.add(piece)
        if self._both_end_the_line(requirement.span.end):
            self._add_comments(block, requirement.span.end)
        block.add(semicolon)
        return block.text

    def _add_comments(self, block: _Block, before: int) -> None:
        for comment in self._comments_before(before):
            block.add_comment(comment, self._begins_line(comment.span.start))

    def _both_end_the_line(self, end: int) -> bool:
        """Whether a comment before the semicolon ends the line, and another one follows the semicolon."""
        ends_line = False
        for comment in reversed(self._comments):
            start = comment.span.start
            if start >= end:
                between = self._text[end:start]
                return ends_line and not between.strip() and _LINE_END.search(between) is None
            ends_line |= comment.text.startswith("--") or self._begins_line(start)
        return False

    def _between(
        self,
        comments: list[tree.Comment],
        start: int,
        above: tree.Requirement | None,
        is_apart: bool = True,
    ) -> None:
        """Write the comments between a block and the next one, which begins at `start`."""
        behind_block = bool(self._out) and is_apart
        last_end, line_ended = 0 if above is None else above.span.end, False
        for comment in comments:
            if line_ended or self._begins_line(comment.span.start):
                self._end_line(behind_block or self._has_blank_line(last_end, comment.span.start))
                behind_block = False
            elif self._out:
                self._out.append(" ")
            self._out.append(comment.text)
            last_end, line_ended = comment.span.end, comment.text.startswith("--")
        if start < len(self._text):
            self._end_line(behind_block or self._has_blank_line(last_end, start))

    def _end_line(self, blank: bool) -> None:
        if self._out:
            self._out.append("\n\n" if blank else "\n")

    def _has_blank_line(self, start: int, end: int) -> bool:
        return len(_LINE_END.findall(self._text, start, end)) > 1

    def _begins_line(self, place: int) -> bool:
        """Whether only whitespace precedes a place on its line."""
        while place and self._text[place - 1] not in "\r\n":
            if not self._text[place - 1].isspace():
                return False
            place -= 1
        return True
