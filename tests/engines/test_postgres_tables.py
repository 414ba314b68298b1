"""Tables on PostgreSQL, read and written by name: random cases, text, permissions, lost connections."""

import random
import threading
from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg import sql
from sqlglot import exp, parse_one

import acompass
from acompass.engines.postgres.output import fetch_to_duckdb, upload
from acompass.engines.postgres.session import Connection, KeepingSession
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.effects import is_always
from acompass.language.program.keys import Key
from acompass.language.program.types import Kind, Type, remaining
from acompass.semantics import core
from acompass.testing.conformance.cases import Case, random_case
from tests.engines.postgres_server import Server, query_all
from tests.folding import folded
from tests.generators.strategies import with_typed_columns
from tests.laws.reading import is_refused, refusals
from tests.length import at_length
from tests.promise.key_search import KEY, found_key
from tests.waiting import wait_until

CASES = 40
DECLARED = {
    Kind.INTEGER: ("bigint",),
    Kind.FLOAT: ("double precision",),
    Kind.TEXT: ("text", "varchar(20)", 'text COLLATE "C"'),
    Kind.BOOLEAN: ("boolean",),
    Kind.DATE: ("date",),
    Kind.TIMESTAMP: ("timestamp", "timestamptz"),
}


def _declaration(rng: random.Random, type_: Type) -> str:
    if type_.kind is Kind.DECIMAL:
        return rng.choice(("numeric", f"numeric(38, {type_.scale})"))
    return rng.choice(DECLARED[type_.kind])


def _create(con: psycopg.Connection[Any], case: Case, rng: random.Random) -> None:
    columns = [
        sql.SQL("{} " + _declaration(rng, column.type)).format(sql.Identifier(column.name)) for column in case.schema
    ]
    con.execute("SET timezone = 'UTC'")
    con.execute("DROP TABLE IF EXISTS random_case")
    con.execute(sql.SQL("CREATE TABLE random_case ({})").format(sql.SQL(", ").join(columns)))
    with con.cursor().copy("COPY random_case FROM STDIN") as copy:
        for record in case.records:
            copy.write_row(record)


def _comparable(record: tuple[Any, ...]) -> tuple[Any, ...]:
    """A record for comparison: NaN equals itself, and times have no time zone."""
    return tuple(
        "nan" if value != value else value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value
        for value in record
    )


def _run(case: Case, url: str) -> acompass.Result:
    options = {"params": case.params, "trace": case.trace, "key": case.key, "order": "canonical"}
    return acompass.run(case.policy_text, "random_case", engine=url, **options)


@pytest.mark.campaign
@folded("seed", range(at_length(40)))
def test_random_tables_agree_with_the_semantics(seed: int, postgres: Server) -> None:
    url = postgres.url("german")
    rng = random.Random(seed)
    case = with_typed_columns(random_case(rng))
    with psycopg.connect(url) as con:
        _create(con, case, rng)
    if refused := refusals(case):
        with pytest.raises(acompass.TableError) as raised:
            _run(case, url)
        assert is_refused(raised, refused)
        return
    program, result = case.program(), _run(case, url)
    expected = core.run_program(program, case.records, core.trace_of_values(case.trace))
    in_order = core.canonical_order(program.final_schema, expected.records)
    records = [tuple(record[p] for p in remaining(program.final_schema)) for record in in_order]
    found = list(zip(*(column.to_pylist() for column in result.table.columns), strict=True))
    assert [_comparable(record) for record in found] == [_comparable(record) for record in records]
    verdicts = [
        (None if is_always(requirement) else each.holds, each.affected, each.records)
        for requirement, each in zip(program.requirements, expected.requirements, strict=True)
    ]
    assert [(each.holds, each.affected, each.records) for each in result.requirements] == verdicts


#: characters with a meaning in CSV or COPY
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
def test_text_is_uploaded_and_fetched_unchanged(server: psycopg.Connection[tuple[str | None, ...]], rows: Rows) -> None:
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
            with fetch_to_duckdb(session, query, dict.fromkeys(range(len(names)), "VARCHAR")) as found:
                assert con.execute(found).fetchall() == rows
        finally:
            session.clear()


def test_a_table_that_begins_with_a_line_break_is_unchanged(postgres: Server) -> None:
    table = [{"text": "\r\n"}, {"text": "\r"}, {"text": ""}, {"text": None}]
    policy = "EACH PROCESS COUNT(*) AS n : n = 4;"
    assert acompass.run(policy, table, engine=postgres.url("english")).table == table


def test_a_table_without_records_is_returned(postgres: Server) -> None:
    table = [{"text": "\r\n"}]
    policy = "EACH RESULT : text = 'a' : REJECT;"
    assert acompass.run(policy, table, engine=postgres.url("english")).table == []


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


def _tables(url: str) -> set[str]:
    return {name for (name,) in query_all(url, "SELECT relname FROM pg_class")}


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
def test_a_new_table_is_written(url: str, name: str, table: str) -> None:
    result = acompass.run(POLICY, "people", engine=url, output=name)
    assert result.table is None
    assert query_all(url, f"SELECT * FROM {table} ORDER BY id") == [(1, 20), (2, 80)]
    assert query_all(url, "SELECT * FROM people ORDER BY id") == [(1, 20), (2, 90)]


