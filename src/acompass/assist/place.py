"""Where someone is typing: the word under the cursor, and what the grammar accepts in its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias

from acompass.assist.document import Document
from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.expected import Expected, expected_after
from acompass.syntax.spelling import unquote
from acompass.syntax.tokens import Token
from acompass.syntax.walk import names_dropped, step_of, steps

_NAMES = ("WORD", "QUOTED")
_CONSTANTS = ("NUMBER", "STRING", "PARAMETER")
_COMPARING = ("OPERATOR", "UNEQUAL", "IN", "BETWEEN", "WITH", "FROM")
#: a word that ends a bare name after these (X0)
_ENDINGS = {"GENERALIZE": "TO", "DROP": "THEN", "RANDOM": "FROM"}

#: the types of tokens that are texts or names in quotes, with or without the closing one
_STRINGS = ("STRING", "OPEN_STRING")
_QUOTED = ("QUOTED", "OPEN_QUOTED")


@dataclass(frozen=True)
class Place:
    """`span` are the characters to replace, of which those before the cursor have been typed."""

    document: Document
    offset: int
    span: Span
    expected: Expected
    is_quoted: bool = False
    is_string: bool = False

    @property
    def accepted(self) -> frozenset[str]:
        return self.expected.accepted

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.expected.tokens

    @property
    def name_span(self) -> Span:
        """The characters of the name that the word under the cursor goes on with."""
        words = () if self.is_quoted else self.expected.words_before
        return words[0].span.to(self.span) if words else self.span

    def typed(self, span: Span) -> str:
        """What has been typed of the text that a completion replaces."""
        text = self.document.text[span.start : self.offset]
        return " ".join(text.lstrip("\"'").split()) + (" " if text[-1:].isspace() else "")

    @property
    def wants_name(self) -> bool:
        """Whether the name of something that exists may begin or go on here."""
        wanted = "QUOTED" in self.accepted or ("WORD" in self.accepted and not self.is_quoted)
        return wanted and self._before_name != "AS" and not self.is_string

    @cached_property
    def visible(self) -> tuple[str, ...] | None:
        """The names that the condition after a PROCESS sees (D15); None elsewhere."""
        kinds = [token.type for token in self.tokens]
        if "PROCESS" not in kinds or kinds.count("COLON") != 1:
            return None
        query = self.tokens[: kinds.index("COLON")]
        return (*_names_after("AS", query), *_names_after("GROUP_BY", query))

    @property
    def ending(self) -> str | None:
        return _ENDINGS.get(self._before_name)

    @cached_property
    def gone(self) -> frozenset[str]:
        """The columns that earlier requirements drop, without regard to case."""
        earlier = tuple(
            each for each in self.document.program.requirements if each.span.end <= self.span.start
        )
        dropped = (names_dropped(step_of(step)) for step in steps(tree.Program(earlier)))
        return frozenset(name.text.casefold() for names in dropped for name in names)

    @cached_property
    def compared(self) -> str | None:
        """The name that the constant under the cursor is compared with or written into."""
        before = list(self.tokens)
        while before and before[-1].type in (*_CONSTANTS, "LPAR", "COMMA", "AND", "OF"):
            before.pop()
        if not before or before.pop().type not in _COMPARING:
            return None
        if before and before[-1].type == "NEGATING":
            before.pop()
        return _last_name(before)

    @cached_property
    def _before_name(self) -> str:
        """The last token before the name under the cursor that is neither of a name nor a comma."""
        words = len(self.expected.words_before)
        before = self.tokens[: len(self.tokens) - words]
        kinds = [token.type for token in before]
        while kinds and kinds[-1] in (*_NAMES, "COMMA"):
            kinds.pop()
        is_list = bool(before) and before[-1].type == "COMMA"
        last = before[-1].type if before and not is_list else ""
        return (kinds[-1] if kinds else "") if is_list else last


def place_at(document: Document, offset: int) -> Place | None:
    """None in a comment and in a number."""
    if any(_is_within(comment, offset) for comment in document.comments):
        return None
    token = next((each for each in document.tokens if each.start < offset <= each.end), None)
    if token is None or (token.end == offset and token.type in ("STRING", "QUOTED")):
        return _place(document, offset, Span(offset, offset))
    if token.type in ("OPEN_COMMENT", "NUMBER", "MALFORMED_NUMBER"):
        return None
    if token.type in (*_STRINGS, *_QUOTED):
        end = offset if token.type.startswith("OPEN") else token.end
        return _place(document, offset, Span(token.start, end), token.type)
    return _place(document, offset, _word(document.text, token, offset))


def _place(document: Document, offset: int, span: Span, kind: str = "") -> Place:
    expected = expected_after(document.text[: span.start])
    return Place(document, offset, span, expected, kind in _QUOTED, kind in _STRINGS)


def _is_within(comment: tree.Comment, offset: int) -> bool:
    ends_with_line = comment.text.startswith("--")
    return comment.span.start < offset < comment.span.end + ends_with_line


def _word(text: str, token: Token, offset: int) -> Span:
    """The word at an offset, in a token that may be two words; empty if the token is a sign."""
    before = len(list(takewhile(_is_of_word, reversed(text[token.start : offset]))))
    after = len(list(takewhile(_is_of_word, text[offset : token.end])))
    return Span(offset - before, offset + after) if before else Span(offset, offset)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in "_.-"


Names: TypeAlias = tuple[str, ...]


def _names_after(kind: str, tokens: Sequence[Token]) -> Names:
    """The names in a list after each token of a kind: `GROUP BY a, b`."""
    found: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == kind:
            listed = takewhile(lambda each: each.type in (*_NAMES, "COMMA"), tokens[at + 1 :])
            found += _split(list(listed)) if kind == "GROUP_BY" else _split(list(listed))[:1]
    return tuple(found)


def _split(tokens: list[Token]) -> list[str]:
    names: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            names.append([])
        else:
            names[-1].append(token)
    return [name for name in map(_last_name, names) if name is not None]


def _last_name(tokens: Sequence[Token]) -> str | None:
    """The name that the tokens end with."""
    if tokens and tokens[-1].type == "QUOTED":
        return unquote(tokens[-1].text)
    words = list(takewhile(lambda token: token.type == "WORD", reversed(tokens)))
    return " ".join(token.text for token in reversed(words)) or None
