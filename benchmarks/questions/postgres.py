"""Is a policy in PostgreSQL as fast as hand-written UPDATE and DELETE statements?"""

import duckdb
import psycopg

import acompass
from benchmarks.data import people
from benchmarks.policies import bounds, full
from benchmarks.question import Answer, Question, Setting, at_least, seconds
from tests.engines.postgres_server import running_server

RECORDS = 2_000_000
_CLASSES = """
DELETE FROM by_hand AS t USING (SELECT age, zip FROM by_hand GROUP BY age, zip HAVING {violated}) AS v
WHERE t.age = v.age AND t.zip = v.zip
"""


def _load(con: psycopg.Connection, setting: Setting, records: int) -> None:
    table, csv = people(setting.folder, records), setting.folder / "people.csv"
    with duckdb.connect() as embedded:
        embedded.execute(f"COPY (FROM '{table}') TO '{csv}' (HEADER false)")
    con.execute("CREATE TABLE people (id bigint, age bigint, zip text, aec bigint, sex text, disease text)")
    with con.cursor().copy("COPY people FROM STDIN (FORMAT csv)") as copy, csv.open("rb") as file:
        while block := file.read(1 << 20):
            copy.write(block)
    con.commit()
    con.execute("ANALYZE people")
    con.commit()


def _by_hand(con: psycopg.Connection) -> None:
    with con.transaction():
        con.execute("DROP TABLE IF EXISTS by_hand")
        con.execute("CREATE TABLE by_hand AS SELECT * FROM people")
        con.execute("UPDATE by_hand SET age = 80 WHERE age > 80")
        for low, high, group in bounds(100):
            con.execute(
                f"UPDATE by_hand SET zip = '{group}' "
                f"WHERE zip >= '{low}' COLLATE \"C\" AND zip <= '{high}' COLLATE \"C\" AND zip <> '{group}'"
            )
        con.execute("UPDATE by_hand SET aec = 600 + floor(random() * 401) WHERE aec < 600")
        con.execute(_CLASSES.format(violated="count(*) < 3"))
        con.execute(_CLASSES.format(violated="count(DISTINCT disease) < 3"))


def _ask(setting: Setting) -> Answer:
    records = min(RECORDS, setting.records)
    with running_server() as server:
        url = server.url("plain")
        with psycopg.connect(url) as con:
            _load(con, setting, records)
            by_hand = seconds(lambda: _by_hand(con))
            version = con.execute("SHOW server_version").fetchone()
        policy = acompass.parse(full())
        ours = min(
            seconds(lambda: acompass.run(policy, "people", engine=url, output="released", seed="benchmark", force=True))
            for _ in range(2)
        )
    assert version is not None
    return Answer(by_hand / ours, "×", f"PostgreSQL {version[0]}, {records:,} records, table to table")


QUESTION = Question(
    "postgres",
    "the full policy in PostgreSQL, UPDATE and DELETE by hand / ours",
    "> 1",
    at_least(1),
    _ask,
)
