"""Names, types and missing values of a Parquet file are kept."""

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass.checked.uses import Use
from acompass.plan.lowering.state import ROW_KEY
from tests.tables.tables import fault, loaded, loading


def parquet(folder: Path, columns: dict[str, Any], name: str = "table.parquet", **options: Any) -> str:
    path = str(folder / name)
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_names_that_the_engine_would_change(tmp_path: Path) -> None:
    path = str(tmp_path / "table.parquet")
    arrays = [pyarrow.array([number]) for number in range(5)]
    names = ["a", "A", "", 'q"; DROP', "c0"]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), path)
    with loading(path) as table:
        assert table.names == names
        assert table.records == [(0, 1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("array", "type_", "read"),
    [
        (pyarrow.array([1], pyarrow.int8()), "integer", 1),
        (pyarrow.array([2**32 - 1], pyarrow.uint32()), "integer", 2**32 - 1),
        (pyarrow.array([2**64 - 1], pyarrow.uint64()), "decimal(0)", Decimal(2**64 - 1)),
        (pyarrow.array([Decimal("1.50")], pyarrow.decimal128(30, 2)), "decimal(2)", Decimal("1.50")),
        (pyarrow.array([0.5], pyarrow.float32()), "float", 0.5),
        (pyarrow.array([0.1]), "float", 0.1),
        (pyarrow.array(["x "]), "text", "x "),
        (pyarrow.array(["x"]).dictionary_encode(), "text", "x"),
        (pyarrow.array([True]), "boolean", True),
        (pyarrow.array([datetime.date(2020, 2, 29)]), "date", datetime.date(2020, 2, 29)),
        (
            pyarrow.array([1], pyarrow.timestamp("ms")),
            "timestamp",
            datetime.datetime(1970, 1, 1, 0, 0, 0, 1000),
        ),
        (
            pyarrow.array([1000], pyarrow.timestamp("ns")),
            "timestamp",
            datetime.datetime(1970, 1, 1, 0, 0, 0, 1),
        ),
        (
            pyarrow.array([0], pyarrow.timestamp("us", "Europe/Amsterdam")),
            "timestamp",
            datetime.datetime(1970, 1, 1),
        ),
        (pyarrow.array([[1, 2]]), "opaque", [1, 2]),
    ],
)
def test_types(tmp_path: Path, array: Any, type_: str, read: Any) -> None:
    uses = {} if type_ == "opaque" else {"a": Use.ANY}
    with loading(parquet(tmp_path, {"a": array}), **uses) as table:
        assert table.types == [type_]
        assert table.records == [(read,)]


def test_a_nested_column_does_not_shift_the_counts_of_the_next(tmp_path: Path) -> None:
    path = parquet(
        tmp_path, {"s": [{"x": None, "y": [None, 1]}], "n": [7], "m": pyarrow.array([None], "int64")}
    )
    with loading(path, n=Use.ANY, m=Use.ANY) as table:
        assert table.missing == {2: 1}


@pytest.mark.parametrize("statistics", [True, False])
def test_missing_values_are_counted(tmp_path: Path, statistics: bool) -> None:
    columns = {"n": [1, None, 3] * 5, "t": ["x", "y", "z"] * 5, "f": [float("nan"), None, 1.0] * 5}
    path = parquet(tmp_path, columns, write_statistics=statistics, row_group_size=4)
    with loading(path, n=Use.ANY, t=Use.ANY, f=Use.ANY) as table:
        assert table.missing == {0: 5, 2: 10}
        assert table.loaded.prepared.records == 15


def test_missing_values_dropped_and_filled(tmp_path: Path) -> None:
    path = parquet(tmp_path, {"n": [1, None, 3], "f": [float("nan"), 0.5, 1.5], "x": [None, None, None]})
    assert loaded(path, missing="drop", n=Use.ANY, f=Use.ANY) == [(3, 1.5, None)]
    assert loaded(path, missing="9", n=Use.ANY, f=Use.ANY) == [(1, 9.0, None), (9, 0.5, None), (3, 1.5, None)]


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (pyarrow.array([None], "int64"), "x"),
        (pyarrow.array([None], "int64"), "1.5"),
        (pyarrow.array([None], "date32"), "2020-02-30"),
        (pyarrow.array([None], "bool"), "yes"),
    ],
)
def test_a_filling_of_another_type(tmp_path: Path, array: Any, value: str) -> None:
    assert fault(parquet(tmp_path, {"a": array}), missing=value, a=Use.ANY).code == "AC213"


def test_a_glob_is_one_table_in_order(tmp_path: Path) -> None:
    for number in range(12):
        parquet(tmp_path, {"a": [number * 2, number * 2 + 1]}, f"{number:02}.parquet")
    assert loaded(f"{tmp_path}/*.parquet", a=Use.ANY) == [(number,) for number in range(24)]


def test_files_that_differ(tmp_path: Path) -> None:
    parquet(tmp_path, {"a": [1]}, "1.parquet")
    other = parquet(tmp_path, {"a": ["x"]}, "2.parquet")
    found = fault(f"{tmp_path}/*.parquet")
    assert (found.code, f"`{other}`" in found.message) == ("AC209", True)


def test_folders_named_like_a_partition_add_no_column(tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    parquet(tmp_path / "year=2020", {"a": [1]})
    with loading(f"{tmp_path}/*/*.parquet") as table:
        assert table.names == ["a"]


def test_nanoseconds_are_refused_where_the_policy_needs_them(tmp_path: Path) -> None:
    path = parquet(tmp_path, {"t": pyarrow.array([1], pyarrow.timestamp("ns"))})
    assert fault(path, t=Use.ANY).code == "AC215"
    with loading(path) as table:
        assert len(table.records) == 1


def test_a_large_file_is_scanned_in_place_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    duckdb.sql(f"COPY (SELECT range AS a FROM range(500000)) TO '{path}' (ROW_GROUP_SIZE 50000)")
    with loading(str(path), a=Use.ANY) as table:
        query = f"SELECT count(*) FROM {table.loaded.layout.view} WHERE c0 <> {ROW_KEY}"
        assert table.con.execute(query).fetchone() == (0,)


def test_a_column_of_lists_can_be_dropped(tmp_path: Path) -> None:
    given, output = tmp_path / "given.parquet", tmp_path / "out.csv"
    pyarrow.parquet.write_table(pyarrow.table({"Age": [36, 82], "Visits": [[1], [2, 3]]}), given)
    acompass.run("ALWAYS : DROP Visits;", given, output=output)
    assert output.read_text(encoding="utf-8") == "Age\n36\n82\n"
