"""The smallest change to a record, its class or the policy that would have left the record unaffected.

A condition becomes alternatives, each a conjunction of comparisons. The change consists of the nearest values that
satisfy one of them.
"""

import datetime
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import chain, islice, product, repeat
from math import ceil, floor
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.errors.display import on_one_line
from acompass.explain.answer import ClassSeen
from acompass.language.program import program as checked
from acompass.language.program.effects import process_of
from acompass.language.program.program import Aggregate, Filter, Process, Program, Requirement, Result
from acompass.language.program.types import (
    EXACT,
    Kind,
    Schema,
    Type,
    Value,
    at_scale,
    difference,
    shortest_decimal,
    spell_value,
)
from acompass.language.text import tree
from acompass.language.text.formatter import format_condition
from acompass.language.text.tokens import spell_name
from acompass.language.text.tree import Quantifier
from acompass.language.text.walk import assertion_of, comparisons, core, operands, record_conditions, steps
from acompass.semantics.core import Record

#: the number of alternatives to consider; later ones are rarely nearer
MOST_ALTERNATIVES = 256
#: still representable as a float
_FARTHEST = Fraction(10**300)
#: digits after the point of a constant for a share
_SHARE_DIGITS = 4


class Relation(StrEnum):
    """Each relation negates the one at the same distance from the other end."""

    LT = "<"
    LE = "<="
    EQ = "="
    NE = "≠"
    GT = ">"
    GE = ">="


_NEGATED = dict(zip(Relation, reversed(Relation), strict=True))
_FUNCTIONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
_COMPARE: dict[Relation, Callable[[int, int], bool]] = dict(zip(Relation, _FUNCTIONS, strict=True))


@dataclass(frozen=True, slots=True)
class Literal:
    """A comparison that must hold; negations are resolved into `relation`."""

    column: int
    relation: Relation
    value: Value
    written: tree.Comparison


#: literals that must all hold
Alternative: TypeAlias = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Target:
    value: Any
    nudge: int = 0  # 1 or -1: just above or just below the value, for types without a next value


@dataclass(frozen=True, slots=True)
class _Way:
    """An alternative and what it takes to satisfy it."""

    failing: tuple[Literal, ...]
    targets: Mapping[int, Target]  # the values that the columns would need
    cost: tuple[int, float]


class Nearest:
    def __init__(self, policy: tree.Program, program: Program):
        pairs = zip(program.requirements, steps(policy), strict=True)
        self._written = {requirement.index: written for requirement, written in pairs}

    def changes(self, requirement: Requirement, record: Record, seen: ClassSeen | None) -> tuple[str, ...]:
        written = assertion_of(self._written[requirement.index])
        if written is None:
            return ()
        if requirement.assertion.quantifier is Quantifier.SOME:
            what = "record" if process_of(requirement) is None else "class"
            return (f"one {what} with {on_one_line(format_condition(written.condition))}",)
        values = record if seen is None else seen.row
        way = _nearest_way(_ways(requirement, written), requirement.assertion.schema, values)
        if way is None or (seen is not None and min(way.targets, default=0) < len(seen.key)):
            return ()
        return (_change_needed(requirement, values, way), *_policy_changes(requirement, values, way))


def _ways(requirement: Requirement, written: tree.Assertion) -> Iterator[Alternative]:
    """The ways to satisfy the condition or, with FILTER, not to be selected by it."""
    assertion = requirement.assertion
    kept = alternatives(written.condition, assertion.condition)
    match assertion.result:
        case Filter(condition):
            selecting, _ = record_conditions(tree.Requirement(written))
            unseen = alternatives(selecting, condition, wanted=False)
            return islice(chain(kept, unseen), 2 * MOST_ALTERNATIVES)
        case Result() | Process():
            return islice(kept, MOST_ALTERNATIVES)
        case _:
            assert_never(assertion.result)


def _nearest_way(ways: Iterator[Alternative], schema: Schema, values: Record) -> _Way | None:
    possible = (way for alternative in ways if (way := _way(alternative, schema, values)) is not None)
    return min(possible, key=lambda way: way.cost, default=None)


