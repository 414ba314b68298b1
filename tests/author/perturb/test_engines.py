"""Each engine counts the values itself; all write the same policy and give the same estimate."""

import csv
from pathlib import Path
from random import Random

import pytest

import acompass

HEADER = ["age", "share", "disease"]
POLICY = "ALWAYS : WITH PROBABILITY 0.2 REJECT;"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = Random(5)
    rows = [
        [
            random.randint(18, 25),
            random.choice(["0.5", "0.50", "2.25"]),
            random.choice(["a", "ä", "", "it's"]),
        ]
        for _ in range(200)
    ]
    path = tmp_path_factory.mktemp("pram") / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([HEADER, *rows])
    return str(path)


@pytest.mark.parametrize("column", HEADER)
@pytest.mark.parametrize("engine", ["reference", "postgres", "spark"])
def test_every_engine_gives_the_policy_and_the_estimate_of_duckdb(
    table: str, engine: str, engine_url: str, column: str, tmp_path: Path
) -> None:
    policy = acompass.pram(table, column, 0.8, engine=engine_url)
    assert policy.text == acompass.pram(table, column, 0.8).text
    released = str(tmp_path / "released.csv")
    acompass.run(policy, table, output=released, seed="s", engine=engine_url)
    assert acompass.estimate(released, policy, column, engine=engine_url) == acompass.estimate(released, policy, column)


@pytest.mark.parametrize("engine", ["duckdb", "reference", "postgres", "spark"])
def test_zero_is_one_value_whatever_its_sign(tmp_path: Path, engine: str, engine_url: str) -> None:
    import pyarrow
    import pyarrow.parquet

    path = str(tmp_path / "zeros.parquet")
    values = pyarrow.array([-0.0, 0.0, 1.5] * 3, pyarrow.float64())
    pyarrow.parquet.write_table(pyarrow.table({"x": values}), path)
    policy = acompass.pram(path, "x", 0.8, engine=engine_url)
    assert "FROM (6 OF 0.0, 3 OF 1.5)" in policy.text
    estimate = acompass.estimate(path, policy, "x", engine=engine_url)
    assert [each.released for each in estimate.values] == [6, 3]
