"""Columns of every PostgreSQL type are read and written, or copied unchanged."""

import datetime
from decimal import Decimal
from typing import Any

import psycopg
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from tests.engines.postgres_server import Server, needs_locales, query_all

EVERYTHING = """
    DROP TABLE IF EXISTS everything, copied;
    DROP TYPE IF EXISTS mood CASCADE;
    DROP DOMAIN IF EXISTS postcode CASCADE;
    CREATE TYPE mood AS ENUM ('sad', 'content', 'Zen', 'unused');
    CREATE DOMAIN postcode AS varchar(8);
    CREATE TABLE everything (
        "the ""Id" smallint, n integer, big bigint, money numeric(12, 3), free numeric, small real,
        f double precision, padded char(5), short varchar(9), zip postcode, feeling mood,
        ok boolean, born date, seen timestamp, at timestamptz, key uuid, doc jsonb, tags text[],
        raw bytea, ident name
    );
    INSERT INTO everything VALUES
        (1, 2, 3, 1.5, 1.50, 0.1, 0.1, 'ab', 'x\\y', '01234', 'Zen', true, '2000-02-29',
         '2000-02-29 12:30:00.000001', '2000-02-29 12:30:00+02',
         'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '{a,b}', '\\xdead', 'me'),
        (2, 2, 9223372036854775807, -1, 0.125, 1e30, -0.0, '', ' trail ', '', 'sad', false, '0001-01-01',
         '9999-12-31 23:59:59', '1969-12-31 23:59:59.999999Z', NULL, NULL, '{}', '\\x', 'you')
"""


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(EVERYTHING)
    return url


def _column_types(url: str, table: str) -> list[tuple[Any, ...]]:
    """An enum becomes text, whose collation has the number 100: its members may be values of removed records (D39)."""
    return query_all(
        url,
        "SELECT attname, replace(format_type(atttypid, atttypmod), 'mood', 'text'), "
        "CASE WHEN atttypid = 'mood'::regtype THEN 100 ELSE attcollation END FROM pg_attribute "
        f"WHERE attnum > 0 AND attrelid = '{table}'::regclass ORDER BY attnum",
    )