def _way(alternative: Alternative, schema: Schema, values: Record) -> _Way | None:
    failing = tuple(literal for literal in alternative if not holds(literal, Target(values[literal.column])))
    targets: dict[int, Target] = {}
    for column in dict.fromkeys(literal.column for literal in failing):
        literals = [literal for literal in alternative if literal.column == column]
        target = nearest_target(values[column], schema[column].type, literals)
        if target is None:
            return None
        targets[column] = target
    total = sum(distance(values[column], target) for column, target in targets.items())
    return _Way(failing, targets, (len(targets), total))


def alternatives(written: tree.Condition, meant: checked.Condition, wanted: bool = True) -> Iterator[Alternative]:
    """The ways to make the condition evaluate to `wanted`."""
    match meant:
        case checked.Comparison():
            relation = Relation(meant.operator)
            (comparison,) = comparisons(written)
            yield (Literal(meant.column, relation if wanted else _NEGATED[relation], meant.value, comparison),)
        case checked.Not():
            (operand,) = operands(core(written))
            yield from alternatives(operand, meant.operand, not wanted)
        case checked.And():
            yield from (_conjunction if wanted else _disjunction)(operands(core(written)), meant.operands, wanted)
        case checked.Or():
            yield from (_disjunction if wanted else _conjunction)(operands(core(written)), meant.operands, wanted)
        case _:
            assert_never(meant)


def _disjunction(
    written: Sequence[tree.Condition], meant: Sequence[checked.Condition], wanted: bool
) -> Iterator[Alternative]:
    return islice(chain.from_iterable(map(alternatives, written, meant, repeat(wanted))), MOST_ALTERNATIVES)


def _conjunction(
    written: Sequence[tree.Condition], meant: Sequence[checked.Condition], wanted: bool
) -> Iterator[Alternative]:
    ways = map(alternatives, written, meant, repeat(wanted))
    few = [list(islice(way, MOST_ALTERNATIVES)) for way in ways]
    for chosen in islice(product(*few), MOST_ALTERNATIVES):
        yield tuple(chain.from_iterable(chosen))


def holds(literal: Literal, target: Target) -> bool:
    compared = _sign(target.value, literal.value) or target.nudge
    return _COMPARE[literal.relation](compared, 0)


def _sign(one: Any, other: Any) -> int:
    """The sign of one − other. NaN, which only a sum of both infinities can be, is greater than every number."""
    if one != one:
        return 1
    return int(one > other) - int(one < other)


def nearest_target(value: Any, type_: Type, literals: Sequence[Literal]) -> Target | None:
    """The nearest value that satisfies all literals; None if no value does."""
    fitting = (t for t in _candidates(type_, literals) if all(holds(literal, t) for literal in literals))
    return min(fitting, key=lambda target: distance(value, target), default=None)


def distance(value: Any, target: Target) -> float:
    """The distance between numbers or dates; all other values are equally far from each other."""
    match value, target.value:
        case datetime.date(), datetime.date():
            return abs((value - target.value).total_seconds())
        case ((int() | float() | Decimal() | Fraction()), (int() | float() | Decimal())):
            return _difference(value, target.value)
    return 1.0


def _difference(one: int | float | Decimal | Fraction, other: int | float | Decimal) -> float:
    if isinstance(one, float) or isinstance(other, float):
        return abs(float(one) - float(other))
    return float(min(abs(Fraction(one) - Fraction(other)), _FARTHEST))


def type_step(type_: Type) -> Any:
    """The difference between a value and the next; None if the type has no next value."""
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
    """Candidates for the nearest value: if any value satisfies the literals, the nearest is one of these."""
    if type_.kind is Kind.BOOLEAN:
        yield from (Target(False), Target(True))
        return
    step = type_step(type_)
    for constant in dict.fromkeys(literal.value for literal in literals):
        if _is_storable(constant, type_):
            yield Target(constant)
        yield from _neighbors(constant, type_, step)


def shift(value: Any, step: Any, times: int = 1) -> Any:
    """`value` moved by some steps, exactly; None if the result is not a valid date."""
    if isinstance(value, Decimal):
        return EXACT.add(value, EXACT.multiply(Decimal(step), times))
    try:
        return value + times * step
    except OverflowError:
        return None


def _is_storable(constant: Any, type_: Type) -> bool:
    if type_.kind is Kind.SHARE:
        return True
    return not isinstance(constant, Decimal) or EXACT.subtract(constant, _floor(constant, type_)) == 0


