"""Build SQL expressions for the values and conditions of a policy."""

import datetime
import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Decimal
from typing import Any, TypeAlias, assert_never

from sqlglot import exp

from acompass.language.program import program as checked
from acompass.language.program.constants import scale_of
from acompass.language.program.effects import split_equalities
from acompass.language.program.types import EXACT, MOST_DIGITS, TEXT, Kind, Schema, Type, Value, at_scale, to_text
from acompass.language.text.tree import Operator

Sql: TypeAlias = exp.Expr

TRUE = exp.true()
FALSE = exp.false()

#: the largest whole number in the widest exact type that all engines share; a literal, as arithmetic would round it
_LARGEST = Decimal("9" * MOST_DIGITS)

#: decimal literals of this length are exact in every engine, and cheaper than the cast of a text
_SURELY_EXACT = 30

_NODE: dict[Operator, type[exp.Binary]] = {
    Operator.LT: exp.LT,
    Operator.LE: exp.LTE,
    Operator.EQ: exp.EQ,
    Operator.GE: exp.GTE,
    Operator.GT: exp.GT,
}


def name(position: int) -> str:
    return f"c{position}"


def column(position: int, table: str | None = None) -> exp.Column:
    return exp.column(name(position), table=table)


def integer(value: int) -> Sql:
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def call(function: str, *arguments: Sql) -> Sql:
    return exp.Anonymous(this=function, expressions=list(arguments))


def cast(expression: Sql, type_: str) -> Sql:
    return exp.Cast(this=expression, to=data_type(type_))


def data_type(name: str) -> exp.DataType:
    """The node of a type such as `DECIMAL(38, 2)`; sqlglot would start its parser."""
    kind, _, parameters = name.removesuffix(")").partition("(")
    sizes = [exp.DataTypeParam(this=exp.Literal.number(size)) for size in parameters.split(", ") if size]
    return exp.DataType(this=_DATA_TYPES.get(kind) or exp.DType[kind], expressions=sizes or None, nested=False)


#: types that sqlglot gives another name
_DATA_TYPES = {"HUGEINT": exp.DType.INT128}


def try_cast(value: Sql, type_: str) -> Sql:
    """NULL if the value cannot be converted."""
    return exp.TryCast(this=value.copy(), to=data_type(type_), safe=True)


def reads_as_integer(text: Sql) -> Sql:
    """Whether a text is the canonical text of a 64-bit integer."""
    return exp.NullSafeEQ(this=cast(try_cast(text, "BIGINT"), "TEXT"), expression=text)


def decimal_type(scale: int) -> str:
    return f"DECIMAL({MOST_DIGITS}, {scale})"


