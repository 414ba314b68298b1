"""Data frames of each library come back as the same kind, with the same types."""

import datetime
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import ibis
import numpy
import pandas
import polars
import pyarrow.compute
import pytest
from pandas.testing import assert_frame_equal as assert_pandas_equal
from polars.testing import assert_frame_equal as assert_polars_equal

import acompass
from acompass.language.program.uses import Use
from tests.tables.tables import fault, loading, round_trip

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


def any_uses(columns: Any, opaque: tuple[str, ...] = ("span", "list")) -> dict[str, Use]:
    return {name: Use.ANY for name in columns if name not in opaque}


@pytest.mark.parametrize("all_named", [False, True])
def test_a_pandas_frame_comes_back_unchanged(all_named: bool) -> None:
    given = pandas_frame()
    result = round_trip(given, **any_uses(given.columns) if all_named else {})
    assert_pandas_equal(given.reset_index(drop=True), result)


@pytest.mark.parametrize("all_named", [False, True])
def test_a_polars_frame_comes_back_unchanged(all_named: bool) -> None:
    given = polars_frame()
    result = round_trip(given, **any_uses(given.columns) if all_named else {})
    assert_polars_equal(given, result)


def test_a_polars_lazy_frame_comes_back_lazy() -> None:
    result = round_trip(polars_frame().lazy(), int32=Use.ANY)
    assert isinstance(result, polars.LazyFrame)
    assert_polars_equal(polars_frame(), result.collect())


@pytest.mark.parametrize("records", [3, 0])
def test_an_arrow_table_comes_back_unchanged(records: int) -> None:
    given = polars_frame().drop("category", "enum").to_arrow().slice(0, records)
    result = round_trip(given, **any_uses(given.column_names))
    assert result.equals(given)


@pytest.mark.parametrize("records", [3, 0])
def test_an_arrow_record_batch_comes_back_unchanged(records: int) -> None:
    given = pyarrow.RecordBatch.from_pydict({"a": [1, 2, 3], "b": ["x", None, "z"]}).slice(0, records)
    assert round_trip(given, a=Use.ANY).equals(given)


READ = "EACH RESULT : int32 <= 2 : REJECT;"


def _readers() -> list[pyarrow.RecordBatchReader]:
    """The same table in one batch, in many, and as the stream of another process."""
    table = polars_frame().drop("category", "enum").to_arrow()
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    in_process = [table.to_reader(), table.to_reader(max_chunksize=1)]
    return [*in_process, pyarrow.ipc.open_stream(sink.getvalue())]


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_reader_comes_back_as_an_arrow_table(engine: str) -> None:
    columns = ["int32", "Int64", "text", "float", "time", "date", "flag", "decimal"]
    whole = polars_frame().select(columns).to_arrow()
    expected = acompass.run(READ, whole, engine=engine)
    for size in (1, 2, 1000):
        result = acompass.run(READ, whole.to_reader(max_chunksize=size), engine=engine)
        assert result == expected
        assert result.table.equals(expected.table)


def test_a_reader_keeps_every_type() -> None:
    expected = acompass.run(READ, polars_frame().drop("category", "enum").to_arrow()).table
    for reader in _readers():
        assert acompass.run(READ, reader).table.equals(expected)


def test_batches_may_have_different_dictionaries_and_no_records() -> None:
    type_ = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
    schema = pyarrow.schema([("a", type_), ("b", pyarrow.null())])
    texts = [["x", "y"], [], ["z", None]]
    batches = [pyarrow.record_batch([pyarrow.array(each, type_), pyarrow.nulls(len(each))], schema) for each in texts]
    reader = pyarrow.RecordBatchReader.from_batches(schema, iter(batches))
    assert acompass.run("ALWAYS : DROP b;", reader).table.to_pydict() == {"a": ["x", "y", "z", None]}
    empty = pyarrow.RecordBatchReader.from_batches(schema, iter([]))
    result = acompass.run("EACH RESULT : a = 'x' : REJECT;", empty)
    assert (result.records_in, result.table.schema.names) == (0, ["a", "b"])


