"""Mistakes before the values of `RANDOM … FROM (…)`: FROM or the parentheses are missing (X6)."""

from dataclasses import dataclass

from acompass.diagnostics import Diagnostic, Edit, Label
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.malformed_actions import begins_step
from acompass.syntax.spelling import quoted_name
from acompass.syntax.tokens import Token
from acompass.syntax.typos import is_swapped
from acompass.syntax.unexpected import Unexpected, quote, text_of

_VALUES = frozenset({"NUMBER", "STRING", "PARAMETER", "WORD"})
_INSTEAD_OF_FROM = frozenset({"IN", "OF", "AMONG", "USING", "TO", "WITH", "BY", "AS"})
_BETWEEN_NAME_AND_VALUES = frozenset({"WITH RANDOM FROM", "WITH RANDOM", "WITH", "FROM"})
_IN_PARENTHESES = "list the values in parentheses, as in `FROM ('a', 'b')`"
_BRACKETS = {"[": "]", "{": "}"}


@dataclass(frozen=True)
class _Urn:
    """The parts of a step that draws: `link` is FROM or a word in its place, `opening` and `closing` are the
    parentheses. Any of them may be missing."""

    name: list[Token]
    link: Token | None
    opening: Token | None
    values: list[Token]
    closing: Token | None

    @property
    def has_from(self) -> bool:
        return self.link is not None and self.link.text.upper() == "FROM"

    @property
    def is_whole(self) -> bool:
        """Whether the values are a list, and cannot be the two bounds of a RANDOM."""
        balls = between_commas(self.values)
        is_list = bool(self.name) and all(map(_is_ball, balls))
        return is_list and (len(balls) > 2 or any(_is_surely_ball(ball) for ball in balls))

    @property
    def written(self) -> str:
        return f"RANDOM {text_of(self.name)} FROM ({text_of(self.values)})"

    def edits(self) -> list[Edit]:
        first, last = self.values[0], self.values[-1]
        before = [] if self.link is not None else ["FROM "]
        before += [] if self.opening is not None else ["("]
        start = (self.opening or first).start
        edits = [insert(start, "".join(before))] if before else []
        if self.link is not None and not self.has_from:
            edits.append(replace(self.link.span, "FROM"))
        return edits if self.closing is not None else [*edits, insert(last.end, ")")]


