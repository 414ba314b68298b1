"""Text of a server's table that is read as dates goes out as text, whatever its declared length (D28)."""

import datetime
from pathlib import Path
from typing import Any

import psycopg
import pyarrow
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server

DATES = {"written": "%Y%m%d", "fixed": "%Y%m%d", "listed": "%d.%m.%Y"}
POLICY = """
    EACH RESULT : written >= '2018-04-01' : REPLACE written WITH '2018-04-01';
    EACH RESULT : fixed <= '2018-03-31' : REJECT;
"""
STAYS = """
    DROP TABLE IF EXISTS stays, released;
    DROP TYPE IF EXISTS listed_date;
    CREATE TYPE listed_date AS ENUM ('31.03.2018', '1.4.2018');
    CREATE TABLE stays (written varchar(8), fixed char(8), listed listed_date, born date);
    INSERT INTO stays VALUES
        ('20180331', '20180331', '31.03.2018', '2000-02-29'),
        ('20180501', '20180301', NULL, NULL), ('20180501', '20180401', '1.4.2018', NULL)
"""
BORN = datetime.date(2000, 2, 29)
LEFT: list[tuple[Any, ...]] = [
    ("2018-04-01", "2018-03-31", "2018-03-31", BORN),
    ("2018-05-01", "2018-03-01", None, None),
]


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(STAYS)
    return url


def _released(url: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    with psycopg.connect(url) as con:
        types = con.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
            "WHERE attnum > 0 AND attrelid = 'released'::regclass ORDER BY attnum"
        ).fetchall()
        return [name for (name,) in types], con.execute("TABLE released ORDER BY 1").fetchall()


def test_a_table_of_postgres(url: str, tmp_path: Path) -> None:
    acompass.run(POLICY, "stays", engine=url, dates=DATES, output="released")
    assert _released(url) == (["text", "text", "text", "date"], LEFT)
    table = acompass.run(POLICY, "stays", engine=url, dates=DATES).table
    assert [str(type_) for type_ in table.schema.types] == ["string", "string", "string", "date32[day]"]
    assert sorted(tuple(record.values()) for record in table.to_pylist()) == LEFT
    output = tmp_path / "released.csv"
    acompass.run(POLICY, "stays", engine=url, dates=DATES, output=output, order="canonical")
    assert output.read_text() == (
        "written,fixed,listed,born\n2018-04-01,2018-03-31,2018-03-31,2000-02-29\n2018-05-01,2018-03-01,,\n"
    )


def test_a_file_that_is_uploaded(url: str, tmp_path: Path) -> None:
    columns = {
        "written": ["20180331", "20180501"],
        "fixed": ["20180331", "20180301"],
        "listed": ["31.03.2018", None],
    }
    path, csv = tmp_path / "stays.parquet", tmp_path / "stays.csv"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    acompass.run(POLICY, path, engine=url, dates=DATES, output="released")
    expected = [record[:3] for record in LEFT]
    assert _released(url) == (["text"] * 3, expected)
    csv.write_text("written,fixed,listed\n20180331,20180331,31.03.2018\n20180501,20180301,\n")
    acompass.run(POLICY, csv, engine=url, dates=DATES, output="released", force=True)
    types, records = _released(url)
    assert types == ["date"] * 3
    assert [tuple(value and str(value) for value in record) for record in records] == expected
    for table in (path, csv):
        output = tmp_path / "released.parquet"
        acompass.run(POLICY, table, engine=url, dates=DATES, output=output)
        names = {str(type_) for type_ in pyarrow.parquet.read_schema(output).types}
        assert names == {"string" if table == path else "date32[day]"}


def test_a_frame_of_spark(spark: Any) -> None:
    frame = spark.createDataFrame(
        [("20180331", "20180331", "31.03.2018", BORN), ("20180501", "20180301", None, None)],
        "written string, fixed string, listed string, born date",
    )
    released = acompass.run(POLICY, frame, dates=DATES).table
    assert [field.dataType.simpleString() for field in released.schema] == ["string"] * 3 + ["date"]
    assert sorted(tuple(row) for row in released.collect()) == LEFT
    with pytest.raises(acompass.TableError, match="`--dates` names the column `born`, which is not text"):
        acompass.check(POLICY, frame, dates={"born": "%d.%m.%Y"})
