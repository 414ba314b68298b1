"""Are PSEUDONYM, SHIFT and MICROAGGREGATE, file to file, as fast as hand-written SQL that writes the same values?"""

from collections.abc import Callable
from functools import partial

import duckdb

import acompass
from acompass.language.program.keys import Key
from benchmarks.data import visits
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_KEY = b"a key of at least 32 bytes for benchmarks"
_SIZE = 5
_COLUMNS = "id, patient, admission, discharge, age, cost"


def _hmac(text: str) -> str:
    inner, outer = (f"unhex('{pad.hex()}')" for pad in Key(_KEY).pads)
    return f"sha256({outer} || unhex(sha256({inner} || encode({text}))))"


_PSEUDONYM = f"substr({_hmac('patient')}, 1, 24) AS patient"
_PERSON = _hmac("'shift:' || patient")
_DAYS = f"CAST(('0x' || substr({_PERSON}, 1, 13))::BIGINT % 61 - 30 AS INTEGER)"
_SHIFT = f"admission + {_DAYS} AS admission, discharge + {_DAYS} AS discharge"

#: a mean by hand is a float
_SUM = """
SELECT count(*), bit_xor(hash(t)) FROM (SELECT * REPLACE (CAST(cost AS DECIMAL(18, 2)) AS cost) FROM '{made}') AS t
"""


def _replace(expressions: str, table: str, records: int) -> str:
    return f"SELECT * REPLACE ({expressions}) FROM '{table}'"


def _window(column: str, table: str, records: int) -> str:
    """Groups of records in the order of the column, equal ones by all columns; the mean has two decimal places. The
    output keeps the order of the file, which `id` has."""
    last = records // _SIZE - 1
    return f"""
        SELECT * EXCLUDE (i) REPLACE (
            round(avg({column}) OVER (PARTITION BY least((i - 1) // {_SIZE}, {last})), 2) AS {column}
        )
        FROM (SELECT *, row_number() OVER (ORDER BY {column}, {_COLUMNS}) AS i FROM '{table}')
        ORDER BY id
    """


def _ask(policy: str, query: Callable[[str, int], str], setting: Setting) -> Answer:
    table, records = visits(setting.folder, setting.records // 2), setting.records // 2
    ours, theirs = setting.folder / "ours.parquet", setting.folder / "theirs.parquet"
    parsed, by_hand = acompass.parse(policy), query(table, records)
    with duckdb.connect() as con:
        value = ratio(
            lambda: acompass.run(parsed, table, output=ours, key=_KEY),
            lambda: con.execute(f"COPY ({by_hand}) TO '{theirs}' (FORMAT parquet)"),
        )
        sums = [con.sql(_SUM.format(made=made)).fetchall() for made in (ours, theirs)]
    assert sums[0] == sums[1], "both write the same values"
    return Answer(value, "×", f"one query in DuckDB {duckdb.__version__}, {records:,} records")


def _question(name: str, text: str, limit: float, policy: str, query: Callable[[str, int], str]) -> Question:
    target = f"≤ {limit:.2f}"
    return Question(name, f"{text}, file to file / by hand", target, at_most(limit), partial(_ask, policy, query))


PSEUDONYM = _question(
    "pseudonym", "PSEUDONYM of a text", 1.5, "ALWAYS : PSEUDONYM patient;", partial(_replace, _PSEUDONYM)
)
SHIFT = _question(
    "shift",
    "SHIFT of two dates",
    1.5,
    "ALWAYS : SHIFT admission, discharge BY patient WITHIN 30 DAYS;",
    partial(_replace, _SHIFT),
)
MICROAGGREGATE = _question(
    "microaggregate",
    f"MICROAGGREGATE in groups of {_SIZE}",
    1.3,
    f"ALWAYS : MICROAGGREGATE cost BY {_SIZE};",
    partial(_window, "cost"),
)
QUESTIONS = (PSEUDONYM, SHIFT, MICROAGGREGATE)
