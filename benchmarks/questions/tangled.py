"""Do requirements that read what others wrote cost as little as the same UPDATEs, and grow linearly?"""

from pathlib import Path

import duckdb

import acompass
from benchmarks.data import numbers
from benchmarks.policies import TANGLED_COLUMNS, tangled, tangled_rules
from benchmarks.question import Answer, Question, Setting, at_most, seconds

_RECORDS = 1_000_000
_COUNTS = (20, 100, 400)


def _by_hand(table: str, output: Path, count: int) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS FROM '{table}'")
        for selected, condition, column, value in tangled_rules(count):
            con.execute(f"UPDATE t SET {column} = {value} WHERE ({selected}) AND NOT ({condition})")
        con.execute(f"COPY t TO '{output}' (FORMAT parquet)")


def _ours(setting: Setting, count: int) -> float:
    table = numbers(setting.folder, _RECORDS, TANGLED_COLUMNS)
    policy = acompass.parse(tangled(count))
    return seconds(lambda: acompass.run(policy, table, output=setting.folder / "ours.parquet"))


def _theirs(setting: Setting, count: int) -> float:
    table = numbers(setting.folder, _RECORDS, TANGLED_COLUMNS)
    return seconds(lambda: _by_hand(table, setting.folder / "theirs.parquet", count))


def _ask_by_hand(setting: Setting) -> Answer:
    ratios = [_ours(setting, count) / _theirs(setting, count) for count in _COUNTS]
    each = ", ".join(f"{ratio:.2f} × at {count}" for ratio, count in zip(ratios, _COUNTS, strict=True))
    return Answer(max(ratios), "×", f"UPDATE in DuckDB {duckdb.__version__}, {_RECORDS:,} records; {each}")


def _ask_growth(setting: Setting) -> Answer:
    few, _, many = _COUNTS
    note = f"ours, {many} against {few} requirements, {_RECORDS:,} records"
    return Answer(_ours(setting, many) / min(_ours(setting, few) for _ in range(2)), "×", note)


BY_HAND = Question(
    "tangled",
    "20, 100 and 400 requirements that read eight columns and write one / the same by hand, the worst",
    "≤ 2",
    at_most(2),
    _ask_by_hand,
)
GROWTH = Question(
    "tangled growth", "time at twenty times such requirements", "≤ 22", at_most(22), _ask_growth
)
