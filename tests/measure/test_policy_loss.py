"""The loss of a release by the levels of its policy."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.measure.columns import Roles
from acompass.measure.overview import overviews
from acompass.measure.policy_loss import PolicyLevels
from acompass.measures import Loss

CITIES = "Aachen;west;*\nBonn;west;*\nDresden;east;*\nLeipzig;east;*\n"
TABLE = [
    {"Age": 20 + i % 60, "City": city, "Zip": f"{10000 + 137 * i}", "Day": f"2024-{1 + i % 12:02}-11"}
    for i, city in enumerate(["Aachen", "Bonn", "Dresden", "Leipzig"] * 30)
]
MAPS = """
ALWAYS : GENERALIZE Age TO BANDS OF 10 UP TO 70;
ALWAYS : GENERALIZE city TO LEVEL 1 OF 'city.csv';
ALWAYS : GENERALIZE Zip TO PREFIX OF 3;
ALWAYS : GENERALIZE Day TO QUARTER;
"""


@pytest.fixture(autouse=True)
def hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("city.csv").write_text(CITIES, encoding="utf-8")


def _loss(policy: str, table: list[dict[str, Any]] = TABLE) -> Loss | None:
    parsed = acompass.parse(policy)
    released = acompass.run(parsed, table).table
    roles = Roles(("Age", "City", "Zip", "Day"))
    (found,) = overviews([table, released], roles, [None], levels=PolicyLevels(parsed.tree))
    return found.loss


def test_it_is_what_measure_finds_with_the_same_levels() -> None:
    found = _loss(MAPS)
    given = {"City": "city.csv", "Zip": "prefix:3", "Day": "dates"}
    released = acompass.run(MAPS, TABLE).table
    expected = acompass.measure(
        released, ["Age", "City", "Zip", "Day"], against=TABLE, hierarchies=given
    ).loss
    assert found is not None
    assert expected is not None
    assert found.total == expected.total > 0
    assert [each.loss for each in found.columns] == [each.loss for each in expected.columns]
    assert [(each.column, each.proposed) for each in found.columns] == [
        *(("Age", False), ("City", False), ("Zip", False), ("Day", False))
    ]
    assert [each.levels for each in found.columns[:2]] == [
        *("numbers in bands of the policy", "levels of city.csv")
    ]


def test_a_column_with_an_invented_label_is_left_out() -> None:
    found = _loss("EACH FILTER Age > 30 : City = 'a town' : REPLACE City WITH 'a town';")
    assert found is not None
    assert [each.column for each in found.columns] == ["Age", "Zip", "Day"]
    assert found.total == 0


def test_values_that_only_else_names_are_on_the_levels() -> None:
    table = [*TABLE, *({**TABLE[0], "City": city} for city in ("Ulm", "Wien"))]
    found = _loss("ALWAYS : GENERALIZE City TO LEVEL 1 OF 'city.csv' ELSE 'elsewhere';", table)
    assert found is not None
    (city,) = [each for each in found.columns if each.column == "City"]
    assert city.loss == pytest.approx((2 / 6 - 1 / 6) / (1 - 1 / 6))


def test_rejected_records_are_lost() -> None:
    found = _loss("EACH RESULT : City < 'C' : REJECT;")
    assert found is not None
    assert [each.loss for each in found.columns] == [pytest.approx(0.5)] * 4
