"""The tables of PostgreSQL: their columns, new tables, and the transfer of records to and from DuckDB.

A column has a type in a policy, and SQL for its value. An output table appears when the transaction commits, or not at
all. Records are transferred as CSV, in a form that both read identically.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import errors as server
from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.engines.duckdb.input import csv_options
from acompass.engines.duckdb.session import report_failures as report_duckdb_failures
from acompass.engines.duckdb.session import text_literal
from acompass.engines.errors import engine_error, output_exists, output_not_replaceable
from acompass.engines.postgres.session import KeepingSession, ReadingSession, report_failures
from acompass.language.program import types
from acompass.language.program.types import MOST_DIGITS, OPAQUE, TEXT, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.postgres import POSTGRES
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.temporary_files import private_file, temporary_folder

_TYPES: dict[str, Type] = {
    **dict.fromkeys(("int2", "int4", "int8"), types.INTEGER),
    **dict.fromkeys(("float4", "float8"), types.FLOAT),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "citext"), TEXT),
    "bool": types.BOOLEAN,
    "date": types.DATE,
    "timestamp": types.TIMESTAMP,
    "timestamptz": types.TIMESTAMP,
}
#: DuckDB types for output files, where they differ from the type in a policy
_FILE_TYPES = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "float4": "FLOAT",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_NUMERIC_HEADER = 4
_DEFAULT_COLLATION = 'pg_catalog."default"'

#: the columns of a relation, with domains resolved to their base types. Enums, and arrays of them, are declared as text
#: in an output table, because the members of an enum are values that removed records may have had (D39)
_COLUMNS = """
WITH RECURSIVE base AS (
    SELECT attnum, attname, attcollation, atttypid AS typid, atttypmod AS typmod,
        format_type(atttypid, atttypmod) AS declared
    FROM pg_attribute WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT attnum, attname, attcollation, typbasetype, greatest(typmod, typtypmod), declared
    FROM base JOIN pg_type ON oid = typid WHERE typtype = 'd'
)
SELECT attname, typname, typtype = 'e', typmod,
    CASE WHEN typtype = 'e' THEN 'text'
        WHEN typelem IN (SELECT oid FROM pg_type WHERE typtype = 'e') THEN 'text[]' ELSE declared END,
    (SELECT quote_ident(nspname) || '.' || quote_ident(collname)
        FROM pg_collation AS c JOIN pg_namespace AS n ON n.oid = collnamespace WHERE c.oid = attcollation)
