"""Exact decisions: the largest of many fractions, and comparisons of logarithms."""

import math
from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import duckdb

#: bounds the relative error of a quotient of two integers below 2^100 in doubles
DOUBLE_MARGIN = 1e-12
#: far more than a double has
DIGITS = 60


def largest_ratio(
    con: duckdb.DuckDBPyConnection, relation: str, numerator: str, denominator: str
) -> Fraction:
    """The largest numerator/denominator in a relation. Doubles select candidates, integers decide."""
    candidates = con.execute(f"""
        WITH pairs AS (SELECT DISTINCT ({numerator})::HUGEINT AS a, ({denominator})::HUGEINT AS b
                       FROM {relation}),
             ratios AS (SELECT a, b, a::DOUBLE / b::DOUBLE AS ratio FROM pairs)
        SELECT a, b FROM ratios WHERE ratio >= (SELECT max(ratio) FROM ratios) * (1 - {DOUBLE_MARGIN})
    """).fetchall()
    return max(Fraction(a, b) for a, b in candidates)


def log_of(ratio: Fraction) -> Decimal:
    """The natural logarithm of a positive fraction, accurate near 1 too."""
    with localcontext(Context(prec=DIGITS)):
        return decimal_of(ratio).ln()


def decimal_of(ratio: Fraction) -> Decimal:
    with localcontext(Context(prec=DIGITS)):
        return Decimal(ratio.numerator) / Decimal(ratio.denominator)


def exceeds_log(value: Fraction, ratio: Fraction) -> bool:
    """Whether value > ln(ratio).

    The logarithm of a rational number other than 1 is irrational, so enough digits decide every other case.
    """
    if ratio == 1:
        return value > 0
    digits = DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            logarithm = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
            difference = Decimal(value.numerator) / Decimal(value.denominator) - logarithm
            if abs(difference) > (1 + abs(logarithm)).scaleb(10 - digits):
                return difference > 0
        digits *= 2


def sign_of_product(powers: Iterable[tuple[int, int]]) -> int:
    """The sign of ln Π baseᵉ, for positive bases and signed exponents.

    Enough digits decide unless the product is 1, which is detected by factoring the bases into coprime ones.
    """
    factors = [(base, exponent) for base, exponent in powers if base > 1 and exponent]
    digits = DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            terms = [Decimal(base).ln() * exponent for base, exponent in factors]
            total, size = sum(terms, Decimal(0)), sum(map(abs, terms), Decimal(1))
            if abs(total) > size.scaleb(20 - digits):
                return 1 if total > 0 else -1
        if digits == DIGITS and _is_one(factors):
            return 0
        digits *= 2


def _is_one(factors: list[tuple[int, int]]) -> bool:
    """Whether Π baseᵉ = 1. For pairwise coprime bases, this requires every exponent to be 0."""
    coprime: dict[int, int] = {}
    pending = list(factors)
    while pending:
        base, exponent = pending.pop()
        if base == 1:
            continue
        shared = next((other for other in coprime if math.gcd(base, other) > 1), None)
        if shared is None:
            coprime[base] = exponent
            continue
        divisor, power = math.gcd(base, shared), coprime.pop(shared)
        pending += [(divisor, exponent + power), (base // divisor, exponent), (shared // divisor, power)]
    return not any(coprime.values())
