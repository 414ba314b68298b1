"""Are sampling and randomized response, file to file, as fast as hand-written SQL with the same ranks and hashes?"""

from functools import partial

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_SEED = "a seed"
_ANSWERS = 40
_COLUMNS = "id, age, zip, aec, sex, disease"
_RANKED = f"""
SELECT *, row_number() OVER (ORDER BY {_COLUMNS}) AS i
FROM read_parquet('{{table}}', file_row_number = true)
"""


def _hash(place: str) -> str:
    """The trace's value at this position, times 2⁵² (D19, seeds)."""
    return f"CAST('0x' || substr(sha256('{_SEED}:' || CAST({place} AS VARCHAR)), 1, 13) AS BIGINT)"


_SAMPLE = f"SELECT {_COLUMNS} FROM ({_RANKED}) WHERE {_hash('i')} >= {3 * 2**50} ORDER BY file_row_number"

#: the drawn records use trace values after the first one of each record
_RESPONSE = f"""
WITH drawn AS (SELECT *, {_hash("i")} < {2**50} AS is_drawn FROM ({_RANKED})),
numbered AS (SELECT *, sum(CAST(is_drawn AS BIGINT)) OVER (ORDER BY i) AS j FROM drawn)
SELECT * EXCLUDE (i, j, is_drawn, file_row_number) REPLACE (CASE
  WHEN is_drawn
  THEN 'd' || CAST(CAST({_hash("{records} + j")} AS HUGEINT) * {_ANSWERS} // {2**52} AS VARCHAR)
  ELSE disease END AS disease)
FROM numbered ORDER BY file_row_number
"""
_VALUES = ", ".join(f"'d{answer}'" for answer in range(_ANSWERS))


def _ask(policy: str, query: str, setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    ours, theirs = setting.folder / "ours.parquet", setting.folder / "theirs.parquet"
    parsed, by_hand = acompass.parse(policy), query.format(table=table, records=setting.records)
    with duckdb.connect() as con:
        value = ratio(
            lambda: acompass.run(parsed, table, output=ours, seed=_SEED),
            lambda: con.execute(f"COPY ({by_hand}) TO '{theirs}' (FORMAT parquet)"),
        )
        sums = [con.sql(f"SELECT count(*), bit_xor(hash(t)) FROM '{made}' AS t").fetchall() for made in (ours, theirs)]
    assert sums[0] == sums[1], "both draw the same records and values"
    return Answer(value, "×", f"one query in DuckDB {duckdb.__version__}, {setting.records:,} records")


def _question(name: str, text: str, policy: str, query: str) -> Question:
    question_text = f"{text}, file to file / the same ranks and hashes by hand"
    return Question(name, question_text, "≤ 1.30", at_most(1.30), partial(_ask, policy, query))


SAMPLE = _question("sample", "a sample of a quarter", "ALWAYS : WITH PROBABILITY 0.75 REJECT;", _SAMPLE)
RESPONSE = _question(
    "randomized response",
    "randomized response of a quarter, 40 answers",
    f"ALWAYS : WITH PROBABILITY 0.25 RANDOM disease FROM ({_VALUES});",
    _RESPONSE,
)
