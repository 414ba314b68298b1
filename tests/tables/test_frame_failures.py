"""Whatever a frame's library raises is a diagnostic that names the column or the frame."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import ibis
import numpy
import pandas
import polars
import pyarrow
import pytest
from pandas.testing import assert_frame_equal as assert_pandas_equal
from polars.testing import assert_frame_equal as assert_polars_equal

import acompass
from acompass.checked.uses import Use
from tests.tables.tables import fault, loading, returned


def _polars(values: list[Any], dtype: Any) -> polars.DataFrame:
    return polars.DataFrame({"a": polars.Series(values, dtype=dtype)})


def _pandas(values: Any) -> pandas.DataFrame:
    return pandas.DataFrame({"a": values})


INTEGERS = (polars.Int128, polars.UInt128)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_128_bits_are_decimals(dtype: Any) -> None:
    frame = _polars([1, None, 10**38 - 1], dtype)
    with loading(frame, a=Use.ANY) as table:
        assert table.types == ["decimal(0)"]
        assert table.records == [(Decimal(1),), (None,), (Decimal(10**38 - 1),)]
    assert_polars_equal(returned(frame, a=Use.ANY), frame)
    assert_polars_equal(returned(frame.lazy()).collect(), frame)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_more_than_38_digits(dtype: Any) -> None:
    found = fault(_polars([1, 10**38], dtype))
    assert (found.code, "`a`" in found.message) == ("AC215", True)


@pytest.mark.parametrize(
    "frame",
    [
        _polars([Decimal("1.50"), None], polars.Decimal(10, 2)),
        _polars(["x", None], polars.Enum(["y", "x"])),
        _polars(["x", None], polars.Categorical),
        _polars([[1], None], polars.List(polars.Int8)),
        _polars([[1], None], polars.Array(polars.Int8, 1)),
        _polars([{"x": 1}, {"x": None}], polars.Struct({"x": polars.UInt8})),
        _polars([b"x", None], polars.Binary),
        _polars([1.5, None], polars.Float16),
    ],
    ids=lambda frame: str(frame.schema["a"]),
)
def test_types_of_polars_that_pass(frame: polars.DataFrame) -> None:
    assert_polars_equal(returned(frame), frame)


def test_objects_of_polars_that_have_a_type() -> None:
    frame = polars.DataFrame({"a": polars.Series([1, 2], dtype=polars.Object)})
    assert returned(frame)["a"].to_list() == [1, 2]
    assert returned(frame).schema == frame.schema


@pytest.mark.parametrize(
    "values",
    [
        pandas.array([1, None], dtype="Int8"),
        pandas.array([1.5, None], dtype="Float32"),
        pandas.array([True, None], dtype="boolean"),
        pandas.array(["x", None], dtype="string"),
        pandas.Categorical([3, 1, None]),
        pandas.period_range("2020-01", periods=2, freq="M"),
        pandas.interval_range(0, 2),
        pandas.array([[1], None], dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.int8()))),
        pandas.array([{"x": 1}, None], dtype=pandas.ArrowDtype(pyarrow.struct({"x": pyarrow.int8()}))),
        pandas.array([Decimal("1.5"), None], dtype=pandas.ArrowDtype(pyarrow.decimal256(60, 1))),
        pandas.Series([Decimal("1.5"), None], dtype=object),
    ],
    ids=lambda values: str(values.dtype),
)
def test_types_of_pandas_that_pass(values: Any) -> None:
    assert_pandas_equal(returned(_pandas(values)), _pandas(values))


def test_a_decimal_with_a_negative_scale_passes() -> None:
    table = pyarrow.table({"a": pyarrow.array([Decimal("1E3")], pyarrow.decimal128(38, -2))})
    assert returned(table).equals(table)
    with loading(table, a=Use.ANY) as loaded:
        assert loaded.records == [(Decimal(1000),)]


class _Person:
    def __repr__(self) -> str:
        return "secret"


@pytest.mark.parametrize(
    "table",
    [
        _polars([[1]], polars.List(polars.Int128)),
        _polars([{"x": 1}], polars.Struct({"x": polars.Int128})),
        polars.DataFrame({"a": polars.Series([_Person()], dtype=polars.Object)}),
        _pandas([_Person()]),
        _pandas([1j]),
        _pandas(numpy.array([1], dtype=numpy.longdouble)),
        _pandas(pandas.arrays.SparseArray([0, 1])),
        [{"a": _Person()}],
        pyarrow.table({"b": [1], "a": pyarrow.nulls(1, pyarrow.list_(pyarrow.float16()))}),
        pyarrow.table(
            {"b": [1], "a": pyarrow.nulls(1, pyarrow.dense_union([pyarrow.field("x", pyarrow.int8())]))}
        ),
    ],
)
def test_a_column_that_cannot_be_converted_is_named(table: Any) -> None:
    found = fault(table)
    assert found.code == "AC240"
    assert found.message.startswith("cannot convert column `a`: ")
    assert "secret" not in found.message


def test_a_column_that_cannot_be_converted_back_is_named() -> None:
    values = pyarrow.array([1, None]).cast(pyarrow.int64())
    table = pyarrow.table({"a": pyarrow.compute.run_end_encode(values)})
    with pytest.raises(acompass.TableError, match="cannot convert column `a`"):
        returned(table)


def _lazy() -> polars.LazyFrame:
    return polars.DataFrame({"a": ["secret"]}).lazy()


def _dropped() -> duckdb.DuckDBPyRelation:
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    relation = con.table("t")
    con.execute("DROP TABLE t")
    return relation


def _panicking() -> polars.LazyFrame:
    def panic(_: polars.DataFrame) -> polars.DataFrame:
        raise polars.exceptions.PanicException("secret")

    return _lazy().map_batches(panic)


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (lambda: _lazy().select("secret"), "a Polars lazy frame"),
    (lambda: _lazy().select(polars.col("a").cast(polars.Int64)), "a Polars lazy frame"),
    (_panicking, "a Polars lazy frame"),
    (_dropped, "a DuckDB relation"),
    (lambda: duckdb.sql("SELECT CAST(a AS INT) AS a FROM (VALUES ('secret')) AS t(a)"), "a DuckDB relation"),
    (lambda: ibis.table({"a": "int64"}, name="secret"), "an Ibis table"),
    (lambda: ibis.memtable({"a": ["secret"]}).mutate(a=ibis._.a.cast("int64")), "an Ibis table"),
]


@pytest.mark.filterwarnings("ignore:.*future.infer_string:DeprecationWarning")  # Ibis 12 on pandas 3
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis 12 on DuckDB 2
@pytest.mark.parametrize(("broken", "kind"), BROKEN)
def test_a_frame_that_cannot_be_computed_is_named(broken: Callable[[], Any], kind: str) -> None:
    found = fault(broken())
    assert (found.code, found.message.partition(": ")[0]) == ("AC240", f"cannot read {kind}")
    assert "secret" not in found.message


def test_the_librarys_own_message_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACOMPASS_DEBUG", "1")
    assert "secret" in fault(_lazy().select("secret")).message


def test_an_interrupt_is_no_failure_of_the_library() -> None:
    def interrupt(_: polars.DataFrame) -> polars.DataFrame:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        acompass.check("EACH RESULT : a = 'x';", _lazy().map_batches(interrupt))
