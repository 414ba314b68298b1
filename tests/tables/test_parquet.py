"""Parquet files keep their names, types and missing values; damaged and malformed files are reported."""

import datetime
import gzip
import os
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import acompass
from acompass.engines.duckdb.output import Output, write
from acompass.engines.duckdb.table import open_table
from acompass.errors.diagnostics import TableError
from acompass.language.program.types import TEXT, Column
from acompass.language.program.uses import Use
from acompass.plan.lowering.state import ROW_KEY
from acompass.tables.csv import MalformedCsv, read_records
from acompass.tables.formats import FileFormat
from acompass.tables.input import open_source
from tests.length import at_length
from tests.tables.tables import csv_file, drop_privileges, fault, load_records, loading, unprivileged_folder


def parquet(folder: Path, columns: dict[str, Any], name: str = "table.parquet", **options: Any) -> str:
    path = str(folder / name)
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_names_that_the_engine_would_change_are_kept(tmp_path: Path) -> None:
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
def test_a_stored_value_has_this_type(tmp_path: Path, array: Any, type_: str, read: Any) -> None:
    uses = {} if type_ == "opaque" else {"a": Use.ANY}
    with loading(parquet(tmp_path, {"a": array}), **uses) as table:
        assert table.types == [type_]
        assert table.records == [(read,)]


def test_a_nested_column_does_not_shift_the_counts_of_the_next(tmp_path: Path) -> None:
    path = parquet(tmp_path, {"s": [{"x": None, "y": [None, 1]}], "n": [7], "m": pyarrow.array([None], "int64")})
    with loading(path, n=Use.ANY, m=Use.ANY) as table:
        assert table.missing == {2: 1}


@pytest.mark.parametrize("statistics", [True, False])
def test_missing_values_are_counted(tmp_path: Path, statistics: bool) -> None:
    columns = {"n": [1, None, 3] * 5, "t": ["x", "y", "z"] * 5, "f": [float("nan"), None, 1.0] * 5}
    path = parquet(tmp_path, columns, write_statistics=statistics, row_group_size=4)
    with loading(path, n=Use.ANY, t=Use.ANY, f=Use.ANY) as table:
        assert table.missing == {0: 5, 2: 10}
        assert table.loaded.prepared.records == 15


def test_missing_values_are_dropped_or_filled(tmp_path: Path) -> None:
    path = parquet(tmp_path, {"n": [1, None, 3], "f": [float("nan"), 0.5, 1.5], "x": [None, None, None]})
    assert load_records(path, missing="drop", n=Use.ANY, f=Use.ANY) == [(3, 1.5, None)]
    assert load_records(path, missing="9", n=Use.ANY, f=Use.ANY) == [(1, 9.0, None), (9, 0.5, None), (3, 1.5, None)]


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (pyarrow.array([None], "int64"), "x"),
        (pyarrow.array([None], "int64"), "1.5"),
        (pyarrow.array([None], "date32"), "2020-02-30"),
        (pyarrow.array([None], "bool"), "yes"),
    ],
)
def test_a_fill_value_of_another_type_is_rejected(tmp_path: Path, array: Any, value: str) -> None:
    assert fault(parquet(tmp_path, {"a": array}), missing=value, a=Use.ANY).code == "AC213"


def test_a_glob_is_one_table_in_order(tmp_path: Path) -> None:
    for number in range(12):
        parquet(tmp_path, {"a": [number * 2, number * 2 + 1]}, f"{number:02}.parquet")
    assert load_records(f"{tmp_path}/*.parquet", a=Use.ANY) == [(number,) for number in range(24)]


def test_files_with_different_types_are_rejected(tmp_path: Path) -> None:
    parquet(tmp_path, {"a": [1]}, "1.parquet")
    other = parquet(tmp_path, {"a": ["x"]}, "2.parquet")
    found = fault(f"{tmp_path}/*.parquet")
    assert (found.code, f"`{other}`" in found.message) == ("AC209", True)


