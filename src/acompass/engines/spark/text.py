"""SQL for a record as a line of CSV, in the format of `engines.duckdb.to_csv`."""

from collections.abc import Sequence

from sqlglot import exp

from acompass.checked.types import Kind, Type
from acompass.engines.decimal_comma import swapped
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.spark import SPARK
from acompass.plan.lowering.sql import Sql


def line(fields: Sequence[Sql], delimiter: str) -> Sql:
    filled = (exp.Coalesce(this=each, expressions=[_text("")]) for each in fields)
    return sql.call("concat_ws", _text(delimiter), *filled)


def field(value: Sql, type_: Type, stored: str | None, delimiter: str, *, has_comma: bool = False) -> Sql:
    """SQL for a value as text. `stored` is the Spark type of a column that no action writes."""
    match type_.kind:
        case Kind.TEXT if has_comma:
            return _quoted(swapped(value, SPARK), delimiter)
        case Kind.DECIMAL if has_comma:
            return _quoted(swapped(SPARK.to_text(value, type_), SPARK), delimiter)
        case Kind.TEXT:
            return _quoted(value, delimiter)
        case Kind.FLOAT if stored == "float":
            return _with_single_precision(SPARK.float_text(sql.cast(value, "FLOAT")))
        case Kind.TIMESTAMP if stored == "timestamp":
            return exp.DPipe(this=exp.paren(SPARK.to_text(value, type_)), expression=_text("+00:00"))
        case _:
            return SPARK.to_text(value, type_)


def _quoted(value: Sql, delimiter: str) -> Sql:
    marks = [
        exp.GT(this=sql.call("instr", value.copy(), _text(mark)), expression=sql.integer(0))
        for mark in (delimiter, '"', "\n", "\r", "#")
    ]
    doubled = sql.call("replace", value.copy(), _text('"'), _text('""'))
    return exp.Case(
        ifs=[
            exp.If(this=exp.EQ(this=value.copy(), expression=_text("")), true=_text('""')),
            exp.If(this=exp.or_(*marks), true=sql.call("concat", _text('"'), doubled, _text('"'))),
        ],
        default=value.copy(),
    )


def _with_single_precision(text: Sql) -> Sql:
    """The text of a 32-bit float, with the digits needed to distinguish it from other 32-bit floats."""
    single = exp.DataType.build("FLOAT")
    return text.transform(
        lambda node: single.copy() if isinstance(node, exp.DataType) and node.is_type("double") else node
    )


def _text(text: str) -> Sql:
    return exp.Literal.string(text)