def test_a_view_is_read_like_a_table(url: str) -> None:
    assert acompass.check(POLICY, "public.old_people", engine=url).requirements[0].affected == 1


def test_a_table_is_replaced_only_if_forced(url: str) -> None:
    acompass.run(POLICY, "people", engine=url, output="released")
    other = "EACH RESULT : age <= 50 : REJECT;"
    assert _code(acompass.run, other, "people", engine=url, output="released") == "AC309"
    assert query_all(url, "SELECT count(*) FROM released") == [(2,)]
    acompass.run(other, "people", engine=url, output="released", replace=True)
    assert query_all(url, "SELECT * FROM released") == [(1, 20)]


@pytest.mark.parametrize("output", ["people", "public.people", "old_people"])
def test_neither_the_input_nor_a_view_is_replaced(url: str, output: str) -> None:
    assert _code(acompass.run, POLICY, "people", engine=url, output=output, replace=True) == "AC310"
    assert query_all(url, "SELECT * FROM people ORDER BY id") == [(1, 20), (2, 90)]


def test_a_partition_of_the_input_is_not_replaced(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE parts (id INT, age INT) PARTITION BY LIST (id)")
        con.execute("CREATE TABLE first_part PARTITION OF parts FOR VALUES IN (1)")
        con.execute("INSERT INTO parts VALUES (1, 90)")
    assert _code(acompass.run, POLICY, "parts", engine=url, output="first_part", replace=True) == "AC310"
    assert query_all(url, "SELECT * FROM parts") == [(1, 90)]


def test_a_table_that_others_depend_on_is_not_replaced(url: str) -> None:
    acompass.run(POLICY, "people", engine=url, output="released")
    with psycopg.connect(url) as con:
        con.execute("CREATE VIEW seen AS SELECT * FROM released")
    assert _code(acompass.run, POLICY, "people", engine=url, output="released", replace=True) == "AC310"
    assert query_all(url, "SELECT count(*) FROM seen") == [(2,)]


@pytest.mark.parametrize(
    ("output", "code"),
    [("nowhere.released", "AC308"), ("a b.c.d", "AC308"), ("x" * 64, "AC315"), ("out/released.xls", "AC224")],
)
def test_an_output_that_cannot_be_created_is_an_error(url: str, output: str, code: str) -> None:
    before = _tables(url)
    assert _code(acompass.run, POLICY, "people", engine=url, output=output) == code
    assert _tables(url) == before


@pytest.mark.parametrize("table", ["absent", "nowhere.people", '"People"', "a.b.c", '"', "people; drop table people"])
def test_a_missing_table_is_an_error(url: str, table: str) -> None:
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


def test_no_statement_contains_the_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may log statements, and shows the running ones to others (X15)."""
    sent: list[str] = []

    def record(name: str) -> None:
        method = getattr(psycopg.Cursor, name)

        def recorded(cursor: Any, text: Any, *given: Any, **options: Any) -> Any:
            sent.append(str(text))
            return method(cursor, text, *given, **options)

        monkeypatch.setattr(psycopg.Cursor, name, recorded)

    record("execute")
    record("copy")
    policy = "ALWAYS : PSEUDONYM id;"
    planned = acompass.plan(policy, "people", engine=url, key=KEY)
    acompass.run(policy, "people", engine=url, key=KEY, output="released", replace=True)
    assert any("sha256" in statement.lower() for statement in sent)
    assert found_key("".join(sent)) == found_key("".join(planned.statements)) == []
    ids = {text for (text,) in query_all(url, "SELECT id FROM released")}
    assert ids == {Key(KEY.encode()).pseudonym(str(number)) for (number,) in query_all(url, "SELECT id FROM people")}


def test_only_select_is_needed_to_check_and_measure(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("DROP ROLE IF EXISTS reader")
        con.execute("CREATE ROLE reader LOGIN")
        con.execute(f"REVOKE TEMPORARY ON DATABASE {con.info.dbname} FROM PUBLIC")
        con.execute("GRANT SELECT ON people TO reader")
    reader = url.replace("postgres:@", "reader:@")
    # with many constants and a change of type, the plan stores intermediate results
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
            con.execute(f"GRANT TEMPORARY ON DATABASE {con.info.dbname} TO PUBLIC")
            con.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_a_lost_connection_leaves_no_table_behind(url: str) -> None:
    """The server ends our session while it writes: a column of the view sleeps during CREATE TABLE."""
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
        "WHERE application_name = 'acompass' AND query LIKE 'CREATE TABLE%' AND state = 'active' "
        "AND datname = current_database()"
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


def test_a_statement_that_takes_too_long_is_an_error(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("CREATE VIEW slow AS SELECT id, age, pg_sleep(600)::text AS nothing FROM people")
    timed = f"{url}&options=-c%20statement_timeout%3D1000"
    assert _code(acompass.run, POLICY, "slow", engine=timed, output="released") == "AC313"