def test_a_column_that_only_folders_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    path = parquet(tmp_path / "year=2020", {"a": [1]})
    for pattern in (path, f"{tmp_path}/*/*.parquet"):
        found = fault(pattern)
        assert (found.code, "2020" in found.message) == ("AC253", False)
    csv = tmp_path / "year=2020" / "table.csv"
    csv.write_text("a\n1\n")
    assert fault(f"{tmp_path}/*/*.csv").code == "AC253"


def test_a_column_that_folders_and_files_name_is_read_from_the_files(tmp_path: Path) -> None:
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        parquet(tmp_path / f"year={year}", {"a": [1], "Year": [year]})
    with loading(f"{tmp_path}/*/*.parquet") as table:
        assert table.records == [(1, 2020), (1, 2021)]


def test_nanoseconds_are_rejected_if_the_policy_uses_them(tmp_path: Path) -> None:
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


SECRET = "Hypertension"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "AC204", None),
        ("\na,b\n", "AC204", None),
        (f"a,b\n1,{SECRET}\n1,2,{SECRET}\n", "AC206", 3),
        (f"a,b\n{SECRET}\n", "AC206", 2),
        (f'a,b\n"x\ny",1\n\n{SECRET}\n', "AC206", 5),
        (f'a,b\n1,2\n"{SECRET},3\n4,5\n', "AC207", 3),
        (f'a,b\n1,2\n"{SECRET}"x,3\n', "AC207", 3),
        (f'a,b\n"{SECRET}" ,3\n', "AC207", 2),
        (f"a,b\n1,{SECRET}\n2,\xff\n".encode("latin-1"), "AC205", 3),
        ("a,b,a\n", "AC208", None),
    ],
)
def test_malformed_text_is_located(tmp_path: Path, content: str | bytes, code: str, line: int | None) -> None:
    found = fault(csv_file(tmp_path, content))
    assert found.code == code
    assert line is None or f"line {line} " in found.message
    assert SECRET not in found.message + (found.help or "")


