"""Create an output table in PostgreSQL, and transfer records between PostgreSQL and DuckDB.

The output table appears when the transaction commits, or not at all. Records are transferred as CSV, in a form that
both read identically.
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
from acompass.engines.errors import output_exists, output_not_replaceable
from acompass.engines.postgres.session import (
    KeepingSession,
    ReadingSession,
    no_such_schema,
    not_a_name,
    report_failures,
    unfit_name,
)
from acompass.language.program.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables.temporary_files import temporary_folder

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


_LONGEST_NAME = 63
_KINDS = {"v": "it is a view", "m": "it is a materialized view", "f": "it is a foreign table"}


@dataclass(frozen=True)
class Target:
    """The place of an output table."""

    shown: str
    sql: str
    replaced: Relation | None  # the existing table that the output replaces


def find_target(session: ReadingSession, text: str, source: Relation | None, force: bool) -> Target:
    """Find the place of the output table. Raise, before anything runs, if it cannot be created there."""
    existing = find_relation(session, text)
    if existing is not None:
        if source is not None and existing.oid in _table_parts(session, source):
            raise output_not_replaceable(text, "it is the input, which is only read")
        _require_replaceable(text, existing, force)
        return Target(text, existing.sql, existing)
    names = names_in(text)
    if not names:
        raise not_a_name(text)
    *schema, name = names[0].parts
    _require_name(name)
    literal = exp.Literal.string(schema[0]).sql("postgres") if schema else "current_schema()"
    (found,) = session.execute(
        f"SELECT (SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname = {literal})"
    ).fetchall()[0]
    if found is None:
        raise no_such_schema(schema[0] if schema else "public")
    return Target(text, f"{found}.{_quote_name(name)}", None)


def _table_parts(session: ReadingSession, source: Relation) -> set[int]:
    """The input table, its partitions and the tables that inherit from it."""
    found = session.execute(
        f"WITH RECURSIVE part(id) AS (SELECT {source.oid}::oid UNION "
        "SELECT inhrelid FROM pg_catalog.pg_inherits JOIN part ON inhparent = part.id) SELECT id FROM part"
    )
    return {oid for (oid,) in found.fetchall()}


def _require_replaceable(text: str, existing: Relation, force: bool) -> None:
    if not force:
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
        return f'CAST({value} AS TEXT) COLLATE pg_catalog."default"'
    return f"CAST({value} AS {exp.DataType.build(sql.type_name(type_)).sql('postgres')})"


def _require_name(name: str) -> None:
    """Raise if the name is empty, or so long that PostgreSQL would silently truncate it."""
    if not 1 <= len(name.encode()) <= _LONGEST_NAME:
        raise unfit_name(name, _LONGEST_NAME)


def _quote_name(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("postgres")


_CHUNK = 1 << 20


@contextmanager
def fetch_to_duckdb(session: KeepingSession, query: exp.Select, types: Mapping[int, str]) -> Iterator[str]:
    """Copy the rows to a temporary file; yield DuckDB SQL that reads them in order, with `types` by position."""
    with temporary_folder() as folder:
        path = Path(folder, "records.csv")
        with report_failures(), path.open("wb") as file:
            # DuckDB infers the line ending from the first line, so that has to be a header
            statement = f"COPY ({query.sql('postgres')}) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)"
            with session.copy(statement) as copy:
                for block in copy:
                    file.write(block)
        yield _scan(str(path), types)


def _scan(path: str, types: Mapping[int, str]) -> str:
    columns = enumerate(types.items())
    typed = ", ".join(f"CAST(c{i} AS {type_}) AS {sql.name(position)}" for i, (position, type_) in columns)
    return f"SELECT {typed} FROM read_csv({text_literal(path)}, {csv_options(len(types))}, header = true, delim = ',')"


def upload(con: Any, query: exp.Select, session: KeepingSession, columns: Sequence[tuple[str, str]]) -> str:
    """Copy the rows of a DuckDB query into a temporary table in PostgreSQL; return its name."""
    table = session.create(columns)
    with temporary_folder() as folder:
        path = Path(folder, "records.csv")
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