FROM base JOIN pg_type AS t ON t.oid = typid WHERE typtype <> 'd' ORDER BY attnum
"""


@dataclass(frozen=True)
class PostgresColumn:
    name: str
    base: str  # the name of the base type in PostgreSQL's catalog
    declared: str  # the SQL type in an output table
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
        is_null = sql.is_null(self.stored_value())
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


def _column_from_catalog(
    name: str, base: str, is_enum: bool, modifier: int, declared: str, collation: str | None
) -> PostgresColumn:
    if base == "numeric":
        digits, scale = _digits_and_scale(modifier)
        return PostgresColumn(name, base, declared, collation, types.decimal(scale or 0), digits, scale)
    if is_enum:
        return PostgresColumn(name, base, declared, _DEFAULT_COLLATION, TEXT)
    return PostgresColumn(name, base, declared, collation, _TYPES.get(base, OPAQUE))


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
        # the policy may use the text as numbers, which cannot be cast to every type of text directly
        value = f"CAST({value} AS TEXT)"
    collated = "" if column.collation is None else f" COLLATE {column.collation}"
    return f"CAST({value} AS {column.declared}){collated}"


_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


@dataclass(frozen=True)
class TableName:
    parts: tuple[str, ...]  # (schema, table) or (table,)

    @property
    def sql(self) -> str:
        return ".".join(map(_quote_name, self.parts))


def names_in(text: str) -> list[TableName]:
    """The names that the text can mean: first as SQL reads it, with unquoted parts in lowercase, then as spelled. Empty
    if the text is not a name."""
    parts: list[tuple[str, str]] = []
    position = 0
    while (found := _PART.match(text, position)) is not None:
        quoted = None if found[1] is None else found[1].replace('""', '"')
        parts.append((quoted or found[2].strip().lower(), quoted or found[2]))
        position = found.end()
        if not text.startswith(".", position):
            break
        position += 1
    if position != len(text) or not 1 <= len(parts) <= 2:
        return []
    folded, spelled = TableName(tuple(p[0] for p in parts)), TableName(tuple(p[1] for p in parts))
    return [folded] if folded == spelled else [folded, spelled]


@dataclass(frozen=True)
class Relation:
    oid: int
    sql: str  # the quoted name with its schema
    kind: str  # the relkind in PostgreSQL's catalog

    def table(self) -> Sql:
        found = exp.maybe_parse(self.sql, into=exp.Table, dialect="postgres")
        assert isinstance(found, exp.Table)
        return found.as_("t")


def find_relation(session: ReadingSession, text: str) -> Relation | None:
    for name in names_in(text):
        literal = exp.Literal.string(name.sql).sql("postgres")
        rows = session.execute(
            "SELECT c.oid::bigint, quote_ident(nspname) || '.' || quote_ident(relname), "
            "relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace "
            f"WHERE c.oid = to_regclass({literal}) AND relkind IN ('r', 'v', 'm', 'f', 'p')"
        ).fetchall()
        if rows:
            return Relation(*rows[0])
    return None


def find_table(session: ReadingSession, name: str) -> tuple[Relation, tuple[PostgresColumn, ...]]:
    relation = find_relation(session, name)
    if relation is None:
        help_ = "write the name as in SQL: `people`, `schema.people`, or `'\"People\"'` for a quoted name"
        raise engine_error("AC308", f"no table or view `{name}` in the database", help_)
    rows = session.execute(_COLUMNS.format(oid=relation.oid)).fetchall()
    return relation, tuple(_column_from_catalog(*row) for row in rows)


_LONGEST_NAME = 63
_KINDS = {"v": "it is a view", "m": "it is a materialized view", "f": "it is a foreign table"}


@dataclass(frozen=True)
class Target:
    """The place of an output table."""

    shown: str
    sql: str
    replaced: Relation | None  # the existing table that the output replaces


def find_target(session: ReadingSession, text: str, source: Relation | None, replace: bool) -> Target:
    """Find the place of the output table. Raise, before anything runs, if it cannot be created there."""
    existing = find_relation(session, text)
    if existing is not None:
        if source is not None and existing.oid in _table_parts(session, source):
            raise output_not_replaceable(text, "it is the input, which is only read")
        _require_replaceable(text, existing, replace)
        return Target(text, existing.sql, existing)
    names = names_in(text)
    if not names:
        help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
        raise engine_error("AC308", f"`{text}` names neither a table nor a file", help_)
    *schema, name = names[0].parts
    _require_name(name)
    literal = exp.Literal.string(schema[0]).sql("postgres") if schema else "current_schema()"
    (found,) = session.execute(
        f"SELECT (SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname = {literal})"
    ).fetchall()[0]
    if found is None:
        wanted = schema[0] if schema else "public"
        help_ = f'create it first: CREATE SCHEMA "{wanted}"'
        raise engine_error("AC308", f"no schema `{wanted}` in the database", help_)
    return Target(text, f"{found}.{_quote_name(name)}", None)


def _table_parts(session: ReadingSession, source: Relation) -> set[int]:
    """The input table, its partitions and the tables that inherit from it."""
    found = session.execute(
        f"WITH RECURSIVE part(id) AS (SELECT {source.oid}::oid UNION "
        "SELECT inhrelid FROM pg_catalog.pg_inherits JOIN part ON inhparent = part.id) SELECT id FROM part"
    )
    return {oid for (oid,) in found.fetchall()}


def _require_replaceable(text: str, existing: Relation, replace: bool) -> None:
    if not replace:
        raise output_exists(text)
    if existing.kind in _KINDS:
        raise output_not_replaceable(text, _KINDS[existing.kind])


def create_table(
    session: KeepingSession, target: Target, query: exp.Select, names: Sequence[str], values: Sequence[str]
) -> None:
    """Create the table. `values` are SQL over the query, whose alias is `t`."""
    for name in names:
        _require_name(name)
    columns = ", ".join(f"{value} AS {_quote_name(name)}" for name, value in zip(names, values, strict=True))
    with report_failures(), _report_conflicts(target):
        if target.replaced is not None:
            session.run(f"DROP TABLE {target.sql}")
        session.run(f"CREATE TABLE {target.sql} AS SELECT {columns} FROM ({query.sql('postgres')}) AS t")
        session.commit()


@contextmanager
def _report_conflicts(target: Target) -> Iterator[None]:
    try:
        yield
    except server.DuplicateTable:
        raise output_exists(target.shown) from None
    except server.DependentObjectsStillExist:
        why = "other objects in the database depend on it"
        raise output_not_replaceable(target.shown, why) from None


def new_type(type_: Type, value: str) -> str:
    """SQL for a value of a column that an action wrote or that came from a file, in its PostgreSQL type."""
    if type_.kind is Kind.TEXT:
        return f"CAST({value} AS TEXT) COLLATE {_DEFAULT_COLLATION}"
    return f"CAST({value} AS {exp.DataType.build(sql.type_name(type_)).sql('postgres')})"


def _require_name(name: str) -> None:
    """Raise if the name is empty, or so long that PostgreSQL would silently truncate it."""
    if not 1 <= len(name.encode()) <= _LONGEST_NAME:
        help_ = f"use a name of 1 to {_LONGEST_NAME} bytes"
        raise engine_error("AC315", f"PostgreSQL does not allow the name `{name}`", help_)


def _quote_name(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("postgres")


_CHUNK = 1 << 20


@contextmanager
def fetch_to_duckdb(session: KeepingSession, query: exp.Select, stored: Mapping[int, str]) -> Iterator[str]:
    """Copy the rows to a temporary file; yield DuckDB SQL that reads them in order. `stored` are types by position."""
    with temporary_folder() as folder:
        path = Path(private_file(folder, "records.csv"))
        with report_failures(), path.open("wb") as file:
            # DuckDB infers the line ending from the first line, so that has to be a header
            statement = f"COPY ({query.sql('postgres')}) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)"
            with session.copy(statement) as copy:
                for block in copy:
                    file.write(block)
        yield _scan(str(path), stored)


def _scan(path: str, stored: Mapping[int, str]) -> str:
    columns = enumerate(stored.items())
    typed = ", ".join(f"CAST(c{i} AS {type_}) AS {sql.name(position)}" for i, (position, type_) in columns)
    return f"SELECT {typed} FROM read_csv({text_literal(path)}, {csv_options(len(stored))}, header = true, delim = ',')"


def upload(con: Any, query: exp.Select, session: KeepingSession, columns: Sequence[tuple[str, str]]) -> str:
    """Copy the rows of a DuckDB query into a temporary table in PostgreSQL; return its name."""
    table = session.create(columns)
    with temporary_folder() as folder:
        path = Path(private_file(folder, "records.csv"))
        with report_duckdb_failures():
            con.execute(
                f"COPY ({query.sql('duckdb')}) TO {text_literal(str(path))} "
                "(FORMAT csv, HEADER false, NULLSTR '', FORCE_QUOTE *)"
            )
        statement = f"COPY pg_temp.{table} FROM STDIN (FORMAT csv)"
        with report_failures(), path.open("rb") as file, session.copy(statement) as copy:
            while block := file.read(_CHUNK):
                copy.write(block)
    session.execute(f"ANALYZE pg_temp.{table}")
    return table
