"""SQL expressions that split lines of CSV into fields on Spark's workers. Spark splits files into lines.

Spark's own CSV reader is not used, because it differs from `tables.rfc4180`.
"""

import re

from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql

_QUOTED = '"[^"]*+(?:""[^"]*+)*+"'


class Lines:
    """Expressions over `t.value`, a line of a table with `width` columns."""

    def __init__(self, delimiter: str, width: int):
        self._delimiter = delimiter
        self._width = width
        self._mark = re.escape(delimiter)

    @property
    def line(self) -> Sql:
        return exp.column("value", table="t")

    @property
    def fields(self) -> Sql:
        """The fields as written, with quotes. A delimiter is prepended, so every match begins with one."""
        pattern = f"{self._mark}({_QUOTED}|[^{self._mark}]*+)"
        matches = sql.call(
            "regexp_extract_all", self._with_leading_delimiter(), _text(pattern), sql.integer(1)
        )
        plain = sql.call("split", self.line, _text(self._mark), sql.integer(-1))
        return exp.Case(ifs=[exp.If(this=self._has_quote(), true=matches)], default=plain)

    def is_malformed(self) -> Sql:
        """Whether our own reader would report an error, or the record continues on the next line."""
        record = f'^(?:{self._mark}(?:{_QUOTED}|(?!")[^{self._mark}]*+))++\\z'
        quoted_badly = exp.and_(
            self._has_quote(),
            exp.Not(this=exp.RegexpLike(this=self._with_leading_delimiter(), expression=_text(record))),
        )
        return exp.or_(
            exp.Not(this=sql.call("is_valid_utf8", self.line)), quoted_badly, exp.paren(self._is_ragged())
        )

    def is_record(self) -> Sql:
        """An empty line is not a record, unless the table has only one column."""
        return sql.TRUE.copy() if self._width == 1 else exp.NEQ(this=self.line, expression=_text(""))

    def _is_ragged(self) -> Sql:
        """Empty fields beyond the last column are ignored."""
        size = sql.call("size", self.fields)
        beyond = sql.call("slice", self.fields, sql.integer(self._width + 1), size.copy())
        filled = sql.call("exists", beyond, exp.var("field -> field <> ''"))
        few = exp.LT(this=size, expression=sql.integer(self._width))
        return exp.and_(self.is_record(), exp.paren(exp.or_(few, filled)))

    def _has_quote(self) -> Sql:
        return exp.GT(this=sql.call("instr", self.line, _text('"')), expression=sql.integer(0))

    def _with_leading_delimiter(self) -> Sql:
        return sql.call("concat", _text(self._delimiter), self.line)


def value(field: Sql) -> Sql:
    """The value of a field; NULL if it is empty without quotes (D11)."""
    inner = sql.call(
        "substring",
        field.copy(),
        sql.integer(2),
        exp.Sub(this=sql.call("length", field.copy()), expression=sql.integer(2)),
    )
    is_quoted = exp.EQ(this=sql.call("left", field.copy(), sql.integer(1)), expression=_text('"'))
    return exp.Case(
        ifs=[
            exp.If(this=exp.EQ(this=field.copy(), expression=_text("")), true=exp.null()),
            exp.If(this=is_quoted, true=sql.call("replace", inner, _text('""'), _text('"'))),
        ],
        default=field.copy(),
    )


def _text(text: str) -> Sql:
    return exp.Literal.string(text)