def test_a_session_on_a_reader_answers_several_calls_and_reports(tmp_path: Any) -> None:
    table = pyarrow.table({"a": list(range(50)), "b": ["x", "y"] * 25})
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY b : n >= 2 : REJECT; EACH RESULT : a >= 5 : REPLACE a WITH 5;"
    with acompass.open(table.to_reader(max_chunksize=7)) as session, acompass.open(table) as expected:
        for page in ("a.html", "b.html"):
            run = session.run(policy, report=tmp_path / page, report_internal=tmp_path / f"internal-{page}")
            assert run == expected.run(policy)
            assert run.table.equals(expected.run(policy).table)
        reports = {"against": table.to_reader(), "report": tmp_path / "c.html"}
        assert session.measure(["b"], **reports) == expected.measure(["b"], against=table)
        assert session.explain(policy, record=2) == expected.explain(policy, record=2)
        with session.sample(10, "s") as sample, expected.sample(10, "s") as other:
            assert sample.check(policy) == other.check(policy)


def test_a_reader_that_was_read_is_not_an_empty_table() -> None:
    reader = pyarrow.table({"int32": [1, 2]}).to_reader()
    with pytest.raises(acompass.PolicyError):
        acompass.run("EACH RESULT : int32 == 1;", reader)
    assert acompass.run(READ, reader).records_in == 2
    with pytest.raises(acompass.TableError, match="AC250"):
        acompass.run(READ, reader)


def test_a_reader_that_fails_is_named() -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"int32": [1]})
        raise ValueError("secret")

    schema = pyarrow.schema([("int32", pyarrow.int64())])
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(acompass.TableError) as raised:
        acompass.run(READ, reader)
    assert raised.value.diagnostics[0].message.startswith("cannot read a PyArrow record batch reader: ")
    assert "secret" not in str(raised.value)
    with pytest.raises(acompass.TableError, match="AC250"):
        acompass.run(READ, reader)


def test_a_column_of_a_reader_that_cannot_be_read_is_named() -> None:
    union = pyarrow.nulls(1, pyarrow.dense_union([pyarrow.field("x", pyarrow.int8())]))
    with pytest.raises(acompass.TableError, match="cannot convert column `a`"):
        acompass.check("EACH RESULT : a = 1;", pyarrow.table({"b": [1], "a": union}).to_reader())
    assert acompass.check("EACH RESULT : b = 1;", pyarrow.table({"b": [1], "a": union}).to_reader()).ok


def test_a_duckdb_relation_comes_back_as_one() -> None:
    result = round_trip(duckdb.sql("SELECT 1 AS a, 'x' AS b"), a=Use.ANY)
    assert isinstance(result, duckdb.DuckDBPyRelation)
    assert (result.columns, result.fetchall()) == (["a", "b"], [(1, "x")])


@pytest.mark.filterwarnings("ignore:.*future.infer_string:DeprecationWarning")  # Ibis 12 on pandas 3
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis 12 on DuckDB 2
def test_an_ibis_table_comes_back_as_one() -> None:
    result = round_trip(ibis.memtable({"a": [1, 2], "b": ["x", None]}), a=Use.ANY)
    assert isinstance(result, ibis.Table)
    assert result.to_pyarrow().to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_a_list_of_dicts_comes_back_with_every_column() -> None:
    assert round_trip([{"a": 1, "b": "x"}, {"a": 2, "c": None}], a=Use.ANY) == [
        {"a": 1, "b": "x", "c": None},
        {"a": 2, "b": None, "c": None},
    ]


def test_integers_beyond_64_bits_are_exact() -> None:
    with loading([{"a": 2**64}, {"a": -(10**37)}], a=Use.ANY) as table:
        assert table.types == ["decimal(0)"]
        assert table.records == [(Decimal(2**64),), (Decimal(-(10**37)),)]
    assert fault([{"a": 10**38}], a=Use.ANY).code == "AC215"


@pytest.mark.parametrize("lost", [None, float("nan"), pandas.NA, pandas.NaT])
def test_every_kind_of_missing_value_is_recognized(lost: Any) -> None:
    frame = pandas.DataFrame({"a": pandas.Series(["x", lost], dtype=object)})
    with loading(frame, a=Use.ANY) as table:
        assert table.missing == {0: 1}