def test_no_enum_is_in_an_output_table(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("ALTER TABLE everything ADD feelings mood[] DEFAULT '{sad,Zen}'")
    acompass.run("EACH RESULT : feeling = 'Zen' : REJECT;", "everything", engine=url, output="copied")
    types = "SELECT typtype FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid"
    assert ("e",) not in query_all(url, f"{types} WHERE attnum > 0 AND attrelid = 'copied'::regclass")
    assert query_all(url, "SELECT feeling, feelings FROM copied") == [("Zen", ["sad", "Zen"])]


def test_types_and_values_of_a_table_are_preserved(url: str) -> None:
    acompass.run("EACH PROCESS COUNT(*) AS n : n = 2;", "everything", engine=url, output="copied")
    assert query_all(url, "TABLE copied ORDER BY 1") == query_all(url, "TABLE everything ORDER BY 1")
    assert _column_types(url, "copied") == _column_types(url, "everything")


def test_the_first_values_of_every_type_are_texts(url: str) -> None:
    with acompass.open("everything", engine=url) as session:
        found, one = session.first_values(10), session.first_values(1)
    assert sorted(found["born"]) == ["0001-01-01", "2000-02-29"]
    assert (found["zip"][0], found["feeling"]) == ("01234", ["Zen", "sad"])
    assert (found["n"], one["n"]) == (["2", "2"], ["2"])
    with psycopg.connect(url) as con:
        con.execute("DELETE FROM everything")
    with acompass.open("everything", engine=url) as session:
        assert set(map(tuple, session.first_values(10).values())) == {()}


NAMING_ALL = """
    EACH RESULT : "the ""Id" > 0; EACH RESULT : n = 2; EACH RESULT : big >= 3; EACH RESULT : money > -1.001;
    EACH RESULT : free <= 1.5; EACH RESULT : small > 0; EACH RESULT : f >= 0; EACH RESULT : padded < 'abc';
    EACH RESULT : short > ' '; EACH RESULT : zip < '1'; EACH RESULT : feeling <= 'sad';
    EACH RESULT : ident > 'm'; EACH RESULT : ok = 'true' OR ok = 'false'; EACH RESULT : born >= '0001-01-01';
    EACH RESULT : seen < '9999-12-31T23:59:59.5'; EACH RESULT : at <= '2000-02-29T10:30:00';
"""


def test_a_policy_can_name_columns_of_every_supported_type(url: str) -> None:
    result = acompass.run(NAMING_ALL, "everything", engine=url, output="copied")
    assert [each.index for each in result.requirements if not each.holds] == []
    assert _column_types(url, "copied") == _column_types(url, "everything")
    assert query_all(url, "TABLE copied ORDER BY 1") == query_all(url, "TABLE everything ORDER BY 1")


def test_values_have_their_types_in_python(url: str) -> None:
    table = acompass.run('EACH RESULT : "the ""Id" = 1 : REJECT;', "everything", engine=url).table
    assert table.to_pylist() == [
        {
            'the "Id': 1,
            "n": 2,
            "big": 3,
            "money": Decimal("1.500"),
            "free": Decimal("1.500"),
            "small": pytest.approx(0.1),
            "f": 0.1,
            "padded": "ab",
            "short": "x\\y",
            "zip": "01234",
            "feeling": "Zen",
            "ok": True,
            "born": datetime.date(2000, 2, 29),
            "seen": datetime.datetime(2000, 2, 29, 12, 30, 0, 1),
            "at": datetime.datetime(2000, 2, 29, 10, 30, tzinfo=datetime.UTC),
            "key": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "doc": '{"a": 1}',
            "tags": "{a,b}",
            "raw": "\\xdead",
            "ident": "me",
        }
    ]


def test_columns_of_unsupported_types_cannot_be_named(url: str) -> None:
    for column in ("key", "doc", "tags", "raw"):
        with pytest.raises(AcompassError) as error:
            acompass.check(f"EACH RESULT : {column} = 'x';", "everything", engine=url)
        assert error.value.diagnostics[0].code == "AC117"


def test_columns_of_unsupported_types_can_be_dropped(url: str) -> None:
    acompass.run("ALWAYS : DROP key, doc, tags, raw;", "everything", engine=url, output="fewer")
    dropped = "('key', 'doc', 'tags', 'raw', 'ident')"
    names = query_all(url, f"SELECT column_name FROM information_schema.columns "
                        f"WHERE table_name = 'fewer' AND column_name IN {dropped}")  # fmt: skip
    assert names == [("ident",)]


def test_the_padding_of_a_char_is_not_part_of_its_value(url: str) -> None:
    policy = "EACH RESULT : padded = 'ab' : REPLACE padded WITH 'longer than five';"
    acompass.run(policy, "everything", engine=url, output="copied", force=True)
    assert query_all(url, "SELECT padded FROM copied ORDER BY 1") == [("ab",), ("longer than five",)]


def test_sums_are_exact_beyond_64_bits(postgres: Server) -> None:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS sums; CREATE TABLE sums (big bigint, cents numeric(38, 2))")
        row = "(9223372036854775807, 99999999999999999999999999999999999.99)"
        con.execute(f"INSERT INTO sums VALUES {row}, {row}, {row}")
    policy = """
        EACH PROCESS SUM(big) AS total : total = 27670116110564327421;
        EACH PROCESS SUM(cents) AS total : total = 299999999999999999999999999999999999.97;
    """
    assert acompass.check(policy, "sums", engine=url).ok


@pytest.mark.parametrize(("type_", "value"), [("double precision", "1.7e308"), ("numeric(38, 2)", "9e35")])
def test_a_sum_beyond_what_engines_hold_is_an_error(postgres: Server, type_: str, value: str) -> None:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(f"DROP TABLE IF EXISTS huge; CREATE TABLE huge (f {type_})")
        con.execute(f"INSERT INTO huge VALUES ({value}), ({value})")
    with pytest.raises(AcompassError) as error:
        acompass.check("EACH PROCESS SUM(f) AS total : total > 0;", "huge", engine=url)
    assert error.value.diagnostics[0].code == "AC314"


INCOMPLETE = """
    DROP TABLE IF EXISTS incomplete;
    CREATE TABLE incomplete (id int, f double precision, m numeric, w text);
    INSERT INTO incomplete VALUES (1, 'NaN', 1, 'a'), (2, NULL, 'NaN', NULL), (3, 3, 3, ''), (4, 4, NULL, 'd')
"""
NAMING_INCOMPLETE = "EACH RESULT : f > 0; EACH RESULT : m > 0;"


def test_missing_values_are_counted_dropped_and_filled(postgres: Server) -> None:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(INCOMPLETE)
    with pytest.raises(AcompassError) as error:
        acompass.check(NAMING_INCOMPLETE, "incomplete", engine=url)
    assert [each.message for each in error.value.diagnostics] == [
        "column `f` has 2 missing values",
        "column `m` has 2 missing values",
    ]
    dropped = acompass.run(NAMING_INCOMPLETE, "incomplete", engine=url, missing="drop")
    assert (dropped.records_in, dropped.dropped, dropped.table.column("id").to_pylist()) == (4, 3, [3])
    filled = acompass.run(NAMING_INCOMPLETE, "incomplete", engine=url, missing="7", order="canonical")
    assert filled.table.column("f").to_pylist() == [7.0, 7.0, 3.0, 4.0]
    assert filled.table.column("m").to_pylist() == [1, 7, 3, 7]
    assert filled.table.column("w").to_pylist() == ["a", None, "", "d"]
    with pytest.raises(AcompassError) as error:
        acompass.check(NAMING_INCOMPLETE, "incomplete", engine=url, missing="x")
    assert error.value.diagnostics[0].code == "AC213"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("date", "'infinity'"),
        ("timestamp", "'-infinity'"),
        ("date", "'0044-03-15 BC'"),
        ("timestamptz", "'10000-01-01'"),
        ("numeric", "1e40"),
        ("numeric", "'Infinity'"),
        ("numeric(60, 30)", "1e20 + 1e-25"),
    ],
)
def test_values_that_some_engines_cannot_hold_are_an_error_before_anything_runs(
    postgres: Server, type_: str, value: str
) -> None:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(f"DROP TABLE IF EXISTS odd; CREATE TABLE odd (x {type_})")
        con.execute(f"INSERT INTO odd VALUES ({value})")
    with pytest.raises(AcompassError) as error:
        acompass.check("EACH PROCESS COUNT DISTINCT x AS n : n = 1;", "odd", engine=url)
    assert error.value.diagnostics[0].code == "AC215"
    assert acompass.check("EACH PROCESS COUNT(*) AS n : n = 1;", "odd", engine=url).ok


WORDS = ["a", "B", "é", "Z", "z", "ä", "b", "A", "ß", "SS", "a-b", "ab", "a b", "𝒳", "ﬀ", ""]


@needs_locales
@pytest.mark.parametrize("database", ["english", "german"])
def test_the_database_itself_orders_text_differently(postgres: Server, database: str) -> None:
    with psycopg.connect(postgres.url(database)) as con:
        rows = con.execute("SELECT w FROM unnest(%s::text[]) AS w ORDER BY w", (WORDS,)).fetchall()
    assert [word for (word,) in rows] != sorted(WORDS)


@pytest.mark.parametrize("database", ["plain", "english", "german"])
def test_text_is_compared_and_ordered_by_code_point(postgres: Server, database: str) -> None:
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
