"""ε = ln E, rounded up."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

#: digits after the point that are shown
DIGITS = 3
#: far more digits than are shown, so that rounding up twice seldom shows
_EXACT = Context(prec=60, rounding=ROUND_CEILING)


def epsilon_of(ratio: Fraction) -> Decimal:
    """The least number of three digits after the point that is not below ln E.

    The quotient is rounded up, and Python's logarithm is the nearest number of 60 digits, so that the next
    one is not below ln E.
    """
    if ratio == 1:
        return Decimal(0)
    above = _EXACT.next_plus(_EXACT.ln(_EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))
    return above.quantize(Decimal(1).scaleb(-DIGITS), ROUND_CEILING)
