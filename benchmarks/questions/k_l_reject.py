"""Are k and l REJECT, file to file, as fast as the best single query?"""

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.policies import K_L_REJECT
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_BY_HAND = """
COPY (
  SELECT * FROM '{table}' SEMI JOIN (
    SELECT age, zip FROM '{table}' GROUP BY age, zip
    HAVING count(*) >= 3 AND count(DISTINCT disease) >= 3
  ) USING (age, zip)
) TO '{output}' (FORMAT parquet)
"""


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    ours, theirs = setting.folder / "ours.parquet", setting.folder / "theirs.parquet"
    policy = acompass.parse(K_L_REJECT)
    with duckdb.connect() as con:
        value = ratio(
            lambda: acompass.run(policy, table, output=ours),
            lambda: con.execute(_BY_HAND.format(table=table, output=theirs)),
        )
    return Answer(value, "×", f"one query in DuckDB {duckdb.__version__}, {setting.records:,} records")


QUESTION = Question(
    "k and l REJECT", "k and l REJECT, file to file / the best single query", "≤ 1.10", at_most(1.10), _ask
)
