"""The dialect of Apache Spark, in a session with ANSI arithmetic, exact decimals and the time zone UTC."""

from collections.abc import Iterator
from functools import cache

from sqlglot import exp

from acompass.language.program.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, Keyed
from acompass.plan.lowering.sql import Sql

_LARGEST_INTEGER = 2**63

#: A float as Python's `repr` writes it. Java's digits round-trip, but older versions of Java print more digits
#: than needed: a prefix of them, or the number after that prefix, may round-trip as well. `d` are Java's digits
#: with the point before the first, `e` is the power of ten; `c` is a whole number and its power.
_REPR = """
    CASE
        WHEN ISNAN(value) THEN 'nan'
        WHEN value = 0 THEN CAST(value AS STRING)
        WHEN ABS(value) = CAST('Infinity' AS DOUBLE) THEN CASE WHEN value < 0 THEN '-inf' ELSE 'inf' END
        ELSE CASE WHEN value < 0 THEN '-' ELSE '' END || TRANSFORM(
            TRANSFORM(
                TRANSFORM(
                    TRANSFORM(
                        ARRAY(CAST(ABS(value) AS STRING)),
                        s -> NAMED_STRUCT(
                            'whole', SUBSTRING_INDEX(SUBSTRING_INDEX(s, 'E', 1), '.', 1),
                            'digits', REPLACE(SUBSTRING_INDEX(s, 'E', 1), '.', ''),
                            'power', CASE WHEN s LIKE '%E%' THEN CAST(SUBSTRING_INDEX(s, 'E', -1) AS INT)
                                ELSE 0 END)),
                    j -> NAMED_STRUCT(
                        'd', RTRIM('0', LTRIM('0', j.digits)),
                        'e', j.power + LENGTH(j.whole) - LENGTH(j.digits) + LENGTH(LTRIM('0', j.digits)))),
                n -> FILTER(
                    TRANSFORM(SEQUENCE(1, LENGTH(n.d)), p -> TRANSFORM(
                        ARRAY(NAMED_STRUCT(
                            'low', LEFT(n.d, p),
                            'high', CAST(CAST(LEFT(n.d, p) AS BIGINT) + 1 AS STRING),
                            'power', n.e - p,
                            'above', SUBSTRING(n.d, p + 1, 1) >= '5')),
                        c -> NAMED_STRUCT('power', c.power, 'whole', CASE
                            WHEN CAST(c.high || 'E' || CAST(c.power AS STRING) AS DOUBLE) = ABS(value)
                                AND (c.above OR CAST(c.low || 'E' || CAST(c.power AS STRING) AS DOUBLE)
                                    <> ABS(value)) THEN c.high
                            WHEN CAST(c.low || 'E' || CAST(c.power AS STRING) AS DOUBLE) = ABS(value)
                                THEN c.low END))[0]),
                    c -> NOT c.whole IS NULL)[0]),
            c -> TRANSFORM(
                ARRAY(NAMED_STRUCT('d', RTRIM('0', c.whole), 'x', c.power + LENGTH(c.whole) - 1)),
                r -> CASE
                    WHEN r.x >= 16 OR r.x < -4 THEN LEFT(r.d, 1)
                        || CASE WHEN LENGTH(r.d) > 1 THEN '.' || SUBSTRING(r.d, 2) ELSE '' END
                        || CASE WHEN r.x < 0 THEN 'e-' ELSE 'e+' END
                        || CASE WHEN ABS(r.x) < 10 THEN '0' ELSE '' END || CAST(ABS(r.x) AS STRING)
                    WHEN r.x < 0 THEN '0.' || REPEAT('0', -r.x - 1) || r.d
                    WHEN r.x >= LENGTH(r.d) - 1 THEN r.d || REPEAT('0', r.x - LENGTH(r.d) + 1) || '.0'
                    ELSE LEFT(r.d, r.x + 1) || '.' || SUBSTRING(r.d, r.x + 2) END)[0])[0]
    END
"""


def _exact_sum(value: Sql, type_: Type) -> Sql:
    """Integers are added in two halves: exact in 64 bits for two billion records, and an error beyond."""
    if type_.kind is not Kind.INTEGER:
        return exp.Sum(this=value)
    # a column that ALWAYS overwrites with a small constant has 32 bits, where a shift by 32 has no effect
    wide = sql.cast(value, "BIGINT")
    high = exp.Sum(this=sql.call("shiftright", wide, sql.integer(32)))
    low = exp.Sum(this=exp.BitwiseAnd(this=wide.copy(), expression=sql.integer(2**32 - 1)))
    shifted = exp.Mul(this=_wide(high), expression=sql.integer(2**32))
    return exp.paren(exp.Add(this=shifted, expression=low))


