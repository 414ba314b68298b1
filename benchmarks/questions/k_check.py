"""Is a k-check as fast as a hand-written query?"""

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.policies import K_CHECK
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_BY_HAND = """
SELECT count(*), coalesce(sum(n) FILTER (n < 3), 0)
FROM (SELECT count(*) AS n FROM '{table}' GROUP BY age, zip, sex)
"""


def _by_hand(table: str) -> None:
    """Open a new database, as our call does."""
    with duckdb.connect() as con:
        con.execute(_BY_HAND.format(table=table)).fetchall()


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    policy = acompass.parse(K_CHECK)
    value = ratio(lambda: acompass.check(policy, table), lambda: _by_hand(table), times=5)
    return Answer(value, "×", f"by hand in DuckDB {duckdb.__version__}, {setting.records:,} records")


QUESTION = Question("k-check", "k-check over three quasi-identifiers / the same by hand", "≤ 1.10", at_most(1.10), _ask)
