"""Transfer records between PostgreSQL and DuckDB as CSV, in a text form that both read identically."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlglot import exp

from acompass.engines.duckdb.csv import csv_options
from acompass.engines.duckdb.errors import failures as duckdb_failures
from acompass.engines.duckdb.names import text_literal
from acompass.engines.postgres.errors import failures
from acompass.engines.postgres.session import KeepingSession
from acompass.leftovers import temporary_folder
from acompass.plan.lowering import sql

_CHUNK = 1 << 20


@contextmanager
def fetched(session: KeepingSession, query: exp.Select, types: Mapping[int, str]) -> Iterator[str]:
    """DuckDB SQL that yields the query's rows in order, with a column of each position's type."""
    with temporary_folder() as folder:
        path = Path(folder, "records.csv")
        with failures(), path.open("wb") as file:
            # DuckDB takes the first line break of the file for the one that ends a record: the header's
            statement = f"COPY ({query.sql('postgres')}) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)"
            with session.copy(statement) as copy:
                for block in copy:
                    file.write(block)
        yield _scan(str(path), types)


def _scan(path: str, types: Mapping[int, str]) -> str:
    columns = enumerate(types.items())
    typed = ", ".join(f"CAST(c{i} AS {type_}) AS {sql.name(position)}" for i, (position, type_) in columns)
    return (
        f"SELECT {typed} FROM read_csv({text_literal(path)}, {csv_options(len(types))}, "
        "header = true, delim = ',')"
    )


def upload(con: Any, query: exp.Select, session: KeepingSession, columns: Sequence[tuple[str, str]]) -> str:
    """Copy the rows of a DuckDB query into a temporary table in PostgreSQL; return its name."""
    table = session.create(columns)
    with temporary_folder() as folder:
        path = Path(folder, "records.csv")
        with duckdb_failures():
            con.execute(
                f"COPY ({query.sql('duckdb')}) TO {text_literal(str(path))} "
                "(FORMAT csv, HEADER false, NULLSTR '', FORCE_QUOTE *)"
            )
        statement = f"COPY pg_temp.{table} FROM STDIN (FORMAT csv)"
        with failures(), path.open("rb") as file, session.copy(statement) as copy:
            while block := file.read(_CHUNK):
                copy.write(block)
    session.execute(f"ANALYZE pg_temp.{table}")
    return table
