"""RANDOM … FROM: an urn of constants (X6). Its types are those of REPLACE (D12)."""

from collections.abc import Sequence
from typing import TypeAlias

from acompass.checked import findings, program, urn_findings
from acompass.checked.constants import replacement
from acompass.checked.parameters import Bound
from acompass.checked.scope import Scope
from acompass.checked.types import Column, Type, Value
from acompass.checked.writing import Writer, write_values
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.syntax.tree import place_of

#: each ball with its constant, where a parameter is bound
_Balls: TypeAlias = Sequence[tuple[tree.Ball, Bound]]


def check_draw(action: tree.Draw, scope: Scope, *, always: bool) -> program.Draw | None:
    """The action, or None if an error in it was reported. Updates the scope's types."""
    constants = [(ball, scope.bind(ball.constant)) for ball in action.balls]
    column = scope.column(action.name)
    if column is None:
        return None
    type_ = scope.types[column]
    balls = [(ball, constant) for ball, constant in constants if constant is not None]
    if len(balls) < len(constants) or type_ is None:
        scope.retype(column, None, action.span)
        return None
    written = _written(balls, Column(scope.names.texts[column], type_))
    if isinstance(written, Diagnostic):
        scope.retype(column, None, action.span)
        scope.report(written)
        return None
    values, after = written
    write_values(column, values, after, Writer("RANDOM", action.span, always), scope)
    urn = (program.Ball(value, int(ball.times)) for value, ball in zip(values, action.balls, strict=True))
    return program.Draw(column, tuple(urn), place_of(action.span))


def _written(balls: _Balls, column: Column) -> tuple[list[Value], Type] | Diagnostic:
    """The values that may be drawn, and the column's type after it, or an error."""
    problem = _mixed(balls) or _twice(balls, [constant.value for _, constant in balls])
    if problem is not None:
        return problem
    after = _type_of_all(balls, column)
    if isinstance(after, Diagnostic):
        return after
    replaced = _replaced(balls, Column(column.name, after))
    if isinstance(replaced, Diagnostic):
        return replaced
    values = [value for value, _ in replaced]
    return _twice(balls, values) or (values, after)


def _type_of_all(balls: _Balls, column: Column) -> Type | Diagnostic:
    """The column's type once every constant may be in it: a later one may need more digits, or text."""
    after = column.type
    for ball in balls:
        replaced = _replaced([ball], Column(column.name, after))
        if isinstance(replaced, Diagnostic):
            return replaced
        ((_, after),) = replaced
    return after


def _replaced(balls: _Balls, column: Column) -> list[tuple[Value, Type]] | Diagnostic:
    """Each constant as REPLACE would write it, or the first error."""
    found = []
    for ball, constant in balls:
        replaced = replacement(constant, column)
        if isinstance(replaced, Diagnostic):
            return findings.in_policy(replaced, ball.constant)
        found.append(replaced)
    return found


def _mixed(balls: _Balls) -> Diagnostic | None:
    """An error if numbers and texts are in one urn."""
    first = balls[0][1]
    other = next((ball for ball, constant in balls if type(constant) is not type(first)), None)
    return None if other is None else urn_findings.mixed_kinds([ball for ball, _ in balls], other)


def _twice(balls: _Balls, values: Sequence[Value]) -> Diagnostic | None:
    """An error if two of the values are equal: `1` and `1.0`, or two numbers that are the same float."""
    seen: dict[Value, int] = {}
    for at, value in enumerate(values):
        first = seen.setdefault(value, at)
        if first < at:
            return urn_findings.drawn_twice([ball for ball, _ in balls], first, at)
    return None
