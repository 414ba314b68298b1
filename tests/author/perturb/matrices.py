"""Random matrices with exact rows, and matrices as files."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st


@st.composite
def rows(draw: st.DrawFn, size: int) -> tuple[tuple[Fraction, ...], ...]:
    """Rows of decimals, thirds and sevenths; some have a 0 on the diagonal, some are rows of the unit matrix."""
    return tuple(draw(_row(size, own)) for own in range(size))


@st.composite
def _row(draw: st.DrawFn, size: int, own: int) -> tuple[Fraction, ...]:
    if draw(st.integers(0, 4)) == 0:
        return tuple(Fraction(place == own) for place in range(size))
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def write_matrix(path: Path, values: Sequence[str], entries: Sequence[Sequence[Fraction]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", *values])
        writer.writerows([value, *row] for value, row in zip(values, entries, strict=True))
