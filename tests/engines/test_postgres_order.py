"""Text is ordered by code point, whatever the collation of the database (D9)."""

import psycopg
import pytest

import acompass
from tests.engines.postgres_server import Server, needs_locales

WORDS = ["a", "B", "é", "Z", "z", "ä", "b", "A", "ß", "SS", "a-b", "ab", "a b", "𝒳", "ﬀ", ""]


@needs_locales
@pytest.mark.parametrize("database", ["english", "german"])
def test_the_database_itself_orders_differently(postgres: Server, database: str) -> None:
    with psycopg.connect(postgres.url(database)) as con:
        rows = con.execute("SELECT w FROM unnest(%s::text[]) AS w ORDER BY w", (WORDS,)).fetchall()
    assert [word for (word,) in rows] != sorted(WORDS)


@pytest.mark.parametrize("database", ["plain", "english", "german"])
def test_comparison_minimum_maximum_and_canonical_order(postgres: Server, database: str) -> None:
    url = postgres.url(database)
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS words")
        con.execute("CREATE TABLE words (w text, n int)")
        con.cursor().executemany("INSERT INTO words VALUES (%s, 1)", [(word,) for word in WORDS])
    policy = """
        EACH RESULT : w < 'a';
        EACH PROCESS MIN(w) AS low : low = '';
        EACH PROCESS MAX(w) AS high : high = '𝒳';
        EACH FILTER w >= 'é' : w = '-' : REPLACE n WITH 2;
    """
    result = acompass.run(policy, "words", engine=url, order="canonical")
    assert [each.affected for each in result.requirements] == [
        sum(word >= "a" for word in WORDS),
        0,
        0,
        sum(word >= "é" for word in WORDS),
    ]
    assert result.table.column("w").to_pylist() == sorted(WORDS)
    assert result.table.column("n").to_pylist() == [2 if word >= "é" else 1 for word in sorted(WORDS)]
