"""The columns of a Spark table: their types in a policy, and SQL for their values."""

import re
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StructField
from sqlglot import exp

from acompass.checked.types import BOOLEAN, DATE, FLOAT, INTEGER, OPAQUE, TEXT, TIMESTAMP, Kind, Type, decimal
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors

_TYPES: dict[str, Type] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), INTEGER),
    **dict.fromkeys(("float", "double"), FLOAT),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), TIMESTAMP),
    **dict.fromkeys(("string", "void"), TEXT),
    "boolean": BOOLEAN,
    "date": DATE,
}
_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")
#: the metadata key for the declared type of a CHAR column, which is padded to a fixed width
_WIDTH = "__CHAR_VARCHAR_TYPE_STRING"


@dataclass(frozen=True)
class SparkColumn:
    """`stored` is the name of its type in Spark, `data_type` the type itself."""

    position: int
    name: str
    stored: str
    data_type: Any
    padded: bool

    @property
    def type(self) -> Type:
        if scale := _DECIMAL.fullmatch(self.stored):
            return decimal(int(scale[1]))
        return TEXT if self.stored.startswith("string collate") else _TYPES.get(self.stored, OPAQUE)

    @property
    def has_time_zone(self) -> bool:
        return self.stored == "timestamp"

    def value(self, is_named: bool) -> Sql:
        """Text is always converted, because canonical order compares code points."""
        column = self._column()
        if self.type.kind is Kind.TEXT:
            return self._text(column)
        if not is_named:
            return column
        match self.type.kind:
            case Kind.INTEGER if self.stored != "bigint":
                return sql.cast(column, "BIGINT")
            case Kind.FLOAT:
                # adding zero turns -0.0 into 0.0
                return exp.Add(this=sql.cast(column, "DOUBLE"), expression=sql.cast(sql.integer(0), "DOUBLE"))
            case Kind.TIMESTAMP if self.has_time_zone:
                return sql.cast(column, "TIMESTAMPNTZ")
            case _:
                return column

    def _text(self, column: Sql) -> Sql:
        if self.padded:
            column = sql.call("rtrim", column)
        if self.stored == "string":
            return column
        return sql.call("collate", sql.cast(column, "TEXT"), exp.Literal.string("UTF8_BINARY"))

    def is_missing(self) -> Sql:
        null = exp.Is(this=self._column(), expression=exp.null())
        return exp.or_(null, sql.call("isnan", self._column())) if self.type.kind is Kind.FLOAT else null

    def limit(self) -> tuple[Sql, str] | None:
        """Python has no dates and times before year 1 or after year 9999."""
        if self.type.kind not in (Kind.DATE, Kind.TIMESTAMP):
            return None
        year = sql.call("year", self._column())
        outside = exp.or_(
            exp.LT(this=year, expression=sql.integer(1)),
            exp.GT(this=year.copy(), expression=sql.integer(9999)),
        )
        return outside, errors.YEARS

    def _column(self) -> Sql:
        return sql.column(self.position, "t")


def stored_column(position: int, field: StructField) -> SparkColumn:
    padded = str(field.metadata.get(_WIDTH, "")).startswith("char(")
    return SparkColumn(position, field.name, field.dataType.simpleString(), field.dataType, padded)
