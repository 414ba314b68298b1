"""The transition matrix of a column: with which probability each value becomes which."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Matrix:
    """`rows[x][y]` is the probability that a record with the value `values[x]` gets `values[y]`. Each row
    sums to 1. Values are texts."""

    values: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def keeping(self, probability: Fraction) -> "Matrix":
        """A record first keeps its value with the probability, and otherwise goes by this matrix."""
        rows = (
            tuple((1 - probability) * entry + probability * (x == y) for y, entry in enumerate(row))
            for x, row in enumerate(self.rows)
        )
        return Matrix(self.values, tuple(rows))

    @property
    def ratio(self) -> Fraction | None:
        """e^ε: how much more probable one original value can make a released value than another one does.

        None if there is no bound, because an original value rules a released one out that another allows.
        """
        columns = (column for column in zip(*self.rows, strict=True) if any(column))
        return _largest([None if not min(column) else max(column) / min(column) for column in columns])


def _largest(ratios: Sequence[Fraction | None]) -> Fraction | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return max(known) if len(known) == len(ratios) else None
