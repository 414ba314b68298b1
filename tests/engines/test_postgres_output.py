"""After a run, PostgreSQL has one new table, or nothing new at all."""

import threading
from typing import Any

import psycopg
import pytest

import acompass
from acompass.diagnostics import AcompassError
from tests.engines.postgres_server import Server
from tests.waiting import wait_until

POLICY = "EACH RESULT : age <= 80 : REPLACE age WITH 80;"
PEOPLE = """
    DROP SCHEMA IF EXISTS other CASCADE;
    DROP VIEW IF EXISTS seen, slow, old_people;
    DROP TABLE IF EXISTS people, parts, released, "Released", "drop table people";
    CREATE TABLE people (id int, age int);
    INSERT INTO people VALUES (1, 20), (2, 90);
    CREATE VIEW old_people AS SELECT * FROM people WHERE age > 80;
    CREATE SCHEMA other;
"""


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(PEOPLE)
    return url


def _query(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as con:
        return con.execute(query).fetchall()


def _tables(url: str) -> set[str]:
    return {name for (name,) in _query(url, "SELECT relname FROM pg_class")}


def _code(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(AcompassError) as error:
        call(*arguments, **options)
    return error.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("released", "released"),
        ("Released", "released"),
        ('"Released"', '"Released"'),
        ("other.released", "other.released"),
        ('"drop table people"', '"drop table people"'),
    ],
)
def test_a_new_table(url: str, name: str, table: str) -> None:
    result = acompass.run(POLICY, "people", engine=url, output=name)
    assert result.table is None
    assert _query(url, f"SELECT * FROM {table} ORDER BY id") == [(1, 20), (2, 80)]
    assert _query(url, "SELECT * FROM people ORDER BY id") == [(1, 20), (2, 90)]


def test_a_view_is_read_like_a_table(url: str) -> None:
    assert acompass.check(POLICY, "public.old_people", engine=url).requirements[0].affected == 1


def test_a_table_is_replaced_only_if_forced(url: str) -> None:
    acompass.run(POLICY, "people", engine=url, output="released")
    other = "EACH RESULT : age <= 50 : REJECT;"
    assert _code(acompass.run, other, "people", engine=url, output="released") == "AC309"
    assert _query(url, "SELECT count(*) FROM released") == [(2,)]
    acompass.run(other, "people", engine=url, output="released", force=True)
    assert _query(url, "SELECT * FROM released") == [(1, 20)]


@pytest.mark.parametrize("output", ["people", "public.people", "old_people"])
def test_neither_the_input_nor_a_view_is_replaced(url: str, output: str) -> None:
    assert _code(acompass.run, POLICY, "people", engine=url, output=output, force=True) == "AC310"
    assert _query(url, "SELECT * FROM people ORDER BY id") == [(1, 20), (2, 90)]


