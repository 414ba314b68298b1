"""The columns of a DuckDB table: their types in a policy, and SQL for their values."""

import re
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from acompass.checked.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    MOST_DIGITS,
    OPAQUE,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    decimal,
)
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors

_WITH_TIME_ZONE = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS")
_HUGE = ("HUGEINT", "UHUGEINT")
_WIDE = ("UBIGINT", *_HUGE)
#: types with values that other engines cannot store
WIDER_THAN_OTHERS = ("TIMESTAMP_NS", *_HUGE)

_TYPES: dict[str, Type] = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), INTEGER
    ),
    **dict.fromkeys(_WIDE, decimal(0)),
    **dict.fromkeys(("FLOAT", "DOUBLE"), FLOAT),
    **dict.fromkeys(
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *_WITH_TIME_ZONE), TIMESTAMP
    ),
    "VARCHAR": TEXT,
    "JSON": TEXT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
}
_DECIMAL = re.compile(r"DECIMAL\(\d+,\s*(\d+)\)")

#: the DuckDB type that plans use for each kind
_READ_AS = {
    Kind.INTEGER: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.TIMESTAMP: "TIMESTAMP",
}


@dataclass(frozen=True)
class DuckDBColumn:
    """`stored` is the name of its type in DuckDB."""

    position: int
    name: str
    stored: str

    @cached_property
    def type(self) -> Type:
        """The type in a policy. A timestamp with a time zone is converted to UTC."""
        if scale := _DECIMAL.fullmatch(self.stored):
            return decimal(int(scale[1]))
        return TEXT if self.is_enum else _TYPES.get(self.stored, OPAQUE)

    @property
    def is_enum(self) -> bool:
        return self.stored.startswith("ENUM(")

    @property
    def may_be_nan(self) -> bool:
        return self.type.kind is Kind.FLOAT

    def value(self, is_named: bool) -> Sql:
        """An ENUM is always converted to text, because DuckDB orders an ENUM by its definition."""
        return self._converted() if is_named or self.is_enum else self._column()

    def _converted(self) -> Sql:
        column = self._column()
        if self.stored in _WITH_TIME_ZONE:
            return sql.call("make_timestamp", sql.call("epoch_us", column))
        if self.stored in _WIDE:
            return sql.cast(column, sql.decimal_type(0))
        read_as = _READ_AS.get(self.type.kind, self.stored)
        value = column if read_as == self.stored else sql.cast(column, read_as)
        if not self.may_be_nan:
            return value
        # -0.0 equals 0.0, but DuckDB groups them separately; adding zero turns -0.0 into 0.0
        return exp.paren(exp.Add(this=value, expression=sql.cast(sql.integer(0), "DOUBLE")))

    def is_missing(self) -> Sql:
        is_null = exp.Is(this=self._column(), expression=exp.null())
        if not self.may_be_nan:
            return is_null
        return exp.or_(is_null, sql.call("isnan", self._column()))

    def limit(self) -> tuple[Sql, str] | None:
        if self.stored in _NANOSECONDS:
            rest = exp.Mod(this=sql.call("epoch_ns", self._column()), expression=sql.integer(1000))
            return exp.NEQ(this=rest, expression=sql.integer(0)), errors.MICROSECONDS
        if self.stored in _HUGE:
            type_ = exp.DataType.build(f"DECIMAL({MOST_DIGITS}, 0)")
            fits = exp.TryCast(this=self._column(), to=type_, safe=True)
            is_lost = exp.Is(this=fits, expression=exp.null())
            is_there = exp.Not(this=exp.Is(this=self._column(), expression=exp.null()))
            return exp.and_(is_there, is_lost), errors.DIGITS
        return None

    def _column(self) -> Sql:
        return sql.column(self.position, "t")


def restored(value: str, stored: str) -> str:
    """SQL for a plan's value converted back to the stored type of its column."""
    if stored in _WITH_TIME_ZONE:
        return f"make_timestamptz(epoch_us({value}))"
    return f"CAST({value} AS {stored})"
