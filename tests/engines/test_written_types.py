"""What the writes of X12 and X15 to X18 make of typed columns, in Parquet files and in tables of a server."""

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server, query_all, table_types

KEY = "0123456789abcdef0123456789abcdef"
POLICY = """\
ALWAYS : SHIFT day, time BY id WITHIN 30 DAYS;
ALWAYS : GENERALIZE small TO NEAREST 0.5;
ALWAYS : GENERALIZE big TO NEAREST 10;
ALWAYS : MICROAGGREGATE price BY 2;
ALWAYS : ADD RANDOM -3 3 TO cost;
ALWAYS : MICROAGGREGATE weight BY 2;
ALWAYS : PSEUDONYM id;
"""
NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 1)


def _table() -> pyarrow.Table:
    columns: dict[str, Any] = {
        "id": pyarrow.array([1, 2, 3, 4], pyarrow.int32()),
        "small": pyarrow.array([1, -2, 3, 4], pyarrow.int16()),
        "big": pyarrow.array([14, 15, -15, 0], pyarrow.int64()),
        "price": pyarrow.array([Decimal(x) for x in ("0.01", "0.02", "7.50", "8.00")], pyarrow.decimal128(9, 2)),
        "cost": pyarrow.array([Decimal(x) for x in ("9.9", "-9.9", "0.0", "5.5")], pyarrow.decimal128(2, 1)),
        "weight": pyarrow.array([0.1, 0.2, 70.5, 80.25], pyarrow.float64()),
        "day": pyarrow.array([NOON.date()] * 4, pyarrow.date32()),
        "time": pyarrow.array([NOON] * 4, pyarrow.timestamp("us")),
    }
    return pyarrow.table(columns)


#: the kind of each written column
KINDS = {
    "id": pyarrow.types.is_string,
    "small": pyarrow.types.is_decimal,
    "big": pyarrow.types.is_int64,
    "price": pyarrow.types.is_decimal,
    "cost": pyarrow.types.is_decimal,
    "weight": pyarrow.types.is_float64,
    "day": pyarrow.types.is_date,
    "time": pyarrow.types.is_timestamp,
}


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_a_parquet_file_has_the_values_of_the_reference(engine: str, engine_url: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(_table(), tmp_path / "in.parquet")
    options: Any = {"key": KEY, "seed": "a seed of some length", "order": "canonical"}
    expected = acompass.run(POLICY, _table(), engine="reference", **options).table
    acompass.run(POLICY, tmp_path / "in.parquet", engine=engine_url, output=tmp_path / "out.parquet", **options)
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.to_pylist() == expected.to_pylist()
    assert [name for name, is_kind in KINDS.items() if not is_kind(found.schema.field(name).type)] == []
    assert found.schema.field("small").type.scale == 1


def test_a_table_of_a_server_has_the_new_types(postgres: Server) -> None:
    url = postgres.url("english")
    acompass.run("EACH RESULT : id > 0;", _table(), engine=url, output="visits_before", replace=True)
    options: Any = {"key": KEY, "seed": "a seed of some length"}
    acompass.run(POLICY, "visits_before", engine=url, output="visits_after", replace=True, **options)
    types = ["text", "numeric(38,1)", "bigint", "numeric(38,2)", "numeric(38,1)", "double precision", "date"]
    assert table_types(url, "visits_after") == [*types, "timestamp without time zone"]
    expected = acompass.run(POLICY, _table(), engine="reference", **options).table.to_pylist()
    found = query_all(url, "SELECT * FROM visits_after ORDER BY 1")
    assert found == sorted(tuple(record.values()) for record in expected)
