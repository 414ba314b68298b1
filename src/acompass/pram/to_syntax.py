"""The lines of a policy that randomize a column, as trees."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

from acompass.checked.exact import EXACT
from acompass.checked.types import Type
from acompass.pram.codes import codes_for, constant_of
from acompass.pram.matrix import Matrix
from acompass.syntax import tree
from acompass.syntax.tree import Inequality, Quantifier


@dataclass(frozen=True, slots=True)
class Line:
    """`is_undone` says that later lines write the value that this one takes away, as they should (AC504)."""

    requirement: tree.Requirement
    is_undone: bool = False


def urn_lines(
    column: str, type_: Type, keep: Decimal, weights: Mapping[str, int], *, uniform: bool
) -> list[Line]:
    """A record keeps its value with a probability, and otherwise gets one from an urn."""
    name = tree.Name(column)
    balls = (
        tree.Ball(constant_of(text, type_), None if uniform else tree.Number(Decimal(weight)))
        for text, weight in weights.items()
    )
    drawn = tree.Sometimes(tree.Number(EXACT.subtract(Decimal(1), keep)), tree.Draw(name, tuple(balls)))
    return [_only(name, type_, list(weights)), Line(tree.Requirement(tree.Always(), drawn))]


def matrix_lines(column: str, type_: Type, matrix: Matrix) -> list[Line]:
    """The values go by their rows of the matrix, to codes, so that no later line draws them again. Then the
    codes become values."""
    name = tree.Name(column)
    moved = [text for text, row, own in _rows(matrix) if row[own] != 1]
    codes = dict(zip(moved, codes_for(moved, type_), strict=True))
    targets = [codes.get(text) or constant_of(text, type_) for text in matrix.values]
    draws = (
        _from_row(name, constant_of(text, type_), targets, row, own)
        for text, row, own in _rows(matrix)
        if text in codes
    )
    renamed = (
        Line(_unequal(name, code, tree.Replace(name, constant_of(text, type_))))
        for text, code in codes.items()
    )
    return [_only(name, type_, matrix.values), *draws, *renamed]


def _rows(matrix: Matrix) -> Iterator[tuple[str, Sequence[Fraction], int]]:
    """Each value, its row, and its own place in it."""
    pairs = zip(matrix.values, matrix.rows, strict=True)
    return ((text, row, own) for own, (text, row) in enumerate(pairs))


def _only(name: tree.Name, type_: Type, values: Sequence[str]) -> Line:
    """A check that the column has no other values."""
    listed = tree.In(name, tuple(constant_of(text, type_) for text in values))
    return Line(tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), listed)))


def _unequal(name: tree.Name, value: tree.Constant, action: tree.Step) -> tree.Requirement:
    """Perform the action on the records that have the value."""
    other = tree.Unequal(name, Inequality.C, value)
    return tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), other), action)


def _from_row(
    name: tree.Name,
    value: tree.Constant,
    targets: Sequence[tree.Constant],
    row: Sequence[Fraction],
    own: int,
) -> Line:
    """Where the probability of a change is a decimal below 1, `WITH PROBABILITY` says it. Otherwise, the
    value's own code is in the urn."""
    change = None if not row[own] else as_decimal(1 - row[own])
    drawn = [Fraction(0) if change and place == own else entry for place, entry in enumerate(row)]
    urn = tree.Draw(name, _balls(targets, drawn))
    action = urn if change is None else tree.Sometimes(tree.Number(change), urn)
    return Line(_unequal(name, value, action), is_undone=change is None)


def _balls(targets: Sequence[tree.Constant], row: Sequence[Fraction]) -> tuple[tree.Ball, ...]:
    common = lcm(*(entry.denominator for entry in row))
    weights = [int(entry * common) for entry in row]
    shared = gcd(*weights)
    is_uniform = set(weights) <= {0, shared}
    return tuple(
        tree.Ball(target, None if is_uniform else tree.Number(Decimal(weight // shared)))
        for target, weight in zip(targets, weights, strict=True)
        if weight
    )


def as_decimal(number: Fraction) -> Decimal | None:
    """The same number as a decimal, if there is one."""
    digits = 0
    while number * 10**digits % 1:
        if digits > number.denominator.bit_length():
            return None
        digits += 1
    return Decimal(int(number * 10**digits)).scaleb(-digits, EXACT)
