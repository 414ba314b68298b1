"""Do requirements that read columns that others write take as little time as the same UPDATEs, and grow linearly?"""

from collections.abc import Callable
from pathlib import Path

import duckdb

import acompass
from benchmarks.data import numbers
from benchmarks.policies import TANGLED_COLUMNS, tangled, tangled_rules
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_RECORDS = 1_000_000
#: the number of requirements, and how often each is measured
_COUNTS = {20: 5, 100: 3, 400: 2}


def _by_hand(table: str, output: Path, count: int) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS FROM '{table}'")
        for selected, condition, column, value in tangled_rules(count):
            con.execute(f"UPDATE t SET {column} = {value} WHERE ({selected}) AND NOT ({condition})")
        con.execute(f"COPY t TO '{output}' (FORMAT parquet)")


def _ours(setting: Setting, count: int) -> Callable[[], object]:
    table = numbers(setting.folder, _RECORDS, TANGLED_COLUMNS)
    policy = acompass.parse(tangled(count))
    return lambda: acompass.run(policy, table, output=setting.folder / "ours.parquet")


def _theirs(setting: Setting, count: int) -> Callable[[], object]:
    table = numbers(setting.folder, _RECORDS, TANGLED_COLUMNS)
    return lambda: _by_hand(table, setting.folder / "theirs.parquet", count)


def _ask_by_hand(setting: Setting) -> Answer:
    ratios = [ratio(_ours(setting, n), _theirs(setting, n), times) for n, times in _COUNTS.items()]
    each = ", ".join(f"{ratio:.2f} × at {count}" for ratio, count in zip(ratios, _COUNTS, strict=True))
    return Answer(max(ratios), "×", f"UPDATE in DuckDB {duckdb.__version__}, {_RECORDS:,} records; {each}")


def _ask_growth(setting: Setting) -> Answer:
    few, _, many = _COUNTS
    note = f"ours, {many} against {few} requirements, {_RECORDS:,} records"
    return Answer(ratio(_ours(setting, many), _ours(setting, few), 2), "×", note)


BY_HAND = Question(
    "tangled",
    "20, 100 and 400 requirements that read eight columns and write one / the same by hand, the worst",
    "≤ 2",
    at_most(2),
    _ask_by_hand,
)
GROWTH = Question("tangled growth", "time at twenty times such requirements", "≤ 22", at_most(22), _ask_growth)
