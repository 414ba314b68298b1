"""The loss of a table, as ARX's default measure defines it.

A cell has a share: the part of the hierarchy's rows that carry its label. `*` and dropped cells have the
share 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod


def column_loss(shares_sum: float | Fraction, records: int | Fraction, rows: int) -> float:
    """The mean share of the cells, scaled so that a column of values loses 0 and a column of `*` loses 1."""
    if not records or rows == 1:
        return 0.0
    lowest = Fraction(1, rows)
    mean = shares_sum / records
    return max(0.0, float((mean - lowest) / (1 - lowest)))


def total_loss(per_column: Sequence[float]) -> float:
    """The geometric mean of all 1 + L, less 1."""
    return prod(1 + loss for loss in per_column) ** (1 / len(per_column)) - 1.0
