"""Parquet output in partitions: folders as Hive names them, whole or not at all."""

import os
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import acompass
from acompass import atomic
from acompass.diagnostics import AcompassError

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
PEOPLE = "year,Age,Area\n2020,36,a/b=c d\n2021,82,\n2020,45,é%\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def run(people: Path, partition: list[str], output: str = "out", **options: Any) -> Path:
    folder = people.with_name(output)
    policy = options.pop("policy", POLICY)
    acompass.run(policy, people, output=f"{folder}/", partition=partition, **options)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def code(people: Path, partition: list[str], output: str = "out", **options: Any) -> str:
    with pytest.raises(AcompassError) as raised:
        run(people, partition, output, **options)
    return raised.value.diagnostics[0].code


def test_folders_are_named_as_hive_does(people: Path) -> None:
    assert files(run(people, ["year", "area"])) == [
        "year=2020/Area=%C3%A9%25/data_0.parquet",
        "year=2020/Area=a%2Fb%3Dc%20d/data_0.parquet",
        "year=2021/Area=__HIVE_DEFAULT_PARTITION__/data_0.parquet",
    ]
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


def test_the_files_are_a_table_again(people: Path) -> None:
    folder = run(people, ["Area"])
    read = acompass.run(POLICY, folder / "**" / "*.parquet").table.to_pylist()
    whole = acompass.run(POLICY, people).table.to_pylist()
    assert sorted(read, key=str) == sorted(whole, key=str)
    assert pyarrow.parquet.read_schema(next(folder.rglob("*.parquet"))).names == ["year", "Age", "Area"]


def test_the_released_values_decide(people: Path) -> None:
    """Not those of the input: a column that the policy generalizes has folders of labels."""
    folder = run(people, ["Age"], policy="ALWAYS : GENERALIZE Age TO BANDS OF 10;")
    assert sorted(os.listdir(folder)) == ["Age=30-39", "Age=40-49", "Age=80-89"]


def test_types_of_columns(people: Path) -> None:
    frame = [{"day": date(2020, 1, 2), "flag": True, "n": 1}]
    folder = people.with_name("typed")
    acompass.run("EACH RESULT : n >= 0;", frame, output=folder, partition=["day", "flag"])
    assert files(folder) == ["day=2020-01-02/flag=true/data_0.parquet"]


def test_no_records_leave_the_columns(people: Path) -> None:
    folder = run(people, ["year"], policy="EACH RESULT : Age > 200 : REJECT;")
    assert acompass.run(POLICY, folder / "**" / "*.parquet").table.column_names == ["year", "Age", "Area"]


def test_an_existing_folder(people: Path) -> None:
    (people.parent / "out").mkdir()
    folder = run(people, ["year"])
    assert code(people, ["Area"]) == "AC248"
    assert sorted(os.listdir(folder)) == ["year=2020", "year=2021"]
    run(people, ["Age"], force=True)
    assert sorted(os.listdir(folder)) == ["Age=36", "Age=45", "Age=80"]
    (folder / "notes.txt").write_text("mine")
    assert code(people, ["year"], force=True) == "AC248"
    assert (folder / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


@pytest.mark.parametrize(
    ("partition", "output", "expected"),
    [
        (["yea"], "out", "AC247"),
        (["Gone"], "out", "AC247"),
        (["year", "Year"], "out", "AC247"),
        (["year"], "out.csv", "AC247"),
        (["year"], "nowhere/out", "AC221"),
        (["year"], "people.csv/", "AC247"),
    ],
)
def test_what_cannot_be_written(people: Path, partition: list[str], output: str, expected: str) -> None:
    people.write_text(PEOPLE.replace("year,", "Gone,year,").replace("\n2", "\nx,2"))
    policy = f"ALWAYS : DROP Gone; {POLICY}"
    with pytest.raises(AcompassError) as raised:
        acompass.run(policy, people, output=people.parent / output, partition=partition)
    assert raised.value.diagnostics[0].code == expected
    assert os.listdir(people.parent) == ["people.csv"]


def test_a_partition_needs_an_output(people: Path) -> None:
    with pytest.raises(acompass.CallError, match="no `output`"):
        acompass.run(POLICY, people, partition=["year"])


def test_the_input_is_not_replaced(people: Path) -> None:
    folder = run(people, ["year"])
    before = files(folder)
    with pytest.raises(acompass.TableError) as raised:
        acompass.run(POLICY, folder / "**" / "*.parquet", output=folder, partition=["year"], force=True)
    assert (raised.value.diagnostics[0].code, files(folder)) == ("AC220", before)


def test_a_value_that_is_too_long_for_a_folder(people: Path) -> None:
    people.write_text(PEOPLE + f"2020,1,{'secret' * 100}\n")
    with pytest.raises(acompass.TableError) as raised:
        run(people, ["Area"])
    (found,) = raised.value.diagnostics
    assert (found.code, "secret" in found.message) == ("AC222", False)
    assert os.listdir(people.parent) == ["people.csv"]


def test_a_failure_between_the_folders_puts_the_old_one_back(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run(people, ["year"])
    rename, calls = os.rename, []

    def fails_the_second_time(old: Any, new: Any) -> None:
        calls.append(new)
        if len(calls) == 2:
            raise OSError(5, "input/output error")
        rename(old, new)

    monkeypatch.setattr(atomic.os, "rename", fails_the_second_time)
    assert code(people, ["Age"], force=True) == "AC222"
    assert sorted(os.listdir(folder)) == ["year=2020", "year=2021"]
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


def test_a_report_reads_the_partitions(people: Path) -> None:
    page = people.with_name("report.html")
    run(people, ["year"], report=page)
    assert "data_0.parquet" in page.read_text(encoding="utf-8")
