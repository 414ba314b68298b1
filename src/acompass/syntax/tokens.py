"""Text to tokens: words, numbers, strings and signs, each with its place (D2-D4). Comments are separate."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from acompass.diagnostics import Span
from acompass.syntax.tree import Comment


class Token(NamedTuple):
    """`type` is a terminal of the grammar, or one that the grammar accepts nowhere."""

    type: str
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def number(self) -> Fraction:
        """The value of a NUMBER, of any length."""
        return Fraction(Decimal(self.text))


#: D2's reserved words; `RECORD` is another spelling of `RESULT` (D1)
KEYWORDS = {
    word.lower(): word
    for word in (
        *("EACH", "SOME", "RESULT", "RECORD", "FILTER", "PROCESS", "WHERE", "GROUP", "GROUP_BY", "BY", "AS"),
        *("AND", "OR", "NOT", "REJECT", "REPLACE", "WITH", "RANDOM"),
    )
}
#: words that are keywords only right after PROCESS (D2)
AGGREGATES = {word.lower(): word for word in ("SUM", "MIN", "MAX", "COUNT")}

AGGREGATE_KINDS = frozenset({*AGGREGATES.values(), "COUNT_DISTINCT"})

SIGNS = {":": "COLON", ";": "SEMICOLON", "(": "LPAR", ")": "RPAR", ",": "COMMA", "*": "STAR"}

#: comments of other languages, which are errors
FOREIGN_COMMENTS = ("#", "//")

# Quantifiers are possessive, so that no text causes backtracking.
_PATTERN = re.compile(
    r"""
      (?P<SPACE>[\s\ufeff]++)
    | (?P<COMMENT>--[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/|(?<!\w)(?:\#(?!\d)|//)[^\n\r]*+)
    | (?P<OPEN_COMMENT>/\*(?s:.)*+)
    | (?P<STRING>'[^']*+(?:''[^']*+)*+')
    | (?P<OPEN_STRING>'[^;\n\r]*+)
    | (?P<EMPTY_QUOTED>""(?!"))
    | (?P<QUOTED>"[^"]*+(?:""[^"]*+)*+")
    | (?P<OPEN_QUOTED>"[^;\n\r]*+)
    | (?P<NUMBER>[+-]?+[0-9]++(?:\.[0-9]++)?+(?!(?!--)[\w.+-]))
    | (?P<MALFORMED_NUMBER>[+-]?+\.?+[0-9](?:[\w.+]|-(?!-))*+)
    | (?P<WORD>[^\W\d](?:[\w.]|-(?!-))*+)
    | (?P<HABIT>!=|<>|==|=<|=>|≠|&&|\|\||!)
    | (?P<OPERATOR><=|>=|[<>=≤≥])
    | (?P<SIGN>[:;(),*])
    | (?P<CURLY>[‘“„«][^’”»“;\n\r]*+[’”»“]?+|[’”»´])
    | (?P<CHARACTER>(?s:.))
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r"[\r\n]")
_WORD = re.compile(r"[^\W\d](?:[\w.]|-(?!-))*+")


def is_word(text: str) -> bool:
    """Whether a text is a bare word (D3)."""
    return _WORD.fullmatch(text) is not None and _starts_word(text[0])


def _starts_word(character: str) -> bool:
    return character == "_" or character.isalpha()


def tokenize(text: str) -> tuple[list[Token], tuple[Comment, ...]]:
    """All tokens of a text, and its comments."""
    comments: list[Comment] = []
    return list(scan(text, comments)), tuple(comments)


def scan(text: str, comments: list[Comment]) -> Iterator[Token]:
    """The tokens of a text one by one; comments are appended to `comments`.

    Every text has tokens, because unreadable characters are tokens, too. They are not all kept in memory, so
    that the time for each does not grow with the length of the text.
    """
    held: Token | None = None
    for match in _PATTERN.finditer(text):
        kind = match.lastgroup
        if kind == "SPACE":
            continue
        found = match[0]
        start, end = match.span()
        if kind == "COMMENT":
            follows_code = held is not None and not _LINE_END.search(text, held.end, start)
            comments.append(Comment(found, Span(start, end), follows_code))
            continue
        last = held.type if held else ""
        if kind == "WORD":
            kind = _kind_of_word(found, last)
        elif kind == "SIGN":
            kind = SIGNS[found]
        assert kind is not None
        if held and kind in _SECOND_WORDS and (last, kind) in _PAIRS:
            held = Token(_PAIRS[last, kind], f"{held.text} {found}", held.start, end)
            continue
        if held:
            yield held
        held = Token(kind, found, start, end)
    if held:
        yield held


#: pairs of words that are one terminal
_PAIRS = {("GROUP", "BY"): "GROUP_BY", ("COUNT", "DISTINCT"): "COUNT_DISTINCT"}
_SECOND_WORDS = frozenset(second for _, second in _PAIRS)


def _kind_of_word(word: str, last: str) -> str:
    """The type of a word depends on the token before it: keyword, aggregate, parameter or part of a name."""
    lower = word.lower()
    if lower in KEYWORDS:
        kind = KEYWORDS[lower]
        return "RESULT" if kind == "RECORD" else kind
    if not _starts_word(word[0]):
        return "CHARACTER"
    if last in ("OPERATOR", "WITH"):
        return "PARAMETER"
    if last == "PROCESS" and lower in AGGREGATES:
        return AGGREGATES[lower]
    return "DISTINCT" if last == "COUNT" and lower == "distinct" else "WORD"
