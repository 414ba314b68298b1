"""RANDOM … FROM: an urn of constants (X6). Its types are those of REPLACE (D12)."""

from collections.abc import Sequence
from typing import TypeAlias

from acompass.checked import findings, program
from acompass.checked.constants import replacement
from acompass.checked.parameters import Bound
from acompass.checked.scope import Scope
from acompass.checked.types import Column, Type, Value
from acompass.checked.writing import write_values
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.syntax.tree import place_of

#: a ball and its constant, where a parameter is bound
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
    write_values(column, values, after, action.span, scope, always=always)
    weighted = tuple(
        program.Ball(value, _weight(ball)) for value, (ball, _) in zip(values, balls, strict=True)
    )
    return program.Draw(column, weighted, place_of(action.span))


def _weight(ball: tree.Ball) -> int:
    return 1 if ball.weight is None else int(ball.weight.value)


def _written(balls: _Balls, column: Column) -> tuple[list[Value], Type] | Diagnostic:
    """The values that may be drawn, and the column's type after it, or an error."""
    if mixed := _mixed(balls):
        return mixed
    after = column.type
    for ball, constant in balls:
        replaced = replacement(constant, Column(column.name, after))
        if isinstance(replaced, Diagnostic):
            return findings.in_policy(replaced, ball.constant)
        _, after = replaced
    values: list[Value] = []
    for ball, constant in balls:
        # the type that all constants together need is known only now
        replaced = replacement(constant, Column(column.name, after))
        if isinstance(replaced, Diagnostic):
            return findings.in_policy(replaced, ball.constant)
        value, _ = replaced
        if value in values:
            return findings.drawn_twice(balls[values.index(value)][0].constant, ball.constant)
        values.append(value)
    return values, after


def _mixed(balls: _Balls) -> Diagnostic | None:
    """An error if numbers and texts are in one urn."""
    first = balls[0][1]
    other = next((ball for ball, constant in balls if type(constant) is not type(first)), None)
    return None if other is None else findings.mixed_kinds(balls[0][0].constant, other.constant)
