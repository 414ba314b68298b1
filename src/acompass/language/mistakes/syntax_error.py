"""A syntax error: a token that the grammar does not allow in its position, and the terminals that it allows.

Every rule takes an `Unexpected` and returns a diagnostic, or None if it does not recognize the mistake."""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Edit, Fix, Label, Span, offer, replace, safe
from acompass.errors.display import join_choices, quote
from acompass.language.text.tokens import AGGREGATE_KINDS, Token, quoted_name

#: before the first and after the last token
NO_TOKEN = Token("", "", 0, 0)
_CONSTANTS = frozenset({"NUMBER", "STRING", "PARAMETER"})
_SPELLINGS = {
    "SUM": "`SUM(…)`",
    "MIN": "`MIN(…)`",
    "MAX": "`MAX(…)`",
    "COUNT": "`COUNT(*)`",
    "COUNT_DISTINCT": "`COUNT DISTINCT(…)`",
    "SHARE": "`SHARE OF`",
    "ADD": "`ADD RANDOM`",
    "STAR": "`*`",
    "OPERATOR": "one of `<` `<=` `=` `>=` `>`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "`,`",
    "GROUP_BY": "`GROUP BY`",
    "BANDS": "`BANDS OF`",
    "PREFIX": "`PREFIX OF`",
    "UP": "`UP TO`",
    "COLON": "`:`",
    "SEMICOLON": "`;`",
}
#: terminals in the order in which messages list them
_LISTED = (
    *("EACH", "SOME", "ALWAYS", "RESULT", "FILTER", "PROCESS", "SUM", "MIN", "MAX", "COUNT", "COUNT_DISTINCT"),
    *("SHARE", "LARGEST", "MODE", "STAR"),
    *("OPERATOR", "LPAR", "RPAR", "COMMA", "AS", "WHERE", "GROUP_BY", "AND", "OR", "REJECT", "REPLACE", "RANDOM"),
    *("GENERALIZE", "DROP", "PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE", "WITH", "PROBABILITY", "BANDS", "PREFIX"),
    *("LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE", "NEAREST", "FROM", "UP", "TO", "BY", "WITHIN", "DAYS", "OF", "AT"),
    *("ELSE", "THEN", "COLON", "SEMICOLON"),
)
#: an example for each terminal, the most helpful first: messages show the first one that fits
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
    "LARGEST": "LARGEST 1 (Age)",
    "RANDOM": "RANDOM -5 5 TO Age",
    "BY": "BY 3",
    "WITHIN": "WITHIN 30 DAYS",
    "DAYS": "DAYS",
    "OF": "OF 5",
    "RPAR": ")",
    "SEMICOLON": ";",
    "COLON": ": Age <= 80",
    "AND": "AND 80",
    "STRING": "'212**'",
}


