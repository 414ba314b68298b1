"""Compute the δ of sampling before k-anonymity, for one class. See docs/privacy-proofs.md, sections 1.3 and 1.4.

A class of n records, each kept with probability β, is released if at least k of them are kept. The difference between
n and n - 1 records is largest for a class that is just large enough. The worst outcome is that the class is released,
or that it is not. Probabilities are exact, or bounds if exact numbers would be too long."""

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil

from acompass.dataclasses import dataclass
from acompass.reason.privacy.answer import Direction

#: the longest exact denominator, in bits
LONGEST = 2**16
#: the significant digits and the least exponent of bounds
_BOUND_DIGITS = 60
_SMALLEST = -9_999
#: the digits of E
_RATIO_DIGITS = 30
#: a larger ε is treated as this one: its E would be too long, and a δ for a smaller ε also holds for it
_LARGEST_EPSILON = 1_000
_ROUNDING_DOWN = Context(prec=_RATIO_DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)


@dataclass(frozen=True, slots=True)
class WorstClass:
    delta: Fraction
    size: int  # the size of the smallest class that attains δ, against one record fewer
    direction: Direction
    is_exact: bool  # otherwise δ is rounded up, by less than any digit that is shown


def worst_class(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """The largest hockey-stick divergence at E = `ratio` ≥ 1, over all sizes of a class and both directions,
    for 0 < `beta` < 1."""
    found = _with_record(k, beta, ratio)
    if ratio * (1 - beta) >= 1:
        return found
    return max(found, _without_record(k, beta, ratio), key=lambda worst: worst.delta)


def _with_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n ‖ n - 1): with the record, the class is released more often."""
    size = max(1, ceil((k - 1) * ratio / (ratio - 1 + beta)))
    terms = binomial(size - 1, k, beta)
    delta = beta * terms.point[1] - (ratio - 1) * (1 - terms.below[1])
    return WorstClass(delta, size, Direction.WITH, is_short(size - 1, beta))


def _without_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n - 1 ‖ n): without the record, the class is missing more often."""
    size = max(1, ceil((k - 1) / (1 - ratio * (1 - beta))))
    terms = binomial(size - 1, k, beta)
    delta = ratio * beta * terms.point[1] - (ratio - 1) * terms.below[0]
    return WorstClass(delta, size, Direction.WITHOUT, is_short(size - 1, beta))


@dataclass(frozen=True, slots=True)
class Binomial:
    """Two probabilities, each as a lower and an upper bound, which are equal if it is exact."""

    point: tuple[Fraction, Fraction]  # Pr[B = k - 1]
    below: tuple[Fraction, Fraction]  # Pr[B < k]


def binomial(trials: int, k: int, beta: Fraction) -> Binomial:
    """For k - 1 ≤ `trials` and 0 < `beta` < 1."""
    if is_short(trials, beta):
        point, below = _exact_terms(trials, k, beta)
        return Binomial((point, point), (below, below))
    digits = _BOUND_DIGITS + _leading_nines(trials, k, beta)
    points, belows = zip(
        _bounds(trials, k, beta, digits, ROUND_FLOOR),
        _bounds(trials, k, beta, digits, ROUND_CEILING),
        strict=True,
    )
    return Binomial(points, belows)


def _bounds(trials: int, k: int, beta: Fraction, digits: int, rounding: str) -> tuple[Fraction, Fraction]:
    """Numbers so small that their Fraction would be too long are rounded again."""
    point, below = _rounded_terms(trials, k, beta, _context(digits, rounding))
    short = Context(prec=digits, rounding=rounding, Emin=_SMALLEST)
    return Fraction(short.plus(point)), Fraction(short.plus(below))


def _leading_nines(trials: int, k: int, beta: Fraction) -> int:
    """How many digits to add: above the mean, 1 - Pr[B < k] may be as small as Pr[B = k - 1]."""
    if k - 1 < trials * beta:
        return 0
    point, _ = _rounded_terms(trials, k, beta, _context(_BOUND_DIGITS, ROUND_FLOOR))
    return -point.adjusted()


def is_short(trials: int, beta: Fraction) -> bool:
    """Whether the exact numbers are short enough to compute with."""
    return trials * beta.denominator.bit_length() <= LONGEST


def _exact_terms(trials: int, k: int, beta: Fraction) -> tuple[Fraction, Fraction]:
    """Computes with integers over one denominator: a Fraction would look for common factors in each term."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = miss**trials
    for successes in range(1, k):
        term = term * ((trials - successes + 1) * hit) // (successes * miss)
        total += term
    return Fraction(term, whole**trials), Fraction(total, whole**trials)


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _rounded_terms(trials: int, k: int, beta: Fraction, context: Context) -> tuple[Decimal, Decimal]:
    """Every operation is on positive numbers, so rounding each in one direction rounds the result in that direction."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = _power(context.divide(Decimal(miss), Decimal(whole)), trials, context.multiply)
    for successes in range(1, k):
        more = context.multiply(term, Decimal((trials - successes + 1) * hit))
        term = context.divide(more, Decimal(successes * miss))
        total = context.add(total, term)
    return term, total


def _power(base: Decimal, exponent: int, multiply: Callable[[Decimal, Decimal], Decimal]) -> Decimal:
    """Replaces `Context.power`, which does not round in the context's direction."""
    result = Decimal(1)
    for bit in f"{exponent:b}":
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, base)
    return result


def just_below_exponential(epsilon: Fraction | Decimal) -> Fraction:
    """A rational in [1, e^ε] with the leading digits of e^ε, for ε from 0 to 1,000."""
    exact = min(Fraction(epsilon), Fraction(_LARGEST_EPSILON))
    exponent = _ROUNDING_DOWN.divide(exact.numerator, exact.denominator)
    # Decimal rounds exponentials to the nearest number, so the previous one is below
    below = _ROUNDING_DOWN.next_minus(_ROUNDING_DOWN.exp(exponent))
    return max(Fraction(1), Fraction(below))
