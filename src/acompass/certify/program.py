"""A checked program as a certificate has it: the same program as in theory/Syntax.v."""

from fractions import Fraction
from typing import assert_never

from acompass.certify.constants import Json, constant
from acompass.checked.effects import type_changes
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.map import Map
from acompass.checked.program import (
    Action,
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Draw,
    Drop,
    Filter,
    Function,
    Generalize,
    Not,
    Or,
    Plain,
    Process,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
    ResultForm,
    Sometimes,
)
from acompass.checked.types import Kind, Type

_FUNCTIONS = {
    Function.SUM: "sum",
    Function.MIN: "min",
    Function.MAX: "max",
    Function.COUNT_DISTINCT: "distinct",
}


def requirement(each: Requirement) -> Json:
    types = [[column, conversion(after)] for column, (_, after) in type_changes(each).items()]
    return {
        "line": each.line,
        "assertion": assertion(each.assertion),
        "types": types,
        "action": _action(each.action, each),
    }


def conversion(type_: Type) -> Json:
    """What happens to the fields of a column that gets this type (D12)."""
    match type_.kind:
        case Kind.TEXT | Kind.FLOAT | Kind.DROPPED:
            return str(type_.kind)
        case Kind.DECIMAL:
            return "spelled" if type_.spelled else ["decimal", type_.scale]
        case Kind.INTEGER | Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.OPAQUE:
            return "unchanged"
        case _:
            assert_never(type_.kind)


def assertion(each: Assertion) -> Json:
    quantifier = "each" if each.quantifier is Quantifier.EACH else "some"
    return [quantifier, _result(each.result), condition(each.condition)]


def _result(each: ResultForm) -> Json:
    match each:
        case Result():
            return "result"
        case Filter(phi):
            return ["filter", condition(phi)]
        case Process(aggregates, where, group_by):
            psi = None if where is None else condition(where)
            return ["process", [_aggregate(one) for one in aggregates], psi, list(group_by)]
        case _:
            assert_never(each)


def _aggregate(each: Aggregate) -> Json:
    return function(each.function, each.column)


def function(name: Function, column: int | None) -> Json:
    return "count" if column is None else [_FUNCTIONS[name], column]


def condition(each: Condition) -> Json:
    match each:
        case Comparison(column, operator, value):
            return [operator.value, column, constant(value)]
        case Not(operand):
            return ["not", condition(operand)]
        case And(operands):
            return ["and", *(condition(operand) for operand in operands)]
        case Or(operands):
            return ["or", *(condition(operand) for operand in operands)]
        case _:
            assert_never(each)


def _action(each: Action | None, of: Requirement) -> Json:
    match each:
        case None:
            return None
        case Sometimes(probability, inner):
            return ["probably", _fraction(probability), _plain(inner, of)]
        case Reject() | Replace() | Random() | Draw() | Generalize() | Drop():
            return _plain(each, of)
        case _:
            assert_never(each)


def _fraction(number: Fraction) -> Json:
    return [number.numerator, number.denominator]


def _plain(each: Plain, of: Requirement) -> Json:
    match each:
        case Reject():
            return "reject"
        case Replace(column, value):
            return ["replace", column, constant(value)]
        case Random(column, lower, upper):
            return ["random", column, conversion(of.after[column].type), lower, upper]
        case Draw(column, balls):
            return ["from", column, [[ball.weight, constant(ball.value)] for ball in balls]]
        case Generalize(column, map_):
            return ["generalize", column, _map(map_)]
        case Drop(columns):
            return ["drop", list(columns)]
        case _:
            assert_never(each)


def _map(map_: Map) -> str:
    """The checker needs no labels. It has to know that BANDS read all texts of a number as that number."""
    return "bands" if isinstance(map_, Bands) else type(map_).__name__.lower()
