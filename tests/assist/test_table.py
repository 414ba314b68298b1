"""Facts about columns, none of which shows a value of few records."""

from decimal import Decimal
from pathlib import Path

import pytest

import acompass
from acompass.assist.table import record_count, table_facts
from acompass.measures import SMALLEST, ColumnFacts
from tests.assist.people import people


def facts_of(table: object) -> dict[str, ColumnFacts]:
    with acompass.open(table) as session:
        return {fact.name: fact for fact in table_facts(session)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [
        f"{20 + n % 3},{n / 4},2020-0{n % 9 + 1}-01,{10000 + n},{'flu' if n else 'secret'}" for n in range(60)
    ]
    path.write_text("Age,Dose,Day,Zip,Illness\n,,,,\n" + "\n".join(lines) + "\n")
    return path


def test_types_and_forms(path: Path) -> None:
    found = facts_of(path)
    assert {name: (fact.type, fact.form) for name, fact in found.items()} == {
        "Age": ("integer", "number"),
        "Dose": ("decimal", "number"),
        "Day": ("text", "date"),
        "Zip": ("integer", "code"),
        "Illness": ("text", "text"),
    }


def test_counts(path: Path) -> None:
    found = facts_of(path)
    assert {fact.missing for fact in found.values()} == {1}
    assert [found[name].distinct for name in ("Age", "Dose", "Illness")] == [3, 60, 2]
    with acompass.open(path) as session:
        assert record_count(session) == 61


def test_values_of_few_records_are_withheld(path: Path) -> None:
    for fact in facts_of(path).values():
        assert "secret" not in repr(fact)
        assert "secret" not in fact.summary
        bars = () if fact.distribution is None else fact.distribution.bars
        assert all((bar.counts[0] or 0) >= SMALLEST for bar in bars)
    assert facts_of(path)["Illness"].summary == "flu (59)"


def test_a_table_with_types() -> None:
    rows = [{**row, "Weight": Decimal("1.50"), "Tall": True} for row in people()]
    found = facts_of(rows)
    assert (found["Weight"].type, found["Weight"].form) == ("decimal(2)", "number")
    assert (found["Tall"].type, found["Tall"].form) == ("boolean", "text")
    assert found["Name"].summary == ""


def test_a_table_without_records(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("Age,Zip\n")
    assert [(fact.distinct, fact.missing, fact.summary) for fact in facts_of(path).values()] == [
        (0, 0, "")
    ] * 2
