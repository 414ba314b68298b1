"""`measure --records`: the risk of each record agrees with the measures of the table, in a file of its own."""

import csv
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from tests.measure.by_definition import measure_command

HEADER = "Age,Zip,Disease,w,p"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Records with missing values, in no order, some of one person."""
    chance = random.Random("risks of records")
    rows = [
        (
            chance.choice(["30", "40", "41", ""]),
            chance.choice(["211", "212"]),
            chance.choice("abc"),
            chance.choice("1248"),
            f"P{n // 2}",
        )
        for n in range(40)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([HEADER, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def risks(table: Any, path: Path, **options: Any) -> tuple[acompass.Measures, list[dict[str, Any]]]:
    measures = acompass.measure(table, ["Age", "Zip"], records=path, **options)
    return measures, polars.read_csv(path).to_dicts() if path.suffix == ".csv" else polars.read_parquet(path).to_dicts()


def test_each_record_has_the_size_of_its_class(table: Path, tmp_path: Path) -> None:
    measures, rows = risks(table, tmp_path / "risk.csv")
    records = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    classes = Counter((each["Age"], each["Zip"]) for each in records)
    assert [row["record"] for row in rows] == list(range(1, 41))
    assert [row["class_size"] for row in rows] == [classes[each["Age"], each["Zip"]] for each in records]
    assert list(rows[0]) == ["record", "class_size", "unique", "prosecutor_risk"]
    assert max(row["prosecutor_risk"] for row in rows) == float(measures.classes.prosecutor_maximum or 0)
    average = float(measures.classes.prosecutor_average or 0)
    assert sum(row["prosecutor_risk"] for row in rows) / 40 == pytest.approx(average)
    assert sum(row["unique"] for row in rows) == measures.classes.uniques


def test_classes_are_counted_in_persons(table: Path, tmp_path: Path) -> None:
    measures, rows = risks(table, tmp_path / "risk.parquet", person="p")
    assert {row["class_size"] for row in rows} == {size for size, _ in measures.classes.sizes}
    persons: dict[str, float] = {}
    for row, record in zip(rows, csv.DictReader(table.read_text(encoding="utf-8").splitlines()), strict=True):
        persons[record["p"]] = max(persons.get(record["p"], 0), row["prosecutor_risk"])
    assert sum(persons.values()) / len(persons) == pytest.approx(float(measures.classes.prosecutor_average or 0))


def test_sampling_weights_give_the_risks_in_the_population(table: Path, tmp_path: Path) -> None:
    measures, rows = risks(table, tmp_path / "risk.csv", sampling_weight="w")
    assert measures.sampling is not None
    assert measures.journalist is not None
    assert sum(row["individual_risk"] for row in rows) == pytest.approx(measures.sampling.expected)
    assert max(row["individual_risk"] for row in rows) == pytest.approx(measures.sampling.maximum)
    assert max(row["journalist_risk"] for row in rows) == float(measures.journalist.maximum)
    assert sum(row["journalist_risk"] for row in rows) / 40 == pytest.approx(float(measures.journalist.marketer))


@pytest.mark.parametrize("options", [{}, {"person": "p"}, {"weight": "w"}])
def test_a_population_gives_the_journalist_risk(table: Path, tmp_path: Path, options: dict[str, str]) -> None:
    population = tmp_path / "population.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    population.write_text("\n".join([*lines, *(f"{line}0" for line in lines[1:])]) + "\n", encoding="utf-8")
    measures, rows = risks(table, tmp_path / "risk.csv", population=population, **options)
    assert measures.journalist is not None
    assert len(rows) == 40
    assert max(row["journalist_risk"] for row in rows) == pytest.approx(float(measures.journalist.maximum))


def test_data_frames_and_empty_tables_have_risks(tmp_path: Path) -> None:
    frame = polars.DataFrame({"Age": [30, 30, None], "Zip": ["a", "a", "b"]})
    _, rows = risks(frame, tmp_path / "risk.csv")
    assert [row["class_size"] for row in rows] == [2, 2, 1]
    acompass.measure(frame.head(0), ["Age"], records=tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text(encoding="utf-8") == "record,class_size,unique,prosecutor_risk\n"


def test_the_curator_is_warned(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "risk.csv"
    result = measure_command(str(table), "--qi", "Age,Zip", "--records", str(path))
    assert result.exit_code == 0
    assert "whom an attacker would find" in result.stdout
    assert "do not publish it" in result.stdout
    assert path.exists()


def test_a_report_does_not_mention_the_file(table: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.measure(table, ["Age"], records=tmp_path / "internal-risk.csv", report=report)
    assert "internal-risk" not in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["people.csv", "link.csv", "policy.acp", "report.html", "no/folder.csv", "risk.txt", "-"]
)
def test_it_replaces_no_file_of_the_call(table: Path, tmp_path: Path, name: str) -> None:
    os.link(table, tmp_path / "link.csv")
    policy = tmp_path / "policy.acp"
    policy.write_text("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 1;", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    path = name if name == "-" else tmp_path / name
    with pytest.raises(AcompassError):
        acompass.measure(table, policy=acompass.load(policy), records=path, report=tmp_path / "report.html")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_failed_measurement_writes_nothing(table: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.csv"
    small.write_text(f"{HEADER}\n30,211,a,1,P\n", encoding="utf-8")
    with pytest.raises(AcompassError, match="population"):
        acompass.measure(table, ["Age", "Zip"], population=small, records=tmp_path / "risk.csv")
    assert not (tmp_path / "risk.csv").exists()
