"""Split a text into tokens and comments, and spell names, strings and numbers so that they parse back (D2 to D4)."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, assert_never

from acompass.errors.diagnostics import Span
from acompass.errors.display import on_one_line
from acompass.language.text import tree
from acompass.language.text.tree import Comment


class Token(NamedTuple):
    """A word, a number, a string or a sign, with its place in the text."""

    type: str  # a terminal of the grammar, or a type that the grammar never accepts
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


#: the reserved words (D2); `RECORD` is another spelling of `RESULT` (D1)
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

#: comments as in other languages, which are reported as errors
FOREIGN_COMMENTS = ("#", "//")

# Quantifiers are possessive, so that no text causes backtracking, except after groups with alternatives: before 3.11.5,
# Python matches those wrongly (gh-106052). These groups are at the end, so nothing after them can fail.
_PATTERN = re.compile(
    r"""
      (?P<SPACE>[\s\ufeff]++)
    | (?P<COMMENT>--[^\n\r]*+|/\*(?s:.)*?\*/|(?<!\w)(?:\#(?!\d)|//)[^\n\r]*+)
    | (?P<OPEN_COMMENT>/\*(?s:.)*+)
    | (?P<STRING>'[^']*+(?:''[^']*+)*+')
    | (?P<OPEN_STRING>'[^;\n\r]*+)
    | (?P<EMPTY_QUOTED>""(?!"))
    | (?P<QUOTED>"[^"]*+(?:""[^"]*+)*+")
    | (?P<OPEN_QUOTED>"[^;\n\r]*+)
    | (?P<NUMBER>[+-]?+[0-9]++(?:\.[0-9]++)?+(?!(?!--)[\w.+-]))
    | (?P<MALFORMED_NUMBER>[+-]?+\.?+[0-9](?:[\w.+]|-(?!-))*)
    | (?P<WORD>[^\W\d](?:[\w.]|-(?!-))*)
    | (?P<HABIT>!=|<>|==|=<|=>|≠|&&|\|\||!)
    | (?P<OPERATOR><=|>=|[<>=≤≥])
    | (?P<SIGN>[:;(),*])
    | (?P<CURLY>[‘“„«][^’”»“;\n\r]*+[’”»“]?+|[’”»´])
    | (?P<CHARACTER>(?s:.))
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r"[\r\n]")
_WORD = re.compile(r"[^\W\d](?:[\w.]|-(?!-))*")


def is_word(text: str) -> bool:
    """Whether a text is a bare word (D3)."""
    return _WORD.fullmatch(text) is not None and _starts_word(text[0])


def _starts_word(character: str) -> bool:
    return character == "_" or character.isalpha()


def tokenize(text: str) -> tuple[list[Token], tuple[Comment, ...]]:
    comments: list[Comment] = []
    return list(scan(text, comments)), tuple(comments)


def scan(text: str, comments: list[Comment]) -> Iterator[Token]:
    """The tokens of a text one by one; comments are appended to `comments`. An unreadable character is a token, too.

    Tokens are not collected in a list: the time per token would grow with the length of the text.
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


#: digits after the point that `spell_fraction` tries; a probability in a policy has fewer
_MOST_DIGITS = 1_100


def spell_name(text: str, ending: str | None = None) -> str:
    """Bare words if possible, else double quotes. A bare name cannot contain `ending`, the keyword after it (X0)."""
    words = text.split(" ")
    if all(is_word(word) and word.lower() not in KEYWORDS and word.upper() != ending for word in words):
        return text
    return quoted_name(text)


def quoted_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def spell_string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def spell_number(value: Decimal) -> str:
    return f"{value:f}"


def spell_fraction(value: Fraction) -> str | None:
    """A positive number in digits; None if it has too many digits or infinitely many."""
    for scale in range(_MOST_DIGITS if value < 10**_MOST_DIGITS else 0):
        if 10**scale % value.denominator == 0:
            whole, rest = divmod(int(value * 10**scale), 10**scale)
            return f"{whole}.{rest:0{scale}}" if scale else str(whole)
    return None


def spell_probability(value: Fraction) -> str:
    """A probability in digits. Probabilities come from the text of a policy, so they have finitely many."""
    spelled = spell_fraction(value)
    assert spelled is not None, "no number of a policy has infinitely many digits"
    return spelled


def spell_constant(constant: tree.Constant) -> str:
    match constant:
        case tree.Number(value):
            return spell_number(value)
        case tree.String(text):
            return spell_string(text)
        case tree.Parameter(name):
            return name
        case _:
            assert_never(constant)


def unquote(text: str) -> str:
    """The text between quotes, with doubled quotes halved."""
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)


def read_constant(text: str) -> Decimal | str | None:
    """The value of a number or of text in single quotes; None for anything else."""
    tokens, _ = tokenize(text)
    if len(tokens) != 1 or tokens[0].text != text:
        return None
    match tokens[0].type:
        case "NUMBER":
            return Decimal(text)
        case "STRING":
            return unquote(text)
        case _:
            return None


def policy_line(text: str) -> str:
    """A part of a policy on one line, without its comments, which would seem to hide the text after them."""
    return on_one_line(_without_comments(text))


def policy_lines(text: str) -> str:
    """A part of a policy in its own lines, without its comments, which are for its authors."""
    lines = (line.rstrip() for line in _without_comments(text).splitlines())
    return "\n".join(line for line in lines if line)


def _without_comments(text: str) -> str:
    comments = tokenize(text)[1]
    starts = (0, *(comment.span.end for comment in comments))
    ends = (*(comment.span.start for comment in comments), len(text))
    return " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))
