"""The columns of a PostgreSQL table: their types in a policy, and SQL for their values."""

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.language.program.types import (
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
from acompass.plan.lowering.postgres import POSTGRES
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors

_TYPES: dict[str, Type] = {
    **dict.fromkeys(("int2", "int4", "int8"), INTEGER),
    **dict.fromkeys(("float4", "float8"), FLOAT),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "citext"), TEXT),
    "bool": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamptz": TIMESTAMP,
}
#: DuckDB types for output files, where they differ from the type in a policy
_FILE_TYPES = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "float4": "FLOAT",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_NUMERIC_HEADER = 4

#: the columns of a relation, with domains resolved to their base types
COLUMNS = """
WITH RECURSIVE base AS (
    SELECT attnum, attname, attcollation, atttypid AS typid, atttypmod AS typmod,
        format_type(atttypid, atttypmod) AS declared
    FROM pg_attribute WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT attnum, attname, attcollation, typbasetype, greatest(typmod, typtypmod), declared
    FROM base JOIN pg_type ON oid = typid WHERE typtype = 'd'
)
SELECT attname, typname, typtype = 'e', typmod, declared,
    (SELECT quote_ident(nspname) || '.' || quote_ident(collname)
        FROM pg_collation AS c JOIN pg_namespace AS n ON n.oid = collnamespace WHERE c.oid = attcollation)
FROM base JOIN pg_type AS t ON t.oid = typid WHERE typtype <> 'd' ORDER BY attnum
"""


@dataclass(frozen=True)
class PostgresColumn:
    name: str
    base: str  # the name of the base type in PostgreSQL's catalog
    declared: str  # the SQL type
    collation: str | None
    type: Type
    digits: int | None = None  # like `scale`, None for a numeric type that does not declare it
    scale: int | None = None
    stored_as: str | None = None  # the column's name in the relation; None if it is `name`

    @property
    def is_wide(self) -> bool:
        """Whether the number of digits depends on the values and not on the type."""
        return self._is_numeric and (self.digits is None or self.digits > MOST_DIGITS)

    @property
    def _is_numeric(self) -> bool:
        return self.base == "numeric"

    @property
    def file_type(self) -> str:
        """The DuckDB type of the column in an output file."""
        if self.type.kind is Kind.OPAQUE:
            return "VARCHAR"
        return _FILE_TYPES.get(self.base, sql.type_name(self.type))

    def value(self, is_named: bool) -> Sql:
        column = self.stored_value()
        match self.type.kind:
            case Kind.TEXT:
                # the cast drops the padding of a char(n), which is not part of its value
                return POSTGRES.plain_text(column)
            case Kind.INTEGER:
                return sql.cast(column, "BIGINT")
            case Kind.DECIMAL:
                value = self.without_nan()
                return sql.cast(value, sql.decimal_type(self.type.scale)) if self.is_wide else value
            case Kind.FLOAT if is_named:
                # adding zero turns -0.0 into 0.0
                return exp.Add(this=sql.cast(column, "DOUBLE"), expression=sql.integer(0))
            case Kind.TIMESTAMP if self.base == "timestamptz":
                return exp.AtTimeZone(this=column, zone=exp.Literal.string("UTC"))
            case _:
                return column

    def without_nan(self) -> Sql:
        """SQL for the value, with NULL instead of NaN, because no other engine has a decimal NaN."""
        return sql.call("nullif", self.stored_value(), exp.Literal.string("NaN"))

    def is_missing(self) -> Sql:
        """SQL for whether the value is NULL or NaN (D11)."""
        is_null = exp.Is(this=self.stored_value(), expression=exp.null())
        if self.type.kind is not Kind.FLOAT and not self._is_numeric:
            return is_null
        return exp.or_(is_null, exp.EQ(this=self.stored_value(), expression=exp.Literal.string("NaN")))

    def limit(self) -> tuple[Sql, str] | None:
        """Python has no dates and times before year 1 or after year 9999, and no infinite ones."""
        if self.type.kind not in (Kind.DATE, Kind.TIMESTAMP):
            return None
        value = self.value(is_named=True)
        first = sql.cast(exp.Literal.string("0001-01-01"), "DATE")
        end = sql.cast(exp.Literal.string("10000-01-01"), "DATE")
        outside = exp.or_(exp.LT(this=value, expression=first), exp.GTE(this=value.copy(), expression=end))
        return outside, errors.YEARS

    def stored_value(self) -> Sql:
        name = self.name if self.stored_as is None else self.stored_as
        return exp.column(exp.to_identifier(name, quoted=True), table="t")


def column_from_catalog(
    name: str, base: str, is_enum: bool, modifier: int, declared: str, collation: str | None
) -> PostgresColumn:
    if base == "numeric":
        digits, scale = _digits_and_scale(modifier)
        return PostgresColumn(name, base, declared, collation, decimal(scale or 0), digits, scale)
    type_ = TEXT if is_enum else _TYPES.get(base, OPAQUE)
    return PostgresColumn(name, base, declared, collation, type_)


def _digits_and_scale(modifier: int) -> tuple[int | None, int | None]:
    """The declared digits and scale. A negative scale leaves no digits after the decimal point."""
    if modifier < _NUMERIC_HEADER:
        return None, None
    digits, scale = (modifier - _NUMERIC_HEADER) >> 16, (modifier - _NUMERIC_HEADER) & 0x7FF
    signed = (scale ^ 1024) - 1024
    return max(digits, digits - signed, signed), max(signed, 0)


def restore_type(column: PostgresColumn, value: str) -> str:
    """SQL for a plan's value converted back to the declared type, for an output table."""
    if column.base == "timestamptz":
        value = f"{value} AT TIME ZONE 'UTC'"
    if column.type == TEXT:
        # the policy may use the text as numbers, which can be cast to an enum only through text
        value = f"CAST({value} AS TEXT)"
    collated = "" if column.collation is None else f" COLLATE {column.collation}"
    return f"CAST({value} AS {column.declared}){collated}"
