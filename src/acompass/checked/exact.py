"""Decimal arithmetic that never rounds."""

from decimal import Context, Decimal

#: ten times the digits of the longest constant that a policy may compare (`constants.LONGEST`)
EXACT = Context(prec=10_000)


def at_scale(value: Decimal, scale: int, rounding: str | None = None) -> Decimal:
    """The value with `scale` digits after the point."""
    return value.quantize(Decimal(1).scaleb(-scale), rounding, EXACT)


def shortest(value: Decimal) -> Decimal:
    """The same number without zeros at the end of its fraction, and without a negative zero."""
    _, _, exponent = value.normalize(EXACT).as_tuple()
    assert isinstance(exponent, int)
    return at_scale(value, max(-exponent, 0)) or Decimal(0)
