"""Every engine finds the same combinations of values, and gives the same suggested policy."""

import csv
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

import acompass
from acompass.author.answers import Suggestion
from acompass.author.suggest import flow
from tests.author.suggest.problems import any_steps

HEADER = ["age", "zip", "seen", "share", "disease"]
LEVELS = {"age": "bands:5,10,20", "zip": "prefix:4,3,2", "seen": "dates", "share": "bands:1,5"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = Random(14)
    rows = [
        [
            random.randint(18, 40),
            random.choice(["02139", "02140", "21000", "21001", "21990"]),
            random.choice(["2018-01-02", "2018-02-03", "2019-01-02"]),
            random.choice(["0.5", "0.50", "1", "2.25"]),
            random.choice(["a", "ä", "", "it's"]),
        ]
        for _ in range(400)
    ]
    path = tmp_path_factory.mktemp("suggest") / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([HEADER, *rows])
    return str(path)


def _suggest(table: Any, **options: str) -> Suggestion:
    goal = {"sensitive": ["disease"], "l": 2, "hierarchies": LEVELS, "max_lost": "100%"}
    with patch.object(flow, "search", any_steps(Random(2), "cascade")):
        return acompass.suggest(table, HEADER[:4], 4, **goal, **options)


@pytest.mark.parametrize("engine", ["reference", "postgres", "spark"])
def test_every_engine_gives_the_policy_of_duckdb(table: str, engine: str, engine_url: str) -> None:
    assert _suggest(table, engine=engine_url).text == _suggest(table).text


def test_suggest_and_run_read_a_parquet_file_with_the_same_types(table: str, tmp_path: Path) -> None:
    import duckdb

    path = str(tmp_path / "table.parquet")
    types = {"age": "INTEGER", "seen": "TIMESTAMP", "share": "DOUBLE"}
    columns = ", ".join(f"CAST({name} AS {types.get(name, 'VARCHAR')}) AS {name}" for name in HEADER)
    duckdb.sql(f"COPY (SELECT {columns} FROM read_csv('{table}', all_varchar=true, nullstr='none')) TO '{path}'")
    found = _suggest(path)
    result = acompass.run(found.policy, path)
    assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
    assert result.records_out == found.records_out


def test_a_frame_can_be_the_table(table: str) -> None:
    import polars

    frame = polars.read_csv(table, schema_overrides={"zip": polars.String, "share": polars.String})
    assert _suggest(frame).text == _suggest(table).text


@pytest.mark.parametrize("engine", ["duckdb", "reference", "postgres", "spark"])
def test_zero_is_one_value_whatever_its_sign(tmp_path: Path, engine: str, engine_url: str) -> None:
    """Seven of each zero are a class of fourteen, which needs no change."""
    import pyarrow
    import pyarrow.parquet

    path = str(tmp_path / "zeros.parquet")
    values = pyarrow.array([-0.0, 0.0, 1.5, 2.5, -1.5, 7.25] * 7, pyarrow.float64())
    pyarrow.parquet.write_table(pyarrow.table({"x": values}), path)
    found = acompass.suggest(path, ["x"], 14, hierarchies={"x": "bands:1,5"}, engine=engine_url)
    result = acompass.run(found.policy, path, engine="reference")
    assert found.steps[0].affected == 28
    assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
    assert result.records_out == found.records_out
