"""The unbiased estimate of counts before a random release, and of its variance. docs/pram.md has the proofs.

A record with the value x is released with the value y with probability K(x, y), independently of the others.
Let n(y) be the released counts and G a matrix with K · G = I. Then t(x) = Σ n(y) · G(y, x) estimates the
count of x without bias, and Σ n(y) · G(y, x)² - t(x) its variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from acompass.estimate.inverse import Inverse
from acompass.estimates import Quantity


@dataclass(frozen=True, slots=True)
class Sums:
    """For a value x: Σ n(y) · G(y, x) and Σ n(y) · G(y, x)²."""

    first: Fraction
    second: Fraction

    @property
    def count(self) -> Quantity:
        return Quantity(self.first, self.second - self.first)

    def share(self, records: int, rate: Fraction) -> Quantity:
        """Of a table of which a random part was released: `records`, each with the probability `rate`.

        The released records are a sample without replacement, given their number. With H = rate · G, w is
        the variance that the draws add to a record, and s² the sample variance of H(y, x) in the released
        records, in which the share itself varies too. Of the latter, sampling leaves the part 1 - rate.
        """
        share = rate * self.first / records
        square = rate**2 * self.second / records
        drawn = square - share
        if rate == 1:
            return Quantity(share, drawn / records)
        if records == 1:
            return Quantity(share, None)
        spread = (square - share**2) * Fraction(records, records - 1)
        return Quantity(share, ((1 - rate) * spread + rate * drawn) / records)


def sums(counts: Sequence[int], inverse: Inverse, values: int) -> list[Sums]:
    """For each of the values, by the counts of what was released."""
    first, second = [0] * values, [0] * values
    for count, row in zip(counts, inverse.rows, strict=True):
        for x, n in row.items() if count else ():
            first[x] += count * n
            second[x] += count * n * n
    shared = inverse.denominator
    return [Sums(Fraction(a, shared), Fraction(b, shared**2)) for a, b in zip(first, second, strict=True)]


def total(counts: Sequence[int], inverse: Inverse) -> Quantity:
    """The number of all records before: as that of a value, with the row sums of G."""
    factors = (Fraction(sum(row.values()), inverse.denominator) for row in inverse.rows)
    pairs = list(zip(counts, factors, strict=True))
    first = sum((count * factor for count, factor in pairs), Fraction(0))
    second = sum((count * factor**2 for count, factor in pairs), Fraction(0))
    return Sums(first, second).count
