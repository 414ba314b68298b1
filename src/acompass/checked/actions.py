"""Actions, and the types of columns after them (D12, D14)."""

from fractions import Fraction
from typing import assert_never

from acompass.checked import findings, program
from acompass.checked.constants import digits_before_point, is_64_bit, replacement, scale_of
from acompass.checked.drawing import check_draw
from acompass.checked.generalizing import check_generalize
from acompass.checked.scope import Scope
from acompass.checked.types import MOST_DIGITS, Column, Kind, remaining
from acompass.checked.writing import Writer, write_values
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.syntax.tree import place_of


def check_action(action: tree.Step, scope: Scope, *, always: bool) -> program.Action | None:
    """The action, or None if an error in it was reported. Updates the scope's types.

    `always` says that every record is affected (X1).
    """
    match action:
        case tree.Sometimes():
            return _sometimes(action, scope)
        case tree.Reject() | tree.Replace() | tree.Random() | tree.Draw():
            return _plain(action, scope, always=always)
        case tree.Generalize() | tree.Drop():
            return _plain(action, scope, always=always)
        case _:
            assert_never(action)


def _sometimes(action: tree.Sometimes, scope: Scope) -> program.Sometimes | None:
    # the records that are not drawn keep their values, so nothing is overwritten for certain
    plain = _plain(action.action, scope, always=False)
    if plain is None:
        return None
    return program.Sometimes(Fraction(action.probability.value), plain, place_of(action.span))


def _plain(action: tree.Plain, scope: Scope, *, always: bool) -> program.Plain | None:
    match action:
        case tree.Reject():
            return program.Reject(place_of(action.span))
        case tree.Replace():
            return _replace(action, scope, always)
        case tree.Generalize():
            return check_generalize(action, scope)
        case tree.Drop():
            return _drop(action, scope, always)
        case tree.Random():
            return _random(action, scope)
        case tree.Draw():
            return check_draw(action, scope, always=always)
        case _:
            assert_never(action)


def _replace(action: tree.Replace, scope: Scope, always: bool) -> program.Replace | None:
    constant = scope.bind(action.constant)
    column = scope.column(action.name)
    if column is None:
        return None
    type_ = scope.types[column]
    if constant is None or type_ is None:
        scope.retype(column, None, action.span)
        return None
    replaced = replacement(constant, Column(scope.names.texts[column], type_))
    if isinstance(replaced, Diagnostic):
        scope.retype(column, None, action.span)
        scope.report(findings.in_policy(replaced, action.constant))
        return None
    value, after = replaced
    write_values(column, [value], after, Writer("REPLACE", action.span, always), scope)
    return program.Replace(column, value, place_of(action.span))


def _drop(action: tree.Drop, scope: Scope, always: bool) -> program.Drop | None:
    if not always:
        scope.report(findings.drop_without_always(action))
        return None
    found = len(scope.found)
    columns: list[int] = []
    absent = tuple(name.text for name in action.names if _is_gone(name, scope))
    for name in action.names:
        column = None if name.text in absent else scope.column_of_any_type(name)
        if column is not None:
            scope.drop(column, action.span)
            columns.append(column)
    if not remaining(scope.schema):
        scope.report(findings.nothing_left(action))
    if len(scope.found) > found:
        return None
    return program.Drop(tuple(columns), absent, place_of(action.span))


def _is_gone(name: tree.Name, scope: Scope) -> bool:
    """Whether the table was released without the column (D32)."""
    return scope.may_be_released and not scope.names.find(name.text)


def _random(action: tree.Random, scope: Scope) -> program.Random | None:
    lower, upper = _bound(action.lower, scope), _bound(action.upper, scope)
    column = scope.column(action.name)
    if lower is not None and upper is not None and lower > upper:
        scope.report(findings.bounds_reversed(action, lower, upper))
        return None
    if column is None or not _holds_integers(action.name, column, scope) or lower is None or upper is None:
        return None
    if problem := _overflow(action, scope.schema[column], lower, upper):
        scope.report(problem)
        return None
    return program.Random(column, lower, upper, place_of(action.span))


def _bound(constant: tree.Number | tree.Parameter, scope: Scope) -> int | None:
    bound = scope.bind(constant)
    if bound is None:
        return None
    if isinstance(bound, tree.Number) and scale_of(bound.value) == 0 and is_64_bit(bound.value):
        return int(bound.value)
    scope.report(findings.bound_not_integer(constant.span, bound))
    return None


def _holds_integers(name: tree.Name, column: int, scope: Scope) -> bool:
    match scope.types[column]:
        case None:
            return False
        case type_ if type_.is_number or type_.kind is Kind.TEXT:
            return True
    scope.report(findings.not_randomizable(name, scope.schema[column]))
    return False


def _overflow(action: tree.Random, column: Column, lower: int, upper: int) -> Diagnostic | None:
    """An error if the integers are too long for a decimal column of this scale."""
    if column.type.kind is not Kind.DECIMAL:
        return None
    digits = column.type.scale + max(digits_before_point(lower), digits_before_point(upper))
    if digits <= MOST_DIGITS:
        return None
    return findings.number_too_long(action.lower.span.to(action.upper.span), digits, MOST_DIGITS)
