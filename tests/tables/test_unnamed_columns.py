"""A column that the policy never names does not stop a run, and its values and type do not change (D30)."""

import datetime
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from tests.engines.postgres_server import Server

POLICY = "EACH RESULT : k <= 2 : REJECT;"
KEYS = [3, 1, 2]
UTC_2 = datetime.timezone(datetime.timedelta(hours=2))

#: three values each, of which the last two are released
ARROW: dict[str, Any] = {
    "uuid": pyarrow.array([uuid.UUID(int=i).bytes for i in range(3)], pyarrow.uuid()),
    "zoned nanoseconds": pyarrow.array([0, 1577836800000000001, None], pyarrow.timestamp("ns", "Europe/Berlin")),
    "zoned microseconds": pyarrow.array([0, -1, None], pyarrow.timestamp("us", "UTC")),
    "nanoseconds": pyarrow.array([0, 1, None], pyarrow.timestamp("ns")),
    "list": pyarrow.array([[0], [], None]),
    "struct": pyarrow.array([{"a": 0}, {"a": None}, None]),
    "map": pyarrow.array([[("a", 0)], [], None], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "nested": pyarrow.array([[{"a": [0]}], [{"a": []}], None]),
    "38 digits": pyarrow.array([Decimal(0), Decimal(10**38 - 1), None], pyarrow.decimal128(38, 0)),
    "70 digits": pyarrow.array([Decimal(0), Decimal(10**60), None], pyarrow.decimal256(70, 2)),
    "duration": pyarrow.array([0, 1, None], pyarrow.duration("ns")),
    "interval": pyarrow.array([(0, 0, 0), (1, 2, 3), None], pyarrow.month_day_nano_interval()),
    "binary": pyarrow.array([b"", b"\x00\xff", None]),
    "time": pyarrow.array([0, 1, None], pyarrow.time64("ns")),
    "unsigned": pyarrow.array([0, 2**64 - 1, None], pyarrow.uint64()),
    "half": pyarrow.array([0.0, 1.5, None], pyarrow.float16()),
    "null": pyarrow.nulls(3),
    "run ends": pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([1, 3], pyarrow.int32()), pyarrow.array([0, 1])),
    "list of zoned": pyarrow.array([[0], [1], None], pyarrow.list_(pyarrow.timestamp("ns", "UTC"))),
}
OBJECTS: dict[str, list[Any]] = {
    "uuid": [uuid.UUID(int=i) for i in range(3)],
    "set": [{0}, {1, 2}, set()],
    "frozenset": [frozenset((0,)), frozenset(), None],
    "tuple": [(0, "a"), (1, 2), ()],
    "list": [[0, "a"], [1], []],
    "dict": [{"a": 0}, {}, {"b": [1]}],
    "mixed": [0, "a", None],
    "complex": [0j, 1j, None],
    "object": [object(), object(), None],
    "path": [Path("a"), Path("b"), None],
    "long": [0, 10**50, -1],
    "decimal": [Decimal("NaN"), Decimal("Infinity"), Decimal("1E+50")],
    "surrogate": ["\ud800", "\udfff", "a"],
    "dates and times": [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5), None],
    "bytes": [b"", b"\xff", None],
}
PANDAS: dict[str, Callable[[], Any]] = {
    "category": lambda: pandas.Series(["a", "b", "b"], dtype="category"),
    "zoned nanoseconds": lambda: pandas.Series([0, 1, 2]).astype("datetime64[ns, Europe/Berlin]"),
    "period": lambda: pandas.Series(pandas.period_range("2020", periods=3, freq="D")),
    "interval": lambda: pandas.Series(pandas.interval_range(0, 3)),
    "sparse": lambda: pandas.Series(pandas.arrays.SparseArray([0, 1, 0])),
    "complex": lambda: pandas.Series([0j, 1j, 2j]),
    "timedelta": lambda: pandas.Series(pandas.to_timedelta([0, 1, 2])),
}
POLARS: dict[str, Callable[[], Any]] = {
    "enum": lambda: polars.Series(["a", "b", "a"], dtype=polars.Enum(["b", "a"])),
    "category": lambda: polars.Series(["a", "b", None], dtype=polars.Categorical),
    "zoned nanoseconds": lambda: polars.Series([0, 1, None]).cast(polars.Datetime("ns", "Europe/Berlin")),
    "array": lambda: polars.Series([[0, 1], [2, 3], None], dtype=polars.Array(polars.Int64, 2)),
    "128 bits": lambda: polars.Series([0, 2**100, None], dtype=polars.Int128),
    "duration": lambda: polars.Series([0, 1, None]).cast(polars.Duration("ns")),
    "list of enums": lambda: polars.Series([["a"], ["a"], None], dtype=polars.List(polars.Enum(["a"]))),
}


