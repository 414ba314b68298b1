"""The engine reads CSV like our own reader, and reads back what it wrote."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acompass.checked.types import TEXT, Column
from acompass.diagnostics import TableError
from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.read import open_table
from acompass.engines.duckdb.write import write
from acompass.tables.file_format import FileFormat
from acompass.tables.opening import opened
from acompass.tables.rfc4180 import MalformedCsv, records

PIECES = (
    "a",
    "1",
    "é",
    "𝒳",
    " ",
    "  ",
    '"',
    '""',
    ",",
    ";",
    "\n",
    "\r\n",
    "\r",
    "#",
    "'",
    "\\",
    "NULL",
    "\t",
    "\0",
)
VALUES = st.none() | st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[VALUES] * width), min_size=1, max_size=5)
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)

Records = list[tuple[str | None, ...]]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def read(con: duckdb.DuckDBPyConnection, path: str) -> Records:
    with opened(path, FileFormat(",")) as source:
        relation = open_table(con, source).relation
        return con.execute(f"SELECT * EXCLUDE (rk) FROM {relation} ORDER BY rk").fetchall()


@settings(max_examples=300)
@given(table=TABLES)
def test_written_tables_are_read_back(con: duckdb.DuckDBPyConnection, table: Records) -> None:
    width = len(table[0])
    schema = tuple(Column(f"n{position}", TEXT) for position in range(width))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "table.csv"))
        con.execute(f"CREATE OR REPLACE TEMP TABLE t ({', '.join(f'c{i} VARCHAR' for i in range(width))})")
        con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", table)
        write(con, Output("SELECT * FROM t", schema), path)
        assert read(con, path) == table


@settings(max_examples=300)
@example(body='"" "",')
@given(body=TEXTS)
def test_the_engine_and_our_own_reader_agree(con: duckdb.DuckDBPyConnection, body: str) -> None:
    content = ("a,b\n" + body).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        try:
            found = read(con, str(path))
        except TableError:
            found = None
    assert found == by_definition(content)


def by_definition(content: bytes) -> Records | None:
    """The records according to our own reader; None if the text is malformed or ragged."""
    try:
        _, *rows = (fields for _, fields in records(content.splitlines(keepends=True), ","))
    except MalformedCsv:
        return None
    whole = [fields for fields in rows if fields != [None]]
    if any(len(fields) < 2 or any(fields[2:]) or "" in fields[2:] for fields in whole):
        return None
    return [tuple(fields[:2]) for fields in whole]
