"""Mistakes in `IN (…)`, `BETWEEN … AND …` and `LIKE '…%'`."""

from itertools import takewhile

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax.habits import Rule, name_before
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

_CONSTANTS = frozenset({"NUMBER", "STRING", "WORD", "PARAMETER"})


def list_of_in(unexpected: Unexpected) -> Diagnostic | None:
    """`A IN 1, 2`, `A IN ()`, `A IN (1, 2,)`."""
    at = _last(unexpected, "IN")
    if at is None or not _is_in_list(unexpected, at):
        return None
    name = _name_and_word(unexpected.tokens[: at + 1])
    if unexpected.previous is unexpected.tokens[at]:
        return _without_parentheses(unexpected, name)
    if unexpected.token.type != "RPAR":
        return None
    previous = unexpected.tokens[unexpected.index - 1]
    help_ = f"list one value or more, as in `{name} ('a', 'b')`"
    fixes: tuple[Fix, ...] = ()
    if previous.type == "COMMA":
        fixes = safe("remove the `,`", replace(previous.span, ""))
    return Diagnostic("AC032", "missing value in the list of `IN`", unexpected.label(), help_, fixes=fixes)


def _is_in_list(unexpected: Unexpected, at: int) -> bool:
    return all(token.type != "RPAR" for token in unexpected.tokens[at : unexpected.index])


def _without_parentheses(unexpected: Unexpected, name: str) -> Diagnostic:
    listed = list(
        takewhile(lambda token: token.type in (*_CONSTANTS, "COMMA"), unexpected.tokens[unexpected.index :])
    )
    message = f"expected `(` after `IN`, found {unexpected.found}"
    if not _is_list(listed):
        help_ = f"list the values in parentheses, as in `{name} ('a', 'b')`"
        return Diagnostic("AC032", message, unexpected.label(), help_)
    help_ = f"write `{name} ({text_of(listed)})`"
    fixes = safe(help_, insert(listed[0].start, "("), insert(listed[-1].end, ")"))
    return Diagnostic("AC032", message, unexpected.label(), help_, fixes=fixes)


def _is_list(tokens: list[Token]) -> bool:
    """Whether the tokens are constants with a comma between each two."""
    constants, commas = tokens[::2], tokens[1::2]
    return (
        len(constants) == len(commas) + 1
        and all(token.type in _CONSTANTS for token in constants)
        and all(token.type == "COMMA" for token in commas)
    )


def ends_of_between(unexpected: Unexpected) -> Diagnostic | None:
    """`A BETWEEN 1, 5`, `A BETWEEN 1 TO 5`, `A BETWEEN (1, 5)`."""
    at = _last(unexpected, "BETWEEN")
    if at is None or unexpected.accepted not in ({"AND"}, {"NUMBER", "STRING", "PARAMETER"}):
        return None
    if unexpected.index > at + 4:
        return None
    name = _name_and_word(unexpected.tokens[: at + 1])
    operands = list(takewhile(_is_operand, unexpected.tokens[at + 1 :]))
    ends = [token for token in operands if token.type in _CONSTANTS and token.text.upper() != "TO"]
    message = f"expected {unexpected.expected} in `BETWEEN`, found {unexpected.found}"
    if len(ends) != 2 or operands[-1].type not in (*_CONSTANTS, "RPAR"):
        help_ = f"write both ends, as in `{name} 18 AND 65`"
        return Diagnostic("AC033", message, unexpected.label(), help_)
    condition = f"{ends[0].text} AND {ends[1].text}"
    edit = replace(operands[0].span.to(operands[-1].span), condition)
    help_ = f"write `{name} {condition}`"
    return Diagnostic("AC033", message, unexpected.label(), help_, fixes=safe(help_, edit))


def _is_operand(token: Token) -> bool:
    return token.type in (*_CONSTANTS, "COMMA", "LPAR", "RPAR", "AND")


def pattern_of_like(unexpected: Unexpected) -> Diagnostic | None:
    """`A LIKE 214`, `A LIKE k`."""
    at = _last(unexpected, "LIKE")
    if at is None or unexpected.index != at + 1 or unexpected.token.type not in ("WORD", "NUMBER"):
        return None
    message = f"expected a text after `LIKE`, found {unexpected.found}"
    help_ = f"write `{_name_and_word(unexpected.tokens[: at + 1])} '{unexpected.token.text}%'`"
    edit = replace(unexpected.token.span, f"'{unexpected.token.text}%'")
    return Diagnostic("AC034", message, unexpected.label(), help_, fixes=offer(help_, edit))


def ilike(unexpected: Unexpected) -> Diagnostic | None:
    """`A ILIKE 'bob%'`: no condition ignores case."""
    tokens = [*name_before(unexpected), *unexpected.tokens[unexpected.index :]]
    if not unexpected.wants_operator:
        return None
    words = list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "NOT"), tokens))
    if len(words) < 2 or words[-1].text.upper() != "ILIKE":
        return None
    help_ = "`LIKE` distinguishes capital letters; write one condition for each spelling, joined by `OR`"
    message = f"{quote(words[-1].text)} is not supported in conditions"
    return Diagnostic("AC034", message, (Label(words[-1].span),), help_)


def negated_sign(unexpected: Unexpected) -> Diagnostic | None:
    """`A NOT = 3`."""
    token, following = unexpected.token, unexpected.following
    if not unexpected.wants_operator or token.type != "NOT" or following is None or following.text != "=":
        return None
    span = token.span.to(following.span)
    help_ = f"write `{text_of(name_before(unexpected))} != {text_of(unexpected.after[1:2])}`"
    message = f"unknown comparison sign {quote(f'{token.text} =')}"
    return Diagnostic("AC031", message, (Label(span),), help_, fixes=offer("write `!=`", replace(span, "!=")))


def _last(unexpected: Unexpected, kind: str) -> int | None:
    """The place of the last token of that type before the unexpected one, in the same comparison."""
    for at in range(unexpected.index - 1, -1, -1):
        token = unexpected.tokens[at]
        if token.type == kind:
            return at
        if token.type in ("COLON", "OR", "FILTER", "WHERE"):
            return None
    return None


def _name_and_word(tokens: list[Token]) -> str:
    """The name before IN, BETWEEN or LIKE, and the word itself."""
    start = len(tokens) - 1
    if tokens[start - 1].type == "NEGATING":
        start -= 1
    if tokens[start - 1].type == "QUOTED":
        return text_of(tokens[start - 1 :])
    while start and tokens[start - 1].type == "WORD":
        start -= 1
    return text_of(tokens[start:])


PREDICATES: tuple[Rule, ...] = (list_of_in, ends_of_between, pattern_of_like, ilike, negated_sign)
