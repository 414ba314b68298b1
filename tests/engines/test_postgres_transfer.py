"""Any text reaches PostgreSQL and comes back as it was, including line breaks, quotes and `\\.`."""

from collections.abc import Iterator

import duckdb
import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp, parse_one

import acompass
from acompass.engines.postgres.session import Connection, KeepingSession
from acompass.engines.postgres.transfer import fetched, upload
from tests.engines.postgres_server import Server

#: everything that means something in CSV or to COPY, in any order
_PIECES = ("\r\n", "\r", "\n", '"', ",", "\\", "\\.", "\\N", "\\n", "a", " ", "\t", "''", "é", "\ufeff", "#")
texts = st.none() | st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)
Rows = list[tuple[str | None, ...]]


@pytest.fixture(scope="module")
def server(postgres: Server) -> Iterator[psycopg.Connection[tuple[str | None, ...]]]:
    with psycopg.connect(postgres.url("english")) as connection:
        yield connection


def _select(text: str, dialect: str) -> exp.Select:
    parsed = parse_one(text, read=dialect)
    assert isinstance(parsed, exp.Select)
    return parsed


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[texts] * width), min_size=1)))
@example(rows=[("\r\n",)])
@example(rows=[("\r", "b")])
@example(rows=[("a\n\\.\nb",), ("\\.",)])
@example(rows=[("",), (None,), ('""',)])
def test_text_arrives_on_the_server_and_comes_back(
    server: psycopg.Connection[tuple[str | None, ...]], rows: Rows
) -> None:
    names = [f"c{i}" for i in range(len(rows[0]))]
    session = KeepingSession(Connection(server))
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE given ({', '.join(f'{name} VARCHAR' for name in names)}, i BIGINT)")
        con.executemany(
            f"INSERT INTO given VALUES ({', '.join('?' * len(names))}, ?)",
            [[*row, i] for i, row in enumerate(rows)],
        )
        try:
            columns = [*((name, "TEXT") for name in names), ("i", "BIGINT")]
            table = upload(con, _select("SELECT * FROM given", "duckdb"), session, columns)
            query = _select(f"SELECT {', '.join(names)} FROM {table} ORDER BY i", "postgres")
            assert session.fetch(query) == rows
            with fetched(session, query, dict.fromkeys(range(len(names)), "VARCHAR")) as found:
                assert con.execute(found).fetchall() == rows
        finally:
            session.clear()


def test_a_table_that_begins_with_a_line_break_alone(postgres: Server) -> None:
    table = [{"text": "\r\n"}, {"text": "\r"}, {"text": ""}, {"text": None}]
    policy = "EACH PROCESS COUNT(*) AS n : n = 4;"
    assert acompass.run(policy, table, engine=postgres.url("english")).table == table


def test_a_table_of_no_records_comes_back(postgres: Server) -> None:
    table = [{"text": "\r\n"}]
    policy = "EACH RESULT : text = 'a' : REJECT;"
    assert acompass.run(policy, table, engine=postgres.url("english")).table == []
