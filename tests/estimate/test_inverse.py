"""The inverse is exact, and where there is none, the rows that are to blame are named."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.estimate.inverse import Dependent, Inverse, Row, right_inverse

ENTRIES = st.fractions(-2, 2, max_denominator=6) | st.just(Fraction(0))


def matrices(height: int, width: int) -> st.SearchStrategy[list[Row]]:
    row = st.lists(ENTRIES, min_size=width, max_size=width)
    return st.lists(row.map(_sparse), min_size=height, max_size=height)


def _sparse(entries: Sequence[Fraction]) -> Row:
    return {at: entry for at, entry in enumerate(entries) if entry}


def _product(rows: Sequence[Row], inverse: Inverse) -> list[Row]:
    """`rows` · G."""
    found = []
    for row in rows:
        total = [Fraction(0)] * len(rows)
        for place, entry in row.items():
            for at, n in inverse.rows[place].items():
                total[at] += entry * Fraction(n, inverse.denominator)
        found.append(_sparse(total))
    return found


def _rank(rows: Sequence[Row], width: int) -> int:
    """By elimination in columns, without anything of the implementation."""
    left = [[row.get(at, Fraction(0)) for at in range(width)] for row in rows]
    rank = 0
    for column in range(width):
        pivot = next((at for at in range(rank, len(left)) if left[at][column]), None)
        if pivot is None:
            continue
        left[rank], left[pivot] = left[pivot], left[rank]
        for at in range(rank + 1, len(left)):
            factor = left[at][column] / left[rank][column]
            left[at] = [a - factor * b for a, b in zip(left[at], left[rank], strict=True)]
        rank += 1
    return rank


@given(st.integers(1, 5), st.integers(0, 2), st.data())
def test_the_product_is_the_unit_matrix_or_a_smallest_set_of_rows_is_dependent(
    height: int, more: int, data: st.DataObject
) -> None:
    width = height + more
    rows = data.draw(matrices(height, width))
    try:
        inverse = right_inverse(rows, width)
    except Dependent as error:
        blamed = [rows[at] for at in error.rows]
        assert _rank(blamed, width) == len(blamed) - 1
        for at in range(len(blamed)):
            assert _rank([*blamed[:at], *blamed[at + 1 :]], width) == len(blamed) - 1
    else:
        assert _product(rows, inverse) == [{at: Fraction(1)} for at in range(height)]


@given(matrices(4, 3))
def test_more_rows_than_columns_are_dependent(rows: list[Row]) -> None:
    with pytest.raises(Dependent):
        right_inverse(rows, 3)


def test_a_thousand_values_of_one_urn_are_inverted() -> None:
    """They differ from each other in two places, so that little is to be done."""
    weights = [1 + (7 * at) % 11 for at in range(200)]
    total, keep = sum(weights), Fraction(4, 5)
    rows: list[Row] = [
        {at: (1 - keep) * Fraction(w, total) + keep * (at == own) for at, w in enumerate(weights)}
        for own in range(len(weights))
    ]
    inverse = right_inverse(rows, len(weights))
    assert Fraction(inverse.rows[0][1], inverse.denominator) == -Fraction(weights[1], total) / 4
