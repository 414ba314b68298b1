"""Conditions: names become positions, constants become typed values."""

from typing import assert_never

from acompass.checked import program
from acompass.checked.constants import compared
from acompass.checked.findings import in_policy, nested_too_deeply
from acompass.checked.scope import Scope, View
from acompass.checked.types import Column
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.syntax.tree import place_of
from acompass.syntax.walk import comparisons, core

#: the deepest nesting of NOT, AND and OR. A text has less (`parse.MAXIMUM_DEPTH`); a tree built in code is
#: limited, too, because all later stages recurse over conditions
DEEPEST = 200


def check_condition(
    condition: tree.Condition, view: View, scope: Scope, depth: int = 0
) -> program.Condition | None:
    """The condition over the view's positions, or None if an error in it was reported."""
    if depth > DEEPEST:
        _too_deep(condition, scope)
        return None
    written = core(condition)
    match written:
        case tree.Comparison():
            return _comparison(written, view, scope)
        case tree.Not():
            operand = check_condition(written.operand, view, scope, depth + 1)
            return None if operand is None else program.Not(operand)
        case tree.And():
            operands = _operands(written.operands, view, scope, depth)
            return None if operands is None else program.And(operands)
        case tree.Or():
            operands = _operands(written.operands, view, scope, depth)
            return None if operands is None else program.Or(operands)
        case _:
            assert_never(written)


def _operands(
    operands: tuple[tree.Condition, ...], view: View, scope: Scope, depth: int
) -> tuple[program.Condition, ...] | None:
    checked = [check_condition(operand, view, scope, depth + 1) for operand in operands]
    sound = [operand for operand in checked if operand is not None]
    return tuple(sound) if len(sound) == len(checked) else None


def _too_deep(condition: tree.Condition, scope: Scope) -> None:
    scope.report(nested_too_deeply(condition.span, DEEPEST))
    for comparison in comparisons(condition):  # parameters below this depth are used, too
        scope.bind(comparison.constant)


def _comparison(comparison: tree.Comparison, view: View, scope: Scope) -> program.Comparison | None:
    constant = scope.bind(comparison.constant)
    name = comparison.name
    position = scope.column(name) if view.is_table else scope.seen(name, view)
    if position is None or constant is None:
        return None
    type_ = view.types[position]
    if type_ is None:
        return None
    if isinstance(constant, tree.Number) and scope.holds_labels(view.origins[position], type_):
        return None
    value = compared(constant, Column(view.names.texts[position], type_))
    if isinstance(value, Diagnostic):
        finding = in_policy(value, comparison.constant)
        scope.blame(finding, view.origins[position], used_as_number=isinstance(constant, tree.Number))
        return None
    return program.Comparison(position, comparison.operator, value, place_of(comparison.span))
