"""How far a value is from satisfying comparisons, and the nearest value that satisfies them."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from math import floor
from typing import Any, assert_never

from acompass.checked.exact import EXACT, at_scale
from acompass.checked.types import Kind, Type
from acompass.explain.literals import Literal, Relation

#: still representable as a float
_FARTHEST = Fraction(10**300)


@dataclass(frozen=True, slots=True)
class Target:
    """A value. A `nudge` of 1 or -1 means just above or just below it, for types without a next value."""

    value: Any
    nudge: int = 0


def holds(literal: Literal, target: Target) -> bool:
    compared = _sign(target.value, literal.value) or target.nudge
    match literal.relation:
        case Relation.LT:
            return compared < 0
        case Relation.LE:
            return compared <= 0
        case Relation.EQ:
            return compared == 0
        case Relation.NE:
            return compared != 0
        case Relation.GE:
            return compared >= 0
        case Relation.GT:
            return compared > 0
        case _:
            assert_never(literal.relation)


def _sign(one: Any, other: Any) -> int:
    """NaN, which arises only as the sum of both infinities, is greater than every number."""
    if one != one:
        return 1
    return int(one > other) - int(one < other)


def nearest_target(value: Any, type_: Type, literals: Sequence[Literal]) -> Target | None:
    """The value nearest to `value` that satisfies all literals; None if no value does."""
    fitting = (t for t in _candidates(type_, literals) if all(holds(literal, t) for literal in literals))
    return min(fitting, key=lambda target: distance(value, target), default=None)


def distance(value: Any, target: Target) -> float:
    """Defined for numbers and dates; all other values are equally far from each other."""
    match value, target.value:
        case datetime.date(), datetime.date():
            return abs((value - target.value).total_seconds())
        case ((int() | float() | Decimal()), (int() | float() | Decimal())):
            return _difference(value, target.value)
    return 1.0


def _difference(one: int | float | Decimal, other: int | float | Decimal) -> float:
    if isinstance(one, float) or isinstance(other, float):
        return abs(float(one) - float(other))
    return float(min(abs(Fraction(one) - Fraction(other)), _FARTHEST))


def step_of(type_: Type) -> Any:
    """The step from a value to the next; None if the type has no next value."""
    match type_.kind:
        case Kind.INTEGER:
            return 1
        case Kind.DECIMAL:
            return Decimal(1).scaleb(-type_.scale)
        case Kind.DATE:
            return datetime.timedelta(days=1)
        case _:
            return None


def _candidates(type_: Type, literals: Sequence[Literal]) -> Iterator[Target]:
    """If any value satisfies the literals, the nearest such value is one of these."""
    if type_.kind is Kind.BOOLEAN:
        yield from (Target(False), Target(True))
        return
    step = step_of(type_)
    for constant in dict.fromkeys(literal.value for literal in literals):
        if _is_storable(constant, type_):
            yield Target(constant)
        yield from _beside(constant, type_, step)


def shifted(value: Any, step: Any, times: int = 1) -> Any:
    """`value` moved by some steps, exactly; None if the result is not a valid date."""
    if isinstance(value, Decimal):
        return EXACT.add(value, EXACT.multiply(Decimal(step), times))
    try:
        return value + times * step
    except OverflowError:
        return None


def _is_storable(constant: Any, type_: Type) -> bool:
    return not isinstance(constant, Decimal) or EXACT.subtract(constant, _floor(constant, type_)) == 0


def _floor(constant: Any, type_: Type) -> Any:
    """The largest value of the type that does not exceed the constant."""
    if type_.kind is Kind.INTEGER:
        return floor(constant)
    return at_scale(Decimal(constant), type_.scale, ROUND_FLOOR)


def _beside(constant: Any, type_: Type, step: Any) -> Iterator[Target]:
    if step is None:
        yield from (Target(constant, 1), Target(constant, -1))
        return
    base = constant if type_.kind is Kind.DATE else _floor(constant, type_)
    beside = (shifted(base, step, times) for times in (-1, 0, 1))
    yield from (Target(value) for value in beside if value is not None)