@pytest.mark.parametrize("name", ARROW)
def test_arrow_tables(name: str) -> None:
    table = pyarrow.table({"k": KEYS, "v": ARROW[name]})
    for given in (table, table.to_batches()[0]):
        result = acompass.run(POLICY, given).table
        assert result.column("v").to_pylist() == table.column("v").to_pylist()[1:]
        assert result.schema.field("v").type == table.schema.field("v").type
    assert acompass.run(POLICY, table.to_reader()).table.column("v").to_pylist() == table.column("v").to_pylist()[1:]


@pytest.mark.parametrize("name", [*ARROW, "last year"])
def test_arrow_tables_in_the_reference_engine(name: str) -> None:
    _test_in_engine("reference", name)


@pytest.mark.parametrize("name", [*ARROW, "last year"])
def test_arrow_tables_in_postgres(postgres: Server, name: str) -> None:
    _test_in_engine(postgres.url("plain"), name)


#: a time whose nanoseconds since 1970 have more than 64 bits
LAST_YEAR = pyarrow.array([0, 253402300799_000000, None], pyarrow.timestamp("us", "America/New_York"))


def _test_in_engine(engine: str, name: str) -> None:
    """Other engines have stand-ins for the types that they lack, and every record gets its own value back."""
    values = LAST_YEAR if name == "last year" else ARROW[name]
    table = pyarrow.table({"k": KEYS, "v": values, "w": values, "a": ["x", "z", "y"]})
    policy = f"{POLICY} EACH RESULT : a = 'y' : REPLACE a WITH '*';"
    result = acompass.run(policy, table, engine=engine).table
    assert (result.column("k").to_pylist(), result.column("a").to_pylist()) == ([1, 2], ["*", "y"])
    for column in ("v", "w"):
        assert result.column(column).to_pylist() == table.column(column).to_pylist()[1:]
        assert result.schema.field(column).type == table.schema.field(column).type
    dropped = acompass.run(f"{policy} ALWAYS : DROP w;", table, engine=engine).table
    assert dropped.equals(result.drop_columns("w"))


@pytest.mark.parametrize(
    "values", [ARROW["list"], ARROW["nanoseconds"], ARROW["zoned nanoseconds"]], ids=lambda values: str(values.type)
)
def test_a_table_in_postgres_that_cannot_hold_a_column_is_not_created(postgres: Server, values: Any) -> None:
    table = pyarrow.table({"k": KEYS, "v": values})
    with pytest.raises(AcompassError, match="AC304"):
        acompass.run(POLICY, table, engine=postgres.url("plain"), output="unnamed_release")


@pytest.mark.parametrize("name", [name for name in ARROW if name not in ("interval", "run ends", "70 digits")])
@pytest.mark.parametrize("order", [None, "canonical"])
def test_parquet_files(tmp_path: Path, name: str, order: str | None) -> None:
    if order and "nanoseconds" not in name and "digits" not in name:
        return
    path, output = tmp_path / "t.parquet", tmp_path / "out.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"k": KEYS, "v": ARROW[name]}), path)
    acompass.run(POLICY, path, output=output, order=order, report=tmp_path / "report.html")
    given, result = (pyarrow.parquet.read_table(each).column("v") for each in (path, output))
    is_integer = name == "duration"  # Parquet has no durations
    assert result.to_pylist() == (given.cast(pyarrow.int64()) if is_integer else given).to_pylist()[1:]


def test_a_parquet_column_of_too_many_digits_is_not_rounded(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"k": KEYS, "v": ARROW["70 digits"]}), tmp_path / "t.parquet")
    with pytest.raises(AcompassError, match="AC215"):
        acompass.run(POLICY, tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["uuid", "list", "struct", "zoned nanoseconds", "interval", "38 digits", "binary"])
def test_duckdb_relations(name: str) -> None:
    con = duckdb.connect()
    con.register("t", pyarrow.table({"k": KEYS, "v": ARROW[name]}))
    relation = con.sql("FROM t")
    result = acompass.run(POLICY, relation).table
    assert (result.columns, result.types) == (relation.columns, relation.types)
    shown = "SELECT v::VARCHAR FROM r"
    assert result.query("r", shown).fetchall() == relation.query("r", shown).fetchall()[1:]


