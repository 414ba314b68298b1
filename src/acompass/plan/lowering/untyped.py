"""A column whose stored type is not known, read as a type of a policy.

Where a value is missing or is not of that type, the result is NULL: an engine's own error would quote it.
"""

from typing import assert_never

from sqlglot import exp

from acompass.checked.types import MOST_DIGITS, Column, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql

_FLOAT = r"-?(inf|Infinity|[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?)"
_DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"
_TIMESTAMP = f"{_DATE}([ T]{_TIME})?"


def read_column(dialect: Dialect, column: Column) -> Sql:
    """The values of a column of a relation, which is found by its name."""
    stored = exp.column(exp.to_identifier(column.name, quoted=True))
    text = dialect.plain_text(stored)
    match column.type.kind:
        case Kind.TEXT:
            return text
        case Kind.INTEGER:
            return _where(dialect.is_integer_text(text.copy()), sql.cast(text, "BIGINT"))
        case Kind.DECIMAL:
            number = sql.cast(text, sql.decimal_type(column.type.scale))
            return _where(_matches(dialect, text, _decimal(column.type)), number)
        case Kind.FLOAT:
            number = _where(_matches(dialect, text, _FLOAT), _tried(stored, "DOUBLE"))
            return dialect.float_order(number)
        case Kind.BOOLEAN:
            return exp.Case(ifs=[_when(text, "true", sql.TRUE), _when(text, "false", sql.FALSE)])
        case Kind.DATE:
            return _where(_matches(dialect, text, _DATE), _tried(text, "DATE"))
        case Kind.TIMESTAMP:
            return _where(_matches(dialect, text, _TIMESTAMP), _tried(text, "TIMESTAMP"))
        case Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError(f"no requirement reads a column that is {column.type}")
        case _:
            assert_never(column.type.kind)


def _decimal(type_: Type) -> str:
    """The numbers that fit the type exactly. DuckDB writes no zero before the point of some of them."""
    before = MOST_DIGITS - type_.scale
    whole = f"(0|[1-9][0-9]{{0,{before - 1}}})" if before else "0"
    fraction = f"[.][0-9]{{1,{type_.scale}}}0*" if type_.scale else "[.]0+"
    return f"-?({whole}({fraction})?|{fraction})"


def _matches(dialect: Dialect, text: Sql, pattern: str) -> Sql:
    whole = exp.Literal.string(f"^({pattern}){dialect.end_of_text}")
    return exp.RegexpLike(this=text.copy(), expression=whole)


def _where(condition: Sql, value: Sql) -> Sql:
    return exp.Case(ifs=[exp.If(this=condition, true=value.copy())])


def _when(text: Sql, spelled: str, value: Sql) -> exp.If:
    return exp.If(this=exp.EQ(this=text.copy(), expression=exp.Literal.string(spelled)), true=value.copy())


def _tried(value: Sql, type_: str) -> Sql:
    return exp.TryCast(this=value.copy(), to=exp.DataType.build(type_), safe=True)
