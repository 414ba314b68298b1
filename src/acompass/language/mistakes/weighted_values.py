"""Mistakes in `RANDOM … FROM (…)` (X6): missing FROM or parentheses, and wrong values, weights or signs."""

from itertools import takewhile

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Edit, Span, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.actions import begins_step
from acompass.language.mistakes.syntax_error import Rule, Unexpected, between_commas, is_swapped, join_tokens
from acompass.language.text.tokens import Token

_VALUES = frozenset({"NUMBER", "STRING", "PARAMETER", "WORD"})
_INSTEAD_OF_FROM = frozenset({"IN", "OF", "AMONG", "USING", "TO", "WITH", "BY", "AS"})
_BETWEEN_NAME_AND_VALUES = frozenset({"WITH RANDOM FROM", "WITH RANDOM", "WITH", "FROM"})
_IN_PARENTHESES = "list the values in parentheses, as in `FROM ('a', 'b')`"
_BRACKETS = {"[": "]", "{": "}"}


@dataclass(frozen=True)
class _DrawParts:
    """The parts of a RANDOM, any of which may be missing."""

    name: list[Token]
    link: Token | None  # FROM or a word in its place
    opening: Token | None  # parenthesis
    values: list[Token]
    closing: Token | None

    @property
    def has_from(self) -> bool:
        return self.link is not None and self.link.text.upper() == "FROM"

    @property
    def is_whole(self) -> bool:
        """Whether the values are a list, and cannot be the two bounds of a RANDOM."""
        values = between_commas(self.values)
        is_list = bool(self.name) and all(map(_is_weighted_value, values))
        return is_list and (len(values) > 2 or any(len(each) > 1 or each[0].type == "STRING" for each in values))

    @property
    def corrected(self) -> str:
        return f"RANDOM {join_tokens(self.name)} FROM ({join_tokens(self.values)})"

    def edits(self) -> list[Edit]:
        first, last = self.values[0], self.values[-1]
        before = [] if self.link is not None else ["FROM "]
        before += [] if self.opening is not None else ["("]
        start = (self.opening or first).start
        edits = [insert(start, "".join(before))] if before else []
        if self.link is not None and not self.has_from:
            edits.append(replace(self.link.span, "FROM"))
        return edits if self.closing is not None else [*edits, insert(last.end, ")")]


def _is_weighted_value(tokens: list[Token]) -> bool:
    """Whether the tokens are a value, or a weight, OF and a value."""
    if len(tokens) == 3:
        return tokens[1].text.upper() == "OF" and _is_weighted_value(tokens[:1]) and _is_weighted_value(tokens[2:])
    return len(tokens) == 1 and tokens[0].type in _VALUES


def _read_draw(error: Unexpected) -> _DrawParts | None:
    """The parts of the token's step, if it is a RANDOM."""
    start = error.start_of_step("RANDOM")
    if start is None:
        return None
    rest = _step(error.tokens[start + 1 :])
    length = next((at for at, token in enumerate(rest) if not _is_in_name(token, at)), len(rest))
    name, rest = rest[:length], rest[length:]
    link = rest.pop(0) if rest and _is_link(rest[0]) else None
    opening = rest.pop(0) if rest and rest[0].type == "LPAR" else None
    closing = rest.pop() if rest and rest[-1].type == "RPAR" else None
    return _DrawParts(name, link, opening, rest, closing)


def _step(tokens: list[Token]) -> list[Token]:
    """The tokens up to the end of a step."""
    for at, token in enumerate(tokens):
        is_then = token.text.upper() == "THEN" and begins_step(tokens[at + 1 :])
        if token.type == "SEMICOLON" or is_then:
            return tokens[:at]
    return tokens


def _is_in_name(token: Token, at: int) -> bool:
    if token.type == "QUOTED":
        return at == 0
    return token.type == "WORD" and (at == 0 or not _is_link(token))


def _is_link(token: Token) -> bool:
    """Whether this is FROM, or a word in its place."""
    word = token.text.upper()
    return word == "FROM" or word in _INSTEAD_OF_FROM or is_swapped(word, "FROM")


