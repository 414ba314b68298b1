"""Numbers in text columns of databases and data frames are read as numbers (D23) and keep their spelling (D26)."""

from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server, query_all, table_types

TABLE = """
    DROP TABLE IF EXISTS spelled_people, spelled_release;
    DROP TYPE IF EXISTS grade CASCADE;
    CREATE TYPE grade AS ENUM ('1', '2', '10');
    CREATE TABLE spelled_people (age varchar(3), pay text, dose char(5), mark grade, name text);
    INSERT INTO spelled_people VALUES
        ('5', '1.50', '2.0', '10', 'a'), ('9', '2', '2', '2', 'b'), ('100', '7.125', '3.50', '1', 'c')
"""
CHECK = """
EACH RESULT : age >= 5 AND pay >= 1.5 AND mark <= 10;
EACH PROCESS COUNT(*) AS n GROUP BY dose : n <= 2;
EACH RESULT : dose > 1;
"""
CHANGE = """
EACH RESULT : age <= 80 : REPLACE age WITH 80;
EACH RESULT : pay <= 5 : REPLACE pay WITH 5.0;
EACH RESULT : mark < 10 : RANDOM mark 3 3;
"""
CHECKED = [("5", "1.50", "2", "10", "a"), ("9", "2", "2", "2", "b"), ("100", "7.125", "3.50", "1", "c")]
CHANGED = [("5", "1.50", "2.0", "3", "a"), ("80", "5.0", "3.50", "1", "c"), ("9", "2", "2", "2", "b")]


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(TABLE)
    return url


def _read_released(url: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    rows = query_all(url, "TABLE spelled_release")
    return table_types(url, "spelled_release"), [tuple(str(value).rstrip(" ") for value in row) for row in rows]


def test_a_check_in_postgres_keeps_types_and_bytes(url: str) -> None:
    result = acompass.run(CHECK, "spelled_people", engine=url, output="spelled_release")
    types, rows = _read_released(url)
    assert types == ["character varying(3)", "text", "character(5)", "text", "text"]
    assert sorted(rows) == sorted(CHECKED)
    (note,) = result.notes
    assert note.text.startswith("column `dose`: 1 number is written in the shortest form, because ")


def test_changed_columns_of_postgres_are_text(url: str) -> None:
    acompass.run(CHANGE, "spelled_people", engine=url, output="spelled_release", trace=["0"])
    types, rows = _read_released(url)
    assert types == ["text", "text", "character(5)", "text", "text"]
    assert sorted(rows) == CHANGED


def test_a_table_of_postgres_keeps_its_spelling_in_files(url: str, tmp_path: Path) -> None:
    acompass.run(CHANGE, "spelled_people", engine=url, output=tmp_path / "out.parquet", trace=["0"])
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert set(map(str, table.schema.types)) == {"string"}
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    assert sorted(tuple(value.rstrip(" ") for value in row) for row in rows) == CHANGED
    acompass.run(CHANGE, "spelled_people", engine=url, output=tmp_path / "out.csv", trace=["0"])
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert sorted(tuple(line.split(",")) for line in lines[1:]) == CHANGED


def test_a_csv_file_becomes_numbers_in_postgres(url: str, tmp_path: Path) -> None:
    """A CSV file has no types, so the new table has those of the policy."""
    (tmp_path / "in.csv").write_text("age,pay\n5,1.50\n9,7\n")
    policy = "EACH RESULT : age <= 80 AND pay <= 5 : REPLACE pay WITH 5.0;"
    acompass.run(policy, tmp_path / "in.csv", engine=url, output="spelled_release")
    assert _read_released(url) == (["bigint", "numeric(38,2)"], [("5", "1.50"), ("9", "5.00")])


def test_a_frame_of_spark_keeps_its_spelling(spark: Any, tmp_path: Path) -> None:
    records = [("5", "1.50", "2.0"), ("9", "2", "2"), ("100", "7.125", "3.50")]
    frame = spark.createDataFrame(records, "age string, pay string, dose string")
    policy = "EACH RESULT : age <= 80 : REPLACE age WITH 80; EACH RESULT : pay <= 5 : REPLACE pay WITH 5.0;"
    result = acompass.run(policy, frame, engine=spark).table
    assert [field.dataType.simpleString() for field in result.schema.fields] == ["string"] * 3
    assert sorted(tuple(row) for row in result.collect()) == [
        ("5", "1.50", "2.0"),
        ("80", "5.0", "3.50"),
        ("9", "2", "2"),
    ]


def test_a_csv_file_becomes_numbers_in_spark(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age,pay\n5,1.50\n9,7\n")
    policy = "EACH RESULT : age <= 80 AND pay <= 5 : REPLACE pay WITH 5.0;"
    result = acompass.run(policy, tmp_path / "in.csv", engine=spark).table
    assert [field.dataType.simpleString() for field in result.schema.fields] == ["bigint", "decimal(38,2)"]
    acompass.run(policy, tmp_path / "in.csv", engine=spark, output=tmp_path / "out.csv")
    assert sorted((tmp_path / "out.csv").read_text().splitlines()) == ["5,1.50", "9,5.0", "age,pay"]
