"""Tables in the Spark catalog, by name, and files that Spark reads and writes."""

import gzip
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from tests.engines.spark_sessions import require_spark
from tests.report.pages import certificate_in, read_page

POLICY = "EACH RESULT : n >= 2 : REPLACE n WITH 2;"


@pytest.fixture
def catalog(spark: Any) -> Iterator[Any]:
    """A new session with one table, because temporary views of other tests would hide tables of the same name."""
    session = spark.newSession()
    for name in _tables(session):
        session.sql(f"DROP TABLE {name}")
    session.sql("CREATE TABLE people (`full name` CHAR(4), n INT) USING parquet")
    session.sql("INSERT INTO people VALUES ('ab', 1), ('c', 3)")
    yield session
    for name in ("people", "copied"):
        session.sql(f"DROP TABLE IF EXISTS {name}")


def _rows(spark: Any, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.table(name).collect())


def _tables(spark: Any, database: str = "default") -> set[str]:
    return {row["tableName"] for row in spark.sql(f"SHOW TABLES IN {database}").collect()}


def test_a_table_is_released_into_a_table(catalog: Any) -> None:
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
    acompass.run(POLICY, "people", engine=catalog, output="copied", replace=True)
    assert _rows(catalog, "copied") == [("ab", 2), ("c", 3)]
    assert _tables(catalog) == {"copied", "people"}


@pytest.mark.parametrize("output", ["people", "PEOPLE", "default.people", "`people`"])
def test_the_input_is_never_replaced(catalog: Any, output: str) -> None:
    catalog.sql("CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT * FROM people")
    for table in ("people", "seen", catalog.table("people").where("n = 1")):
        with pytest.raises(AcompassError, match="it is the input, which is only read"):
            acompass.run(POLICY, table, engine=catalog, output=output, replace=True)
    assert _rows(catalog, "people") == [("ab  ", 1), ("c   ", 3)]
    catalog.catalog.dropTempView("seen")


def test_an_empty_input_is_never_replaced(catalog: Any) -> None:
    catalog.sql("CREATE TABLE copied (n INT) USING parquet")
    with pytest.raises(AcompassError, match="it is the input, which is only read"):
        acompass.run(POLICY, "copied", engine=catalog, output="copied", replace=True)


def test_files_that_are_read_are_never_replaced(catalog: Any, tmp_path: Path) -> None:
    folder = tmp_path / "a folder.parquet"
    catalog.table("people").write.parquet(f"file:{folder}")
    for table in (f"{folder}/*.parquet", catalog.read.parquet(f"file:{folder}")):
        with pytest.raises(AcompassError, match="the input is never overwritten"):
            acompass.run(POLICY, table, engine=catalog, output=folder, replace=True)
    assert catalog.read.parquet(f"file:{folder}").count() == 2


def test_padding_is_not_part_of_a_text(catalog: Any) -> None:
    result = acompass.check(
        "SOME RESULT : \"full name\" = 'ab'; EACH RESULT : \"full name\" <= 'c';", "people", engine=catalog
    )
    assert result.ok


def test_a_temporary_view_of_the_session_is_read(catalog: Any) -> None:
    catalog.sql("CREATE TEMPORARY VIEW few AS SELECT * FROM people WHERE n = 1")
    assert acompass.check("EACH RESULT : n = 1;", "few", engine=catalog).records_in == 1
    catalog.catalog.dropTempView("few")


def test_no_views_are_left_in_the_session(catalog: Any) -> None:
    acompass.check(POLICY, "people", engine=catalog)
    assert _tables(catalog) == {"people"}
    assert _tables(catalog, "global_temp") == set()


@pytest.mark.parametrize("name", ["absent", "no.such.table", "two words"])
def test_a_missing_table_is_an_error(catalog: Any, name: str) -> None:
    with pytest.raises(AcompassError, match=f"no table or view `{name}`"):
        acompass.check(POLICY, name, engine=catalog)


