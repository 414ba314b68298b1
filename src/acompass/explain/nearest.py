"""The smallest change of a record, its class or the policy that would have left the record unaffected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, assert_never

from acompass.checked.effects import process_of
from acompass.checked.program import (
    Aggregate,
    Filter,
    Function,
    Process,
    Program,
    Quantifier,
    Requirement,
    Result,
)
from acompass.checked.types import Schema, Type
from acompass.explain.distance import Target, distance, holds, nearest_target, shifted, step_of
from acompass.explain.literals import MOST_ALTERNATIVES, Alternative, Literal, Relation, alternatives
from acompass.explanation import ClassSeen
from acompass.report.words import difference, on_one_line, spelled
from acompass.semantics import Record
from acompass.syntax import tree
from acompass.syntax.format import format_condition
from acompass.syntax.spelling import spell_name
from acompass.syntax.walk import assertion_of, record_conditions, steps


@dataclass(frozen=True, slots=True)
class _Way:
    """An alternative: its literals that fail, and the values that the columns would need."""

    failing: tuple[Literal, ...]
    targets: Mapping[int, Target]
    cost: tuple[int, float]


class Nearest:
    def __init__(self, policy: tree.Program, program: Program):
        pairs = zip(program.requirements, steps(policy), strict=True)
        self._written = {requirement.index: written for requirement, written in pairs}

    def of(self, requirement: Requirement, record: Record, seen: ClassSeen | None) -> tuple[str, ...]:
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
        return (_change_needed(requirement, values, way), *_in_the_policy(requirement, values, way))


def _ways(requirement: Requirement, written: tree.Assertion) -> Iterator[Alternative]:
    """The ways to satisfy the condition or, with FILTER, not to be selected."""
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
        of_column = [literal for literal in alternative if literal.column == column]
        target = nearest_target(values[column], schema[column].type, of_column)
        if target is None:
            return None
        targets[column] = target
    total = sum(distance(values[column], target) for column, target in targets.items())
    return _Way(failing, targets, (len(targets), total))


def _change_needed(requirement: Requirement, values: Record, way: _Way) -> str:
    schema, process = requirement.assertion.schema, process_of(requirement)
    if process is not None:
        aggregates = dict(enumerate(process.aggregates, start=len(process.group_by)))
        where = "in its class" if process.group_by else "in the table"
        of_class = [
            _of_class(requirement, aggregates[column], where, values[column], target)
            for column, target in way.targets.items()
        ]
        return " and ".join(of_class)
    parts = [
        _of_column(schema, column, values[column], target, way.failing)
        for column, target in way.targets.items()
    ]
    return " and ".join(parts)


def _of_column(schema: Schema, column: int, value: Any, target: Target, failing: Sequence[Literal]) -> str:
    name, type_ = f"`{schema[column].name}`", schema[column].type
    if all(literal.relation is Relation.NE for literal in failing if literal.column == column):
        return f"any other {name}"
    return f"{name} {_placed(target, type_)}{difference(value, target.value)}"


def _of_class(requirement: Requirement, aggregate: Aggregate, where: str, value: Any, target: Target) -> str:
    of = "" if aggregate.column is None else f"`{requirement.before[aggregate.column].name}`"
    match aggregate.function:
        case Function.COUNT | Function.COUNT_DISTINCT:
            by = target.value - value
            noun = f"distinct value of {of}" if aggregate.function is Function.COUNT_DISTINCT else "record"
            plural = noun.replace("value", "values") if of else "records"
            return f"{abs(by):,} {'more' if by > 0 else 'fewer'} {noun if abs(by) == 1 else plural} {where}"
        case Function.SUM:
            what = f"a sum of {of}"
        case Function.MIN:
            what = f"a smallest {of}"
        case Function.MAX:
            what = f"a largest {of}"
        case _:
            assert_never(aggregate.function)
    return f"{what} {where} {_placed(target, aggregate.type)}{difference(value, target.value)}"


def _placed(target: Target, type_: Type) -> str:
    word = {-1: "below", 0: "of", 1: "above"}[target.nudge]
    return f"{word} {spelled(target.value, type_)}"


def _in_the_policy(requirement: Requirement, values: Record, way: _Way) -> Iterator[str]:
    """A different constant, if exactly one comparison fails."""
    if len(way.failing) != 1:
        return
    (literal,) = way.failing
    type_ = requirement.assertion.schema[literal.column].type
    constant = _letting_through(literal.relation, values[literal.column], type_)
    if constant is None:
        return
    yield _rewritten(literal.written, spelled(constant, type_))


def _rewritten(written: tree.Comparison, constant: str) -> str:
    match written.constant:
        case tree.Parameter(name):
            return f"`{name}` of {constant}"
        case tree.Number() | tree.String():
            return f"`{spell_name(written.name.text)} {written.operator} {constant}` in the policy"
        case _:
            assert_never(written.constant)


def _letting_through(relation: Relation, value: Any, type_: Type) -> Any:
    """The constant nearest to the policy's for which the value passes; None if there is no nearest one."""
    step = step_of(type_)
    match relation:
        case Relation.LE | Relation.GE:
            return value
        case Relation.LT if step is not None:
            return shifted(value, step)
        case Relation.GT if step is not None:
            return shifted(value, step, -1)
        case _:
            return None
