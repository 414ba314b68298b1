"""Every engine writes the same bytes in the style of the input (D21), and reads what was converted."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from tests.tables.workbooks import workbook

POLICY = """
EACH RESULT : Dose <= 5 : REPLACE Dose WITH 4.5;
ALWAYS : GENERALIZE Weight TO BANDS OF 0.5;
EACH PROCESS COUNT(*) AS n GROUP BY Other : n >= 2 : REPLACE Other WITH 2.50;
"""
LINES = ("Dose;Weight;Name;Other", "1,50;0,75;Zoë;1,5", "10,25;1;1,5;x.y", '3;-2,5;"a;""b""";')
EXPECTED = (
    "Dose;Weight;Name;Other",
    '1,50;"[0,5;1,0)";Zoë;2,50',
    '4,5;"[1,0;1,5)";1,5;2,50',
    '3;"[-2,5;-2,0)";"a;""b""";2,50',
)
ENGINES = ("duckdb", "reference", "postgres", "spark")


def written(table: Path, engine: str, **options: Any) -> bytes:
    output = table.with_name("out.csv")
    options |= {"engine": engine, "output": output, "decimal": ",", "missing": "7,5"}
    acompass.run(POLICY, table, seed="s", **options)
    return output.read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_bytes(engine_url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    for encoding in ("utf-8-sig", "cp1252"):
        table.write_bytes("".join(f"{line}\r\n" for line in LINES).encode(encoding))
        expected = "".join(f"{line}\r\n" for line in EXPECTED).encode(encoding)
        found = written(table, engine_url, encoding=encoding)
        assert sorted(found.splitlines(keepends=True)) == sorted(expected.splitlines(keepends=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_workbook(engine_url: str, tmp_path: Path) -> None:
    table = workbook(tmp_path / "table.xlsx", S=[("Dose", "Weight", "Other"), (1.5, 0.75, "x"), (9, 1, "x")])
    found = written(table, engine_url).decode().splitlines()
    assert found[0] == "Dose;Weight;Other"
    assert sorted(found[1:]) == ['1,5;"[0,5;1,0)";x', '4,5;"[1,0;1,5)";x']


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_a_table_of_the_engine_has_the_commas_of_the_file(engine_url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    options: dict[str, Any] = {"engine": engine_url, "force": True}
    acompass.run(POLICY, table, output="styled", decimal=",", missing="7,5", **options)
    output = tmp_path / "again.csv"
    acompass.run("EACH PROCESS COUNT(*) AS n : n = 3;", "styled", output=output, **options)
    assert "[0,5;1,0)" in output.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_partitions(engine: str, engine_url: str, tmp_path: Path) -> None:
    table, output = tmp_path / "table.csv", tmp_path / "out"
    table.write_text("Age,Zip\n1,a\n2,b\n", encoding="utf-8")
    policy = "EACH RESULT : Age > 0;"
    if engine == "spark":
        with pytest.raises(acompass.TableError, match="Spark does not write partitions"):
            acompass.run(policy, table, output=output, partition=["Zip"], engine=engine_url)
        return
    acompass.run(policy, table, output=output, partition=["Zip"], engine=engine_url)
    assert sorted(each.name for each in output.iterdir()) == ["Zip=a", "Zip=b"]