def test_an_unreachable_master_is_an_error(tmp_path: Path) -> None:
    """In a separate process, because this one already runs Spark."""
    require_spark()
    (tmp_path / "policy.acp").write_text("EACH RESULT : a = 1;")
    (tmp_path / "table.csv").write_text("a\n1\n")
    command = [sys.executable, "-m", "acompass", "check", "policy.acp", "table.csv"]
    ran = subprocess.run(
        [*command, "--engine", "spark://local[1]"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("error[AC321]: cannot start Spark on `spark://local[1]`")


ENGINE = "local[2]"
TOP_POLICY = "EACH RESULT : a >= 2 : REPLACE a WITH 2;"

WELL_FORMED = {
    "quotes": 'a,b\n1,"x,""y"""\n3,\'z\'\n',
    "empty and missing": 'a,b\n1,""\n2,\n3,x\n',
    "line ends": "a,b\r\n1,x\r\n\r\n2,y\r\n",
    "lone carriage returns": "a,b\r1,x\r2,y",
    "byte order mark": "\ufeffa,b\n1,x\n",
    "semicolons": "a;b\n1;x,y\n",
    "tabs": "a\tb\n1\t x \n",
    "bars": "a|b\n1|x.y\n",
    "empty fields at the end": "a,b\n1,x,,\n",
    "records like a part of the header": "b,a\nb ,1\nB,1\n",
    "a quote inside": 'a,b\n1,x"y\n2,x""y\n',
    "backslashes": "a,b\n1,\\\n2,x\\n\n",
    "one column": "a\n1\n3\n",
    "marks": 'a,"b#c"\n1,#\n2,"x#y"\n',
    "no records": "a,b\n",
    "blanks": "a, b \n1,  x \n2,\u00a0\n",
    "leading zeros": "a,b\n1,007\n2,+5\n",
    "long numbers": "a,b\n1,9223372036854775807\n2,9223372036854775808\n",
}
BROKEN = {
    "too few fields": "a,b\n1,x\n2\n",
    "too many fields": "a,b\n1,x\n2,y,z\n",
    "an open quote": 'a,b\n1,"x\n2,y\n',
    "text after a quote": 'a,b\n1,"x"y\n2,z\n',
    "not UTF-8": b"a,b\n1,x\n2,\xff\n",
    "not a number": "a,b\n1,x\n2x,y\n",
    "missing": "a,b\n1,x\n,y\n",
    "too long a number": f"a,b\n1.{'0' * 38}5,x\n",
}


def _run_to_csv(folder: Path, engine: str, policy: str, table: str, **options: Any) -> bytes:
    """The output, written even where RANDOM drew a value that violates its own requirement."""
    output = folder / f"{engine[:5]}.csv"
    acompass.run(policy, table, engine=engine, order="canonical", output=output, force=True, **options)
    return output.read_bytes()


def _write_file(folder: Path, content: str | bytes, name: str = "table.csv") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("what", sorted(WELL_FORMED))
def test_csv_is_read_and_written_as_by_duckdb(spark: Any, tmp_path: Path, what: str) -> None:
    table = _write_file(tmp_path, WELL_FORMED[what])
    assert _run_to_csv(tmp_path, ENGINE, TOP_POLICY, table) == _run_to_csv(tmp_path, "duckdb", TOP_POLICY, table)


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_faults_are_found_as_by_duckdb(spark: Any, tmp_path: Path, what: str) -> None:
    table = _write_file(tmp_path, BROKEN[what])
    found = []
    for engine in (ENGINE, "duckdb"):
        with pytest.raises(AcompassError) as raised:
            _run_to_csv(tmp_path, engine, TOP_POLICY, table)
        found.append(raised.value.diagnostics)
    assert found[0] == found[1]
    assert sorted(tmp_path.iterdir()) == [Path(table)]


def test_a_record_that_spans_lines_is_an_error(spark: Any, tmp_path: Path) -> None:
    table = _write_file(tmp_path, 'a,b\n1,"x\ny"\n')
    with pytest.raises(AcompassError, match="spans several lines"):
        acompass.check(TOP_POLICY, table, engine=ENGINE)


@pytest.mark.parametrize("missing", ["drop", "7"])
def test_missing_values_are_dropped_or_filled(spark: Any, tmp_path: Path, missing: str) -> None:
    table = _write_file(tmp_path, "a,b\n1,x\n,y\n3,z\n")
    found = _run_to_csv(tmp_path, ENGINE, TOP_POLICY, table, missing=missing)
    assert found == _run_to_csv(tmp_path, "duckdb", TOP_POLICY, table, missing=missing)
    checked = acompass.check(TOP_POLICY, table, engine=ENGINE, missing=missing)
    assert (checked.records_in, checked.dropped) == (3, 1 if missing == "drop" else 0)


def test_many_files_and_gzip_are_read(spark: Any, tmp_path: Path) -> None:
    _write_file(tmp_path, "a,b\n1,x\n", "in 1.csv")
    _write_file(tmp_path, '"a",b\n5,y\n', "in [2].csv")
    _write_file(tmp_path, gzip.compress(b"a,b\n3,z\n"), "in3.csv.gz")
    table = str(tmp_path / "in*")
    output = tmp_path / "out.csv.gz"
    acompass.run(TOP_POLICY, table, engine=ENGINE, order="canonical", output=output)
    assert gzip.decompress(output.read_bytes()) == b"a,b\n2,x\n3,z\n5,y\n"


def test_a_file_name_that_spark_skips_is_an_error(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(AcompassError, match="Spark skips names"):
        acompass.check(TOP_POLICY, _write_file(tmp_path, "a,b\n1,x\n", "_table.csv"), engine=ENGINE)


TWO_RANDOMS = "EACH RESULT : a < 0 : RANDOM a -5 5; EACH PROCESS COUNT(*) AS n GROUP BY b : n > 40 : RANDOM b 1 9;"


def test_parquet_is_read_and_written(spark: Any, tmp_path: Path) -> None:
    table = str(tmp_path / "in.parquet")
    duckdb.sql(
        "SELECT 1.5::FLOAT AS f, 0.1 AS d, 1e23::DOUBLE AS e, TIMESTAMP '2000-01-01 00:00:00.5' AS t, "
        "TIMESTAMPTZ '2000-01-01 00:00:00+00' AS z, DATE '2000-01-01' AS day, true AS ok, 'é' AS s, "
        "NULL::INTEGER AS gone, 3::SMALLINT AS a"
    ).write_parquet(table)
    assert _run_to_csv(tmp_path, ENGINE, TOP_POLICY, table) == _run_to_csv(tmp_path, "duckdb", TOP_POLICY, table)
    folder = tmp_path / "out.parquet"
    for _ in range(2):
        acompass.run(TOP_POLICY, table, engine=ENGINE, output=folder)
    again = acompass.run("EACH RESULT : a = 3;", f"{folder}/*.parquet")
    assert again.ok
    assert again.table.column_names == ["f", "d", "e", "t", "z", "day", "ok", "s", "gone", "a"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "duckd.csv",
        "in.parquet",
        "local.csv",
        "out.parquet",
    ]


def test_parquet_files_with_different_columns_are_an_error(spark: Any, tmp_path: Path) -> None:
    for name, query in {"1": "SELECT 1 AS a", "2": "SELECT 1 AS a, 2 AS b"}.items():
        duckdb.sql(query).write_parquet(str(tmp_path / f"{name}.parquet"))
    with pytest.raises(AcompassError, match="have different columns"):
        acompass.check(TOP_POLICY, str(tmp_path / "*.parquet"), engine=ENGINE)


def test_an_incomplete_parquet_file_is_an_error(spark: Any, tmp_path: Path) -> None:
    table = _write_file(tmp_path, b"PAR1 and then PAR1", "table.parquet")
    with pytest.raises(AcompassError, match="not a complete Parquet file"):
        acompass.check(TOP_POLICY, table, engine=ENGINE)


@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_missing_output_files_of_workers_are_noticed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    """Simulates machines that do not share the folder: some files never appear on this one."""
    from pyspark.sql import DataFrameWriter

    table = _write_file(tmp_path, "a,b\n1,x\n2,y\n")
    monkeypatch.setattr(DataFrameWriter, "text", _with_lost_files(DataFrameWriter.text))
    monkeypatch.setattr(DataFrameWriter, "parquet", _with_lost_files(DataFrameWriter.parquet))
    with pytest.raises(AcompassError, match="cannot reach the output's folder"):
        acompass.run(TOP_POLICY, table, engine=ENGINE, output=tmp_path / output)
    assert sorted(tmp_path.iterdir()) == [Path(table)]


def _with_lost_files(write: Callable[..., None]) -> Callable[..., None]:
    def write_and_lose(writer: Any, path: str) -> None:
        write(writer, path)
        for part in Path(path.removeprefix("file:")).glob("part-*"):
            part.unlink()

    return write_and_lose


def test_a_folder_that_spark_did_not_write_is_not_replaced(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "out.parquet").mkdir()
    with pytest.raises(AcompassError, match="Spark did not write"):
        acompass.run(TOP_POLICY, _write_file(tmp_path, "a\n1\n"), engine=ENGINE, output=tmp_path / "out.parquet")


def test_nothing_stays_in_memory_once_it_is_written(spark: Any, tmp_path: Path) -> None:
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    _run_to_csv(tmp_path, ENGINE, TWO_RANDOMS, _write_file(tmp_path, "a,b\n-1,x\n1,y\n"))
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before


def test_only_counts_reach_the_driver(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    from acompass.engines.spark.session import PlanSession

    fetch = PlanSession.fetch

    def count_rows(self: PlanSession, query: Any) -> list[tuple[Any, ...]]:
        rows = fetch(self, query)
        fetched.append(len(rows))
        return rows

    monkeypatch.setattr(PlanSession, "fetch", count_rows)
    records = "".join(f"{i % 7 - 3},{i % 11},{i}\n" for i in range(400))
    _run_to_csv(tmp_path, ENGINE, TWO_RANDOMS, _write_file(tmp_path, "a,b,c\n" + records))
    assert len(fetched) > 4
    assert max(fetched) == 1