def _float_sum(value: Sql) -> Sql:
    ordered = sql.call("array_sort", sql.call("collect_list", value))
    return sql.call("aggregate", ordered, sql.cast(sql.integer(0), "DOUBLE"), exp.var("(a, b) -> a + b"))


def _sha256(data: Sql) -> Sql:
    return sql.call("sha2", data, sql.integer(256))


def _hmac(text: Sql, inner: Sql, outer: Sql) -> Sql:
    digest = _sha256(sql.call("concat", inner, sql.cast(text, "BINARY")))
    return _sha256(sql.call("concat", outer, sql.call("unhex", digest)))


def _first52(digest: Sql) -> Sql:
    digits = sql.call("substring", digest, sql.integer(1), sql.integer(13))
    return sql.cast(sql.call("conv", digits, sql.integer(16), sql.integer(10)), "BIGINT")


def _add_days(value: Sql, days: Sql, type_: Type) -> Sql:
    whole = sql.cast(days, "INT")
    if type_.kind is Kind.DATE:
        return sql.call("date_add", value, whole)
    return exp.Add(this=value, expression=sql.call("make_dt_interval", whole))


def _scale_hash(hash_: Sql, span: int) -> Sql:
    """Spark's integer division returns 64 bits and overflows silently. For a span that needs all of them,
    the last bit of the quotient is computed separately."""
    product = exp.paren(exp.Mul(this=_wide(hash_), expression=_wide(sql.integer(span))))
    if span <= _LARGEST_INTEGER:
        return exp.IntDiv(this=product, expression=_wide(sql.integer(2**52)))
    halved = exp.IntDiv(this=product, expression=_wide(sql.integer(2**53)))
    doubled = exp.Mul(this=_wide(exp.paren(halved)), expression=sql.integer(2))
    rest = exp.Mod(this=product.copy(), expression=_wide(sql.integer(2**53)))
    is_odd = exp.GTE(this=exp.paren(rest), expression=sql.integer(2**52))
    last_bit = sql.when(is_odd, sql.integer(1), sql.integer(0))
    return exp.Add(this=doubled, expression=last_bit)


def _wide(value: Sql) -> Sql:
    return sql.cast(value, sql.decimal_type(0))


def _float_text(value: Sql) -> Sql:
    return _repr().transform(lambda node: value.copy() if node == exp.column("value") else node)


@cache
def _repr() -> Sql:
    return exp.maybe_parse(_REPR, dialect="spark")


def _timestamp_text(value: Sql) -> Sql:
    def format_with(pattern: str) -> Sql:
        return sql.call("date_format", value.copy(), exp.Literal.string(pattern))

    whole = exp.EQ(this=format_with("SSSSSS"), expression=exp.Literal.string("000000"))
    seconds = "yyyy-MM-dd'T'HH:mm:ss"
    return sql.when(whole, format_with(seconds), format_with(f"{seconds}.SSSSSS"))


def _float_order(value: Sql) -> Sql:
    # adding zero turns -0.0 into 0.0
    return sql.when(
        sql.call("isnan", value.copy()),
        exp.null(),
        exp.Add(this=value.copy(), expression=sql.cast(sql.integer(0), "DOUBLE")),
    )


def _coarser(value: Sql, type_: Type) -> Iterator[Sql]:
    match type_.kind:
        case Kind.TEXT:
            for length in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
                yield sql.call("substring", value.copy(), sql.integer(1), sql.integer(length))
        case Kind.INTEGER:
            yield from _shift_right(value)
        case Kind.TIMESTAMP:
            yield from _shift_right(sql.call("unix_micros", sql.cast(value, "TIMESTAMPLTZ")))
        case Kind.DECIMAL | Kind.FLOAT:
            for places in (-12, -9, -6, -4, -2, 0, 2, 4, 6, 9, 12):
                yield sql.call("round", sql.cast(value.copy(), "DOUBLE"), sql.integer(places))
        case _:
            return


def _shift_right(value: Sql) -> Iterator[Sql]:
    for bits in (48, 40, 32, 24, 20, 16, 12, 8, 4):
        yield sql.call("shiftright", value.copy(), sql.integer(bits))


SPARK = Dialect(
    deepest_cascade=2,
    name="spark",
    exact_sum=_exact_sum,
    float_sum=_float_sum,
    hash52=lambda text: _first52(_sha256(text)),
    scaled=_scale_hash,
    float_text=_float_text,
    timestamp_text=_timestamp_text,
    float_order=_float_order,
    keyed=Keyed(_hmac, _first52, _add_days),
    coarser=_coarser,
    approximate_distinct=lambda values: sql.call("approx_count_distinct", exp.Struct(expressions=list(values))),
    group_sign="$",
    most_rank_groups=100_000,
)
