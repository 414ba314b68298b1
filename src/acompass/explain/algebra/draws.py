"""Draws as algebra: each affected record meets its own record (i, h) of the trace.

`ranked(V, T)` is V with an h for each record, in canonical order, and `tail(V, T)` the trace after that. A
rank is a sum: D counts the m copies of each distinct record, and `last` counts them together with all records
before them. So the copies of a record have the ranks above last − m, up to last.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

from acompass.explain.algebra.expressions import (
    Aggregated,
    All,
    Arithmetic,
    Call,
    Choice,
    Compare,
    Cut,
    Every,
    Expression,
    Floor,
    Group,
    Join,
    Project,
    Rename,
    Scalar,
    Select,
    Sign,
    Single,
    Symbol,
    Table,
    Union,
)
from acompass.syntax import tree
from acompass.syntax.tree import Function, Operator

_S = Every()
_I, _H, _M, _LAST = Symbol("i"), Symbol("h"), Symbol("m"), Symbol("last")
_N, _C = Symbol("n"), Symbol("c")
_ZERO, _ONE = tree.Number(Decimal(0)), tree.Number(Decimal(1))

#: a value and how many of the balls have it
Weighted: TypeAlias = tuple[tree.Constant, int]


def ranked(affected: Expression, trace: Expression) -> Call:
    """The affected records, each with the h of its rank in canonical order."""
    counted = Call("D", (), Group((_S,), (Aggregated(Function.COUNT, None, _M),), affected))
    not_after = Compare(Every("x"), Operator.LE, Every("y"))
    pairs = Join(Rename("x", counted), not_after, Rename("y", counted))
    last = Aggregated(Function.SUM, Symbol("m", "x"), _LAST)
    placed = Call("L", (), Group((Every("y"), Symbol("m", "y")), (last,), pairs))
    own = All(
        (
            Compare(Arithmetic(_LAST, Sign.MINUS, _M), Operator.LT, _I),
            Compare(_I, Operator.LE, _LAST),
        )
    )
    return Call("ranked", (affected, trace), Project(((_S, _S), (_H, _H)), Join(placed, own, trace)))


def tail(affected: Expression, trace: Expression) -> Call:
    """The trace without a value for each affected record; the rest is counted from 1 again."""
    ones = Union(Project(((_ONE, _C),), affected), Single(_ZERO, _C))
    size = Call("N", (), Group((), (Aggregated(Function.SUM, _C, _N),), ones))
    rest = Join(trace, Compare(_I, Operator.GT, _N), size)
    moved = (Arithmetic(_I, Sign.MINUS, _N), _I)
    return Call("tail", (affected, trace), Project((moved, (_H, _H)), rest))


#: what a legend explains, with the letters of the paper
DEFINITIONS = (ranked(Table("V"), Table("T")), tail(Table("V"), Table("T")))


def hit(affected: Expression, trace: Expression, probability: Decimal) -> Expression:
    """The records whose coin is below the probability (X5)."""
    below = Compare(_H, Operator.LT, Cut(probability))
    return Project(((_S, _S),), Select(below, ranked(affected, trace)))


def uniform(lower: tree.Constant, upper: tree.Constant) -> Scalar:
    """random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋, where ρ = h / 2⁵² (D19)."""
    return Arithmetic(lower, Sign.PLUS, Floor(Arithmetic(_H, Sign.TIMES, _width(lower, upper))))


def _width(lower: tree.Constant, upper: tree.Constant) -> Scalar:
    if isinstance(lower, tree.Number) and isinstance(upper, tree.Number):
        return tree.Number(upper.value - lower.value + 1)
    return Arithmetic(Arithmetic(upper, Sign.MINUS, lower), Sign.PLUS, _ONE)


def urn(balls: Sequence[Weighted]) -> Scalar:
    """The first vⱼ with ρ < (w₁ + … + wⱼ) / Σw (X6). Every ρ is below the last of these, which is 1."""
    sums = list(accumulate(weight for _, weight in balls))
    options = [
        (value, Compare(_H, Operator.LT, Cut(Fraction(below, sums[-1]))))
        for (value, _), below in zip(balls[:-1], sums, strict=False)
    ]
    return Choice(tuple(options), balls[-1][0])
