"""A sample of a table is reproducible by its seed, and used like any other table."""

from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import acompass

ROWS = [{"Age": 20 + place % 50, "Zip": f"0{place:04}"} for place in range(500)]


@pytest.fixture(params=["csv", "parquet", "dicts", "frame"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    frame = pandas.DataFrame(ROWS)
    match request.param:
        case "csv":
            frame.to_csv(tmp_path / "people.csv", index=False)
            return str(tmp_path / "people.csv")
        case "parquet":
            duckdb.sql("SELECT * FROM frame").write_parquet(str(tmp_path / "people.parquet"))
            return str(tmp_path / "people.parquet")
        case "dicts":
            return ROWS
        case _:
            return frame


def release(session: acompass.Session, path: Path) -> list[str]:
    session.run("ALWAYS : DROP Age;", output=path, force=True)
    return path.read_text().splitlines()[1:]


def test_the_seed_determines_the_sample(table: Any, tmp_path: Path) -> None:
    with (
        acompass.open(table) as session,
        session.sample(40, "a") as one,
        session.sample(40, "a") as same,
        session.sample(40, "b") as other,
    ):
        chosen = [release(each, tmp_path / "out.csv") for each in (one, same, other)]
        assert one.records() == 40
    assert chosen[0] == chosen[1] != chosen[2]
    assert chosen[0] == sorted(chosen[0]), "the order of the table is kept"
    assert len(set(chosen[0])) == 40


def test_counts_refer_to_the_sample(table: Any) -> None:
    policy = "EACH RESULT : Age <= 30 : REPLACE Age WITH 30;"
    with acompass.open(table) as session, session.sample(100, "a") as sample:
        assert sample.check(policy).records_in == 100
        assert session.check(policy).records_in == 500
        assert sample.sampled is not None
        assert sample.sampled.of == 500


def test_a_sample_larger_than_the_table_is_the_table(table: Any) -> None:
    with acompass.open(table) as session, session.sample(10_000, "a") as sample:
        assert sample.records() == 500
        assert sample.sampled is not None
        assert sample.sampled.records == 500


def test_missing_values_are_counted_in_the_sample() -> None:
    """A frame knows its missing values, but not those of a sample."""
    rows = [{"Age": None if place == 3 else place} for place in range(300)]
    with acompass.open(pandas.DataFrame(rows)) as session:
        assert session.check("EACH RESULT : Age >= 0;", missing="drop").dropped == 1
        dropped = []
        for seed in "abcdefgh":
            with session.sample(20, seed) as sample:
                dropped.append(sample.check("EACH RESULT : Age >= 0;", missing="drop").dropped)
        assert 0 in dropped


def test_the_first_values_of_each_column(table: Any) -> None:
    with acompass.open(table) as session:
        found = session.first_values(3)
        assert session.first_values(0) == {"Age": [], "Zip": []}
    assert found == {"Age": ["20", "21", "22"], "Zip": ["00000", "00001", "00002"]}


def test_the_first_records_are_texts_with_missing_values() -> None:
    with acompass.open([{"Age": 1, "Note": "x"}, {"Age": None, "Note": ""}, {"Age": 3, "Note": "z"}]) as session:
        schema, records = session.first_records(2)
        assert [(column.name, str(column.type)) for column in schema] == [("Age", "integer"), ("Note", "text")]
        assert records == [("1", "x"), (None, "")]


def test_the_first_values_are_texts_without_missing_values() -> None:
    table = [{"a": 1.5, "b": None, "c": date(2021, 3, 4), "d": [1]}, {"a": 2.0, "b": "x", "c": None, "d": []}]
    for engine in ("duckdb", "reference"):
        with acompass.open(table, engine=engine) as session:
            found = session.first_values(10)
        assert found == {"a": ["1.5", "2.0"], "b": ["x"], "c": ["2021-03-04"], "d": []}


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_rows_are_the_texts_of_records_with_their_missing_values(engine: str) -> None:
    table = [{"a": 1.5, "b": None, "c": date(2021, 3, 4), "d": [1]}, {"a": 2.0, "b": "x", "c": None, "d": []}]
    with acompass.open(table, engine=engine) as session:
        assert session.rows(0, 10) == [("1.5", None, "2021-03-04", "[…]"), ("2.0", "x", None, "[…]")]
        assert [row[1] for row in session.rows(1, 1)] == ["x"]
        assert session.rows(2, 5) == []


def test_rows_of_several_parquet_files_are_in_the_order_of_the_files(tmp_path: Path) -> None:
    for part in range(3):
        pandas.DataFrame({"n": range(100 * part, 100 * part + 100)}).to_parquet(tmp_path / f"part{part}.parquet")
    with acompass.open(str(tmp_path / "*.parquet")) as session:
        assert session.rows(95, 10) == [(str(n),) for n in range(95, 105)]
        assert session.rows(298, 10) == [("298",), ("299",)]


def test_the_rarest_values_of_a_column() -> None:
    with acompass.open([{"a": value} for value in ["x", "x", "y", None, "z", "z", "z"]]) as session:
        assert session.rarest_values("A", 2) == [("y", 1), ("x", 2)]
        with pytest.raises(acompass.CallError, match="unknown column `b`"):
            session.rarest_values("b", 2)


def test_words_for_missing_values_are_no_rarest_values(tmp_path: Path) -> None:
    table = tmp_path / "smokers.csv"
    table.write_text("smokes\nyes\n-\nno\nno\n", encoding="utf-8")
    with acompass.open(table, na=["-"]) as session:
        assert session.rarest_values("smokes", 3) == [("yes", 1), ("no", 2)]
