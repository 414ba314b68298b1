"""Does a reference table of a million rows cost more than one more join?

The peer is the same policy with an aggregate over the table, and the join with the file by hand in DuckDB."""

import duckdb

import acompass
from benchmarks.data import people, register
from benchmarks.question import Answer, Question, Setting, at_most, ratio

#: records of the reference table, and of the large table
ROWS = 1_000_000
MOST_RECORDS = 10_000_000

_JOIN = """
SELECT count(*) FROM '{table}' AS t
JOIN (SELECT age, zip, count(*) AS n FROM read_csv('{file}', types = {{'zip': 'VARCHAR'}}) GROUP BY age, zip) AS r
  ON t.age = r.age AND t.zip = r.zip AND r.n >= 1
"""


def _ask(setting: Setting) -> Answer:
    records = min(setting.records, MOST_RECORDS)
    table, file = people(setting.folder, records), register(setting.folder, ROWS)
    output = str(setting.folder / "released.parquet")

    def run(aggregate: str) -> None:
        policy = f"EACH PROCESS {aggregate} AS n GROUP BY age, zip : n >= 1 : REJECT;"
        acompass.run(policy, table, output=output)

    def peer() -> None:
        run("COUNT(*)")
        with duckdb.connect() as con:
            con.execute(_JOIN.format(table=table, file=file)).fetchall()

    value = ratio(lambda: run(f"COUNT(*) IN '{file}'"), peer)
    note = f"DuckDB {duckdb.__version__}, {records:,} records, a CSV file of {ROWS:,}"
    return Answer(value, "×", note)


QUESTION = Question(
    "reference table",
    "k-map with a reference table / k over the table and one join by hand",
    "≤ 1",
    at_most(1),
    _ask,
)