def _floor(constant: Any, type_: Type) -> Any:
    """The largest value of the type that does not exceed the constant."""
    if type_.kind is Kind.INTEGER:
        return floor(constant)
    return at_scale(Decimal(constant), type_.scale, ROUND_FLOOR)


def _neighbors(constant: Any, type_: Type, step: Any) -> Iterator[Target]:
    if step is None:
        yield from (Target(constant, 1), Target(constant, -1))
        return
    base = constant if type_.kind is Kind.DATE else _floor(constant, type_)
    neighbors = (shift(base, step, times) for times in (-1, 0, 1))
    yield from (Target(value) for value in neighbors if value is not None)


def _change_needed(requirement: Requirement, values: Record, way: _Way) -> str:
    schema, process = requirement.assertion.schema, process_of(requirement)
    if process is not None:
        aggregates = dict(enumerate(process.aggregates, start=len(process.group_by)))
        where = "in its class" if process.group_by else "in the table"
        parts = [
            _class_change(requirement, aggregates[column], where, values[column], target)
            for column, target in way.targets.items()
        ]
    else:
        parts = [
            _column_change(schema, column, values[column], target, way.failing)
            for column, target in way.targets.items()
        ]
    return " and ".join(parts)


def _column_change(schema: Schema, column: int, value: Any, target: Target, failing: Sequence[Literal]) -> str:
    name, type_ = f"`{schema[column].name}`", schema[column].type
    if all(literal.relation is Relation.NE for literal in failing if literal.column == column):
        return f"any other {name}"
    return f"{name} {_target_text(target, type_)}{difference(value, target.value)}"


def _class_change(requirement: Requirement, aggregate: Aggregate, where: str, value: Any, target: Target) -> str:
    if aggregate.reference is not None:
        change = f"{_target_text(target, aggregate.type)}{difference(value, target.value)}"
        return f"a total {change} in `{aggregate.reference.file}`"
    of = "" if aggregate.column is None else f"`{requirement.before[aggregate.column].name}`"
    facts = aggregate.facts
    if facts.is_count:
        by = target.value - value
        noun = f"distinct value of {of}" if facts.counts_distinct else "record"
        plural = noun.replace("value", "values") if of else "records"
        return f"{abs(by):,} {'more' if by > 0 else 'fewer'} {noun if abs(by) == 1 else plural} {where}"
    return f"{facts.words} {of} {where} {_target_text(target, aggregate.type)}{difference(value, target.value)}"


def _target_text(target: Target, type_: Type) -> str:
    word = {-1: "below", 0: "of", 1: "above"}[target.nudge]
    return f"{word} {spell_value(target.value, type_)}"


def _policy_changes(requirement: Requirement, values: Record, way: _Way) -> Iterator[str]:
    """A different constant, if exactly one comparison fails."""
    if len(way.failing) != 1:
        return
    (literal,) = way.failing
    type_ = requirement.assertion.schema[literal.column].type
    constant = _admitting_constant(literal.relation, values[literal.column], type_)
    if constant is None:
        return
    yield _constant_text(literal.written, spell_value(constant, type_))


def _constant_text(written: tree.Comparison, constant: str) -> str:
    match written.constant:
        case tree.Parameter(name):
            return f"`{name}` of {constant}"
        case tree.Number() | tree.String():
            return f"`{spell_name(written.name.text)} {written.operator} {constant}` in the policy"
        case _:
            assert_never(written.constant)


def _admitting_constant(relation: Relation, value: Any, type_: Type) -> Any:
    """The nearest constant that would admit the value; None if there is none, or no nearest one. A share may have no
    decimal, so its constant is the nearest one of a few digits."""
    if isinstance(value, Fraction):
        rounded = {Relation.LE: ceil, Relation.GE: floor}.get(relation)
        units = 10**_SHARE_DIGITS
        return None if rounded is None else shortest_decimal(Decimal(rounded(value * units)) / units)
    step = type_step(type_)
    match relation:
        case Relation.LE | Relation.GE:
            return value
        case Relation.LT if step is not None:
            return shift(value, step)
        case Relation.GT if step is not None:
            return shift(value, step, -1)
        case _:
            return None
