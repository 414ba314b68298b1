"""The lines of a policy that randomize a column, as trees."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

from acompass.checked.exact import EXACT
from acompass.checked.types import Kind
from acompass.pram.codes import codes_for, constant_of
from acompass.pram.matrix import Matrix
from acompass.pram.read import CountedColumn
from acompass.syntax import tree
from acompass.syntax.tree import Inequality, Quantifier


@dataclass(frozen=True, slots=True)
class Line:
    """`is_undone` says that later lines write the value that this one takes away, as they should (AC504)."""

    requirement: tree.Requirement
    is_undone: bool = False


def urn_lines(
    column: CountedColumn, keep: Decimal, weights: Mapping[str, int], *, uniform: bool
) -> list[Line]:
    """A record keeps its value with a probability, and otherwise gets one from an urn."""
    name = tree.Name(column.name)
    balls = (
        tree.Ball(constant_of(text, column.type), None if uniform else tree.Number(Decimal(weight)))
        for text, weight in weights.items()
    )
    drawn = tree.Sometimes(tree.Number(EXACT.subtract(Decimal(1), keep)), tree.Draw(name, tuple(balls)))
    return [*_listed_only(name, column, list(weights)), Line(tree.Requirement(tree.Always(), drawn))]


def matrix_lines(column: CountedColumn, matrix: Matrix) -> list[Line]:
    """The values go by their rows of the matrix, to codes, so that no later line draws them again. Then the
    codes become values."""
    name, type_ = tree.Name(column.name), column.type
    moved, drawn = [text for text, row, own in _rows(matrix) if row[own] != 1], _drawn(matrix)
    coded = [text for text in moved if text in drawn]
    codes = dict(zip(coded, codes_for(coded, matrix.values, type_), strict=True))
    targets = [codes.get(text) or constant_of(text, type_) for text in matrix.values]
    draws = (
        _from_row(name, constant_of(text, type_), targets, row, own)
        for text, row, own in _rows(matrix)
        if text in moved
    )
    renamed = (
        Line(_unequal(name, code, tree.Replace(name, constant_of(text, type_))))
        for text, code in codes.items()
    )
    return [*_listed_only(name, column, matrix.values), *draws, *renamed]


def _rows(matrix: Matrix) -> Iterator[tuple[str, Sequence[Fraction], int]]:
    """Each value, its row, and its own place in it."""
    pairs = zip(matrix.values, matrix.rows, strict=True)
    return ((text, row, own) for own, (text, row) in enumerate(pairs))


def _drawn(matrix: Matrix) -> frozenset[str]:
    """The values that some line draws."""
    rows = (zip(matrix.values, _urn(row, own), strict=True) for _, row, own in _rows(matrix))
    return frozenset(text for row in rows for text, entry in row if entry)


def _urn(row: Sequence[Fraction], own: int) -> list[Fraction]:
    """The entries that are drawn: all but the value itself, where `WITH PROBABILITY` can say how often it
    changes."""
    is_coin = _change(row, own) is not None
    return [Fraction(0) if is_coin and place == own else entry for place, entry in enumerate(row)]


def _change(row: Sequence[Fraction], own: int) -> Decimal | None:
    """The probability that a value changes, if it is a decimal below 1."""
    return as_decimal(1 - row[own]) if row[own] else None


def _listed_only(name: tree.Name, column: CountedColumn, values: Sequence[str]) -> Iterator[Line]:
    """Any other value becomes the most frequent one: if it were kept, or stopped the run, that would give it
    away. A boolean has no other value."""
    if column.type.kind is not Kind.BOOLEAN:
        listed = tree.In(name, tuple(constant_of(text, column.type) for text in values))
        replaced = tree.Replace(name, constant_of(column.most_frequent, column.type))
        yield Line(tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), listed), replaced))


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
    change = _change(row, own)
    urn = tree.Draw(name, _balls(targets, _urn(row, own)))
    action = urn if change is None else tree.Sometimes(tree.Number(change), urn)
    return Line(_unequal(name, value, action), is_undone=change is None and targets[own] != value)


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
