"""The dialect of DuckDB."""

import sqlglot
from sqlglot import exp, generator
from sqlglot.dialects.dialect import rename_func

from acompass.language.program.types import MOST_DIGITS, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, Keyed
from acompass.plan.lowering.sql import Sql


class AcompassDuckDB(sqlglot.Dialect):
    """sqlglot's DuckDB dialect for the nodes of a plan. To import all of it takes as long as connecting to DuckDB."""

    NULL_ORDERING = "nulls_are_last"

    class Generator(generator.Generator):
        TYPE_MAPPING = {**generator.Generator.TYPE_MAPPING, exp.DType.VARCHAR: "TEXT"}  # noqa: RUF012
        TRANSFORMS = {  # noqa: RUF012
            **generator.Generator.TRANSFORMS,
            exp.IntDiv: lambda self, node: self.binary(node, "//"),
            exp.RegexpLike: rename_func("REGEXP_MATCHES"),
        }


def _exact_sum(value: Sql, type_: Type) -> Sql:
    # DuckDB 2.0 takes its estimate of a join's number of records for an upper bound, and multiplies it by the
    # largest value to bound the sum. It then adds in 64 bits, or folds a condition on the sum to false. So the type
    # is the widest, and TRY, which cannot fail here, hides the statistics of the values.
    wide = "HUGEINT" if type_.kind is Kind.INTEGER else sql.decimal_type(type_.scale)
    return exp.Sum(this=sql.cast(sql.call("TRY", value), wide))


def _float_sum(value: Sql) -> Sql:
    # a plain SUM multiplies runs of equal values instead of adding them one by one
    ordered = sql.call("list_sort", sql.call("list", value))
    return sql.call("list_reduce", ordered, exp.var("lambda a, b: a + b"))


def _hmac(text: Sql, inner: Sql, outer: Sql) -> Sql:
    digest = sql.call("sha256", exp.DPipe(this=inner, expression=sql.call("encode", text)))
    return sql.call("sha256", exp.DPipe(this=outer, expression=sql.call("unhex", digest)))


def _first52(digest: Sql) -> Sql:
    digits = sql.call("substr", digest, sql.integer(1), sql.integer(13))
    return sql.cast(sql.call("concat", exp.Literal.string("0x"), digits), "BIGINT")


def _add_days(value: Sql, days: Sql, type_: Type) -> Sql:
    whole = sql.cast(days, "INT")
    return exp.Add(this=value, expression=whole if type_.kind is Kind.DATE else sql.call("to_days", whole))


def _scale_hash(hash_: Sql, span: int) -> Sql:
    product = exp.Mul(this=sql.cast(hash_, "HUGEINT"), expression=sql.cast(sql.integer(span), "HUGEINT"))
    return exp.IntDiv(this=exp.paren(product), expression=sql.cast(sql.integer(2**52), "HUGEINT"))


def _timestamp_text(value: Sql) -> Sql:
    whole = exp.EQ(
        this=exp.Mod(this=sql.call("microsecond", value.copy()), expression=sql.integer(1_000_000)),
        expression=sql.integer(0),
    )
    seconds = sql.call("strftime", value.copy(), exp.Literal.string("%Y-%m-%dT%H:%M:%S"))
    micros = sql.call("strftime", value.copy(), exp.Literal.string("%Y-%m-%dT%H:%M:%S.%f"))
    return sql.when(whole, seconds, micros)


def _decimal_text(value: Sql, type_: Type) -> Sql:
    """Add the zero that DuckDB omits if the type has no digits before the point: `.5` in a DECIMAL(1, 1)."""
    text = sql.cast(sql.cast(value, sql.decimal_type(type_.scale)), "TEXT")
    if type_.scale < MOST_DIGITS:
        return text
    return sql.call("regexp_replace", text, exp.Literal.string("^(-?)[.]"), exp.Literal.string(r"\10."))


def _float_order(value: Sql) -> Sql:
    # adding zero turns -0.0 into 0.0
    return sql.when(sql.call("isnan", value.copy()), exp.null(), exp.Add(this=value.copy(), expression=sql.integer(0)))


DUCKDB = Dialect(
    name="duckdb",
    deepest_cascade=4,
    exact_sum=_exact_sum,
    float_sum=_float_sum,
    hash52=lambda text: _first52(sql.call("sha256", text)),
    scaled=_scale_hash,
    float_text=lambda value: sql.cast(value, "TEXT"),
    timestamp_text=_timestamp_text,
    float_order=_float_order,
    keyed=Keyed(_hmac, _first52, _add_days),
    decimal_text=_decimal_text,
    joins_by_order=True,
    least_sum=lambda value, number: sql.call("list_sum", sql.call("min", value, sql.integer(number))),
    reads_files=True,
    approximate_distinct=lambda values: sql.call("approx_count_distinct", sql.call("row", *values)),
)