def test_nan_is_missing_in_polars_too() -> None:
    with loading(polars.DataFrame({"a": [1.0, float("nan"), None]}), a=Use.ANY) as table:
        assert table.missing == {0: 2}


def test_a_changed_column_has_the_type_of_the_language() -> None:
    result = round_trip(pandas_frame(), changed=[0, 3], int32=Use.ANY, category=Use.ANY)
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
def test_objects_that_are_not_tables_are_rejected(table: Any, code: str) -> None:
    found = fault(table, a=Use.ANY)
    assert found.code == code
    assert "secret" not in found.message + (found.help or "")


@pytest.mark.slow
def test_the_error_without_pyarrow_names_it() -> None:
    """Simulates a machine without pyarrow."""
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
        "from acompass.engines.duckdb.table import open_table\n"
        "from acompass.tables.input import open_source\n"
        "table = duckdb.connect().sql('SELECT 1 AS a').to_arrow_table()\n"
        "with duckdb.connect() as con, open_source(table) as source: open_table(con, source).relation\n"
        "print({'pandas', 'polars', 'ibis'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


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
    assert_polars_equal(round_trip(frame, a=Use.ANY), frame)
    assert_polars_equal(round_trip(frame.lazy()).collect(), frame)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_more_than_38_digits_are_rejected(dtype: Any) -> None:
    found = fault(_polars([1, 10**38], dtype))
    assert (found.code, "`a`" in found.message) == ("AC215", True)


@pytest.mark.parametrize(
    "frame",
    [
        _polars([Decimal("1.50"), None], polars.Decimal(10, 2)),
        _polars(["x", "y", None], polars.Enum(["y", "x"])),
        _polars(["x", None], polars.Categorical),
        _polars([[1], None], polars.List(polars.Int8)),
        _polars([[1], None], polars.Array(polars.Int8, 1)),
        _polars([{"x": 1}, {"x": None}], polars.Struct({"x": polars.UInt8})),
        _polars([b"x", None], polars.Binary),
        _polars([1.5, None], polars.Float16),
    ],
    ids=lambda frame: str(frame.schema["a"]),
)
def test_these_types_of_polars_come_back_unchanged(frame: polars.DataFrame) -> None:
    assert_polars_equal(round_trip(frame), frame)


def test_polars_objects_of_one_type_come_back_unchanged() -> None:
    frame = polars.DataFrame({"a": polars.Series([1, 2], dtype=polars.Object)})
    assert round_trip(frame)["a"].to_list() == [1, 2]
    assert round_trip(frame).schema == frame.schema


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
def test_these_types_of_pandas_come_back_unchanged(values: Any) -> None:
    assert_pandas_equal(round_trip(_pandas(values)), _pandas(values))


def test_a_decimal_with_a_negative_scale_comes_back_unchanged() -> None:
    table = pyarrow.table({"a": pyarrow.array([Decimal("1E3")], pyarrow.decimal128(38, -2))})
    assert round_trip(table).equals(table)
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
        pyarrow.table({"b": [1], "a": pyarrow.nulls(1, pyarrow.dense_union([pyarrow.field("x", pyarrow.int8())]))}),
    ],
)
def test_a_column_that_cannot_be_converted_is_named(table: Any) -> None:
    found = fault(table, a=Use.ANY)
    assert found.code == "AC240"
    assert found.message.startswith("cannot convert column `a`: ")
    assert "secret" not in found.message


def test_run_ends_are_encoded_again() -> None:
    values = pyarrow.array([1, None]).cast(pyarrow.int64())
    table = pyarrow.table({"a": pyarrow.compute.run_end_encode(values)})
    assert round_trip(table).equals(table)


def _lazy() -> polars.LazyFrame:
    return polars.DataFrame({"a": ["secret"]}).lazy()


def _dropped_relation() -> duckdb.DuckDBPyRelation:
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
    (_dropped_relation, "a DuckDB relation"),
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


def test_an_interrupt_is_not_a_failure_of_the_library() -> None:
    def interrupt(_: polars.DataFrame) -> polars.DataFrame:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        acompass.check("EACH RESULT : a = 'x';", _lazy().map_batches(interrupt))
