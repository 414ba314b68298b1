"""Mistakes around `WITH PROBABILITY` (X5), and probabilities and weights that the grammar accepts but X5 to X7
forbid."""

import re
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from itertools import takewhile
from math import lcm

from acompass.errors.diagnostics import Diagnostic, Fix, Label, Span, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.actions import ACTIONS, begins_step, is_probability
from acompass.language.mistakes.syntax_error import Rule, Unexpected, is_one_letter_off, is_swapped, join_tokens
from acompass.language.text import tree, walk
from acompass.language.text.tokens import Token, spell_constant, spell_fraction, spell_name, spell_number, unquote

_PERCENT = frozenset({"%", "PERCENT", "PCT"})
_SIGNS = frozenset({"=", "==", ":", ",", "OF"})
_EXAMPLE = "write a number between 0 and 1, as in `WITH PROBABILITY 0.25`"
_NO_PARAMETER = "write the number itself, as in `WITH PROBABILITY 0.25`: parameters stand for constants only"
_IN_DIGITS = re.compile(r"0\.[0-9]+")


def percent_or_ratio(error: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY 25% …`, `WITH PROBABILITY 1/4 …`."""
    before, following = error.tokens[: error.index][-2:], error.following
    if [token.type for token in before] != ["PROBABILITY", "NUMBER"]:
        return None
    number, token = before[1], error.token
    if token.text.upper() in _PERCENT:
        return _other_notation(error, [number, token], meant_by_percent(number.number))
    if token.text != "/" or following.type != "NUMBER":
        return None
    value = number.number / following.number if following.number else Fraction(0)
    exact, meant = spell_fraction(value), None
    if 0 < value < 1:
        meant = exact or spell_number(Context(prec=4).divide(Decimal(value.numerator), Decimal(value.denominator)))
    return _other_notation(error, [number, token, following], meant, is_exact=exact is not None)


def _other_notation(error: Unexpected, tokens: list[Token], meant: str | None, *, is_exact: bool = True) -> Diagnostic:
    found = ("" if len(tokens[1].text) == 1 else " ").join(token.text for token in tokens)
    span = tokens[0].span.to(tokens[-1].span)
    message = f"expected a probability in digits, found {quote(found)}"
    if meant is None:
        return error.diagnose("AC051", message, _EXAMPLE, at=span)
    help_ = f"write `{meant}`" if is_exact else f"write `{meant}`, or more digits of it"
    fixes = (safe if is_exact else offer)(f"write `{meant}`", replace(span, meant))
    return error.diagnose("AC051", message, help_, fixes, span)


def not_a_number(error: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY q …`, `WITH PROBABILITY '0.25' …`, `WITH PROBABILITY = 0.25 …`, or nothing."""
    previous, token = error.previous, error.token
    if previous.type != "PROBABILITY":
        return None
    if error.at_end or token.text.upper() in (*ACTIONS, "THEN"):
        action = join_tokens([token, *error.after]) if token.text.upper() in ACTIONS else "REJECT"
        help_ = f"write `WITH PROBABILITY 0.25 {action}`, with the actual probability"
        return error.diagnose("AC051", f"missing number after {quote(previous.text)}", help_)
    message = f"expected a probability in digits, found {error.found}"
    if token.type == "LPAR" and [each.type for each in error.after[:2]] == ["NUMBER", "RPAR"]:
        number, closing = error.after[:2]
        span = token.span.to(closing.span)
        return error.suggest("AC051", message, number.text, replace(span, number.text), at=span)
    return error.diagnose("AC051", message, *_instead_of_number(error))


def _instead_of_number(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    token, after = error.token, error.after
    if token.text.upper() in _SIGNS and after and after[0].type == "NUMBER":
        return f"write `WITH PROBABILITY {after[0].text}`", safe(f"remove {quote(token.text)}", delete(token.span))
    if token.type == "STRING" and _IN_DIGITS.fullmatch(unquote(token.text)):
        help_ = f"write `{unquote(token.text)}`"
        return help_, safe(help_, replace(token.span, unquote(token.text)))
    return (_NO_PARAMETER if token.type == "WORD" else _EXAMPLE), ()


def incomplete_probability(error: Unexpected) -> Diagnostic | None:
    """`WITH 0.25 REJECT`, `WITH PROBABILTY 0.25 REJECT`, `WITH CHANCE 0.25 REJECT`."""
    token, word = error.token, error.token.text.upper()
    if error.accepted != {"PROBABILITY"}:
        return None
    fixes: tuple[Fix, ...] = ()
    help_ = "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability and action"
    if token.type == "NUMBER":
        help_ = f"write `WITH PROBABILITY {join_tokens([token, *error.after])}`"
        fixes = safe("insert `PROBABILITY`", insert(token.start, "PROBABILITY "))
    elif error.following.type in ("NUMBER", "MALFORMED_NUMBER"):
        help_ = f"write `WITH PROBABILITY {join_tokens(error.after)}`"
        is_typo = is_swapped(word, "PROBABILITY") or is_one_letter_off(word, "PROBABILITY")
        fixes = (safe if is_typo else offer)("write `PROBABILITY`", replace(token.span, "PROBABILITY"))
    return error.diagnose("AC053", f"expected `PROBABILITY` after `WITH`, found {error.found}", help_, fixes)


def missing_with(error: Unexpected) -> Diagnostic | None:
    """`PROBABILITY 0.25 REJECT`."""
    token = error.token
    if not error.wants_action or token.text.upper() != "PROBABILITY" or error.following.type != "NUMBER":
        return None
    if _follows_probability(error):
        return None
    help_ = f"write `WITH {join_tokens([token, *error.after])}`"
    fixes = safe("insert `WITH`", insert(token.start, "WITH "))
    return error.diagnose("AC053", f"missing `WITH` before {quote(token.text)}", help_, fixes)


def _follows_probability(error: Unexpected) -> bool:
    """Whether an action is expected after a probability."""
    return error.wants_action and "WITH" not in error.accepted


def missing_action(error: Unexpected) -> Diagnostic | None:
    """`WITH PROBABILITY 0.5;`, `WITH PROBABILITY 0.5 : REJECT`, and one probability before another."""
    if not _follows_probability(error):
        return None
    token, chance = error.token, join_tokens(error.tokens[error.index - 3 : error.index])
    if error.at_end:
        help_ = f"write `{chance} REJECT`, or another action"
        return error.diagnose("AC015", f"missing action after {quote(chance)}", help_)
    if token.type in ("COLON", "COMMA") and begins_step(error.after):
        fixes = safe(f"remove {quote(token.text)}", delete(token.span))
        message = f"unexpected {error.found} between the probability and the action"
        return error.diagnose("AC053", message, f"write `{chance} {join_tokens(error.after)}`", fixes)
    return _second_probability(error) if is_probability([token, *error.after]) else None


def _second_probability(error: Unexpected) -> Diagnostic:
    message, help_ = "`WITH PROBABILITY` twice before one action", "write the product of both probabilities"
    first, second = error.previous, error.after[1:2]
    is_known = bool(second) and second[0].type == "NUMBER"
    product = spell_fraction(abs(first.number * second[0].number)) if is_known else None
    if product is None:
        return error.diagnose("AC053", message, help_)
    fixes = offer(f"write `{product}`", replace(first.span.to(second[0].span), product))
    return error.diagnose("AC053", message, f"{help_}, `{product}`", fixes)


def probability_after_action(error: Unexpected) -> Diagnostic | None:
    """`REJECT WITH PROBABILITY 0.5`, `REPLACE a WITH PROBABILITY 0.5 WITH 'x'`."""
    tokens, places = error.tokens, (error.index, error.index - 2)
    at = next((at for at in places if at > 0 and is_probability(tokens[at:])), None)
    starts = (error.start_of_step(kind) for kind in ACTIONS)
    start = max((place for place in starts if place is not None), default=None)
    if at is None or start is None or start == at:
        return None
    chance, number = tokens[at : at + 3], tokens[at + 2]
    if tokens[at + 3 : at + 4] and tokens[at + 3].text.upper() in ACTIONS:
        return None  # another action follows: THEN is missing before it
    rest = [*tokens[start:at], *takewhile(_is_in_step, tokens[at + 3 :])]
    message, span = "`WITH PROBABILITY` must come before its action", chance[0].span.to(chance[1].span)
    if number.type != "NUMBER":
        help_ = f"write `WITH PROBABILITY 0.25 {join_tokens(tokens[start:at])}`, with the actual probability"
        return error.diagnose("AC053", message, help_, at=span)
    edits = insert(tokens[start].start, f"{join_tokens(chance)} "), delete(chance[0].span.to(number.span))
    return error.suggest("AC053", message, join_tokens([*chance, *rest]), *edits, at=span)


def _is_in_step(token: Token) -> bool:
    return token.type not in ("SEMICOLON", "COLON") and token.text.upper() != "THEN"


PROBABILITY_RULES: tuple[Rule, ...] = (
    not_a_number,
    incomplete_probability,
    missing_with,
    missing_action,
    probability_after_action,
)

#: the smallest probability of an outcome (X7)
RAREST = Fraction(1, 2**32)
#: short numbers near the ends of the range that X7 allows
_SMALL, _LARGE = "0.0000000003", "0.9999999997"
#: digits of the longest probability or weight, as for constants in comparisons
_MOST_DIGITS = 1_000
#: characters of the longest list of values that a help repeats
_LONGEST_LIST = 200


def probability_mistakes(action: tree.Step | None) -> Iterator[Diagnostic]:
    """Mistakes in the probability or in the weights of an action."""
    chance, draw = walk.chance_in(action), walk.draw_in(action)
    if chance is not None:
        yield from _too_long("AC051", (chance.probability,))
        yield from _probability(chance, chance.probability)
    if draw is not None:
        yield from _too_long("AC052", [each.weight for each in draw.values if each.weight is not None])
        yield from _weights(draw)
        yield from _rare_values(draw.values)


def _too_long(code: str, numbers: Iterable[tree.Number]) -> Iterator[Diagnostic]:
    for number in numbers:
        digits = len(number.value.as_tuple().digits)
        if digits > _MOST_DIGITS:
            message = f"the number has {digits:,} digits, more than the {_MOST_DIGITS:,} allowed"
            yield Diagnostic(code, message, (Label(number.span),), "write fewer digits")


def _probability(action: tree.Sometimes, number: tree.Number) -> Iterator[Diagnostic]:
    value = Fraction(number.value)
    if not 0 < value < 1:
        help_, fixes = _instead_of_probability(action, value)
        message = f"expected a probability between 0 and 1, found {quote(spell_number(number.value))}"
        yield Diagnostic("AC051", message, (Label(number.span),), help_, fixes=fixes)
    elif min(value, 1 - value) < RAREST:
        chance = "" if value < RAREST else " not"
        message = f"the probability that the action is{chance} performed is below 2^-32"
        help_ = f"write `{_SMALL}` or more" if value < RAREST else f"write `{_LARGE}` or less"
        yield Diagnostic("AC054", message, (Label(number.span),), help_)


def _instead_of_probability(action: tree.Sometimes, value: Fraction) -> tuple[str, tuple[Fix, ...]]:
    meant = meant_by_percent(value) if value > 1 else spell_fraction(-value) if -1 < value < 0 else None
    if meant is not None:
        return f"did you mean `{meant}`?", offer(f"write `{meant}`", replace(action.probability.span, meant))
    if value == 0:
        return "remove the requirement: the action is never performed", ()
    if value in (1, 100):
        before = Span(action.span.start, action.action.span.start)
        fixes = offer("remove the probability", delete(before))
        return "remove `WITH PROBABILITY` to perform the action on every affected record", fixes
    return "write the probability in digits, as in `WITH PROBABILITY 0.25`", ()


def meant_by_percent(percent: Fraction) -> str | None:
    """The probability in digits; None if it is not between 0 and 1."""
    return spell_fraction(percent / 100) if 0 < percent < 100 else None


def _weights(action: tree.Draw) -> Iterator[Diagnostic]:
    for at, each in enumerate(action.values):
        if each.weight is None or _is_weight(each.weight):
            continue
        help_, fixes = _instead_of_weight(action, at, each.weight)
        found = quote(spell_number(each.weight.value))
        message = f"expected a positive integer as the weight of a value, found {found}"
        yield Diagnostic("AC052", message, (Label(each.weight.span),), help_, fixes=fixes)


def _is_weight(number: tree.Number) -> bool:
    return number.value > 0 and number.value.as_tuple().exponent == 0


def _instead_of_weight(action: tree.Draw, at: int, weight: tree.Number) -> tuple[str, tuple[Fix, ...]]:
    if weight.value == 0:
        return "remove the value: it is never drawn", _remove_value(action.values, at)
    if weight.value > 0:
        return _scale_weights(action)
    positive = str(-int(weight.value) or 1)
    return f"write `{positive}`", offer(f"write `{positive}`", replace(weight.span, positive))


def _remove_value(values: tuple[tree.WeightedValue, ...], at: int) -> tuple[Fix, ...]:
    """An offer to remove the value and one of the commas around it."""
    if len(values) == 1:
        return ()
    span = Span(values[at - 1].span.end, values[at].span.end)
    first = Span(values[0].span.start, values[1].span.start)
    return offer("remove the value", delete(span if at else first))


def _scale_weights(action: tree.Draw) -> tuple[str, tuple[Fix, ...]]:
    """All weights times the same integer, which leaves the probabilities unchanged."""
    weights = [Fraction(each.times) for each in action.values]
    times = lcm(*(weight.denominator for weight in weights))
    pairs = [(each, str(int(weight * times))) for each, weight in zip(action.values, weights, strict=True)]
    values = ", ".join(f"{weight} OF {spell_constant(each.constant)}" for each, weight in pairs)
    edits = [replace(each.weight.span, weight) for each, weight in pairs if each.weight is not None]
    is_complete = len(edits) == len(pairs) and min(weights) > 0
    if len(values) > _LONGEST_LIST or not is_complete:
        return f"multiply the weight of each value by {times}; a value without a weight has weight 1", ()
    help_ = f"write `RANDOM {spell_name(action.name.text, 'FROM')} FROM ({values})`"
    return help_, safe(help_, *edits)


def _rare_values(values: tuple[tree.WeightedValue, ...]) -> Iterator[Diagnostic]:
    weights = [Fraction(each.times) for each in values]
    total = sum(weights)
    for each, weight in zip(values, weights, strict=True):
        if weight < total * RAREST:
            enough = -(-(total - weight) // (1 / RAREST - 1))
            message = "the probability that the value is drawn is below 2^-32"
            help_ = f"write `{enough} OF {spell_constant(each.constant)}` or more, or remove the value"
            yield Diagnostic("AC054", message, (Label(each.span),), help_)
