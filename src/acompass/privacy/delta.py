"""The δ of sampling before a k, for one class. docs/privacy-proofs.md, 1.3 and 1.4.

A class of n records, each kept with probability β, is left if at least k of them are. Whether it has n
records or n - 1 shows most in a class that is just large enough, by the outcome that the class is left, or
that it is not.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from acompass.privacy.binomial import binomial, is_short
from acompass.privacy.table_answer import Direction


@dataclass(frozen=True, slots=True)
class WorstClass:
    """The smallest class that attains δ has `size` records, against `size - 1`. δ `is_exact`, or rounded up
    by less than any digit that is ever shown."""

    delta: Fraction
    size: int
    direction: Direction
    is_exact: bool


def worst_class(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """The largest hockey-stick divergence at E = `ratio` ≥ 1, over all sizes of a class and both directions,
    for 0 < `beta` < 1."""
    found = _with_record(k, beta, ratio)
    if ratio * (1 - beta) >= 1:
        return found
    return max(found, _without_record(k, beta, ratio), key=lambda worst: worst.delta)


def _with_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n ‖ n - 1): with the record, the class is left more often."""
    size = max(1, ceil((k - 1) * ratio / (ratio - 1 + beta)))
    of = binomial(size - 1, k, beta)
    delta = beta * of.point[1] - (ratio - 1) * (1 - of.below[1])
    return WorstClass(delta, size, Direction.WITH, is_short(size - 1, beta))


def _without_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n - 1 ‖ n): without the record, the class is missing more often."""
    size = max(1, ceil((k - 1) / (1 - ratio * (1 - beta))))
    of = binomial(size - 1, k, beta)
    delta = ratio * beta * of.point[1] - (ratio - 1) * of.below[0]
    return WorstClass(delta, size, Direction.WITHOUT, is_short(size - 1, beta))
