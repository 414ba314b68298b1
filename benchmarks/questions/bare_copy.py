"""What does a full policy cost compared with a plain copy of the file?"""

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.policies import full
from benchmarks.question import Answer, Question, Setting, at_most, ratio


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    ours, copy = setting.folder / "ours.parquet", setting.folder / "copy.parquet"
    policy = acompass.parse(full())
    with duckdb.connect() as con:
        value = ratio(
            lambda: acompass.run(policy, table, output=ours, seed="benchmark"),
            lambda: con.execute(f"COPY (FROM '{table}') TO '{copy}' (FORMAT parquet)"),
        )
    return Answer(value, "×", f"a copy by DuckDB {duckdb.__version__}, {setting.records:,} records")


QUESTION = Question(
    "full policy",
    "top coding + 100 rules + RANDOM on outliers + k REJECT + l REJECT / bare copy of the file",
    "≤ 3",
    at_most(3),
    _ask,
)
