"""What a column of one record holds: a constant, or what maps and changes of type make of a value."""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from acompass.checked.convert import convert, to_text
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.cuts import Steps
from acompass.checked.maps.map import Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.types import Kind, Type, Value
from acompass.prove.decision_diagram import Variable


@dataclass(frozen=True, slots=True)
class Conversion:
    """A change of the column's type (D12)."""

    before: Type
    after: Type


@dataclass(frozen=True, slots=True)
class Labelling:
    map: Map


Step: TypeAlias = Conversion | Labelling


@dataclass(frozen=True, slots=True)
class Constant:
    """None is the value of a dropped column, which no condition reads."""

    value: Value | None


@dataclass(frozen=True, slots=True)
class Derived:
    """The variable has the kind of an initial value, or of one that is drawn."""

    variable: Variable
    steps: tuple[Step, ...] = ()


Expression: TypeAlias = Constant | Derived

DROPPED = Constant(None)


def then(expression: Expression, step: Step) -> Expression:
    """A constant without a label becomes None; the record fails there."""
    match expression:
        case Constant(value):
            return Constant(applied(value, (step,)))
        case Derived(variable, steps):
            return Derived(variable, (*steps, step))
        case _:
            assert_never(expression)


def applied(value: Value | None, steps: tuple[Step, ...]) -> Value | None:
    """The value after the steps; None where a map has no label."""
    for step in steps:
        if value is None:
            return None
        match step:
            case Conversion(before, after):
                value = convert(value, before, after)
            case Labelling(map_):
                value = map_.label(str(value))
            case _:
                assert_never(step)
    return value


def normal(expression: Derived) -> Derived:
    """Where it has several values for one kind: without maps that a later one absorbs, as it has the same
    label for a value and for its finer label. Open bands have one label each, so only the width of the others
    matters."""
    steps: list[Step] = []
    for step in expression.steps:
        while isinstance(step, Labelling) and steps and _absorbs(step, steps[-1]):
            steps.pop()
        steps.append(step)
    return Derived(expression.variable, tuple(map(_without_ends, steps)))


def without_prefixes(expression: Derived, length: int) -> Derived:
    """Without the prefixes that texts of this length have."""
    steps = tuple(step for step in expression.steps if not _is_prefix_of(step, length))
    return Derived(expression.variable, steps)


def _is_prefix_of(step: Step, length: int) -> bool:
    match step:
        case Labelling(Prefix(kept)):
            return kept >= length
        case _:
            return False


def _absorbs(later: Labelling, earlier: Step) -> bool:
    return isinstance(earlier, Labelling) and later.map.follows(earlier.map)


def _without_ends(step: Step) -> Step:
    match step:
        case Labelling(Bands(Steps(width, origin), integer, scale)):
            return Labelling(Bands(Steps(width, origin % width, None, None), integer, scale))
        case _:
            return step


def shown(value: Value | None, type_: Type) -> object:
    """Values that are written alike are equal."""
    if type_.kind in (Kind.OPAQUE, Kind.DROPPED) or value is None:
        return value
    return to_text(value, type_)
