"""Whether counts can come from a law, decided without floating point.

Chernoff's bound: among n independent draws, an outcome with probability p occurs k times, or more often still
if k > n·p, or less often still if k < n·p, with a probability of at most (p/x)^k · ((1-p)/(1-x))^(n-k), where
x = k/n. The bounds of both sides and of all outcomes are added up. So counts of the right law are refused
with a probability below LEVEL.
"""

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeVar

#: how often the right law may be refused
LEVEL = Decimal("1e-6")
_EXACT = Context(prec=60)

Outcome = TypeVar("Outcome")


def p_value_bound(counts: Mapping[Outcome, int], law: Mapping[Outcome, Fraction]) -> Decimal:
    """An upper bound of the probability that counts lie as far from the law as these."""
    assert sum(law.values()) == 1
    assert counts.keys() <= law.keys(), "an outcome that the law does not have"
    total = sum(counts.values())
    smallest = min(_one_side(counts.get(outcome, 0), total, p) for outcome, p in law.items())
    return _EXACT.multiply(smallest, 2 * len(law))


def _one_side(count: int, total: int, probability: Fraction) -> Decimal:
    hits = _likelihood(probability, Fraction(count, total), count)
    others = _likelihood(1 - probability, 1 - Fraction(count, total), total - count)
    return _EXACT.exp(_EXACT.add(hits, others))


def _likelihood(expected: Fraction, found: Fraction, times: int) -> Decimal:
    """The logarithm of (expected / found) to the power of `times`."""
    if times == 0:
        return Decimal(0)
    ratio = expected / found
    quotient = _EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return _EXACT.multiply(_EXACT.ln(quotient), times)
