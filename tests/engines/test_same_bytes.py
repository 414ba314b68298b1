"""In canonical order the same table, policy and seed give the same bytes, whatever the engine (D21)."""

import gzip
import io
from pathlib import Path

import psycopg
import pyarrow.parquet
import pytest

import acompass
from tests.engines.postgres_server import Server
from tests.repo.sources import ROOT

ELECTRICITY = ROOT / "examples" / "electricity"
ADULT = ROOT / "examples" / "adult"

TWO_RANDOMS = """
    EACH RESULT : Age <= 50 : RANDOM Age 51 99;
    EACH PROCESS COUNT(*) AS n GROUP BY Postal Code : n >= 3 : RANDOM AEC 0 9223372036854775807;
    EACH FILTER AEC > 4000 : Postal Code = '212**' : REPLACE Postal Code WITH '212**';
"""


def _policies() -> dict[str, tuple[str, Path, dict[str, int]]]:
    electricity = ELECTRICITY / "table.csv"
    return {
        "paper": ((ELECTRICITY / "policy.acp").read_text(encoding="utf-8"), electricity, {"k": 2, "l": 1}),
        "two randoms": (TWO_RANDOMS, electricity, {}),
        "adult": (
            (ADULT / "policy.acp").read_text(encoding="utf-8"),
            ADULT / "adult.csv.gz",
            {"k": 5, "l": 3},
        ),
    }


def _written(policy: str, table: Path | str, params: dict[str, int], engine: str, folder: Path) -> bytes:
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


@pytest.fixture(params=sorted(_policies()))
def example(request: pytest.FixtureRequest) -> tuple[str, Path, dict[str, int]]:
    return _policies()[request.param]


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_as_the_reference_writes(
    example: tuple[str, Path, dict[str, int]], engine_url: str, tmp_path: Path
) -> None:
    policy, table, params = example
    expected = _written(policy, table, params, "reference", tmp_path)
    assert _written(policy, table, params, engine_url, tmp_path) == expected


def test_from_a_table_of_the_database(postgres: Server, tmp_path: Path) -> None:
    """Typed by its declaration, read where it lives."""
    url = postgres.url("german")
    table = ELECTRICITY / "table.csv"
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS electricity")
        con.execute('CREATE TABLE electricity ("Record ID" int, "Age" int, "Postal Code" char(5), "AEC" int)')
        with con.cursor().copy("COPY electricity FROM STDIN (FORMAT csv, HEADER)") as copy:
            copy.write(table.read_bytes())
    for policy, source, params in (_policies()["paper"], _policies()["two randoms"]):
        assert _written(policy, "electricity", params, url, tmp_path) == _written(
            policy, source, params, "reference", tmp_path
        )


@pytest.mark.parametrize("name", ["out.csv.gz", "out.parquet"])
def test_compressed_and_as_parquet(postgres: Server, tmp_path: Path, name: str) -> None:
    policy, table, params = _policies()["paper"]
    output, read = tmp_path / name, []
    for engine in ("duckdb", postgres.url("english")):
        acompass.run(policy, table, params=params, engine=engine, seed="s", order="canonical", output=output)
        whole = gzip.decompress if name.endswith(".gz") else _parquet
        read.append(whole(output.read_bytes()))
    assert read[0] == read[1]


def _parquet(content: bytes) -> pyarrow.Table:
    return pyarrow.parquet.read_table(io.BytesIO(content))
