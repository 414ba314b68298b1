"""Records of a table in Spark: numbered in canonical order, since a cluster keeps no order of a file."""

from pathlib import Path
from typing import Any

import acompass


def test_records_of_a_file_are_numbered_in_canonical_order(spark: Any, tmp_path: Path) -> None:
    """A column of integers is ordered as integers, also if no line of the policy names it (D10)."""
    people = tmp_path / "people.csv"
    people.write_text("id,age\n10,30\n9,91\n9,\n", encoding="utf-8")
    policy = "EACH RESULT : age <= 80 : REPLACE age WITH 80;"
    engine = spark.sparkContext.master
    found = acompass.explain(policy, people, where="id = 9", missing="drop", engine=engine)
    assert [(life.record, life.left) for life in found.lives] == [(1, None), (2, {"id": "9", "age": 80})]