@pytest.mark.parametrize("name", OBJECTS)
def test_pythons_objects(name: str) -> None:
    values = OBJECTS[name]
    frame = pandas.DataFrame({"k": KEYS, "v": pandas.Series(values, dtype=object)})
    in_pandas = acompass.run(POLICY, frame).table["v"]
    assert (in_pandas.dtype, list(in_pandas.index)) == (object, [0, 1])
    objects = polars.DataFrame({"k": KEYS, "v": polars.Series(values, dtype=polars.Object)})
    in_polars = acompass.run(POLICY, objects).table
    assert in_polars["v"].dtype == polars.Object
    records = [{"k": key, "v": value} for key, value in zip(KEYS, values, strict=True)]
    in_dicts = [record["v"] for record in acompass.run(POLICY, records).table]
    in_lists = acompass.run(POLICY, {"k": KEYS, "v": values}).table["v"]
    for found in (in_pandas.tolist(), in_polars["v"].to_list(), in_dicts, in_lists):
        assert [(type(each), repr(each)) for each in found] == [(type(each), repr(each)) for each in values[1:]]


@pytest.mark.parametrize(
    "name", [name for name in OBJECTS if name not in ("set", "tuple", "list", "dict", "bytes", "uuid")]
)
def test_objects_that_a_policy_or_a_file_cannot_use_are_named(tmp_path: Path, name: str) -> None:
    frame = pandas.DataFrame({"k": KEYS, "v": pandas.Series(OBJECTS[name], dtype=object)})
    for call in (
        lambda: acompass.check("EACH RESULT : v = 'a';", frame),
        lambda: acompass.run(POLICY, frame, output=tmp_path / "out.parquet"),
    ):
        with pytest.raises(AcompassError, match="column `v`"):
            call()
    assert not list(tmp_path.iterdir())
    acompass.run(f"{POLICY} ALWAYS : DROP v;", frame, output=tmp_path / "out.csv", report=tmp_path / "report.html")
    assert (tmp_path / "out.csv").read_text() == "k\n1\n2\n"


@pytest.mark.parametrize("name", PANDAS)
def test_pandas_types(name: str) -> None:
    frame = pandas.DataFrame({"k": KEYS, "v": PANDAS[name]()})
    result = acompass.run(POLICY, frame).table["v"]
    assert result.tolist() == frame["v"].tolist()[1:]
    assert str(result.dtype) == str(frame["v"].dtype)


@pytest.mark.parametrize("name", POLARS)
def test_polars_types(name: str) -> None:
    frame = polars.DataFrame({"k": KEYS, "v": POLARS[name]()})
    for given in (frame, frame.lazy()):
        result = acompass.run(POLICY, given).table.lazy().collect()["v"]
        assert result.to_list() == frame["v"].to_list()[1:]
        assert result.dtype == frame["v"].dtype


ZONED = pyarrow.array([1577836800000000000, 1580000000000000000, 1590000000000000000], pyarrow.timestamp("ns", "UTC"))


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_zoned_nanoseconds_can_be_named(
    engine: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison uses the time in UTC, whatever the time zones of the column and of the machine."""
    monkeypatch.setenv("TZ", "America/New_York")
    table = pyarrow.table({"k": KEYS, "v": ZONED.cast(pyarrow.timestamp("ns", zone))})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    policy = "EACH RESULT : v >= '2020-01-26T00:53:20' : REJECT; EACH PROCESS COUNT(*) AS n GROUP BY v : n >= 1;"
    for given in (table, table.to_pandas(), polars.from_arrow(table), tmp_path / "t.parquet"):
        acompass.run(policy, given, engine=engine, output=tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text() == "k,v\n1,2020-01-26T00:53:20+00:00\n2,2020-05-20T18:40:00+00:00\n"
    result = acompass.run(policy, table, engine=engine).table
    assert result.equals(table.slice(1))


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_zoned_nanoseconds_that_do_not_fit_are_named(engine: str) -> None:
    table = pyarrow.table({"k": KEYS, "v": pyarrow.array([0, 1, 2], pyarrow.timestamp("ns", "UTC"))})
    with pytest.raises(AcompassError, match="AC215"):
        acompass.run("EACH RESULT : v >= '2020-01-01' : REJECT;", table, engine=engine)
    assert acompass.run(POLICY, table, engine=engine).table.equals(table.slice(1))
