"""Everything in a policy that can tell two values of one column apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from acompass.checked.effects import comparisons, plain_of, process_of, record_comparisons
from acompass.checked.maps.map import Map
from acompass.checked.program import (
    Comparison,
    Draw,
    Drop,
    Function,
    Generalize,
    Operator,
    Process,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.checked.types import Kind, Type, Value
from acompass.privacy.undecided import Undecided

#: a RANDOM into text is followed for each of its integers, up to this many
MOST_DRAWN = 2_000


@dataclass(frozen=True, slots=True)
class LinedRandom:
    line: int
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class LinedMap:
    line: int
    map: Map


@dataclass(slots=True)
class Mentions:
    """`values` are compared or written while the column is not text. Once it is text, `points` are compared
    for equality or written, `orders` (with the line of one) are compared for order, and the digits of
    `text_randoms` are drawn. `type` is the column's, `before_text` the last before it is text."""

    type: Type
    before_text: Type
    first_line: int | None = None
    values: list[Value] = field(default_factory=list)
    points: set[str] = field(default_factory=set)
    orders: dict[str, int] = field(default_factory=dict)
    randoms: list[LinedRandom] = field(default_factory=list)
    text_randoms: list[LinedRandom] = field(default_factory=list)
    maps: list[LinedMap] = field(default_factory=list)


def mentions_of(column: int, type_: Type, requirements: Iterable[Requirement]) -> Mentions:
    found = Mentions(type_, type_)
    for requirement in requirements:
        before, after = requirement.before[column].type, requirement.after[column].type
        if before.kind is not Kind.TEXT:
            found.before_text = before
        for comparison in _comparisons(requirement, column):
            _add_comparison(found, comparison, before, requirement.line)
        _add_action(found, requirement, column, after)
    return found


def _comparisons(requirement: Requirement, column: int) -> Iterator[Comparison]:
    """The comparisons of the column, and of its minima, maxima and sums."""
    yield from (each for each in record_comparisons(requirement) if each.column == column)
    process = process_of(requirement)
    if process is not None:
        seen = comparisons(requirement.assertion.condition)
        yield from (each for each in seen if _column_seen(process, each.column) == column)


def _column_seen(process: Process, position: int) -> int | None:
    """The column whose values, or their sums, stand at a position after PROCESS (D15)."""
    groups = len(process.group_by)
    if position < groups:
        return process.group_by[position]
    aggregate = process.aggregates[position - groups]
    return aggregate.column if aggregate.function in (Function.SUM, Function.MIN, Function.MAX) else None


def _add_comparison(found: Mentions, comparison: Comparison, type_: Type, line: int) -> None:
    found.first_line = found.first_line or line
    value = comparison.value
    if type_.kind is not Kind.TEXT:
        found.values.append(value)
    else:
        assert isinstance(value, str)
        found.points.add(value)
        if comparison.operator is not Operator.EQ:
            found.orders.setdefault(value, line)


def _add_action(found: Mentions, requirement: Requirement, column: int, after: Type) -> None:
    action = plain_of(requirement.action)
    match action:
        case None | Reject() | Drop():
            return
        case Replace() | Random() | Draw() | Generalize():
            if action.column != column:
                return
        case _:
            assert_never(action)
    found.first_line = found.first_line or requirement.line
    match action:
        case Replace():
            _add_written(found, [action.value], after)
        case Draw():
            _add_written(found, [ball.value for ball in action.balls], after)
        case Generalize():
            found.maps.append(LinedMap(requirement.line, action.map))
        case Random():
            randoms = found.text_randoms if after.kind is Kind.TEXT else found.randoms
            randoms.append(LinedRandom(requirement.line, action.lower, action.upper))
        case _:
            assert_never(action)


def _add_written(found: Mentions, values: Iterable[Value], after: Type) -> None:
    if after.kind is Kind.TEXT:
        found.points.update(str(value) for value in values)
    else:
        found.values.extend(values)


def texts_drawn(mentions: Mentions) -> set[str]:
    """The digits of every integer that is drawn as text."""
    drawn: set[str] = set()
    for random in mentions.text_randoms:
        if random.upper - random.lower >= MOST_DRAWN:
            raise Undecided(random.line, f"RANDOM draws more than {MOST_DRAWN:,} texts")
        drawn.update(map(str, range(random.lower, random.upper + 1)))
    return drawn
