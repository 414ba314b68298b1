"""How much slower is the same policy as a sequence of UPDATE and DELETE statements?"""

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.policies import bounds, full
from benchmarks.question import Answer, Question, Setting, at_least, seconds

_CLASSES = "DELETE FROM t WHERE (age, zip) IN (SELECT (age, zip) FROM t GROUP BY age, zip HAVING {violated})"


def _by_hand(table: str, output: str) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS FROM '{table}'")
        con.execute("UPDATE t SET age = 80 WHERE age > 80")
        for low, high, group in bounds(100):
            con.execute(f"UPDATE t SET zip = '{group}' WHERE zip >= '{low}' AND zip <= '{high}' AND zip <> '{group}'")
        con.execute("UPDATE t SET aec = 600 + CAST(floor(random() * 401) AS BIGINT) WHERE aec < 600")
        con.execute(_CLASSES.format(violated="count(*) < 3"))
        con.execute(_CLASSES.format(violated="count(DISTINCT disease) < 3"))
        con.execute(f"COPY t TO '{output}' (FORMAT parquet)")


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    ours, theirs = str(setting.folder / "ours.parquet"), str(setting.folder / "theirs.parquet")
    policy = acompass.parse(full())
    by_hand = seconds(lambda: _by_hand(table, theirs))
    own = min(seconds(lambda: acompass.run(policy, table, output=ours, seed="benchmark")) for _ in range(2))
    return Answer(by_hand / own, "×", f"UPDATE and DELETE in DuckDB {duckdb.__version__}, {setting.records:,} records")


QUESTION = Question(
    "statement by statement", "the same policy, statement by statement / ours", "≥ 5", at_least(5), _ask
)