@dataclass(frozen=True)
class Unexpected:
    """A token that is not allowed in its position."""

    tokens: list[Token]  # of the requirement, semicolon included
    index: int
    accepted: frozenset[str]  # the terminals that are allowed

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def previous(self) -> Token:
        return self.tokens[self.index - 1] if self.index else NO_TOKEN

    @property
    def following(self) -> Token:
        return self.tokens[self.index + 1] if self.index + 1 < len(self.tokens) else NO_TOKEN

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
        """The bare words from the token itself onward."""
        return list(takewhile(lambda token: token.type == "WORD", self.tokens[self.index :]))

    @property
    def words_after(self) -> list[Token]:
        return list(takewhile(lambda token: token.type == "WORD", self.tokens[self.index + 1 :]))

    @property
    def words_before(self) -> list[Token]:
        """The name right before the token, if it consists of bare words."""
        name = self.name_before
        return [] if name and name[0].type == "QUOTED" else name

    @property
    def name_before(self) -> list[Token]:
        return self.tokens[start_of_name(self.tokens, self.index) : self.index]

    def start_of_step(self, kind: str) -> int | None:
        """The index of the word of this type that begins the token's step; None if the step begins with another."""
        return self.last(kind, ("COLON", "THEN"))

    def last(self, kind: str, ends: Sequence[str]) -> int | None:
        """The index of the last token of this type before the token, with none of the `ends` in between."""
        for at in range(self.index - 1, -1, -1):
            if self.tokens[at].type == kind:
                return at
            if self.tokens[at].type in ends:
                return None
        return None

    def diagnose(
        self, code: str, message: str, help_: str, fixes: tuple[Fix, ...] = (), at: Span | None = None
    ) -> Diagnostic:
        """A diagnostic at the token, or at another place."""
        return Diagnostic(code, message, (Label(at or self._place()),), help_, fixes=fixes)

    def suggest(
        self, code: str, message: str, text: str, *edits: Edit, at: Span | None = None, is_safe: bool = True
    ) -> Diagnostic:
        """A diagnostic whose help and fix are to write the text."""
        help_ = f"write `{text}`"
        return self.diagnose(code, message, help_, (safe if is_safe else offer)(help_, *edits), at)

    def quote_name(self, words: Sequence[Token], action: str, ending: str) -> Diagnostic:
        """A diagnostic for a column's name that contains the keyword after it."""
        name, span = quoted_name(join_tokens(words)), words[0].span.to(words[-1].span)
        message = f"`{ending}` ends the name of the column, and a name that contains it needs double quotes"
        fixes = offer(f"write `{name}`", replace(span, name))
        return self.diagnose("AC016", message, f"write `{action} {name} {ending} …`", fixes, span)

    def _place(self) -> Span:
        """The token, or the last character of the policy if its end is missing."""
        token = self.token
        return token.span if token.text else Span(max(token.start - 1, 0), token.end)

    @property
    def found(self) -> str:
        """The token in the words of a message."""
        return quote(self.token.text) if self.token.text else "the end of the requirement"

    @property
    def mismatch(self) -> str:
        return f"expected {self.expected}, found {self.found}"

    @property
    def expected(self) -> str:
        """The accepted terminals in the words of a message."""
        return join_choices(self._expectations())

    @property
    def sample(self) -> str:
        """The last tokens before this one, followed by an example of an accepted text."""
        before = self.tokens[max(self.index - 3, 0) : self.index]
        if self.missing_text is not None:
            return join_tokens([*before, Token("", self.missing_text, 0, 0), *self.tokens[self.index :]])
        words = next(text for kind, text in _SAMPLES.items() if kind in self.accepted)
        return join_tokens([*before, Token("", words, 0, 0)])

    @property
    def missing_text(self) -> str | None:
        """Text that makes the rest of the requirement fit if it is inserted before the token."""
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
        spellings = _SPELLINGS | {"WITH": "`WITH PROBABILITY`"} if self.wants_action else _SPELLINGS
        listed = [spellings.get(kind, f"`{kind}`") for kind in _LISTED if kind in self.accepted]
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
                return "text"
            case ["NUMBER", "PARAMETER"]:
                return "an integer"
            case _:
                return "a constant"


def between_commas(tokens: Iterable[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def join_tokens(tokens: Iterable[Token]) -> str:
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


def start_of_name(tokens: Sequence[Token], end: int) -> int:
    """The index at which the name before `end` begins; `end` if there is none."""
    if end and tokens[end - 1].type == "QUOTED":
        return end - 1
    while end and tokens[end - 1].type == "WORD":
        end -= 1
    return end


#: shorter words are too similar to others: `XOR`, `NOR` and `FOR` are not typos of `OR`
_SHORTEST = 4


def is_swapped(word: str, meant: str) -> bool:
    """Whether two neighboring letters are swapped: `REPALCE`."""
    at = _common_prefix_length(word, meant)
    pair = meant[at : at + 2]
    return len(pair) == 2 and word == f"{meant[:at]}{pair[::-1]}{meant[at + 2 :]}"


def is_one_letter_off(word: str, meant: str) -> bool:
    """Whether a longer word has one letter missing, added or changed: `RESLT`."""
    at = _common_prefix_length(word, meant)
    missing = word[at:] == meant[at + 1 :]
    added = word[at + 1 :] == meant[at:]
    changed = word[at + 1 :] == meant[at + 1 :]
    return len(meant) >= _SHORTEST and word != meant and (missing or added or changed)


def _common_prefix_length(word: str, meant: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, meant, strict=False)))


Rule: TypeAlias = Callable[[Unexpected], Diagnostic | None]