def test_a_partition_of_the_input_is_not_replaced(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE parts (id INT, age INT) PARTITION BY LIST (id)")
        con.execute("CREATE TABLE first_part PARTITION OF parts FOR VALUES IN (1)")
        con.execute("INSERT INTO parts VALUES (1, 90)")
    assert _code(acompass.run, POLICY, "parts", engine=url, output="first_part", force=True) == "AC310"
    assert _query(url, "SELECT * FROM parts") == [(1, 90)]


def test_a_table_that_others_depend_on_is_not_replaced(url: str) -> None:
    acompass.run(POLICY, "people", engine=url, output="released")
    with psycopg.connect(url) as con:
        con.execute("CREATE VIEW seen AS SELECT * FROM released")
    assert _code(acompass.run, POLICY, "people", engine=url, output="released", force=True) == "AC310"
    assert _query(url, "SELECT count(*) FROM seen") == [(2,)]


@pytest.mark.parametrize(
    ("output", "code"),
    [("nowhere.released", "AC308"), ("a b.c.d", "AC308"), ("x" * 64, "AC315"), ("out/released.xls", "AC224")],
)
def test_outputs_that_cannot_be_created(url: str, output: str, code: str) -> None:
    before = _tables(url)
    assert _code(acompass.run, POLICY, "people", engine=url, output=output) == code
    assert _tables(url) == before


@pytest.mark.parametrize(
    "table", ["nobody", "nowhere.people", '"People"', "a.b.c", '"', "people; drop table people"]
)
def test_no_such_table(url: str, table: str) -> None:
    assert _code(acompass.check, POLICY, table, engine=url) == "AC308"


def test_a_violated_check_writes_nothing(url: str) -> None:
    policy = "EACH RESULT : age <= 80;"
    assert not acompass.run(policy, "people", engine=url, output="released").ok
    assert "released" not in _tables(url)


def test_planning_writes_nothing_and_sends_no_seed(url: str) -> None:
    before = _tables(url)
    policy = "EACH RESULT : age <= 80 : RANDOM age 60 80;"
    plan = acompass.plan(policy, "people", engine=url, seed="a very secret seed")
    assert plan.result.trace_used == 1
    assert any("SHA256" in statement for statement in plan.statements)
    assert not any("a very secret seed" in statement for statement in plan.statements)
    assert _tables(url) == before


def test_only_select_is_needed_to_check_and_measure(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("DROP ROLE IF EXISTS reader")
        con.execute("CREATE ROLE reader LOGIN")
        con.execute("REVOKE TEMPORARY ON DATABASE english FROM PUBLIC")
        con.execute("GRANT SELECT ON people TO reader")
    reader = url.replace("postgres:@", "reader:@")
    # with many constants and a change of type, the plan keeps intermediate results
    rules = "".join(f"EACH FILTER age = {i} : age > 90 : REPLACE age WITH {i};" for i in range(20, 40))
    everything = f"""
        {rules} EACH RESULT : age < 50 : REPLACE age WITH '*'; EACH RESULT : age = '20';
        EACH PROCESS COUNT(*) AS n GROUP BY id : n = 1 : REJECT;
        EACH PROCESS SUM(id) AS total : total = 3; SOME RESULT : id = 2 : RANDOM id 1 9;
    """
    try:
        result = acompass.check(everything, "people", engine=reader)
        assert result.requirements == acompass.check(everything, "people", engine=url).requirements
        roles = {"qi": ["age"], "sensitive": ["id"], "against": "people"}
        measures = acompass.measure("people", **roles, engine=reader)
        assert measures == acompass.measure("people", **roles, engine=url)
        assert _code(acompass.explain, POLICY, "people", record=1, engine=reader) == "AC307"
        random = "EACH RESULT : age <= 80 : RANDOM age 60 80;"
        assert _code(acompass.run, random, "people", engine=reader, output="released") == "AC307"
        assert _code(acompass.check, POLICY, "old_people", engine=reader) == "AC307"
        assert "released" not in _tables(url)
    finally:
        with psycopg.connect(url) as con:
            con.execute("GRANT TEMPORARY ON DATABASE english TO PUBLIC")
            con.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_a_lost_connection_leaves_no_table_behind(url: str) -> None:
    """The server ends our session while it writes: a column of the view never ends there."""
    sleeping = "CASE WHEN current_query() LIKE 'CREATE TABLE%' THEN pg_sleep(600)::text END"
    with psycopg.connect(url) as con:
        con.execute(f"CREATE VIEW slow AS SELECT id, age, {sleeping} AS nothing FROM people")
    before = _tables(url)
    killer = threading.Thread(target=_end_writing_session, args=(url,))
    killer.start()
    try:
        assert _code(acompass.run, POLICY, "slow", engine=url, output="released") == "AC306"
    finally:
        killer.join()
    assert _tables(url) == before


def _end_writing_session(url: str) -> None:
    ending = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'acompass' AND query LIKE 'CREATE TABLE%' AND state = 'active'"
    )
    with psycopg.connect(url, autocommit=True) as con:
        wait_until(lambda: con.execute(ending).fetchall())


@pytest.mark.parametrize(
    "engine", ["postgres://me:secret@127.0.0.1:1/people", "postgres://me:secret@127.0.0.1:port/people"]
)
def test_an_unreachable_server_is_reported_without_the_password(engine: str) -> None:
    with pytest.raises(AcompassError) as error:
        acompass.check(POLICY, "people", engine=engine)
    assert error.value.diagnostics[0].code == "AC305"
    assert "secret" not in str(error.value)


def test_a_statement_that_takes_too_long(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("CREATE VIEW slow AS SELECT id, age, pg_sleep(600)::text AS nothing FROM people")
    timed = f"{url}&options=-c%20statement_timeout%3D1000"
    assert _code(acompass.run, POLICY, "slow", engine=timed, output="released") == "AC313"
