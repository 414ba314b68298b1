"""Where engines differ, as a table: how each writes the few things SQL has no common word for."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from acompass.checked.types import Kind, Type
from acompass.plan import sql
from acompass.plan.sql import Sql


@dataclass(frozen=True)
class Dialect:
    """`name` is sqlglot's. Each function builds an expression from expressions."""

    name: str
    #: exact sum of integers or decimals, and of floats in sorted order (D13)
    exact_sum: Callable[[Sql, Type], Sql]
    float_sum: Callable[[Sql], Sql]
    #: the first 13 hexadecimal digits of the SHA-256 of a text, as an integer (D19)
    hash52: Callable[[Sql], Sql]
    #: ⌊hash · span / 2⁵²⌋ in exact arithmetic (D19)
    scaled: Callable[[Sql, int], Sql]
    #: a value once its column has become text (D12)
    float_text: Callable[[Sql], Sql]
    timestamp_text: Callable[[Sql], Sql]
    #: a float that is missing becomes NULL, so that it is first in canonical order (D11)
    float_order: Callable[[Sql], Sql]
    #: ranks by the first column's groups, so that nothing is sorted on one worker
    rank_by_groups: bool = False

    def to_text(self, value: Sql, type_: Type) -> Sql:
        match type_.kind:
            case Kind.FLOAT:
                return self.float_text(value)
            case Kind.TIMESTAMP:
                return self.timestamp_text(value)
            case _:
                return sql.cast(value, "TEXT")

    def convert(self, value: Sql, source: Type, target: Type) -> Sql:
        """A column's value when D12 changes its type."""
        if source == target:
            return value
        match target.kind:
            case Kind.TEXT:
                return self.to_text(value, source)
            case Kind.DECIMAL:
                return sql.cast(value, sql.decimal_type(target.scale))
            case Kind.FLOAT:
                return sql.cast(value, "DOUBLE")
            case _:
                raise AssertionError(f"no conversion from {source} to {target}")


def _duckdb_float_sum(value: Sql) -> Sql:
    # a plain SUM multiplies runs of equal values instead of adding them one by one
    ordered = sql.call("list_sort", sql.call("list", value))
    return sql.call("list_reduce", ordered, exp.var("lambda a, b: a + b"))


def _duckdb_hash52(text: Sql) -> Sql:
    digits = sql.call("substr", sql.call("sha256", text), sql.integer(1), sql.integer(13))
    return sql.cast(sql.call("concat", exp.Literal.string("0x"), digits), "BIGINT")


def _duckdb_scaled(hash_: Sql, span: int) -> Sql:
    product = exp.Mul(this=sql.cast(hash_, "HUGEINT"), expression=sql.cast(sql.integer(span), "HUGEINT"))
    return exp.IntDiv(this=exp.paren(product), expression=sql.cast(sql.integer(2**52), "HUGEINT"))


def _duckdb_timestamp_text(value: Sql) -> Sql:
    whole = exp.EQ(
        this=exp.Mod(this=sql.call("microsecond", value.copy()), expression=sql.integer(1_000_000)),
        expression=sql.integer(0),
    )
    seconds = sql.call("strftime", value.copy(), exp.Literal.string("%Y-%m-%dT%H:%M:%S"))
    micros = sql.call("strftime", value.copy(), exp.Literal.string("%Y-%m-%dT%H:%M:%S.%f"))
    return exp.Case(ifs=[exp.If(this=whole, true=seconds)], default=micros)


def _duckdb_float_order(value: Sql) -> Sql:
    # adding zero makes -0.0 and 0.0 one value
    return exp.Case(
        ifs=[exp.If(this=sql.call("isnan", value.copy()), true=exp.null())],
        default=exp.Add(this=value.copy(), expression=sql.integer(0)),
    )


DUCKDB = Dialect(
    name="duckdb",
    exact_sum=lambda value, _: exp.Sum(this=value),
    float_sum=_duckdb_float_sum,
    hash52=_duckdb_hash52,
    scaled=_duckdb_scaled,
    float_text=lambda value: sql.cast(value, "TEXT"),
    timestamp_text=_duckdb_timestamp_text,
    float_order=_duckdb_float_order,
)
