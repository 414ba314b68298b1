"""The law of one value ρ of the trace: the paper's, and that of a seed."""

from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import assert_never

#: a seed draws ρ = h / 2⁵² (D19)
BITS = 52


class Weights(StrEnum):
    #: ρ is uniform on [0, 1)
    UNIFORM = "uniform"
    #: ρ = h / 2⁵², where h is uniform
    SEED = "52 bits"


def probability(weights: Weights, low: Fraction, high: Fraction) -> Fraction:
    """The probability that low ≤ ρ < high."""
    match weights:
        case Weights.UNIFORM:
            return high - low
        case Weights.SEED:
            return Fraction(ceil(high * 2**BITS) - ceil(low * 2**BITS), 2**BITS)
        case _:
            assert_never(weights)
