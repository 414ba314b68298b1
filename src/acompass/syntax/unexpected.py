"""A token that the grammar does not allow in its position, and descriptions of those that it allows."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from acompass.diagnostics import Label, Span
from acompass.syntax.tokens import AGGREGATE_KINDS, KEYWORDS, Token

_LONGEST_QUOTE = 40
_CONSTANTS = frozenset({"NUMBER", "STRING", "PARAMETER"})
_WORDS_FOR = {
    "EACH": "`EACH`",
    "SOME": "`SOME`",
    "ALWAYS": "`ALWAYS`",
    "RESULT": "`RESULT`",
    "FILTER": "`FILTER`",
    "PROCESS": "`PROCESS`",
    "SUM": "`SUM(…)`",
    "MIN": "`MIN(…)`",
    "MAX": "`MAX(…)`",
    "COUNT": "`COUNT(*)`",
    "COUNT_DISTINCT": "`COUNT DISTINCT(…)`",
    "STAR": "`*`",
    "OPERATOR": "one of `<` `<=` `=` `>=` `>`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "`,`",
    "AS": "`AS`",
    "WHERE": "`WHERE`",
    "GROUP_BY": "`GROUP BY`",
    "AND": "`AND`",
    "OR": "`OR`",
    "REJECT": "`REJECT`",
    "REPLACE": "`REPLACE`",
    "RANDOM": "`RANDOM`",
    "GENERALIZE": "`GENERALIZE`",
    "DROP": "`DROP`",
    "WITH": "`WITH`",
    "PROBABILITY": "`PROBABILITY`",
    "BANDS": "`BANDS OF`",
    "PREFIX": "`PREFIX OF`",
    "LEVEL": "`LEVEL`",
    "MONTH": "`MONTH`",
    "QUARTER": "`QUARTER`",
    "YEAR": "`YEAR`",
    "DECADE": "`DECADE`",
    "FROM": "`FROM`",
    "UP": "`UP TO`",
    "TO": "`TO`",
    "OF": "`OF`",
    "AT": "`AT`",
    "ELSE": "`ELSE`",
    "THEN": "`THEN`",
    "COLON": "`:`",
    "SEMICOLON": "`;`",
}
#: an example per terminal; the first one that fits is shown, so the most helpful come first
_SAMPLES = {
    "EACH": "EACH RESULT : Age <= 80;",
    "RESULT": "RESULT : Age <= 80",
    "NOT": "Age <= 80",
    "NUMBER": "80",
    "PARAMETER": "k",
    "QUOTED": "Age",
    "OPERATOR": "= 80",
    "COUNT": "COUNT(*) AS Size",
    "LPAR": "(Age)",
    "STAR": "*)",
    "AS": "AS Size",
    "REJECT": "REJECT",
    "WITH": "WITH 80",
    "PROBABILITY": "PROBABILITY 0.25 REJECT",
    "TO": "TO YEAR",
    "BANDS": "BANDS OF 5",
    "OF": "OF 5",
    "RPAR": ")",
    "SEMICOLON": ";",
    "COLON": ": Age <= 80",
    "AND": "AND 80",
    "STRING": "'212**'",
}


@dataclass(frozen=True)
class Unexpected:
    """`tokens[index]` is not allowed in its position; tokens of the types in `accepted` are."""

    tokens: list[Token]
    index: int
    accepted: frozenset[str]

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def previous(self) -> Token | None:
        return self.tokens[self.index - 1] if self.index else None

    @property
    def following(self) -> Token | None:
        return self.tokens[self.index + 1] if self.index + 1 < len(self.tokens) else None

    @property
    def after(self) -> list[Token]:
        """The tokens after this one, without the semicolon."""
        return [token for token in self.tokens[self.index + 1 :] if token.type != "SEMICOLON"]

    @property
    def at_end(self) -> bool:
        return self.token.type == "SEMICOLON"

    @property
    def wants_condition(self) -> bool:
        return "NOT" in self.accepted

    @property
    def wants_name(self) -> bool:
        """Whether a name may begin here, possibly as the start of a condition."""
        return "QUOTED" in self.accepted

    @property
    def wants_operator(self) -> bool:
        """Whether the name in a comparison may end here."""
        return "OPERATOR" in self.accepted

    @property
    def wants_action(self) -> bool:
        return "REJECT" in self.accepted

    @property
    def words_from_here(self) -> list[Token]:
        """The bare words from the token itself onwards."""
        return list(takewhile(lambda token: token.type == "WORD", self.tokens[self.index :]))

    @property
    def words_after(self) -> list[Token]:
        return list(takewhile(lambda token: token.type == "WORD", self.tokens[self.index + 1 :]))

    @property
    def words_before(self) -> list[Token]:
        """The bare words of the name right before the token."""
        start = self.index
        while start and self.tokens[start - 1].type == "WORD":
            start -= 1
        return self.tokens[start : self.index]

    def start_of_step(self, kind: str) -> int | None:
        """The place of the word that begins the step in which the token is, if it is of that kind."""
        for at in range(self.index - 1, -1, -1):
            if self.tokens[at].type == kind:
                return at
            if self.tokens[at].type in ("COLON", "THEN"):
                return None
        return None

    def label(self) -> tuple[Label, ...]:
        return (Label(self._place()),)

    def _place(self) -> Span:
        """The token, or the last character of the policy if its end is missing."""
        token = self.token
        return token.span if token.text else Span(max(token.start - 1, 0), token.end)

    @property
    def found(self) -> str:
        if not self.token.text:
            return "the end of the requirement"
        return quote(self.token.text)

    @property
    def expected(self) -> str:
        return one_of(self._expectations())

    @property
    def sample(self) -> str:
        """The last tokens before this one, followed by an example of what is allowed."""
        before = self.tokens[max(self.index - 3, 0) : self.index]
        left_out = self.left_out
        if left_out is not None:
            return text_of([*before, Token("", left_out, 0, 0), *self.tokens[self.index :]])
        words = next(text for kind, text in _SAMPLES.items() if kind in self.accepted)
        return text_of([*before, Token("", words, 0, 0)])

    @property
    def left_out(self) -> str | None:
        """The text that, inserted before the token, would make the rest of the requirement fit."""
        if "EACH" in self.accepted and self.token.type in ("RESULT", "FILTER", "PROCESS"):
            return "EACH"
        if self.token.type == "COLON" and "RESULT" in self.accepted:
            return "RESULT"
        if self.token.type not in ("WORD", "QUOTED", "NOT", "LPAR"):
            return None
        if "RESULT" in self.accepted:
            return "RESULT :"
        return "AND" if "AND" in self.accepted else None

    def _expectations(self) -> list[str]:
        if self.wants_condition:
            return ["a condition"]
        words_for = _WORDS_FOR | {"WITH": "`WITH PROBABILITY`"} if self.wants_action else _WORDS_FOR
        listed = [words for kind, words in words_for.items() if kind in self.accepted]
        if self.wants_name:
            return ["a name", *listed]
        if self.accepted & _CONSTANTS:
            return [self._constant, *listed]
        return listed

    @property
    def _constant(self) -> str:
        match sorted(self.accepted & _CONSTANTS):
            case ["NUMBER"]:
                return "a number"
            case ["STRING"]:
                return "a text"
            case ["NUMBER", "PARAMETER"]:
                return "an integer"
            case _:
                return "a constant"


def quote(text: str) -> str:
    """The user's words in backticks, shortened if they are long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + '…'}`"


def one_of(choices: list[str]) -> str:
    if len(choices) < 2:
        return "".join(choices)
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def text_of(tokens: Iterable[Token]) -> str:
    """The tokens on one line."""
    out, last = "", None
    for token in tokens:
        out += token.text if _is_tight(last, token.text) else f" {token.text}"
        last = token
    return out


def _is_tight(last: Token | None, text: str) -> bool:
    """Whether no space separates a token from the text after it."""
    if last is None or text in (")", ",", ";") or last.type == "LPAR":
        return True
    return text.startswith("(") and last.type in AGGREGATE_KINDS


def is_keyword(token: Token) -> bool:
    return token.text.lower() in KEYWORDS or token.type == "GROUP_BY"
