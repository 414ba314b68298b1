"""Invert a matrix of fractions exactly."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from acompass.dataclasses import dataclass

#: the entries of a row that are not 0, by column
Row: TypeAlias = Mapping[int, Fraction]
_Integers: TypeAlias = dict[int, int]


@dataclass(frozen=True, slots=True)
class Inverse:
    rows: tuple[Mapping[int, int], ...]  # numerators by column
    denominator: int  # of all entries


class Dependent(Exception):
    """A minimal set of linearly dependent rows."""

    def __init__(self, rows: Sequence[int]):
        super().__init__(rows)
        self.rows = rows


def right_inverse(rows: Sequence[Row], width: int) -> Inverse:
    """A matrix G with `rows` · G = I. Raise Dependent if there is none.

    With more columns than rows, G is not unique. A row with a column of its own is then solved by that column, so
    that further such rows do not affect the others; for the others, the sum of the squares in G is least.
    """
    if len(rows) >= width:
        return _Elimination(rows).inverse()
    own = _own_columns(rows)
    shared = [at for at in range(len(rows)) if at not in own]
    try:
        solved = _least_squares([_without(rows[at], own.values()) for at in shared], width)
    except Dependent as error:
        raise Dependent([shared[at] for at in error.rows]) from None
    inverse: list[Row] = [{shared[at]: entry for at, entry in row.items()} for row in solved]
    for at, column in own.items():
        inverse[column] = _solve_row(column, at, rows[at], inverse)
    return _over_one_denominator(inverse)


def _own_columns(rows: Sequence[Row]) -> dict[int, int]:
    """For each row that has any, a column that no other row has."""
    counts = Counter(column for row in rows for column in row)
    own = {at: [column for column in row if counts[column] == 1] for at, row in enumerate(rows)}
    return {at: min(columns) for at, columns in own.items() if columns}


def _without(row: Row, columns: Collection[int]) -> Row:
    return {column: entry for column, entry in row.items() if column not in columns}


def _least_squares(rows: Sequence[Row], width: int) -> list[Row]:
    """Rᵀ (R Rᵀ)⁻¹."""
    if not rows:
        return [{} for _ in range(width)]
    columns = _transpose(rows, width)
    squared = _Elimination(_product(rows, columns)).inverse()
    fractions = [{at: Fraction(n, squared.denominator) for at, n in row.items()} for row in squared.rows]
    return _product(columns, fractions)


def _solve_row(column: int, at: int, row: Row, inverse: Sequence[Row]) -> Row:
    """The row of G for a column that only one row has."""
    (rest,) = _product([_without(row, (column,))], inverse)
    factor = 1 / row[column]
    return {at: factor, **{other: -entry * factor for other, entry in rest.items()}}


class _Elimination:
    """Gauss–Jordan elimination: each row of `_left` is the sum of the original rows times the factors in the
    same row of `_right`. In the end, each row of `_left` has one entry."""

    def __init__(self, rows: Sequence[Row]):
        pairs = [_subtract_first(at, row, rows[0]) for at, row in enumerate(rows)]
        self._left = [left for left, _ in pairs]
        self._right = [right for _, right in pairs]

    def inverse(self) -> Inverse:
        pivots = {self._reduce(at): at for at in self._shortest_first()}
        entries = {column: self._left[at][column] for column, at in pivots.items()}
        shared = lcm(*entries.values())
        rows = (
            {place: n * (shared // entries[column]) for place, n in self._right[pivots[column]].items()}
            for column in sorted(pivots)
        )
        return Inverse(tuple(rows), shared)

    def _shortest_first(self) -> Iterator[int]:
        """Yield every row once, each time the shortest of those that remain."""
        rest = set(range(len(self._left)))
        while rest:
            at = min(rest, key=lambda row: (len(self._left[row]), row))
            rest.remove(at)
            yield at

    def _reduce(self, at: int) -> int:
        """Choose a pivot in a row, make the other entries of its column 0, and return the column."""
        if not self._left[at]:
            raise Dependent(sorted(self._right[at]))
        counts = Counter(column for row in self._left for column in row)
        pivot = min(self._left[at], key=lambda column: (counts[column], column))
        for other, row in enumerate(self._left):
            if other != at and pivot in row:
                self._clear(other, at, pivot)
        return pivot

    def _clear(self, row: int, by: int, column: int) -> None:
        """Add a multiple of the row `by` to a multiple of `row`, so that its entry in the column becomes 0."""
        entry, pivot = self._left[row][column], self._left[by][column]
        shared = gcd(entry, pivot)
        factor, times = pivot // shared, -(entry // shared)
        for side in (self._left, self._right):
            _combine(side[row], factor, side[by], times)
        if abs(factor) > 1:
            self._simplify(row)

    def _simplify(self, row: int) -> None:
        shared = gcd(*self._left[row].values(), *self._right[row].values())
        if shared > 1:
            for side in (self._left, self._right):
                side[row] = {at: n // shared for at, n in side[row].items()}


def _subtract_first(at: int, row: Row, first: Row) -> tuple[_Integers, _Integers]:
    """Return the row, or its difference from the first row if that has fewer entries, and the factors of the original
    rows that produce it, both as integers."""
    zero = Fraction(0)
    unlike = [place for place in {**row, **first} if row.get(place) != first.get(place)]
    if at == 0 or len(unlike) >= len(row):
        return _integers(row, {at: Fraction(1)})
    difference = {place: row.get(place, zero) - first.get(place, zero) for place in unlike}
    return _integers(difference, {at: Fraction(1), 0: Fraction(-1)})


def _integers(left: Row, right: Row) -> tuple[_Integers, _Integers]:
    scale = lcm(*(entry.denominator for entry in left.values()))
    whole = [{at: int(entry * scale) for at, entry in side.items()} for side in (left, right)]
    shared = gcd(*(n for side in whole for n in side.values()))
    own, factors = ({at: n // shared for at, n in side.items()} for side in whole)
    return own, factors


def _combine(row: _Integers, factor: int, other: _Integers, times: int) -> None:
    if factor != 1:
        for place in row:
            row[place] *= factor
    for place, n in other.items():
        total = row.get(place, 0) + n * times
        if total:
            row[place] = total
        else:
            del row[place]


def _transpose(rows: Sequence[Row], width: int) -> list[Row]:
    columns: list[dict[int, Fraction]] = [{} for _ in range(width)]
    for at, row in enumerate(rows):
        for place, entry in row.items():
            columns[place][at] = entry
    return list(columns)


def _product(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    result: list[Row] = []
    for row in rows:
        total: dict[int, Fraction] = {}
        for place, entry in row.items():
            for at, factor in others[place].items():
                total[at] = total.get(at, Fraction(0)) + entry * factor
        result.append({at: entry for at, entry in total.items() if entry})
    return result


def _over_one_denominator(rows: Sequence[Row]) -> Inverse:
    shared = lcm(*(entry.denominator for row in rows for entry in row.values()))
    return Inverse(tuple({at: int(entry * shared) for at, entry in row.items()} for row in rows), shared)
