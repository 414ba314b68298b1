"""Cases and tables as the S-expressions of theory/checker/driver.ml."""

import datetime
import struct
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from acompass.language.program import kernels
from acompass.language.program.effects import is_certain, type_changes
from acompass.language.program.program import (
    Action,
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Effect,
    Filter,
    Not,
    Or,
    Process,
    Project,
    Remove,
    Requirement,
    Result,
    ResultForm,
    Write,
)
from acompass.language.program.types import Kind, Type
from acompass.language.text.tree import Function, Quantifier

#: the function of a requirement by its arguments: a label or a pseudonym for each text, the days of each person
Table = Mapping[Any, Any]
#: those of all requirements, by index
Functions = Mapping[int, Table]

_AGGREGATES = {
    Function.SUM: "sum",
    Function.MIN: "min",
    Function.MAX: "max",
    Function.COUNT_DISTINCT: "distinct",
    Function.SHARE_OF_MODE: "mode",
}


def form(*parts: object) -> str:
    return f"({' '.join(map(str, parts))})"


def case(
    requirements: Iterable[Requirement], functions: Functions, records: Iterable[Any], trace: Iterable[Fraction]
) -> str:
    program = (requirement(each, functions.get(each.index, {})) for each in requirements)
    return form(form(*program), form(*map(record, records)), form(*map(fraction, trace)))


def record(values: Sequence[Any]) -> str:
    return form(*map(field, values))


def fraction(number: Fraction) -> str:
    return form(number.numerator, number.denominator)


def field(value: Any) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return str(value).lower()
        case int():
            return form("integer", value)
        case Decimal():
            return _decimal(value)
        case float():
            (bits,) = struct.unpack(">Q", struct.pack(">d", value))
            return form("float", "-" if bits >> 63 else "+", bits & (2**63 - 1))
        case str():
            return form("text", *map(ord, value))
        case datetime.datetime():
            return form("timestamp", int(value.isoformat(timespec="microseconds").translate(_DIGITS)))
        case datetime.date():
            return form("date", int(value.isoformat().translate(_DIGITS)))
        case _:
            raise AssertionError(f"no field for {type(value)}")


_DIGITS = str.maketrans("", "", "-:.T")


def _decimal(value: Decimal) -> str:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    units = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
    return form("decimal", "-" if sign else "+", units, max(-exponent, 0))


def requirement(each: Requirement, function: Table) -> str:
    types = (form(column, type_name(after)) for column, (_, after) in type_changes(each).items())
    return form(assertion(each.assertion), form(*types), action(each.action, each, function))


def type_name(type_: Type) -> str:
    """The type that a field is converted to."""
    match type_.kind:
        case Kind.TEXT | Kind.FLOAT | Kind.DROPPED:
            return str(type_.kind)
        case Kind.DECIMAL:
            return "spelled" if type_.spelled else form("decimal", type_.scale)
        case _:
            return "unchanged"


def assertion(each: Assertion) -> str:
    quantifier = "each" if each.quantifier is Quantifier.EACH else "some"
    return form(quantifier, result(each.result), condition(each.condition))


def result(each: ResultForm) -> str:
    match each:
        case Result():
            return "result"
        case Filter(phi):
            return form("filter", condition(phi))
        case Process(aggregates, where, group_by):
            psi = "none" if where is None else condition(where)
            functions = (aggregate(each, group_by) for each in aggregates)
            return form("process", form(*functions), psi, form(*group_by))
        case _:
            assert_never(each)


def aggregate(each: Aggregate, group_by: Iterable[int]) -> str:
    if each.reference is not None:
        found = each.reference.records.items()
        lines = (form(record(group), field(number)) for group, numbers in found for number in numbers)
        zero = 0.0 if each.type.kind is Kind.FLOAT else 0
        return form("reference", form(*group_by), field(zero), *lines)
    if each.function is Function.SHARE_OF_LARGEST:
        return form("largest", each.largest, each.column)
    return "count" if each.column is None else form(_AGGREGATES[each.function], each.column)


def condition(each: Condition) -> str:
    match each:
        case Comparison(column, operator, value):
            return form(operator.value, column, field(value))
        case Not(operand):
            return form("not", condition(operand))
        case And(operands):
            return form("and", *map(condition, operands))
        case Or(operands):
            return form("or", *map(condition, operands))
        case _:
            assert_never(each)


def action(each: Action | None, of: Requirement, function: Table) -> str:
    if each is None:
        return "none"
    performed = effect(each.effect, of, function)
    return performed if is_certain(each) else form("probably", fraction(each.probability), performed)


def effect(each: Effect, of: Requirement, function: Table) -> str:
    match each:
        case Remove():
            return "reject"
        case Write():
            return write(each, of, function)
        case Project(columns):
            return form("drop", *columns)
        case _:
            assert_never(each)


def write(each: Write, of: Requirement, function: Table) -> str:
    column = each.columns[0]
    type_ = of.after[column].type
    match each.kernel:
        case kernels.Constant(value):
            return form("replace", column, field(value))
        case kernels.Uniform(lower, upper):
            return form("random", column, type_name(type_), lower, upper)
        case kernels.Weighted(values):
            return form("from", column, *(form(each.weight, field(each.value)) for each in values))
        case kernels.Labels():
            return form("generalize", column, *_texts(function))
        case kernels.Nearest(step):
            return form("nearest", column, number_type_name(type_), fraction(Fraction(step)))
        case kernels.Pseudonym():
            return form("pseudonym", column, *_texts(function))
        case kernels.Shift(person):
            days = (form(field(value), shift) for value, shift in function.items())
            return form("shift", form(*each.columns), person, *days)
        case kernels.AddRandom(lower, upper):
            return form("add", column, lower, upper)
        case kernels.Microaggregate(size):
            return form("microaggregate", column, number_type_name(type_), size)
        case _:
            assert_never(each.kernel)


def number_type_name(type_: Type) -> str:
    """The type that a computed number is written in: a decimal with all digits of its scale, spelled or not."""
    return form("decimal", type_.scale) if type_.kind is Kind.DECIMAL else type_name(type_)


def _texts(function: Table) -> Iterable[str]:
    return (form(form(*map(ord, text)), form(*map(ord, label))) for text, label in function.items())
