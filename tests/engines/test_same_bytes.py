"""In canonical order, the same table, policy and seed give the same bytes on every engine (D21)."""

import atexit
import gzip
import io
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server
from tests.repo.sources import ROOT

ELECTRICITY = ROOT / "examples" / "electricity"
ADULT = ROOT / "examples" / "adult"
ADMISSIONS = ROOT / "examples" / "admissions"

#: the reference takes a minute for all of Adult, and Spark longer
RECORDS = 3_000

TWO_RANDOMS = """
    EACH RESULT : Age <= 50 : RANDOM Age 51 99;
    EACH PROCESS COUNT(*) AS n GROUP BY Postal Code : n >= 3 : RANDOM AEC 0 9223372036854775807;
    EACH FILTER AEC > 4000 : Postal Code = '212**' : REPLACE Postal Code WITH '212**';
"""

NAMES = ("admissions", "adult", "adult in the core", "paper", "two randoms")


def _policies() -> dict[str, tuple[acompass.Policy | str, Path, dict[str, int]]]:
    electricity = ELECTRICITY / "table.csv"
    return {
        "paper": ((ELECTRICITY / "policy.acp").read_text(encoding="utf-8"), electricity, {"k": 2, "l": 1}),
        "two randoms": (TWO_RANDOMS, electricity, {}),
        "adult": (acompass.load(ADULT / "policy.acp"), _adult_sample(), {"k": 5, "l": 3}),
        "adult in the core": (acompass.load(ADULT / "paper.acp"), _adult_sample(), {"k": 5, "l": 3}),
        "admissions": (
            acompass.load(ADMISSIONS / "policy.acp"),
            ADMISSIONS / "admissions.csv",
            {"k": 3, "l": 2},
        ),
    }


@cache
def _adult_sample() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="acompass-adult-")
    atexit.register(folder.cleanup)
    path = Path(folder.name, "adult.csv")
    with gzip.open(ADULT / "adult.csv.gz", "rt", encoding="utf-8") as adult:
        path.write_text("".join(islice(adult, 1 + RECORDS)), encoding="utf-8")
    return path


@cache
def _reference_bytes(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return _release(*_policies()[name], "reference", Path(folder))


def _release(
    policy: acompass.Policy | str, table: Path | str, params: dict[str, int], engine: str, folder: Path
) -> bytes:
    output = folder / "out.csv"
    acompass.run(
        policy,
        table,
        params=params,
        engine=engine,
        seed="a seed",
        order="canonical",
        output=output,
        force=True,
    )
    return output.read_bytes()


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        pytest.param(name, engine, marks=[pytest.mark.slow] * name.startswith("adult"))
        for engine in ("duckdb", "postgres", "spark")
        for name in NAMES
    ],
)
def test_every_engine_writes_the_bytes_of_the_reference(name: str, engine_url: str, tmp_path: Path) -> None:
    policy, table, params = _policies()[name]
    assert _release(policy, table, params, engine_url, tmp_path) == _reference_bytes(name)


def test_a_table_in_the_database_gives_the_same_bytes(postgres: Server, tmp_path: Path) -> None:
    """The table is in the database and has declared types."""
    url = postgres.url("german")
    table = ELECTRICITY / "table.csv"
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS electricity")
        con.execute('CREATE TABLE electricity ("Record ID" int, "Age" int, "Postal Code" char(5), "AEC" int)')
        with con.cursor().copy("COPY electricity FROM STDIN (FORMAT csv, HEADER)") as copy:
            copy.write(table.read_bytes())
    for name in ("paper", "two randoms"):
        policy, _, params = _policies()[name]
        assert _release(policy, "electricity", params, url, tmp_path) == _reference_bytes(name)


@pytest.mark.parametrize("name", ["out.csv.gz", "out.parquet"])
def test_compressed_and_parquet_files_have_the_same_content(postgres: Server, tmp_path: Path, name: str) -> None:
    policy, table, params = _policies()["paper"]
    output, read = tmp_path / name, []
    for engine in ("duckdb", postgres.url("english")):
        acompass.run(policy, table, params=params, engine=engine, seed="s", order="canonical", output=output)
        whole = gzip.decompress if name.endswith(".gz") else _parquet
        read.append(whole(output.read_bytes()))
    assert read[0] == read[1]


def _parquet(content: bytes) -> tuple[list[pyarrow.DataType], dict[str, list[Any]]]:
    table = pyarrow.parquet.read_table(io.BytesIO(content))
    return table.schema.types, table.to_pydict()
