"""Dropped incomplete records (D11) count as input records, whatever the kind of table."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import acompass

POLICY = "EACH RESULT : a > 0 AND b > 0; EACH RESULT : a < 9 : REJECT;"
TABLE = pandas.DataFrame({"a": [1, None, 3, None, 9], "b": [1.5, 2.5, None, None, 5.5]})


def _kept_in(kind: str, folder: Path) -> Any:
    if kind == "csv":
        TABLE.to_csv(folder / "table.csv", index=False)
    elif kind == "parquet":
        TABLE.to_parquet(folder / "table.parquet")
    return TABLE if kind == "frame" else folder / f"table.{kind}"


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_dropped_records_are_counted_as_input(tmp_path: Path, kind: str, engine: str) -> None:
    table = _kept_in(kind, tmp_path)
    ran = acompass.run(POLICY, table, missing="drop", engine=engine)
    assert (ran.records_in, ran.dropped, ran.records_out) == (5, 3, 1)
    assert [each.records for each in ran.requirements] == [2, 2]
    checked = acompass.check(POLICY, table, missing="drop", engine=engine)
    assert (checked.records_in, checked.dropped) == (5, 3)
    assert acompass.check(POLICY, table, missing="1", engine=engine).dropped == 0
