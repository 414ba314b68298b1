"""The output holds no value that only removed records had (D39): neither tables nor files, in any of their parts."""

import gzip
import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import psycopg
import pyarrow
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server, query_all

PLANTED = "Zebulon Pike"
REJECT = "EACH RESULT : Age <= 80 : REJECT;"
#: the last record is removed; no column but `Age` is named by the policy
RECORDS: dict[str, list[Any]] = {
    "Age": [36, 45, 86],
    "Name": ["Ada", "Eve", PLANTED],
    "Zip": ["21101", "21102", f"{PLANTED} 2"],
}
ORDER = [f"{PLANTED} 2", "21102", "never", "21101"]


def _pandas_frame() -> pandas.DataFrame:
    ordered = pandas.CategoricalDtype(ORDER, ordered=True)
    frame = pandas.DataFrame(RECORDS).astype({"Name": "category", "Zip": ordered})
    frame["Arrow"] = pandas.Series(RECORDS["Name"], dtype=pandas.ArrowDtype(_dictionary(RECORDS["Name"]).type))
    frame["When"] = pandas.Categorical(pandas.to_datetime(["2020-01-01", "2021-01-01", "2099-12-31"]))
    frame.attrs["note"] = PLANTED
    return frame


def _polars_frame() -> polars.DataFrame:
    enum = polars.Enum(ORDER)
    pairs = [[each] * 2 for each in RECORDS["Zip"]]
    nested = [{"x": each, "y": [each]} for each in RECORDS["Zip"]]
    return polars.DataFrame(RECORDS).with_columns(
        polars.col("Name").cast(polars.Categorical),
        polars.col("Zip").cast(enum),
        polars.Series("List", pairs, dtype=polars.List(enum)),
        polars.Series("Array", pairs, dtype=polars.Array(enum, 2)),
        polars.Series("Struct", nested, dtype=polars.Struct({"x": enum, "y": polars.List(enum)})),
    )


def _dictionary(values: list[str]) -> Any:
    return pyarrow.array(values).dictionary_encode()


def _arrow_table() -> pyarrow.Table:
    values = _dictionary(RECORDS["Zip"])
    columns = {
        "Age": pyarrow.array(RECORDS["Age"]),
        "Name": _dictionary(RECORDS["Name"]),
        "List": pyarrow.ListArray.from_arrays([0, 1, 2, 3], values),
        "Fixed": pyarrow.FixedSizeListArray.from_arrays(values, 1),
        "Struct": pyarrow.StructArray.from_arrays([values], ["x"]),
    }
    return pyarrow.table(columns).replace_schema_metadata({"pandas": json.dumps({"note": PLANTED})})


def _duckdb_relation() -> Any:
    con = duckdb.connect()
    con.execute(f"CREATE TYPE name AS ENUM ('Ada', 'Eve', '{PLANTED}')")
    records = (f"SELECT {age} AS Age, '{name}'::name AS Name" for age, name in ((36, "Ada"), (86, PLANTED)))
    nested = """{'x': Name, 'ENUM(''y'')': [Name]} AS Struct, MAP {Name: 1} AS Map"""
    con.execute(f"CREATE TABLE t AS SELECT *, [Name] AS List, {nested} FROM ({' UNION ALL '.join(records)})")
    return con.table("t")


def _ibis_table() -> Any:
    import ibis

    return ibis.memtable(_arrow_table())


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": _pandas_frame,
    "Polars": _polars_frame,
    "lazy Polars": lambda: _polars_frame().lazy(),
    "Arrow": _arrow_table,
    "record batch": lambda: _arrow_table().to_batches()[0],
    "reader": lambda: _arrow_table().to_reader(),
    "DuckDB": _duckdb_relation,
    "Ibis": _ibis_table,
    "dicts": lambda: [dict(zip(RECORDS, each, strict=True)) for each in zip(*RECORDS.values(), strict=True)],
    "lists": lambda: RECORDS,
}


def _everything_in(table: Any) -> bytes:
    """The bytes of a table with its categories, dictionaries, buffers and metadata."""
    if isinstance(table, polars.LazyFrame):
        table = table.collect()
    if isinstance(table, pyarrow.RecordBatchReader):
        table = table.read_all()
    if isinstance(table, polars.DataFrame):
        written = io.BytesIO()
        table.write_ipc(written)
        return written.getvalue() + repr(table.schema).encode() + _everything_in(table.to_arrow())
    if isinstance(table, pandas.DataFrame):
        found = [list(each.categories) for each in table.dtypes if hasattr(each, "categories")]
        return pickle.dumps(table) + repr((found, table.attrs)).encode()
    if hasattr(table, "to_pyarrow"):
        table = table.to_pyarrow()
    if hasattr(table, "to_arrow_table"):
        table = table.to_arrow_table()
    if isinstance(table, pyarrow.Table | pyarrow.RecordBatch):
        arrays = [part for column in table.columns for part in getattr(column, "chunks", [column])]
        buffers = [each for array in arrays for each in array.buffers() if each is not None]
        found = b"".join(each.to_pybytes() for each in buffers)
        return found + pickle.dumps(table) + repr(table.schema).encode() + repr(table.schema.metadata).encode()
    return repr(table).encode()


@pytest.mark.parametrize("kind", FRAMES)
def test_no_table_holds_a_value_that_only_removed_records_had(kind: str) -> None:
    assert PLANTED.encode() in _everything_in(FRAMES[kind]()), "the search finds the value in the input"
    table = acompass.run(REJECT, FRAMES[kind]()).table
    assert b"Ada" in _everything_in(table)
    assert PLANTED.encode() not in _everything_in(table)


