"""e^ε as a rational. A smaller E has a larger δ, so rounding down is safe."""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

#: digits of E
_DIGITS = 30
#: a larger ε is taken for this one: its E would be too long, and the δ of a smaller ε is true of it
_LARGEST = 1_000
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)


def just_below_exponential(epsilon: Fraction | Decimal) -> Fraction:
    """A rational in [1, e^ε] with the leading digits of e^ε, for ε from 0 to 1,000."""
    exact = min(Fraction(epsilon), Fraction(_LARGEST))
    exponent = _DOWN.divide(exact.numerator, exact.denominator)
    # Decimal rounds an exponential to the nearest, so the number before it is below
    below = _DOWN.next_minus(_DOWN.exp(exponent))
    return max(Fraction(1), Fraction(below))
