"""Records between PostgreSQL and the embedded engine, which reads and writes files: as CSV, in text that both
read back to the same value."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlglot import exp

from acompass.engines import duckdb
from acompass.engines.postgres_session import KeepingSession, failures

_CHUNK = 1 << 20
_LONGEST_RECORD = 1 << 27


@contextmanager
def fetched(session: KeepingSession, query: exp.Select, types: Sequence[str]) -> Iterator[str]:
    """SQL of the embedded engine that yields the query's rows as c0, c1, … of these types, in order."""
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        path = Path(folder, "records.csv")
        with failures(), path.open("wb") as file:
            statement = f"COPY ({query.sql('postgres')}) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"
            with session.copy(statement) as copy:
                for block in copy:
                    file.write(block)
        yield _scan(str(path), types)


def _scan(path: str, types: Sequence[str]) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(types)))
    typed = ", ".join(f"CAST(c{i} AS {type_}) AS c{i}" for i, type_ in enumerate(types))
    return (
        f"SELECT {typed} FROM read_csv({_literal(path)}, columns = {{{columns}}}, auto_detect = false, "
        """header = false, delim = ',', quote = '"', escape = '"', nullstr = '', """
        "allow_quoted_nulls = false, strict_mode = true, null_padding = false, "
        f"max_line_size = {_LONGEST_RECORD})"
    )


def send(con: Any, query: exp.Select, session: KeepingSession, columns: Sequence[tuple[str, str]]) -> str:
    """The rows of the embedded engine's query in a temporary table of PostgreSQL; gives its name."""
    table = session.create(columns)
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        path = Path(folder, "records.csv")
        with duckdb.failures():
            con.execute(
                f"COPY ({query.sql('duckdb')}) TO {_literal(str(path))} "
                "(FORMAT csv, HEADER false, NULLSTR '', FORCE_QUOTE *)"
            )
        statement = f"COPY pg_temp.{table} FROM STDIN (FORMAT csv)"
        with failures(), path.open("rb") as file, session.copy(statement) as copy:
            while block := file.read(_CHUNK):
                copy.write(block)
    session.execute(f"ANALYZE pg_temp.{table}")
    return table


def _literal(text: str) -> str:
    return exp.Literal.string(text).sql("duckdb")
