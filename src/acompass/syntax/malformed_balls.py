"""Mistakes in the parentheses of `RANDOM … FROM (…)`: values, weights and the signs between them (X6)."""

from itertools import takewhile

from acompass.diagnostics import Diagnostic, Fix, Label, Span
from acompass.diagnostics.edits import delete, insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.malformed_urns import between_commas
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

_EXAMPLE = "as in `FROM (3 OF 'a', 'b')`"
#: between a weight and a value, or in the place of OF
_AROUND_WEIGHTS = frozenset({"OF", ":", "*", "=", "×", "X", "%"})


def _values_before(unexpected: Unexpected) -> list[Token]:
    """The tokens from the parenthesis after FROM up to the token; none if it is not among the values."""
    start = unexpected.start_of_step("FROM")
    before = [] if start is None else unexpected.tokens[start + 1 : unexpected.index]
    is_open = before[:1] and before[0].type == "LPAR" and all(token.type != "RPAR" for token in before)
    return before if is_open else []


def _wrong(unexpected: Unexpected, message: str, help_: str, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    return Diagnostic("AC055", message, unexpected.label(), help_, fixes=fixes)


def weighted_otherwise(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM ('a' OF 3, 'b')`, `FROM (3 'a', 'b')`, `FROM (3: 'a', 'b')`, `FROM (75% OF 'a', 25% OF 'b')`."""
    before, token = _values_before(unexpected), unexpected.token
    urn = [*before[1:], *takewhile(lambda each: each.type != "RPAR", [token, *unexpected.after])]
    parts = [part for part in between_commas(urn) if part]
    written = [_written(part) for part in parts]
    balls = [ball for ball in written if ball is not None]
    if not before or "RPAR" not in unexpected.accepted or len(balls) < len(parts):
        return None
    wrong = [(part, ball) for part, ball in zip(parts, balls, strict=True) if text_of(part) != ball]
    if not wrong:
        return None
    edits = [replace(_span(part), ball) for part, ball in wrong]
    help_ = f"write `({', '.join(balls)})`"
    fixes = (safe if _is_sure(parts) else offer)(help_, *edits)
    first = wrong[0][0]
    if token.text == "%":
        message = f"expected a positive integer as the weight of a value, found `{before[-1].text}%`"
        return Diagnostic("AC052", message, (Label(_span(first)),), help_, fixes=fixes)
    message = f"expected a weight, `OF` and a value, found {quote(text_of(first))}"
    return Diagnostic("AC055", message, (Label(_span(first)),), help_, fixes=fixes)


def _span(part: list[Token]) -> Span:
    return part[0].span.to(part[-1].span)


def _written(part: list[Token]) -> str | None:
    """A ball in the right order, if it has one value and at most one weight."""
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
    """Whether no parameter may be a value of its own, and no share is beside a value of weight 1."""
    kinds = {token.type for part in parts for token in part if token.text.upper() not in _AROUND_WEIGHTS}
    shares = [any(token.text == "%" for token in part) for part in parts]
    return kinds <= {"NUMBER", "STRING"} and (all(shares) or not any(shares))


def missing_value(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM ()`, `FROM ('a',)`, `FROM (, 'a')`, `FROM (3 OF, 'a')`."""
    before, token = _values_before(unexpected), unexpected.token
    if not before or "STRING" not in unexpected.accepted or token.type not in ("RPAR", "COMMA", "SEMICOLON"):
        return None
    if before[-1].type == "OF":
        help_ = f"write `{text_of(before[-2:])} 'a'`, with the actual value"
        return _wrong(unexpected, "missing value after `OF`", help_)
    commas = _superfluous(before[-1], [token, *unexpected.after])
    fixes = safe("remove the `,`", *(delete(each.span) for each in commas)) if commas else ()
    return _wrong(unexpected, "missing value after `FROM`", f"list one value or more, {_EXAMPLE}", fixes)


def _superfluous(last: Token, rest: list[Token]) -> list[Token]:
    """The commas that have no value behind them."""
    commas = list(takewhile(lambda token: token.type == "COMMA", rest))
    if commas or last.type != "COMMA" or rest[0].type == "SEMICOLON":
        return commas
    return [last]


def parameter_as_weight(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM (w OF 'a', 'b')`."""
    before = _values_before(unexpected)
    if unexpected.token.text.upper() != "OF" or not before or before[-1].type != "PARAMETER":
        return None
    message = f"expected a positive integer as the weight of a value, found {quote(before[-1].text)}"
    help_ = f"write the number itself, {_EXAMPLE}: parameters stand for constants only"
    return Diagnostic("AC052", message, (Label(before[-1].span),), help_)


def missing_weight(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM (OF 'a', 'b')`."""
    before, token = _values_before(unexpected), unexpected.token
    if not before or before[-1].text.upper() != "OF" or before[-1].type != "PARAMETER":
        return None
    of = before[-1]
    help_ = f"write `1 OF {token.text}`, with the actual weight"
    fixes = offer("remove the `OF`", delete(of.span)) + offer("insert `1`", insert(of.start, "1 "))
    return Diagnostic("AC055", "missing weight before `OF`", (Label(of.span),), help_, fixes=fixes)


def interval(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM (1 TO 5)`."""
    start, before, after = unexpected.start_of_step("RANDOM"), _values_before(unexpected), unexpected.after
    kinds = [token.type for token in (*before, *after[:2])]
    if (
        start is None
        or unexpected.token.text.upper() != "TO"
        or kinds != ["LPAR", "NUMBER", "NUMBER", "RPAR"]
    ):
        return None
    name, bounds = unexpected.tokens[start + 1 : unexpected.index - 3], f"{before[1].text} {after[0].text}"
    help_ = f"write `RANDOM {text_of(name)} {bounds}`"
    span = unexpected.tokens[unexpected.index - 3].span.to(after[1].span)
    message = f"expected values after `FROM`, found two bounds with {unexpected.found} between them"
    return _wrong(unexpected, message, help_, safe(help_, replace(span, bounds)))


def without_comma(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM ('a' 'b')`, `FROM ('a' OR 'b')`."""
    before, token = _values_before(unexpected), unexpected.token
    if not before or "RPAR" not in unexpected.accepted:
        return None
    is_word = token.type in ("AND", "OR")
    value = unexpected.following if is_word else token
    if value is None or value.type not in ("STRING", "NUMBER"):
        return None
    help_ = f"write `{before[-1].text}, {value.text}`"
    edit = replace(token.span, ",") if is_word else insert(before[-1].end, ",")
    message = f"expected `,` between two values, found {unexpected.found}"
    return _wrong(unexpected, message, help_, offer(help_, edit))


def without_end(unexpected: Unexpected) -> Diagnostic | None:
    """`FROM ('a', 'b';`."""
    before, token = _values_before(unexpected), unexpected.token
    if not before or "RPAR" not in unexpected.accepted or token.type not in ("SEMICOLON", "THEN"):
        return None
    help_ = f"write `{before[-1].text})`"
    found = "the end of the requirement" if unexpected.at_end else unexpected.found
    message = f"missing `)` after the values, found {found}"
    return _wrong(unexpected, message, help_, safe("insert `)`", insert(before[-1].end, ")")))


BALLS: tuple[Rule, ...] = (
    missing_value,
    parameter_as_weight,
    missing_weight,
    interval,
    weighted_otherwise,
    without_comma,
    without_end,
)
#: before the tokens that are wrong anywhere, of which `%` is one
SHARES: tuple[Rule, ...] = (weighted_otherwise,)