def missing_from(error: Unexpected) -> Diagnostic | None:
    """`RANDOM d IN ('a', 'b')`, `RANDOM d ('a', 'b')`, `RANDOM d FROM 'a', 'b'`, `RANDOM d 'a', 'b'`."""
    draw = _read_draw(error)
    if draw is None or not draw.is_whole or (draw.has_from and draw.opening is not None):
        return None
    found, message = draw.opening or draw.values[0], "missing `FROM` before the values of `RANDOM`"
    if draw.has_from:
        message = "expected `(` after `FROM`"
    elif draw.link is not None:
        found, message = draw.link, "expected `FROM` before the values of `RANDOM`"
    message = f"{message}, found {quote(found.text)}"
    # a word that is not reserved may also be the last word of the name
    is_sure = draw.has_from or (len(draw.name) == 1 if draw.link is None else draw.link.type != "WORD")
    return error.suggest("AC055", message, draw.corrected, *draw.edits(), at=found.span, is_safe=is_sure)


def brackets(error: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM ['a', 'b']`."""
    opening, words = error.token, error.words_before
    if opening.text not in _BRACKETS or len(words) < 2 or words[-1].text.upper() != "FROM":
        return None
    closing = [token for token in error.after if token.text == _BRACKETS[opening.text]]
    edits = [replace(opening.span, "("), *(replace(each.span, ")") for each in closing)]
    fixes = safe("write parentheses", *edits) if len(closing) == 1 else ()
    return error.diagnose("AC055", f"expected `(` after `FROM`, found {error.found}", _IN_PARENTHESES, fixes)


def missing_opening_parenthesis(error: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM x ('a', 'b')`."""
    if error.previous.type != "FROM" or error.accepted != {"LPAR"}:
        return None
    return error.diagnose("AC055", f"expected `(` after `FROM`, found {error.found}", _IN_PARENTHESES)


def missing_list(error: Unexpected) -> Diagnostic | None:
    """`RANDOM d FROM;`."""
    words, start = error.words_before, error.start_of_step("RANDOM")
    if not error.at_end or start is None or len(words) < 2 or words[-1].text.upper() != "FROM":
        return None
    help_ = f"write `{join_tokens(error.tokens[start : error.index])} ('a', 'b')`, with the actual values"
    return error.diagnose("AC055", "missing values after `FROM`", help_)


def missing_name(error: Unexpected) -> Diagnostic | None:
    """`RANDOM FROM ('a', 'b')`."""
    start, previous = error.start_of_step("RANDOM"), error.previous
    if error.token.type != "LPAR" or previous.text.upper() != "FROM" or start is None or error.index != start + 2:
        return None
    help_ = f"write `RANDOM Age {join_tokens(_step(error.tokens[start + 1 :]))}`, with the actual column"
    return error.diagnose("AC055", "missing column before `FROM`", help_, at=previous.span)


def name_with_from(error: Unexpected) -> Diagnostic | None:
    """`RANDOM date from FROM ('a', 'b')`."""
    start = error.start_of_step("RANDOM")
    if error.previous.type != "FROM" or start is None:
        return None
    rest = _step(error.tokens[start + 1 :])
    places = [at for at, token in enumerate(rest) if token.text.upper() == "FROM"]
    end = next((at for at in reversed(places) if rest[at + 1 : at + 2] and rest[at + 1].type == "LPAR"), 0)
    if error.token.type == "LPAR" or len(places) < 2 or not end:
        return None
    return error.quote_name(rest[:end], "RANDOM", "FROM")


def replacement_by_list(error: Unexpected) -> Diagnostic | None:
    """`REPLACE d WITH RANDOM ('a', 'b')`, `REPLACE d WITH ('a', 'b')`, `REPLACE d FROM ('a', 'b')`."""
    start = error.start_of_step("REPLACE")
    if start is None:
        return None
    rest = _step(error.tokens[start + 1 :])
    length = next((at for at, token in enumerate(rest) if _ends_replaced(token, at)), len(rest))
    values = next((at for at, token in enumerate(rest) if token.type == "LPAR"), len(rest))
    between = " ".join(token.text.upper() for token in rest[length:values])
    if values == len(rest) or between not in _BETWEEN_NAME_AND_VALUES:
        return None
    help_ = f"write `RANDOM {join_tokens(rest[:length])} FROM {join_tokens(rest[values:])}`"
    link = rest[length].span.to(rest[values - 1].span)
    fixes = offer(help_, replace(error.tokens[start].span, "RANDOM"), replace(link, "FROM"))
    message = "`REPLACE` writes one constant, found values to draw from"
    return error.diagnose("AC055", message, f"{help_} to draw one of them", fixes)


def _ends_replaced(token: Token, at: int) -> bool:
    return token.type == "WITH" or (at > 0 and token.text.upper() == "FROM")


DRAW_RULES: tuple[Rule, ...] = (
    missing_name,
    name_with_from,
    missing_opening_parenthesis,
    missing_list,
    missing_from,
    replacement_by_list,
)

_NO_WEIGHT = "expected a positive integer as the weight of a value, found"
_EXAMPLE = "as in `FROM (3 OF 'a', 'b')`"
#: signs and words between a weight and a value
_AROUND_WEIGHTS = frozenset({"OF", ":", "*", "=", "×", "X", "%"})


def _values_before(error: Unexpected) -> list[Token]:
    """The tokens from the parenthesis after FROM up to the token; none if the token is not among the values."""
    start = error.start_of_step("FROM")
    before = [] if start is None else error.tokens[start + 1 : error.index]
    is_open = before[:1] and before[0].type == "LPAR" and all(token.type != "RPAR" for token in before)
    return before if is_open else []


def misplaced_weight(error: Unexpected) -> Diagnostic | None:
    """`FROM ('a' OF 3, 'b')`, `FROM (3 'a', 'b')`, `FROM (3: 'a', 'b')`, `FROM (75% OF 'a', 25% OF 'b')`."""
    before, token = _values_before(error), error.token
    listed = [*before[1:], *takewhile(lambda each: each.type != "RPAR", [token, *error.after])]
    parts = [part for part in between_commas(listed) if part]
    spelled = [text for text in map(_spell_weighted_value, parts) if text is not None]
    if not before or "RPAR" not in error.accepted or len(spelled) < len(parts):
        return None
    wrong = [(part, text) for part, text in zip(parts, spelled, strict=True) if join_tokens(part) != text]
    if not wrong:
        return None
    edits, first = [replace(_span(part), text) for part, text in wrong], wrong[0][0]
    code, message = "AC055", f"expected a weight, `OF` and a value, found {quote(join_tokens(first))}"
    if token.text == "%":
        code, message = "AC052", f"{_NO_WEIGHT} `{before[-1].text}%`"
    text, is_sure = f"({', '.join(spelled)})", _is_sure(parts)
    return error.suggest(code, message, text, *edits, at=_span(first), is_safe=is_sure)


def _span(part: list[Token]) -> Span:
    return part[0].span.to(part[-1].span)


def _spell_weighted_value(part: list[Token]) -> str | None:
    """The weight, OF and the value in the right order, if there is one value and at most one weight."""
    constants = [token for token in part if token.text.upper() not in _AROUND_WEIGHTS]
    numbers = [token.text for token in constants if token.type == "NUMBER"]
    values = [token.text for token in constants if token.type in ("STRING", "PARAMETER", "WORD")]
    if len(numbers) + len(values) < len(constants):
        return None
    match numbers, values:
        case ([number], []) | ([], [number]):
            return number
        case [weight], [value]:
            return f"{weight} OF {value}"
        case [weight, value], [] if len(part) == 3 and part[1].text.upper() == "OF":
            return f"{weight} OF {value}"
    return None


def _is_sure(parts: list[list[Token]]) -> bool:
    """Whether only one reading is possible: no parameter could be a separate value, and all weights or none are
    percentages."""
    kinds = {token.type for part in parts for token in part if token.text.upper() not in _AROUND_WEIGHTS}
    shares = [any(token.text == "%" for token in part) for part in parts]
    return kinds <= {"NUMBER", "STRING"} and (all(shares) or not any(shares))


def missing_value(error: Unexpected) -> Diagnostic | None:
    """`FROM ()`, `FROM ('a',)`, `FROM (, 'a')`, `FROM (3 OF, 'a')`."""
    before, token = _values_before(error), error.token
    if not before or "STRING" not in error.accepted or token.type not in ("RPAR", "COMMA", "SEMICOLON"):
        return None
    if before[-1].type == "OF":
        help_ = f"write `{join_tokens(before[-2:])} 'a'`, with the actual value"
        return error.diagnose("AC055", "missing value after `OF`", help_)
    commas = _superfluous(before[-1], [token, *error.after])
    fixes = safe("remove the `,`", *(delete(each.span) for each in commas)) if commas else ()
    return error.diagnose("AC055", "missing value after `FROM`", f"list one value or more, {_EXAMPLE}", fixes)


def _superfluous(last: Token, rest: list[Token]) -> list[Token]:
    """The commas that no value follows."""
    commas = list(takewhile(lambda token: token.type == "COMMA", rest))
    if commas or last.type != "COMMA" or rest[0].type == "SEMICOLON":
        return commas
    return [last]


def parameter_as_weight(error: Unexpected) -> Diagnostic | None:
    """`FROM (w OF 'a', 'b')`."""
    before = _values_before(error)
    if error.token.text.upper() != "OF" or not before or before[-1].type != "PARAMETER":
        return None
    help_ = f"write the number itself, {_EXAMPLE}: parameters stand for constants only"
    return error.diagnose("AC052", f"{_NO_WEIGHT} {quote(before[-1].text)}", help_, at=before[-1].span)


def missing_weight(error: Unexpected) -> Diagnostic | None:
    """`FROM (OF 'a', 'b')`."""
    before = _values_before(error)
    if not before or before[-1].text.upper() != "OF" or before[-1].type != "PARAMETER":
        return None
    of, help_ = before[-1], f"write `1 OF {error.token.text}`, with the actual weight"
    fixes = offer("remove the `OF`", delete(of.span)) + offer("insert `1`", insert(of.start, "1 "))
    return error.diagnose("AC055", "missing weight before `OF`", help_, fixes, of.span)


def interval(error: Unexpected) -> Diagnostic | None:
    """`FROM (1 TO 5)`."""
    start, before, after = error.start_of_step("RANDOM"), _values_before(error), error.after
    kinds = [token.type for token in (*before, *after[:2])]
    if start is None or error.token.text.upper() != "TO" or kinds != ["LPAR", "NUMBER", "NUMBER", "RPAR"]:
        return None
    name, bounds = error.tokens[start + 1 : error.index - 3], f"{before[1].text} {after[0].text}"
    edit = replace(error.tokens[error.index - 3].span.to(after[1].span), bounds)
    message = f"expected values after `FROM`, found two bounds with {error.found} between them"
    return error.suggest("AC055", message, f"RANDOM {join_tokens(name)} {bounds}", edit)


def missing_comma(error: Unexpected) -> Diagnostic | None:
    """`FROM ('a' 'b')`, `FROM ('a' OR 'b')`."""
    before, token = _values_before(error), error.token
    is_word = token.type in ("AND", "OR")
    value = error.following if is_word else token
    if not before or "RPAR" not in error.accepted or value.type not in ("STRING", "NUMBER"):
        return None
    edit = replace(token.span, ",") if is_word else insert(before[-1].end, ",")
    message = f"expected `,` between two values, found {error.found}"
    return error.suggest("AC055", message, f"{before[-1].text}, {value.text}", edit, is_safe=False)


def missing_closing_parenthesis(error: Unexpected) -> Diagnostic | None:
    """`FROM ('a', 'b';`."""
    before = _values_before(error)
    if not before or "RPAR" not in error.accepted or error.token.type not in ("SEMICOLON", "THEN"):
        return None
    found = "the end of the requirement" if error.at_end else error.found
    fixes = safe("insert `)`", insert(before[-1].end, ")"))
    return error.diagnose("AC055", f"missing `)` after the values, found {found}", f"write `{before[-1].text})`", fixes)


VALUE_RULES: tuple[Rule, ...] = (
    missing_value,
    parameter_as_weight,
    missing_weight,
    interval,
    misplaced_weight,
    missing_comma,
    missing_closing_parenthesis,
)
