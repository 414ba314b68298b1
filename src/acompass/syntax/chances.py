"""Probabilities and weights that the grammar accepts and X5 to X7 do not."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import assert_never

from acompass.diagnostics import Diagnostic, Fix, Label, Span
from acompass.diagnostics.edits import delete, offer, replace, safe
from acompass.syntax import tree
from acompass.syntax.spelling import spell_constant, spell_fraction, spell_name, spell_number
from acompass.syntax.unexpected import quote

#: the smallest probability of an outcome (X7)
RAREST = Fraction(1, 2**32)
#: numbers of a few digits inside the range that X7 allows
_SMALL, _LARGE = "0.0000000003", "0.9999999997"
#: digits of the longest probability or weight, as of a constant in a comparison
_MOST_DIGITS = 1_000
#: characters of the longest urn that a help repeats
_LONGEST_URN = 200


def unlikely(action: tree.Step | None) -> Iterator[Diagnostic]:
    """Mistakes in the probability or in the weights of an action."""
    match action:
        case tree.Sometimes(probability, plain):
            yield from _too_long("AC051", (probability,))
            yield from _probability(action, probability)
            yield from unlikely(plain)
        case tree.Draw(balls=balls):
            yield from _too_long("AC052", [ball.weight for ball in balls if ball.weight is not None])
            yield from _weights(action)
            yield from _rare_values(balls)
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Generalize() | tree.Drop():
            pass
        case _:
            assert_never(action)


def _too_long(code: str, numbers: Iterable[tree.Number]) -> Iterator[Diagnostic]:
    for number in numbers:
        digits = len(number.value.as_tuple().digits)
        if digits > _MOST_DIGITS:
            message = f"a number of {digits:,} digits, more than {_MOST_DIGITS:,}"
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
        fixes = offer(f"write `{meant}`", replace(action.probability.span, meant))
        return f"did you mean `{meant}`?", fixes
    if value == 0:
        return "remove the requirement: the action is never performed", ()
    if value in (1, 100):
        before = Span(action.span.start, action.action.span.start)
        fixes = offer("remove the probability", delete(before))
        return "remove `WITH PROBABILITY` to perform the action on every affected record", fixes
    return "write the probability in digits, as in `WITH PROBABILITY 0.25`", ()


def meant_by_percent(percent: Fraction) -> str | None:
    """The probability in digits; None if it is not one."""
    return spell_fraction(percent / 100) if 0 < percent < 100 else None


def _weights(action: tree.Draw) -> Iterator[Diagnostic]:
    for at, ball in enumerate(action.balls):
        if ball.weight is None or _is_weight(ball.weight):
            continue
        help_, fixes = _instead_of_weight(action, at, ball.weight)
        found = quote(spell_number(ball.weight.value))
        message = f"expected a positive integer as the weight of a value, found {found}"
        yield Diagnostic("AC052", message, (Label(ball.weight.span),), help_, fixes=fixes)


def _is_weight(number: tree.Number) -> bool:
    return number.value > 0 and number.value.as_tuple().exponent == 0


def _instead_of_weight(action: tree.Draw, at: int, weight: tree.Number) -> tuple[str, tuple[Fix, ...]]:
    if weight.value == 0:
        help_ = "remove the value: it is never drawn"
        return help_, _without(action.balls, at)
    if weight.value > 0:
        return _whole(action)
    positive = str(-int(weight.value) or 1)
    return f"write `{positive}`", offer(f"write `{positive}`", replace(weight.span, positive))


def _without(balls: tuple[tree.Ball, ...], at: int) -> tuple[Fix, ...]:
    """The urn without a ball and one of the commas around it."""
    if len(balls) == 1:
        return ()
    span = Span(balls[at - 1].span.end, balls[at].span.end)
    first = Span(balls[0].span.start, balls[1].span.start)
    return offer("remove the value", delete(span if at else first))


def _whole(action: tree.Draw) -> tuple[str, tuple[Fix, ...]]:
    """All weights times the same number, so that the probabilities are as they were written."""
    weights = [Fraction(ball.times) for ball in action.balls]
    times = lcm(*(weight.denominator for weight in weights))
    pairs = [(ball, str(int(weight * times))) for ball, weight in zip(action.balls, weights, strict=True)]
    urn = ", ".join(f"{weight} OF {spell_constant(ball.constant)}" for ball, weight in pairs)
    edits = [replace(ball.weight.span, weight) for ball, weight in pairs if ball.weight is not None]
    is_complete = len(edits) == len(pairs) and min(weights) > 0
    if len(urn) > _LONGEST_URN or not is_complete:
        return f"multiply the weight of each value by {times}; a value without one has the weight 1", ()
    help_ = f"write `RANDOM {spell_name(action.name.text, 'FROM')} FROM ({urn})`"
    return help_, safe(help_, *edits)


def _rare_values(balls: tuple[tree.Ball, ...]) -> Iterator[Diagnostic]:
    weights = [Fraction(ball.times) for ball in balls]
    total = sum(weights)
    for ball, weight in zip(balls, weights, strict=True):
        if weight < total * RAREST:
            enough = -(-(total - weight) // (1 / RAREST - 1))
            message = "the probability that the value is drawn is below 2^-32"
            help_ = f"write `{enough} OF {spell_constant(ball.constant)}` or more, or remove the value"
            yield Diagnostic("AC054", message, (Label(ball.span),), help_)
