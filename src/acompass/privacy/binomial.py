"""Pr[B = k - 1] and Pr[B < k] of a binomial B: exactly, or bounds where exact numbers would be too long."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

#: the longest exact denominator, in bits
LONGEST = 2**16
#: significant digits of bounds
_DIGITS = 60
#: the least exponent of a bound
_SMALLEST = -9_999


@dataclass(frozen=True, slots=True)
class Binomial:
    """Each number as a lower and an upper bound, which are equal if it is exact."""

    point: tuple[Fraction, Fraction]
    below: tuple[Fraction, Fraction]


def binomial(trials: int, k: int, beta: Fraction) -> Binomial:
    """For k - 1 ≤ `trials` and 0 < `beta` < 1."""
    if is_short(trials, beta):
        point, below = _exact(trials, k, beta)
        return Binomial((point, point), (below, below))
    digits = _DIGITS + _leading_nines(trials, k, beta)
    points, belows = zip(
        _bounds(trials, k, beta, digits, ROUND_FLOOR),
        _bounds(trials, k, beta, digits, ROUND_CEILING),
        strict=True,
    )
    return Binomial(points, belows)


def _bounds(trials: int, k: int, beta: Fraction, digits: int, rounding: str) -> tuple[Fraction, Fraction]:
    """Numbers so small that a Fraction of them would be long are rounded again."""
    point, below = _rounded(trials, k, beta, _context(digits, rounding))
    short = Context(prec=digits, rounding=rounding, Emin=_SMALLEST)
    return Fraction(short.plus(point)), Fraction(short.plus(below))


def _leading_nines(trials: int, k: int, beta: Fraction) -> int:
    """Above the mean, 1 - Pr[B < k] may be as small as Pr[B = k - 1], and must have digits left."""
    if k - 1 < trials * beta:
        return 0
    point, _ = _rounded(trials, k, beta, _context(_DIGITS, ROUND_FLOOR))
    return -point.adjusted()


def is_short(trials: int, beta: Fraction) -> bool:
    """Whether exact numbers are short enough."""
    return trials * beta.denominator.bit_length() <= LONGEST


def _exact(trials: int, k: int, beta: Fraction) -> tuple[Fraction, Fraction]:
    """Integers over one denominator: a Fraction would look for common factors in each term."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = miss**trials
    for successes in range(1, k):
        term = term * ((trials - successes + 1) * hit) // (successes * miss)
        total += term
    return Fraction(term, whole**trials), Fraction(total, whole**trials)


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _rounded(trials: int, k: int, beta: Fraction, context: Context) -> tuple[Decimal, Decimal]:
    """Every operation is on positive numbers, so rounding each of them in one direction rounds the result."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = _power(context.divide(Decimal(miss), Decimal(whole)), trials, context.multiply)
    for successes in range(1, k):
        more = context.multiply(term, Decimal((trials - successes + 1) * hit))
        term = context.divide(more, Decimal(successes * miss))
        total = context.add(total, term)
    return term, total


def _power(base: Decimal, exponent: int, multiply: Callable[[Decimal, Decimal], Decimal]) -> Decimal:
    """`Context.power` does not round in the direction that is asked for."""
    result = Decimal(1)
    for bit in f"{exponent:b}":
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, base)
    return result