def between_commas(tokens: list[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _is_ball(tokens: list[Token]) -> bool:
    """Whether the tokens are a value, or a weight, OF and a value."""
    if len(tokens) == 3:
        return tokens[1].text.upper() == "OF" and _is_ball(tokens[:1]) and _is_ball(tokens[2:])
    return len(tokens) == 1 and tokens[0].type in _VALUES


def _is_surely_ball(tokens: list[Token]) -> bool:
    """Whether a ball is not a bound."""
    return len(tokens) > 1 or tokens[0].type == "STRING"


def _read(unexpected: Unexpected) -> _Urn | None:
    """The parts of the step in which the token is, if it is a RANDOM."""
    start = unexpected.start_of_step("RANDOM")
    if start is None:
        return None
    rest = _step(unexpected.tokens[start + 1 :])
    length = next((at for at, token in enumerate(rest) if not _is_of_name(token, at)), len(rest))
    name, rest = rest[:length], rest[length:]
    link = rest.pop(0) if rest and _is_link(rest[0]) else None
    opening = rest.pop(0) if rest and rest[0].type == "LPAR" else None
    closing = rest.pop() if rest and rest[-1].type == "RPAR" else None
    return _Urn(name, link, opening, rest, closing)


def _step(tokens: list[Token]) -> list[Token]:
    """The tokens up to the end of a step."""
    for at, token in enumerate(tokens):
        is_then = token.text.upper() == "THEN" and begins_step(tokens[at + 1 :])
        if token.type == "SEMICOLON" or is_then:
            return tokens[:at]
    return tokens


def _is_of_name(token: Token, at: int) -> bool:
    if token.type == "QUOTED":
        return at == 0
    return token.type == "WORD" and (at == 0 or not _is_link(token))


def _is_link(token: Token) -> bool:
    """Whether this is FROM, or a word in its place."""
    word = token.text.upper()
    return word == "FROM" or word in _INSTEAD_OF_FROM or is_swapped(word, "FROM")


def without_from(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM d IN ('a', 'b')`, `RANDOM d ('a', 'b')`, `RANDOM d FROM 'a', 'b'`, `RANDOM d 'a', 'b'`."""
    urn = _read(unexpected)
    if urn is None or not urn.is_whole or (urn.has_from and urn.opening is not None):
        return None
    found = urn.opening or urn.values[0]
    message = f"missing `FROM` before the values of `RANDOM`, found {quote(found.text)}"
    if urn.has_from:
        message = f"expected `(` after `FROM`, found {quote(found.text)}"
    elif urn.link is not None:
        found = urn.link
        message = f"expected `FROM` before the values of `RANDOM`, found {quote(found.text)}"
    # a word that is not reserved may also be the last one of the name
    is_sure = urn.has_from or (len(urn.name) == 1 if urn.link is None else urn.link.type != "WORD")
    fixes = (safe if is_sure else offer)(f"write `{urn.written}`", *urn.edits())
    return Diagnostic("AC055", message, (Label(found.span),), f"write `{urn.written}`", fixes=fixes)


def brackets(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM ['a', 'b']`."""
    opening, words = unexpected.token, unexpected.words_before
    if opening.text not in _BRACKETS or len(words) < 2 or words[-1].text.upper() != "FROM":
        return None
    message = f"expected `(` after `FROM`, found {unexpected.found}"
    closing = [token for token in unexpected.after if token.text == _BRACKETS[opening.text]]
    if len(closing) != 1:
        return Diagnostic("AC055", message, unexpected.label(), _IN_PARENTHESES)
    fixes = safe("write parentheses", replace(opening.span, "("), replace(closing[0].span, ")"))
    return Diagnostic("AC055", message, unexpected.label(), _IN_PARENTHESES, fixes=fixes)


def without_parenthesis(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM x ('a', 'b')`."""
    previous = unexpected.previous
    if previous is None or previous.type != "FROM" or unexpected.accepted != {"LPAR"}:
        return None
    message = f"expected `(` after `FROM`, found {unexpected.found}"
    return Diagnostic("AC055", message, unexpected.label(), _IN_PARENTHESES)


def without_values(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM;`."""
    words = unexpected.words_before
    start = unexpected.start_of_step("RANDOM")
    if not unexpected.at_end or start is None or len(words) < 2 or words[-1].text.upper() != "FROM":
        return None
    begun = text_of(unexpected.tokens[start : unexpected.index])
    help_ = f"write `{begun} ('a', 'b')`, with the actual values"
    return Diagnostic("AC055", "missing values after `FROM`", unexpected.label(), help_)


def without_name(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM FROM ('a', 'b')`."""
    start, previous = unexpected.start_of_step("RANDOM"), unexpected.previous
    if start is None or previous is None or unexpected.index != start + 2 or unexpected.token.type != "LPAR":
        return None
    if previous.text.upper() != "FROM":
        return None
    help_ = f"write `RANDOM Age {text_of(_step(unexpected.tokens[start + 1 :]))}`, with the actual column"
    return Diagnostic("AC055", "missing column before `FROM`", (Label(previous.span),), help_)


def name_with_from(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM date from FROM ('a', 'b')`."""
    previous, start = unexpected.previous, unexpected.start_of_step("RANDOM")
    if previous is None or previous.type != "FROM" or start is None:
        return None
    rest = _step(unexpected.tokens[start + 1 :])
    places = [at for at, token in enumerate(rest) if token.text.upper() == "FROM"]
    end = next((at for at in reversed(places) if rest[at + 1 : at + 2] and rest[at + 1].type == "LPAR"), 0)
    if unexpected.token.type == "LPAR" or len(places) < 2 or not end:
        return None
    name, span = quoted_name(text_of(rest[:end])), rest[0].span.to(rest[end - 1].span)
    help_ = f"write `RANDOM {name} FROM …`"
    fixes = offer(f"write `{name}`", replace(span, name))
    message = "`FROM` ends the name of the column, and a name that contains it needs double quotes"
    return Diagnostic("AC016", message, (Label(span),), help_, fixes=fixes)


def replacing(unexpected: Unexpected) -> Diagnostic | None:
    """`REPLACE d WITH RANDOM ('a', 'b')`, `REPLACE d WITH ('a', 'b')`, `REPLACE d FROM ('a', 'b')`."""
    start = unexpected.start_of_step("REPLACE")
    if start is None:
        return None
    rest = _step(unexpected.tokens[start + 1 :])
    length = next((at for at, token in enumerate(rest) if _ends_replaced(token, at)), len(rest))
    values = next((at for at, token in enumerate(rest) if token.type == "LPAR"), len(rest))
    between = " ".join(token.text.upper() for token in rest[length:values])
    if values == len(rest) or between not in _BETWEEN_NAME_AND_VALUES:
        return None
    help_ = f"write `RANDOM {text_of(rest[:length])} FROM {text_of(rest[values:])}`"
    link = rest[length].span.to(rest[values - 1].span)
    fixes = offer(help_, replace(unexpected.tokens[start].span, "RANDOM"), replace(link, "FROM"))
    message = "`REPLACE` writes one constant, found values to draw from"
    return Diagnostic("AC055", message, unexpected.label(), f"{help_} to draw one of them", fixes=fixes)


def _ends_replaced(token: Token, at: int) -> bool:
    return token.type == "WITH" or (at > 0 and token.text.upper() == "FROM")


BRACKETS: tuple[Rule, ...] = (brackets,)
URNS: tuple[Rule, ...] = (
    without_name,
    name_with_from,
    without_parenthesis,
    without_values,
    without_from,
    replacing,
)
