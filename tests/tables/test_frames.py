"""Data frames of each library come back as the same kind, with the same types."""

import datetime
import subprocess
import sys
from decimal import Decimal
from typing import Any

import duckdb
import ibis
import pandas
import polars
import pyarrow
import pytest
from pandas.testing import assert_frame_equal as assert_pandas_equal
from polars.testing import assert_frame_equal as assert_polars_equal

from acompass.checked.uses import Use
from tests.tables.tables import fault, loading, returned

TIMES = ["2020-01-01", "2020-07-02", None]


def pandas_frame() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "int32": pandas.array([1, 2, 3], dtype="int32"),
            "Int64": pandas.array([1, None, 2**60 + 1], dtype="Int64"),
            "text": ["a", "b", None],
            "category": pandas.Categorical(["x", "y", "x"], categories=["y", "x"], ordered=True),
            "float": [1.5, float("nan"), 2],
            "float32": pandas.array([1.1, 2, 3], dtype="float32"),
            "time": pandas.to_datetime(TIMES),
            "nanoseconds": pandas.to_datetime(TIMES).astype("datetime64[ns]"),
            "zone": pandas.to_datetime(TIMES).tz_localize("Europe/Amsterdam"),
            "date": pandas.array([datetime.date(2020, 1, 1)] * 3, dtype=object),
            "flag": [True, False, True],
            "arrow": pandas.array([1, 2, 3], dtype="int8[pyarrow]"),
            "span": pandas.to_timedelta([1, None, 3], unit="s"),
        },
        index=[5, 6, 7],
    )


def polars_frame() -> polars.DataFrame:
    return polars.from_pandas(pandas_frame().drop(columns=["span"])).with_columns(
        enum=polars.Series(["u", "v", "u"], dtype=polars.Enum(["v", "u"])),
        uint64=polars.Series([1, 2**64 - 1, 3], dtype=polars.UInt64),
        decimal=polars.Series([Decimal("1.50"), None, Decimal("-3.25")], dtype=polars.Decimal(20, 2)),
        list=polars.Series([[1], [2], []]),
        span=polars.duration(seconds=5),
    )


def named(columns: Any, opaque: tuple[str, ...] = ("span", "list")) -> dict[str, Use]:
    return {name: Use.ANY for name in columns if name not in opaque}


@pytest.mark.parametrize("all_named", [False, True])
def test_pandas(all_named: bool) -> None:
    given = pandas_frame()
    result = returned(given, **named(given.columns) if all_named else {})
    assert_pandas_equal(given.reset_index(drop=True), result)


@pytest.mark.parametrize("all_named", [False, True])
def test_polars(all_named: bool) -> None:
    given = polars_frame()
    result = returned(given, **named(given.columns) if all_named else {})
    assert_polars_equal(given, result)


def test_polars_lazy() -> None:
    result = returned(polars_frame().lazy(), int32=Use.ANY)
    assert isinstance(result, polars.LazyFrame)
    assert_polars_equal(polars_frame(), result.collect())


@pytest.mark.parametrize("records", [3, 0])
def test_pyarrow(records: int) -> None:
    given = polars_frame().drop("category", "enum").to_arrow().slice(0, records)
    result = returned(given, **named(given.column_names))
    assert result.equals(given)


@pytest.mark.parametrize("records", [3, 0])
def test_pyarrow_record_batch(records: int) -> None:
    given = pyarrow.RecordBatch.from_pydict({"a": [1, 2, 3], "b": ["x", None, "z"]}).slice(0, records)
    assert returned(given, a=Use.ANY).equals(given)


def test_duckdb_relation() -> None:
    result = returned(duckdb.sql("SELECT 1 AS a, 'x' AS b"), a=Use.ANY)
    assert isinstance(result, duckdb.DuckDBPyRelation)
    assert (result.columns, result.fetchall()) == (["a", "b"], [(1, "x")])


@pytest.mark.filterwarnings("ignore:.*future.infer_string:DeprecationWarning")  # Ibis 12 on pandas 3
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis 12 on DuckDB 2
def test_ibis_table() -> None:
    result = returned(ibis.memtable({"a": [1, 2], "b": ["x", None]}), a=Use.ANY)
    assert isinstance(result, ibis.Table)
    assert result.to_pyarrow().to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_list_of_dicts() -> None:
    assert returned([{"a": 1, "b": "x"}, {"a": 2, "c": None}], a=Use.ANY) == [
        {"a": 1, "b": "x", "c": None},
        {"a": 2, "b": None, "c": None},
    ]


def test_integers_beyond_64_bits_are_exact() -> None:
    with loading([{"a": 2**64}, {"a": -(10**37)}], a=Use.ANY) as table:
        assert table.types == ["decimal(0)"]
        assert table.records == [(Decimal(2**64),), (Decimal(-(10**37)),)]
    assert fault([{"a": 10**38}]).code == "AC215"


@pytest.mark.parametrize("lost", [None, float("nan"), pandas.NA, pandas.NaT])
def test_missing_values(lost: Any) -> None:
    frame = pandas.DataFrame({"a": pandas.Series(["x", lost], dtype=object)})
    with loading(frame, a=Use.ANY) as table:
        assert table.missing == {0: 1}


def test_nan_is_missing_in_polars_too() -> None:
    with loading(polars.DataFrame({"a": [1.0, float("nan"), None]}), a=Use.ANY) as table:
        assert table.missing == {0: 2}


def test_a_changed_column_has_the_type_of_the_language() -> None:
    result = returned(pandas_frame(), changed=[0, 3], int32=Use.ANY, category=Use.ANY)
    assert result.dtypes["int32"] == "int64"
    assert result["category"].tolist() == ["x", "y", "x"]
    assert not isinstance(result.dtypes["category"], pandas.CategoricalDtype)


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pandas.DataFrame({"a": pandas.Series([1, "secret"], dtype=object)}), "AC216"),
        ([{"a": 1}, {"a": "secret"}], "AC216"),
        (polars.DataFrame({"a": polars.Series([1, "secret"], dtype=polars.Object)}), "AC216"),
        (pandas.DataFrame({1: [1]}), "AC219"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "AC208"),
        (pandas.DataFrame(), "AC204"),
        ([], "AC204"),
        (5, "AC217"),
        ([1], "AC217"),
        (pandas.Series([1]), "AC217"),
    ],
)
def test_objects_that_are_not_tables(table: Any, code: str) -> None:
    found = fault(table)
    assert found.code == code
    assert "secret" not in found.message + (found.help or "")


def test_without_pyarrow() -> None:
    """As on a machine without pyarrow: importing it fails."""
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import acompass, duckdb\n"
        "for table in (duckdb.sql('SELECT 1 AS a'), [{'a': b'x'}]):\n"
        "    try: acompass.check('EACH RESULT : a = 1;', table)\n"
        "    except acompass.TableError as error: print(error.diagnostics[0].message)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "a DuckDB relation needs pyarrow",
        "a list of dicts with values other than numbers, text, booleans, dates and local times needs pyarrow",
    ]


def test_no_library_is_imported_that_was_not_given() -> None:
    code = (
        "import sys, duckdb\n"
        "from acompass.engines.duckdb.read import open_table\n"
        "from acompass.tables.opening import opened\n"
        "table = duckdb.connect().sql('SELECT 1 AS a').to_arrow_table()\n"
        "with duckdb.connect() as con, opened(table) as source: open_table(con, source).relation\n"
        "print({'pandas', 'polars', 'ibis'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
