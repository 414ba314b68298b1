"""The SQL of the tests on PostgreSQL and Spark gives the verdicts of `check`."""

from typing import Any

import psycopg

import acompass
from tests.dbt.rendering import rendered
from tests.engines.postgres_server import Server

POLICY = """\
EACH RESULT : Age BETWEEN 18 AND 90;
EACH FILTER Zip LIKE '212%' : Rate < 0.5 AND Member = 'true';
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Zip) AS zips GROUP BY Seen : n >= k AND zips >= 2;
EACH PROCESS SUM(Age) AS total, MAX(Rate) AS most : total = 165.5 AND most < 1;
SOME PROCESS MIN(Zip) AS first GROUP BY Age : first > 'a';
SOME RESULT : Seen >= '2024-02-29';
EACH RESULT : "it's {{ odd }}" IN ('é', '''', '\\z');
"""
#: the columns, with their types in the policy and in PostgreSQL
TYPES = {
    "Age": ("decimal(1)", "NUMERIC(5, 1)"),
    "Zip": ("text", "TEXT"),
    "Rate": ("float", "DOUBLE PRECISION"),
    "Member": ("boolean", "BOOLEAN"),
    "Seen": ("date", "DATE"),
    "it's {{ odd }}": ("text", "TEXT"),
}
ROWS = [
    ("34.5", "21201", "0.25", "true", "2024-02-29", "é"),
    ("60.0", "21202", "0.5", "true", "2024-02-29", "'"),
    ("71.0", "Åland", "0.001", "false", "2023-01-01", "\\z"),
]
#: what `check` says of these rows, line by line
HOLDS = [True, False, False, True, True, True, True]


def written(dialect: str) -> list[str]:
    types = {name: type_ for name, (type_, _) in TYPES.items()}
    found = acompass.dbt(POLICY, "people", source=True, dialect=dialect, types=types, params={"k": 2})
    return [rendered(template) for template in found.files.values()]


def test_check_says_so() -> None:
    records = [dict(zip(TYPES, row, strict=True)) for row in ROWS]
    typed = [{**row, "Rate": float(row["Rate"]), "Member": row["Member"] == "true"} for row in records]
    result = acompass.check(POLICY, typed, params={"k": 2})
    assert [each.holds for each in result.requirements] == HOLDS


def test_postgres(postgres: Server) -> None:
    with psycopg.connect(postgres.url()) as connection:
        columns = ", ".join(f'"{name}" {stored}' for name, (_, stored) in TYPES.items())
        connection.execute(f"CREATE TEMPORARY TABLE people ({columns})")
        connection.cursor().executemany("INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s)", ROWS)
        *lines, complete = written("postgres")
        assert [not connection.execute(line).fetchall() for line in lines] == HOLDS
        assert connection.execute(complete).fetchall() == []
        connection.execute("INSERT INTO people VALUES (NULL, 'x', 'NaN', NULL, NULL, NULL)")
        assert {row[0] for row in connection.execute(complete).fetchall()} == {*TYPES} - {"Zip"}


def test_spark(spark: Any) -> None:
    """All columns are text there, as in a CSV file without a schema."""
    spark.createDataFrame(ROWS, list(TYPES)).createOrReplaceTempView("people")
    *lines, complete = (line.replace('"people"', "people") for line in written("spark"))
    assert [not spark.sql(line).collect() for line in lines] == HOLDS
    assert spark.sql(complete).collect() == []