_TYPE_NAMES = {
    Kind.INTEGER: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


def type_name(type_: Type) -> str:
    return decimal_type(type_.scale) if type_.kind is Kind.DECIMAL else _TYPE_NAMES[type_.kind]


def stored_type(type_: Type) -> str:
    """The SQL type of a column in a state. A decimal that keeps its spelling is stored as text (D26)."""
    return type_name(TEXT if type_.is_spelled_decimal else type_)


def stored_value(value: Value, type_: Type) -> Value:
    """A value of this type as a state stores it."""
    return to_text(value, type_) if type_.is_spelled_decimal else value


def read(stored: Sql, type_: Type) -> Sql:
    """The value of a stored column, as conditions, groups and aggregates read it."""
    return cast(stored, decimal_type(type_.scale)) if type_.is_spelled_decimal else stored


def shortest_number(text: Sql) -> Sql:
    """SQL for the shortest spelling of a number, as in `language.program.types.shortest_decimal`."""
    without_zeros = without_end(without_end(text.copy(), "0"), ".")
    fraction = exp.GT(
        this=call("length", call("split_part", text.copy(), exp.Literal.string("."), integer(2))), expression=integer(0)
    )
    short = exp.Case(ifs=[exp.If(this=fraction, true=without_zeros)], default=text.copy())
    zero = exp.EQ(this=exp.paren(short), expression=exp.Literal.string("-0"))
    return exp.Case(ifs=[exp.If(this=zero, true=exp.Literal.string("0"))], default=short.copy())


def without_end(text: Sql, letter: str) -> Sql:
    return exp.Trim(this=text, expression=exp.Literal.string(letter), position="TRAILING")


def fetched_value(value: Any, type_: Type) -> Any:
    """The value that an engine returned for a stored column. Spark returns tiny decimals with more digits than the type
    has, such as `1.00E-10` for a scale of 10."""
    if type_.is_spelled_decimal and value is not None:
        return Decimal(value)
    return at_scale(value, type_.scale) if isinstance(value, Decimal) and type_.kind is Kind.DECIMAL else value


def literal(value: Value) -> Sql:
    """A constant of a policy, in the SQL type that corresponds to its Python type."""
    match value:
        case bool():
            return TRUE.copy() if value else FALSE.copy()
        case int():
            return integer(value)
        case Decimal():
            return cast(exp.Literal.string(format(value, "f")), _narrowest(value))
        case float():
            return cast(exp.Literal.string(_float_text(value)), "DOUBLE")
        case str():
            return exp.Literal.string(value)
        case datetime.datetime():
            return cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")
        case datetime.date():
            return cast(exp.Literal.string(value.isoformat()), "DATE")
        case _:
            assert_never(value)


def _float_text(value: float) -> str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _narrowest(value: Decimal) -> str:
    """The narrowest type that holds the value: a wider one would widen the column it is written into."""
    scale = scale_of(value)
    digits = max(len(value.as_tuple().digits), scale, 1)
    return f"DECIMAL({min(digits, MOST_DIGITS)}, {scale})"


def query(columns: Iterable[Sql], source: Sql, where: Sql | None = None) -> exp.Select:
    """A SELECT that owns its parts: sqlglot's builders would copy all of them at every step."""
    select = exp.Select(expressions=list(columns)).from_(source, copy=False)
    return select if where is None else select.where(where, copy=False)


def table(name: str, alias: str | None = None) -> Sql:
    """A table with a generated name, which needs no quotes."""
    named_table = exp.Table(this=exp.to_identifier(name))
    return named_table if alias is None else named_table.as_(alias, copy=False)


def select_all(source: Sql) -> exp.Select:
    return query([exp.Star()], source)


def with_alias(expression: Sql, alias: str) -> Sql:
    return exp.Alias(this=expression, alias=exp.to_identifier(alias))


def all_of(*parts: Sql) -> Sql:
    return exp.and_(*parts, copy=False) if parts else TRUE.copy()


def any_of(*parts: Sql) -> Sql:
    return exp.or_(*parts, copy=False) if parts else FALSE.copy()


def negate(condition: Sql) -> Sql:
    return exp.Not(this=exp.Paren(this=condition))


def count_where(condition: Sql) -> Sql:
    """The number of rows that satisfy a condition."""
    return exp.Count(this=exp.Case(ifs=[exp.If(this=condition.copy(), true=integer(1))]))


def condition(node: checked.Condition, schema: Schema, columns: tuple[Sql, ...]) -> Sql:
    """Figure 3 as SQL; `columns[i]` is the expression for position i of `schema`."""
    match node:
        case checked.Comparison():
            return comparison(columns[node.column], schema[node.column].type, node.operator, node.value)
        case checked.Not():
            return negate(condition(node.operand, schema, columns))
        case checked.And():
            return exp.Paren(this=all_of(*(condition(part, schema, columns) for part in node.operands)))
        case checked.Or():
            return exp.Paren(this=any_of(*_alternatives(node.operands, schema, columns)))
        case _:
            assert_never(node)


def _alternatives(parts: Iterable[checked.Condition], schema: Schema, columns: tuple[Sql, ...]) -> Iterable[Sql]:
    """The operands of an OR. Equalities on the same column become one IN."""
    others, equal = split_equalities(parts)
    yield from (condition(part, schema, columns) for part in others)
    for position, values in equal.items():
        found = (_equal_constant(schema[position].type, value) for value in values)
        constants = [constant for constant in found if constant is not None]
        column = columns[position].copy()
        if len(constants) == 1:
            yield exp.EQ(this=column, expression=constants[0])
        elif constants:
            yield exp.In(this=column, expressions=constants)


def _equal_constant(type_: Type, value: Value) -> Sql | None:
    """A constant to compare a column of this type with; None if no value of the type equals it."""
    if not (type_.kind in (Kind.INTEGER, Kind.DECIMAL) and isinstance(value, int | Decimal)):
        return literal(value)
    floor = at_scale(Decimal(value), type_.scale, ROUND_FLOOR)
    if floor != value or _is_out_of_range(floor, type_):
        return None
    digits = format(abs(floor), "f")
    if type_.kind is Kind.DECIMAL and len(digits) <= _SURELY_EXACT:
        return exp.Neg(this=exp.Literal.number(digits)) if floor < 0 else exp.Literal.number(digits)
    return _exact_literal(floor, type_)


def comparison(expression: Sql, type_: Type, operator: Operator, value: Value) -> Sql:
    if type_.kind in (Kind.INTEGER, Kind.DECIMAL) and isinstance(value, int | Decimal):
        return _exact_comparison(expression, type_, operator, Decimal(value))
    return _NODE[operator](this=expression.copy(), expression=literal(value))


def _exact_comparison(expression: Sql, type_: Type, operator: Operator, value: Decimal) -> Sql:
    """A comparison at the column's own scale, so that no engine widens, rounds or overflows.

    A constant between two values of that scale is rounded down, and the operator adjusted.
    """
    floor = at_scale(value, type_.scale, ROUND_FLOOR)
    if _is_out_of_range(floor, type_):
        below = operator in (Operator.LT, Operator.LE)
        return (TRUE if operator is not Operator.EQ and below == (value > 0) else FALSE).copy()
    bound = _exact_literal(floor, type_)
    if floor == value:
        return _NODE[operator](this=expression.copy(), expression=bound)
    match operator:
        case Operator.LT | Operator.LE:
            return exp.LTE(this=expression.copy(), expression=bound)
        case Operator.GT | Operator.GE:
            return exp.GT(this=expression.copy(), expression=bound)
        case Operator.EQ:
            return FALSE.copy()
        case _:
            assert_never(operator)


def _is_out_of_range(floor: Decimal, type_: Type) -> bool:
    return floor.scaleb(type_.scale, context=EXACT).copy_abs() > _LARGEST


def _exact_literal(floor: Decimal, type_: Type) -> Sql:
    return literal(int(floor) if type_.kind is Kind.INTEGER else floor)
