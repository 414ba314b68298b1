"""The dialect of PostgreSQL. Every text that an expression returns has the collation "C": code point order."""

from sqlglot import exp

from acompass.language.program.constants import LARGEST_INTEGER, SMALLEST_INTEGER
from acompass.language.program.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, Keyed
from acompass.plan.lowering.sql import Sql

#: A float as Python's `repr` writes it. The server prints the shortest digits strictly inside the interval of
#: numbers that round to the float. Python also accepts the ends of that interval, which are shorter for some
#: large floats such as 1e23. Such an end is the server's digits without the last one, rounded down or up, and
#: only whole numbers have one.
_REPR: Sql = exp.maybe_parse(
    """
    (SELECT CASE
        WHEN a.size = 'NaN' THEN 'nan'
        WHEN a.size = 'Infinity' THEN a.sign || 'inf'
        WHEN d.whole IS NOT NULL THEN a.sign || LEFT(d.digits, 1)
            || CASE WHEN LENGTH(d.digits) > 1 THEN '.' ELSE '' END || SUBSTR(d.digits, 2)
            || 'e+' || CAST(LENGTH(d.whole) - 1 AS TEXT)
        WHEN STRPOS(b.s, '.') + STRPOS(b.s, 'e') > 0 THEN a.sign || b.s
        ELSE a.sign || b.s || '.0'
    END
    FROM (SELECT ABS(value) AS size, CASE WHEN value < 0 THEN '-' ELSE '' END AS sign) AS a
    CROSS JOIN LATERAL (SELECT
        CASE WHEN a.size >= 1e15 AND a.size < 1e16 THEN CAST(CAST(CAST(a.size AS TEXT) AS DECIMAL) AS TEXT)
            ELSE CAST(a.size AS TEXT) END AS s,
        a.size >= 1e16 AND a.size < 1e60 AS is_large) AS b
    CROSS JOIN LATERAL (SELECT
        CASE WHEN b.is_large THEN CAST(b.s AS DECIMAL) END AS n,
        CASE WHEN b.is_large THEN CAST('1e' || CAST(CAST(SPLIT_PART(b.s, 'e+', 2) AS INT) + 2
            - LENGTH(REPLACE(SPLIT_PART(b.s, 'e+', 1), '.', '')) AS TEXT) AS DECIMAL) END AS unit) AS c
    CROSS JOIN LATERAL (SELECT e.whole, RTRIM(e.whole, '0') AS digits FROM (SELECT CAST(CASE
        WHEN CAST(DIV(c.n, c.unit) * c.unit AS DOUBLE PRECISION) = a.size THEN DIV(c.n, c.unit) * c.unit
        WHEN CAST((DIV(c.n, c.unit) + 1) * c.unit AS DOUBLE PRECISION) = a.size
            THEN (DIV(c.n, c.unit) + 1) * c.unit
        ELSE c.n END AS TEXT) AS whole) AS e) AS d)
    """,
    dialect="postgres",
)


def _by_code_point(text: Sql) -> Sql:
    return exp.Collate(this=exp.paren(text), expression=exp.to_identifier("C", quoted=True))


def _plain_text(value: Sql) -> Sql:
    return _by_code_point(sql.cast(value, "TEXT"))


def _exact_sum(value: Sql, type_: Type) -> Sql:
    """The cast fails on a decimal sum with more digits than every engine supports."""
    total = exp.Sum(this=value)
    return sql.cast(total, sql.decimal_type(type_.scale)) if type_.kind is Kind.DECIMAL else total


def _float_sum(value: Sql) -> Sql:
    ordered = exp.Order(this=value.copy(), expressions=[exp.Ordered(this=value.copy(), desc=False)])
    return exp.Sum(this=ordered)


def _hash52(text: Sql) -> Sql:
    return _first52(_hex(sql.call("sha256", _utf8(text))))


def _hmac(text: Sql, inner: Sql, outer: Sql) -> Sql:
    digest = sql.call("sha256", exp.DPipe(this=inner, expression=_utf8(text)))
    return _by_code_point(_hex(sql.call("sha256", exp.DPipe(this=outer, expression=digest))))


def _utf8(text: Sql) -> Sql:
    return sql.call("convert_to", text, exp.Literal.string("UTF8"))


def _hex(digest: Sql) -> Sql:
    return sql.call("encode", digest, exp.Literal.string("hex"))


def _first52(digest: Sql) -> Sql:
    digits = sql.call("left", digest, sql.integer(13))
    padded = exp.DPipe(this=exp.Literal.string("x000"), expression=digits)
    return sql.cast(sql.cast(exp.paren(padded), "BIT(64)"), "BIGINT")


def _add_days(value: Sql, days: Sql, type_: Type) -> Sql:
    whole, none = sql.cast(days, "INT"), sql.integer(0)
    interval = sql.call("make_interval", none, none.copy(), none.copy(), whole)
    return exp.Add(this=value, expression=whole if type_.kind is Kind.DATE else interval)


def _scale_hash(hash_: Sql, span: int) -> Sql:
    product = exp.Mul(this=sql.cast(hash_, "DECIMAL"), expression=sql.integer(span))
    return sql.call("div", product, sql.integer(2**52))


def _float_text(value: Sql) -> Sql:
    written = _REPR.copy().transform(lambda node: value.copy() if node == exp.column("value") else node)
    return _by_code_point(written)


def _timestamp_text(value: Sql) -> Sql:
    seconds = sql.call("to_char", value.copy(), exp.Literal.string('YYYY-MM-DD"T"HH24:MI:SS'))
    micros = sql.call("to_char", value.copy(), exp.Literal.string('YYYY-MM-DD"T"HH24:MI:SS.US'))
    whole = exp.EQ(this=sql.call("date_trunc", exp.Literal.string("second"), value.copy()), expression=value.copy())
    return _by_code_point(sql.when(whole, seconds, micros))


def _is_integer_text(value: Sql) -> Sql:
    """The pattern guards the cast, because PostgreSQL has no cast that returns NULL on failure."""
    pattern = exp.Literal.string(r"^(0|-?[1-9][0-9]{0,18})\Z")
    number = sql.cast(value.copy(), "DECIMAL")
    fits = exp.Between(this=number, low=sql.integer(SMALLEST_INTEGER), high=sql.integer(LARGEST_INTEGER))
    is_integer = exp.RegexpLike(this=value.copy(), expression=pattern)
    is_other = sql.when(is_integer, fits, sql.FALSE.copy())
    return sql.when(sql.is_null(value.copy()), exp.null(), is_other)


POSTGRES = Dialect(
    name="postgres",
    exact_sum=_exact_sum,
    float_sum=_float_sum,
    hash52=_hash52,
    scaled=_scale_hash,
    float_text=_float_text,
    timestamp_text=_timestamp_text,
    float_order=lambda value: sql.call("nullif", value, sql.cast(exp.Literal.string("NaN"), "DOUBLE")),
    keyed=Keyed(_hmac, _first52, _add_days),
    plain_text=_plain_text,
    text_constant=_plain_text,
    is_integer_text=_is_integer_text,
    end_of_text=r"\Z",
)
