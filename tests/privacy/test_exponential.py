"""E is a rational just below e^ε."""

from decimal import Decimal
from fractions import Fraction

import pytest

from acompass.privacy.exponential import just_below_exponential

TERMS = 80


def _partial_sums(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Two rationals around e^ε, by its series: the rest is below twice the next term where 2ε < TERMS."""
    term = total = Fraction(1)
    for index in range(1, TERMS):
        term *= epsilon / index
        total += term
    return total, total + 2 * term


@pytest.mark.parametrize("epsilon", ["0", "1e-30", "0.001", "0.1", "1", "2.5", "10"])
def test_it_is_just_below(epsilon: str) -> None:
    low, high = _partial_sums(Fraction(epsilon))
    found = just_below_exponential(Decimal(epsilon))
    assert 1 <= found <= low
    assert high - found <= found / 10**28


def test_a_huge_epsilon_has_the_ratio_of_a_large_one() -> None:
    assert just_below_exponential(Decimal("1e99")) == just_below_exponential(Fraction(1000))


def test_a_fraction_is_rounded_down_too() -> None:
    low, _ = _partial_sums(Fraction(1, 3))
    assert low - Fraction(1, 10**27) <= just_below_exponential(Fraction(1, 3)) <= low