def test_categories_keep_their_kind_and_order() -> None:
    frame = acompass.run(REJECT, _pandas_frame()).table
    assert list(frame["Name"].cat.categories) == ["Ada", "Eve"]
    assert frame["Zip"].dtype == pandas.CategoricalDtype(["21102", "21101"], ordered=True)
    assert frame["Zip"].tolist() == ["21101", "21102"]
    assert [each.year for each in frame["When"].cat.categories] == [2020, 2021]
    polar = acompass.run(REJECT, _polars_frame()).table
    used = polars.Enum(["21102", "21101"])
    assert dict(polar.schema) == {
        "Age": polars.Int64,
        "Name": polars.Categorical,
        "Zip": used,
        "List": polars.List(used),
        "Array": polars.Array(used, 2),
        "Struct": polars.Struct({"x": used, "y": polars.List(used)}),
    }
    assert polar["Array"].to_list() == [["21101"] * 2, ["21102"] * 2]
    assert acompass.run("EACH RESULT : Age <= 0 : REJECT;", _polars_frame()).table.schema["Zip"] == polars.Enum([])
    assert acompass.run(REJECT, _arrow_table()).table["Fixed"].to_pylist() == [["21101"], ["21102"]]


def test_an_enum_of_duckdb_becomes_text_at_any_depth() -> None:
    result = acompass.run(REJECT, _duckdb_relation()).table
    struct = """STRUCT(x VARCHAR, "ENUM('y')" VARCHAR[])"""
    assert list(map(str, result.types)) == ["INTEGER", "VARCHAR", "VARCHAR[]", struct, "MAP(VARCHAR, INTEGER)"]
    assert result.fetchall() == [(36, "Ada", ["Ada"], {"x": "Ada", "ENUM('y')": ["Ada"]}, {"Ada": 1})]


@pytest.mark.parametrize("kind", ["pandas", "Polars", "Arrow", "DuckDB"])
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_no_file_holds_a_value_that_only_removed_records_had(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"out.{suffix}"
    frame = FRAMES[kind]()
    if suffix != "parquet" and kind in ("Polars", "Arrow"):
        frame = frame.select(["Age", "Name"])  # CSV has no lists
    acompass.run(REJECT, frame, output=path)
    assert b"Ada" in _file_content(path)
    assert PLANTED.encode() not in _file_content(path)


def test_no_parquet_file_or_partition_holds_what_its_input_file_says_of_removed_records(tmp_path: Path) -> None:
    """The input has dictionaries, statistics, page indexes, a bloom filter's values and pandas' metadata."""
    pyarrow.parquet.write_table(
        _arrow_table(), tmp_path / "in.parquet", write_page_index=True, compression="none", use_dictionary=True
    )
    assert PLANTED.encode() in (tmp_path / "in.parquet").read_bytes()
    acompass.run(REJECT, tmp_path / "in.parquet", output=tmp_path / "out.parquet")
    acompass.run(REJECT, tmp_path / "in.parquet", output=tmp_path / "parts", partition=["Age"])
    files = [tmp_path / "out.parquet", *(tmp_path / "parts").rglob("*.parquet")]
    assert len(files) == 3
    for path in files:
        assert b"21" in _file_content(path)
        assert PLANTED.encode() not in _file_content(path)


def _file_content(path: Path) -> bytes:
    """The bytes of a file, decompressed; of Parquet also every dictionary, statistic and piece of metadata."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    if path.suffix == ".parquet":
        names = [field.name for field in pyarrow.parquet.read_schema(path)]
        as_stored = pyarrow.parquet.read_table(path, read_dictionary=names, partitioning=None)
        facts = duckdb.sql(f"SELECT * FROM parquet_metadata('{path}')").fetchall()
        facts += duckdb.sql(f"SELECT * FROM parquet_kv_metadata('{path}')").fetchall()
        return content + _everything_in(as_stored) + repr(facts).encode()
    return content


def test_no_table_of_postgres_holds_a_value_that_only_removed_records_had(postgres: Server) -> None:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS planted, planted_release; DROP TYPE IF EXISTS planted_name")
        con.execute(f"CREATE TYPE planted_name AS ENUM ('Ada', '{PLANTED}')")
        con.execute("CREATE TABLE planted (age integer, name planted_name, names planted_name[])")
        con.execute(f"INSERT INTO planted VALUES (36, 'Ada', '{{Ada}}'), (86, '{PLANTED}', '{{{PLANTED}}}')")
    acompass.run("EACH RESULT : age <= 80 : REJECT;", "planted", engine=url, output="planted_release")
    with psycopg.connect(url) as con:
        con.execute("ANALYZE planted_release")
    of_release = "attrelid = 'planted_release'::regclass AND attnum > 0"
    types = query_all(url, f"SELECT DISTINCT atttypid::regtype::text FROM pg_attribute WHERE {of_release} ORDER BY 1")
    assert types == [("integer",), ("text",), ("text[]",)]
    statistics = query_all(url, "SELECT * FROM pg_stats WHERE tablename = 'planted_release'")
    assert PLANTED not in repr((query_all(url, "TABLE planted_release"), statistics))


def test_no_frame_of_spark_holds_a_value_that_only_removed_records_had(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pandas.DataFrame(RECORDS).values.tolist(), list(RECORDS))
    frame = frame.withMetadata("Name", {"ml_attr": {"vals": RECORDS["Name"]}})
    assert PLANTED in frame.schema.json()
    table = acompass.run(REJECT, frame).table
    assert PLANTED not in table.schema.json() + repr(table.collect())
    acompass.run(REJECT, frame, output=tmp_path / "out.parquet")
    for path in (tmp_path / "out.parquet").rglob("*"):
        assert PLANTED.encode() not in path.read_bytes()
