"""Tables in the Spark catalog as input and output, by name."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.diagnostics import AcompassError
from tests.engines.spark_sessions import require_java
from tests.report.pages import certificate_in, read_page

POLICY = "EACH RESULT : n >= 2 : REPLACE n WITH 2;"


@pytest.fixture
def catalog(spark: Any) -> Iterator[Any]:
    """A new session, because temporary views of other tests would hide tables of the same name."""
    session = spark.newSession()
    session.sql("CREATE TABLE people (`full name` CHAR(4), n INT) USING parquet")
    session.sql("INSERT INTO people VALUES ('ab', 1), ('c', 3)")
    yield session
    for name in ("people", "copied"):
        session.sql(f"DROP TABLE IF EXISTS {name}")


def _rows(spark: Any, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.table(name).collect())


def _tables(spark: Any, database: str = "default") -> set[str]:
    return {row["tableName"] for row in spark.sql(f"SHOW TABLES IN {database}").collect()}


def test_a_table_into_a_table(catalog: Any) -> None:
    result = acompass.run(POLICY, "people", engine=catalog, output="copied")
    assert result.table is None
    assert _rows(catalog, "copied") == [("ab", 2), ("c", 3)]
    assert _rows(catalog, "people") == [("ab  ", 1), ("c   ", 3)]


def test_a_report_names_the_tables_and_the_version_of_spark(catalog: Any, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(POLICY, "people", engine=catalog, output="copied", report=report)
    certificate = certificate_in(read_page(report))
    assert certificate["tables"] == {"input": "people", "output": "copied"}
    assert certificate["versions"]["engine"] == f"Spark {catalog.version}"


def test_a_table_is_replaced_only_by_force(catalog: Any) -> None:
    catalog.sql("CREATE TABLE copied (n INT) USING parquet")
    with pytest.raises(AcompassError, match="table `copied` already exists"):
        acompass.run(POLICY, "people", engine=catalog, output="copied")
    acompass.run(POLICY, "people", engine=catalog, output="copied", force=True)
    assert _rows(catalog, "copied") == [("ab", 2), ("c", 3)]
    assert _tables(catalog) == {"copied", "people"}


@pytest.mark.parametrize("output", ["people", "PEOPLE", "default.people", "`people`"])
def test_the_input_is_never_replaced(catalog: Any, output: str) -> None:
    catalog.sql("CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT * FROM people")
    for table in ("people", "seen", catalog.table("people").where("n = 1")):
        with pytest.raises(AcompassError, match="it is the input, which is only read"):
            acompass.run(POLICY, table, engine=catalog, output=output, force=True)
    assert _rows(catalog, "people") == [("ab  ", 1), ("c   ", 3)]
    catalog.catalog.dropTempView("seen")


def test_an_empty_input_is_never_replaced(catalog: Any) -> None:
    catalog.sql("CREATE TABLE copied (n INT) USING parquet")
    with pytest.raises(AcompassError, match="it is the input, which is only read"):
        acompass.run(POLICY, "copied", engine=catalog, output="copied", force=True)


def test_files_that_are_read_are_never_replaced(catalog: Any, tmp_path: Path) -> None:
    folder = tmp_path / "a folder.parquet"
    catalog.table("people").write.parquet(f"file:{folder}")
    for table in (f"{folder}/*.parquet", catalog.read.parquet(f"file:{folder}")):
        with pytest.raises(AcompassError, match="the input is never overwritten"):
            acompass.run(POLICY, table, engine=catalog, output=folder, force=True)
    assert catalog.read.parquet(f"file:{folder}").count() == 2


def test_padding_is_not_part_of_a_text(catalog: Any) -> None:
    result = acompass.check(
        "SOME RESULT : \"full name\" = 'ab'; EACH RESULT : \"full name\" <= 'c';", "people", engine=catalog
    )
    assert result.ok


def test_a_temporary_view_of_the_session(catalog: Any) -> None:
    catalog.sql("CREATE TEMPORARY VIEW few AS SELECT * FROM people WHERE n = 1")
    assert acompass.check("EACH RESULT : n = 1;", "few", engine=catalog).records_in == 1
    catalog.catalog.dropTempView("few")


def test_no_views_stay_in_the_session(catalog: Any) -> None:
    acompass.check(POLICY, "people", engine=catalog)
    assert _tables(catalog) == {"people"}
    assert _tables(catalog, "global_temp") == set()


@pytest.mark.parametrize("name", ["nobody", "no.such.table", "two words"])
def test_a_table_that_is_not_there(catalog: Any, name: str) -> None:
    with pytest.raises(AcompassError, match=f"no table or view `{name}`"):
        acompass.check(POLICY, name, engine=catalog)


def test_an_unreachable_master_has_its_own_error(tmp_path: Path) -> None:
    """In a separate process, because this one already runs Spark."""
    require_java()
    (tmp_path / "policy.acp").write_text("EACH RESULT : a = 1;")
    (tmp_path / "table.csv").write_text("a\n1\n")
    command = [sys.executable, "-m", "acompass", "check", "policy.acp", "table.csv"]
    ran = subprocess.run(
        [*command, "--engine", "spark://local[1]"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("error[AC321]: cannot start Spark on `spark://local[1]`")
