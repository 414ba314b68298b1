"""How far a value is from satisfying comparisons, and where it would."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor
from typing import Any

from acompass.checked.types import Kind, Type
from acompass.explain.literals import Literal, Relation

#: wider than any number that a policy or a column can hold
_EXACT = Context(prec=10_000, rounding=ROUND_FLOOR)
#: a float still holds it
_FARTHEST = Fraction(10**300)


@dataclass(frozen=True, slots=True)
class Target:
    """A value, or with a `nudge` of 1 or -1 those right above or below it, where a type has no next value."""

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


def _sign(one: Any, other: Any) -> int:
    """A NaN, which only a sum of both infinities can be, is above all."""
    if one != one:
        return 1
    return int(one > other) - int(one < other)


def nearest_target(value: Any, type_: Type, literals: Sequence[Literal]) -> Target | None:
    """Where `value` would have to be for all literals to hold; None where no value satisfies them."""
    fitting = (t for t in _candidates(type_, literals) if all(holds(literal, t) for literal in literals))
    return min(fitting, key=lambda target: distance(value, target), default=None)


def distance(value: Any, target: Target) -> float:
    """Comparable within a column of numbers or dates; elsewhere every other value is as far."""
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
    """From a value to the next one; None where there is no next."""
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
    """If any value will do, one of these is the nearest that does."""
    if type_.kind is Kind.BOOLEAN:
        yield from (Target(False), Target(True))
        return
    step = step_of(type_)
    for constant in dict.fromkeys(literal.value for literal in literals):
        if _is_storable(constant, type_):
            yield Target(constant)
        yield from _beside(constant, type_, step)


def shifted(value: Any, step: Any, times: int = 1) -> Any:
    """`value` and so many steps, exactly; None beyond the first and the last date."""
    if isinstance(value, Decimal):
        return _EXACT.add(value, _EXACT.multiply(Decimal(step), times))
    try:
        return value + times * step
    except OverflowError:
        return None


def _is_storable(constant: Any, type_: Type) -> bool:
    return not isinstance(constant, Decimal) or _EXACT.subtract(constant, _floor(constant, type_)) == 0


def _floor(constant: Any, type_: Type) -> Any:
    """The largest value of the type that is not above a number."""
    if type_.kind is Kind.INTEGER:
        return floor(constant)
    return Decimal(constant).quantize(Decimal(1).scaleb(-type_.scale), context=_EXACT)


def _beside(constant: Any, type_: Type, step: Any) -> Iterator[Target]:
    if step is None:
        yield from (Target(constant, 1), Target(constant, -1))
        return
    base = constant if type_.kind is Kind.DATE else _floor(constant, type_)
    beside = (shifted(base, step, times) for times in (-1, 0, 1))
    yield from (Target(value) for value in beside if value is not None)
