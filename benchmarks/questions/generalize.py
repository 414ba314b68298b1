"""Is one line of GENERALIZE, file to file, as fast as the best hand-written query?"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb

import acompass
from benchmarks.data import people, towns
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_TOWNS = 1_000
_PREFIX = "left(zip, 3) || repeat('*', length(zip) - 3) AS zip"
_BANDS = """
CASE WHEN age >= 90 THEN '90+' ELSE concat(age // 5 * 5, '-', age // 5 * 5 + 4) END AS age
"""


def _compare(table: str, policy: str, query: str, setting: Setting) -> Answer:
    """Compare our run of the policy with DuckDB's run of the query, both from file to file."""
    ours, theirs = setting.folder / "ours.parquet", setting.folder / "theirs.parquet"
    parsed = acompass.parse(policy)
    with duckdb.connect() as con:
        value = ratio(
            lambda: acompass.run(parsed, table, output=ours),
            lambda: con.execute(f"COPY ({query}) TO '{theirs}' (FORMAT parquet)"),
        )
    return Answer(value, "×", f"one query in DuckDB {duckdb.__version__}, {setting.records:,} records")


def _by_expression(policy: str, expression: str, setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    return _compare(table, policy, f"SELECT * REPLACE ({expression}) FROM '{table}'", setting)


def _by_level(setting: Setting) -> Answer:
    table, hierarchy = towns(setting.folder, setting.records, _TOWNS), _hierarchy(setting.folder)
    query = f"""
        SELECT t.* REPLACE (h.region AS town)
        FROM '{table}' t JOIN read_csv('{hierarchy}', names = ['town', 'region', 'everywhere']) h USING (town)
    """
    return _compare(table, f"ALWAYS : GENERALIZE town TO LEVEL 1 OF '{hierarchy}';", query, setting)


def _hierarchy(folder: Path) -> Path:
    path = folder / "towns.csv"
    path.write_text("".join(f"town {i},region {i // 20},*\n" for i in range(_TOWNS)))
    return path


def _question(name: str, text: str, ask: Callable[[Setting], Answer]) -> Question:
    return Question(name, f"{text}, file to file / the best single query", "≤ 1.10", at_most(1.10), ask)


PREFIX = _question(
    "prefix",
    "one line of PREFIX",
    partial(_by_expression, "ALWAYS : GENERALIZE zip TO PREFIX OF 3;", _PREFIX),
)
BANDS = _question(
    "bands",
    "one line of BANDS",
    partial(_by_expression, "ALWAYS : GENERALIZE age TO BANDS OF 5 UP TO 90;", _BANDS),
)
LEVEL = _question("level", "one line of LEVEL, a hierarchy of 1,000 values", _by_level)