@pytest.mark.slow
def test_an_error_far_into_a_large_file_is_located(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b\n" + "1,2\n" * 300_000 + f"1,{SECRET},3\n" + "1,2\n" * 100)
    assert fault(path).message == f"line 300002 of `{path}` has 3 fields, expected 2"


def test_the_file_of_a_glob_that_differs_is_named(tmp_path: Path) -> None:
    csv_file(tmp_path, "a,b\n1,2\n", "1.csv")
    other = csv_file(tmp_path, "b,a\n1,2\n", "2.csv")
    found = fault(f"{tmp_path}/*.csv")
    assert found.code == "AC209"
    assert f"and `{other}` have different columns" in found.message


def test_the_file_of_a_glob_that_is_ragged_is_named(tmp_path: Path) -> None:
    csv_file(tmp_path, "a,b\n1,2\n", "1.csv")
    other = csv_file(tmp_path, "a,b\n1\n", "2.csv")
    assert fault(f"{tmp_path}/*.csv").message == f"line 2 of `{other}` has 1 field, expected 2"


@pytest.mark.parametrize("path", ["none.csv", "none.parquet", "none*.csv"])
def test_a_missing_table_is_reported(tmp_path: Path, path: str) -> None:
    assert fault(str(tmp_path / path)).code == "AC201"


def test_a_folder_is_not_a_table(tmp_path: Path) -> None:
    found = fault(str(tmp_path))
    assert found.code == "AC202"
    assert f"{tmp_path}/*.csv" in (found.help or "")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_table_without_read_permission_is_reported(name: str) -> None:
    with unprivileged_folder() as folder:
        path = csv_file(folder, "a\n1\n", name)
        os.chmod(path, 0)
        with drop_privileges():
            assert fault(path).code == "AC203"


def test_a_broken_link_and_a_link_to_itself_are_reported(tmp_path: Path) -> None:
    (tmp_path / "lost.csv").symlink_to(tmp_path / "none.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert fault(str(tmp_path / "lost.csv")).code == "AC201"
    assert fault(str(tmp_path / "loop.csv")).code == "AC203"


def test_a_damaged_gzip_file_is_rejected(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * 7919 % 104729) for n in range(100_000)))
    for damaged in (whole[: len(whole) // 2], whole[:-4], b"a,b\n1,2\n"):
        assert fault(csv_file(tmp_path, damaged, "table.csv.gz")).code == "AC214"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"a,b\n1,2\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_a_damaged_parquet_file_is_rejected(tmp_path: Path, content: bytes) -> None:
    assert fault(csv_file(tmp_path, content, "table.parquet")).code == "AC214"


def test_a_value_that_is_not_a_number_is_located(tmp_path: Path) -> None:
    path = csv_file(tmp_path, f'n,t\n1,"a\nb"\n\n{SECRET},x\n2,y\nunknown,z\n')
    found = fault(path, n=Use.NUMBER)
    assert found.code == "AC210"
    assert found.message == (
        f"column `n` is used as a number, but 2 values are not numbers (the first is on line 5 of `{path}`)"
    )


def test_a_number_that_is_too_long_is_rejected(tmp_path: Path) -> None:
    found = fault(csv_file(tmp_path, "n\n" + "9" * 30 + "\n0." + "1" * 9 + "\n"), n=Use.NUMBER)
    assert found.code == "AC211"
    assert "39 digits" in found.message


def test_missing_values_are_counted_in_each_column(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b,c\n1,,\n,,\n3,x,\n")
    with loading(path, a=Use.NUMBER, b=Use.ANY) as table:
        with pytest.raises(TableError) as raised:
            table.loaded.require_complete()
        messages = [found.message for found in raised.value.diagnostics]
    assert messages == ["column `a` has 1 missing value", "column `b` has 2 missing values"]


PIECES = (
    "a",
    "1",
    "é",
    "𝒳",
    " ",
    "  ",
    '"',
    '""',
    ",",
    ";",
    "\n",
    "\r\n",
    "\r",
    "#",
    "'",
    "\\",
    "NULL",
    "\t",
    "\0",
)
VALUES = st.none() | st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
TABLES = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[VALUES] * width), min_size=1, max_size=5))
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)

Records = list[tuple[str | None, ...]]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def read(con: duckdb.DuckDBPyConnection, path: str) -> Records:
    with open_source(path, FileFormat(",", header=True)) as source:
        relation = open_table(con, source).relation
        return con.execute(f"SELECT * EXCLUDE (rk) FROM {relation} ORDER BY rk").fetchall()


@settings(max_examples=at_length(60))
@given(table=TABLES)
@pytest.mark.slow
def test_written_tables_are_read_back(con: duckdb.DuckDBPyConnection, table: Records) -> None:
    width = len(table[0])
    schema = tuple(Column(f"n{position}", TEXT) for position in range(width))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "table.csv"))
        con.execute(f"CREATE OR REPLACE TEMP TABLE t ({', '.join(f'c{i} VARCHAR' for i in range(width))})")
        con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", table)
        write(con, Output("SELECT * FROM t", schema), path)
        assert read(con, path) == table


@settings(max_examples=at_length(60))
@example(body='"" "",')
@given(body=TEXTS)
def test_the_engine_and_our_own_parser_agree(con: duckdb.DuckDBPyConnection, body: str) -> None:
    content = ("a,b\n" + body).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        try:
            found = read(con, str(path))
        except TableError:
            found = None
    assert found == by_definition(content)


def by_definition(content: bytes) -> Records | None:
    """The records by our own parser; None if the text is malformed or the rows differ in length."""
    try:
        _, *rows = (fields for _, fields in read_records(content.splitlines(keepends=True), ","))
    except MalformedCsv:
        return None
    whole = [fields for fields in rows if fields != [None]]
    if any(len(fields) < 2 or any(fields[2:]) or "" in fields[2:] for fields in whole):
        return None
    return [tuple(fields[:2]) for fields in whole]
