"""ε is ln E, rounded up: by sums of fractions that are below and above the exponential."""

from fractions import Fraction
from math import factorial

import pytest

from acompass.privacy.epsilon import epsilon_of

STEP = Fraction(1, 1000)


def _exponential(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the exponential of a number from 0 to 30."""
    terms = [exponent**n / factorial(n) for n in range(150)]
    return sum(terms, Fraction(0)), sum(terms, Fraction(0)) + 2 * terms[-1]


@pytest.mark.parametrize(
    "ratio", [Fraction(10), Fraction(7, 3), Fraction(2**52), Fraction(10**9 + 1, 10**9), Fraction(10**12)]
)
def test_the_printed_number_is_the_least_that_is_large_enough(ratio: Fraction) -> None:
    epsilon = Fraction(epsilon_of(ratio))
    assert (epsilon / STEP).denominator == 1
    assert _exponential(epsilon)[0] >= ratio
    assert _exponential(epsilon - STEP)[1] < ratio or epsilon == STEP


def test_nothing_given_away_is_zero() -> None:
    assert str(epsilon_of(Fraction(1))) == "0"
