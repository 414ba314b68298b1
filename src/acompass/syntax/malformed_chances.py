"""Mistakes around `WITH PROBABILITY` (X5)."""

import re
from decimal import Context, Decimal
from fractions import Fraction
from itertools import takewhile

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import delete, insert, offer, replace, safe
from acompass.syntax.chances import meant_by_percent
from acompass.syntax.habits import Rule
from acompass.syntax.malformed_actions import ACTIONS, begins_step, is_chance
from acompass.syntax.spelling import spell_fraction, spell_number, unquote
from acompass.syntax.tokens import Token
from acompass.syntax.typos import is_one_letter_off, is_swapped
from acompass.syntax.unexpected import Unexpected, quote, text_of

_PERCENT = frozenset({"%", "PERCENT", "PCT"})
_SIGNS = frozenset({"=", "==", ":", ",", "OF"})
_EXAMPLE = "write a number between 0 and 1, as in `WITH PROBABILITY 0.25`"
_NO_PARAMETER = "write the number itself, as in `WITH PROBABILITY 0.25`: parameters stand for constants only"
_IN_DIGITS = re.compile(r"0\.[0-9]+")


def percent_or_ratio(unexpected: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY 25% …`, `WITH PROBABILITY 1/4 …`."""
    before, following = unexpected.tokens[: unexpected.index][-2:], unexpected.following
    if [token.type for token in before] != ["PROBABILITY", "NUMBER"]:
        return None
    number, token = before[1], unexpected.token
    if token.text.upper() in _PERCENT:
        meant = meant_by_percent(number.number)
        return _in_other_form([number, token], meant)
    if token.text == "/" and following is not None and following.type == "NUMBER":
        return _ratio([number, token, following])
    return None


def _ratio(tokens: list[Token]) -> Diagnostic:
    over, under = tokens[0].number, tokens[2].number
    value = over / under if under else Fraction(0)
    if not 0 < value < 1:
        return _in_other_form(tokens, None)
    exact = spell_fraction(value)
    return _in_other_form(tokens, exact or _nearly(value), is_exact=exact is not None)


def _nearly(value: Fraction) -> str:
    return spell_number(Context(prec=4).divide(Decimal(value.numerator), Decimal(value.denominator)))


def _in_other_form(tokens: list[Token], meant: str | None, *, is_exact: bool = True) -> Diagnostic:
    found = ("" if len(tokens[1].text) == 1 else " ").join(token.text for token in tokens)
    span = tokens[0].span.to(tokens[-1].span)
    message = f"expected a probability in digits, found {quote(found)}"
    if meant is None:
        return Diagnostic("AC051", message, (Label(span),), _EXAMPLE)
    help_ = f"write `{meant}`" if is_exact else f"write `{meant}`, or more digits of it"
    fixes = (safe if is_exact else offer)(f"write `{meant}`", replace(span, meant))
    return Diagnostic("AC051", message, (Label(span),), help_, fixes=fixes)


def not_a_number(unexpected: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY q …`, `WITH PROBABILITY '0.25' …`, `WITH PROBABILITY = 0.25 …`, or nothing."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or previous.type != "PROBABILITY":
        return None
    if unexpected.at_end or token.text.upper() in (*ACTIONS, "THEN"):
        action = text_of([token, *unexpected.after]) if token.text.upper() in ACTIONS else "REJECT"
        help_ = f"write `WITH PROBABILITY 0.25 {action}`, with the actual probability"
        return Diagnostic("AC051", f"missing number after {quote(previous.text)}", unexpected.label(), help_)
    if token.type == "LPAR":
        return _in_parentheses(unexpected)
    help_, fixes = _instead_of(unexpected)
    message = f"expected a probability in digits, found {unexpected.found}"
    return Diagnostic("AC051", message, unexpected.label(), help_, fixes=fixes)


def _in_parentheses(unexpected: Unexpected) -> Diagnostic:
    message = f"expected a probability in digits, found {unexpected.found}"
    if [token.type for token in unexpected.after[:2]] != ["NUMBER", "RPAR"]:
        return Diagnostic("AC051", message, unexpected.label(), _EXAMPLE)
    number, closing = unexpected.after[:2]
    span, help_ = unexpected.token.span.to(closing.span), f"write `{number.text}`"
    return Diagnostic("AC051", message, (Label(span),), help_, fixes=safe(help_, replace(span, number.text)))


def _instead_of(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    token, after = unexpected.token, unexpected.after
    if token.text.upper() in _SIGNS and after and after[0].type == "NUMBER":
        help_ = f"write `WITH PROBABILITY {after[0].text}`"
        return help_, safe(f"remove {quote(token.text)}", delete(token.span))
    if token.type == "STRING" and _IN_DIGITS.fullmatch(unquote(token.text)):
        help_ = f"write `{unquote(token.text)}`"
        return help_, safe(help_, replace(token.span, unquote(token.text)))
    return (_NO_PARAMETER if token.type == "WORD" else _EXAMPLE), ()


def incomplete(unexpected: Unexpected) -> Diagnostic | None:
    """`WITH 0.25 REJECT`, `WITH PROBABILTY 0.25 REJECT`, `WITH CHANCE 0.25 REJECT`."""
    token, following = unexpected.token, unexpected.following
    if unexpected.accepted != {"PROBABILITY"}:
        return None
    message = f"expected `PROBABILITY` after `WITH`, found {unexpected.found}"
    if token.type == "NUMBER":
        help_ = f"write `WITH PROBABILITY {text_of([token, *unexpected.after])}`"
        fixes = safe("insert `PROBABILITY`", insert(token.start, "PROBABILITY "))
    elif following is not None and following.type in ("NUMBER", "MALFORMED_NUMBER"):
        help_ = f"write `WITH PROBABILITY {text_of(unexpected.after)}`"
        fix = safe if _is_typo(token.text.upper()) else offer
        fixes = fix("write `PROBABILITY`", replace(token.span, "PROBABILITY"))
    else:
        help_, fixes = "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability and action", ()
    return Diagnostic("AC053", message, unexpected.label(), help_, fixes=fixes)


def without_with(unexpected: Unexpected) -> Diagnostic | None:
    """`PROBABILITY 0.25 REJECT`."""
    token, following = unexpected.token, unexpected.following
    if not unexpected.wants_action or token.text.upper() != "PROBABILITY" or following is None:
        return None
    if following.type != "NUMBER" or _follows_chance(unexpected):
        return None
    help_ = f"write `WITH {text_of([token, *unexpected.after])}`"
    fixes = safe("insert `WITH`", insert(token.start, "WITH "))
    message = f"missing `WITH` before {quote(token.text)}"
    return Diagnostic("AC053", message, unexpected.label(), help_, fixes=fixes)


def _is_typo(word: str) -> bool:
    return is_swapped(word, "PROBABILITY") or is_one_letter_off(word, "PROBABILITY")


def _follows_chance(unexpected: Unexpected) -> bool:
    """Whether the action that the probability is for is expected."""
    return unexpected.wants_action and "WITH" not in unexpected.accepted


def without_action(unexpected: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY 0.5;`, `WITH PROBABILITY 0.5 : REJECT`, and one probability before another."""
    if not _follows_chance(unexpected):
        return None
    token, chance = unexpected.token, text_of(unexpected.tokens[unexpected.index - 3 : unexpected.index])
    if unexpected.at_end:
        help_ = f"write `{chance} REJECT`, or another action"
        return Diagnostic("AC015", f"missing action after {quote(chance)}", unexpected.label(), help_)
    if token.type in ("COLON", "COMMA") and begins_step(unexpected.after):
        help_ = f"write `{chance} {text_of(unexpected.after)}`"
        fixes = safe(f"remove {quote(token.text)}", delete(token.span))
        message = f"unexpected {unexpected.found} between the probability and the action"
        return Diagnostic("AC053", message, unexpected.label(), help_, fixes=fixes)
    return _twice(unexpected) if is_chance([token, *unexpected.after]) else None


def _twice(unexpected: Unexpected) -> Diagnostic:
    message, help_ = "`WITH PROBABILITY` twice before one action", "write the product of both probabilities"
    first, second = unexpected.tokens[unexpected.index - 1], unexpected.after[1:2]
    if not second or second[0].type != "NUMBER":
        return Diagnostic("AC053", message, unexpected.label(), help_)
    product = spell_fraction(abs(first.number * second[0].number))
    if product is None:
        return Diagnostic("AC053", message, unexpected.label(), help_)
    fixes = offer(f"write `{product}`", replace(first.span.to(second[0].span), product))
    return Diagnostic("AC053", message, unexpected.label(), f"{help_}, `{product}`", fixes=fixes)


def behind_action(unexpected: Unexpected) -> Diagnostic | None:
    """`REJECT WITH PROBABILITY 0.5`, `REPLACE a WITH PROBABILITY 0.5 WITH 'x'`."""
    at, start = _chance_near(unexpected), _start_of_step(unexpected)
    if at is None or start is None or start == at:
        return None
    tokens = unexpected.tokens
    chance, number = tokens[at : at + 3], tokens[at + 2]
    if tokens[at + 3 : at + 4] and tokens[at + 3].text.upper() in ACTIONS:
        return None  # THEN is missing before it
    rest = [*tokens[start:at], *takewhile(_is_of_step, tokens[at + 3 :])]
    message = "`WITH PROBABILITY` stands before its action"
    label = (Label(chance[0].span.to(chance[1].span)),)
    if number.type != "NUMBER":
        help_ = f"write `WITH PROBABILITY 0.25 {text_of(tokens[start:at])}`, with the actual probability"
        return Diagnostic("AC053", message, label, help_)
    help_ = f"write `{text_of([*chance, *rest])}`"
    moved = insert(tokens[start].start, f"{text_of(chance)} ")
    fixes = safe(help_, moved, delete(chance[0].span.to(number.span)))
    return Diagnostic("AC053", message, label, help_, fixes=fixes)


def _chance_near(unexpected: Unexpected) -> int | None:
    """The place of a WITH PROBABILITY of which the token is the first or the third, a number."""
    tokens = unexpected.tokens
    places = (unexpected.index, unexpected.index - 2)
    return next((at for at in places if at > 0 and is_chance(tokens[at:])), None)


def _start_of_step(unexpected: Unexpected) -> int | None:
    """The place of the action in which the token is."""
    places = (unexpected.start_of_step(kind) for kind in ACTIONS)
    return max((place for place in places if place is not None), default=None)


def _is_of_step(token: Token) -> bool:
    return token.type not in ("SEMICOLON", "COLON") and token.text.upper() != "THEN"


#: before the tokens that are wrong anywhere, of which `%` and `/` are two
RATIOS: tuple[Rule, ...] = (percent_or_ratio,)
CHANCES: tuple[Rule, ...] = (not_a_number, incomplete, without_with, without_action, behind_action)
