"""The loss of a release against the original table, compared with its definition over lists of records."""

import csv
import datetime
import gzip
import json
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import prod
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.errors.diagnostics import CallError
from acompass.language.program.hierarchies import Hierarchy
from acompass.measure.answer import Loss, Measures
from acompass.measure.labels import order_labels, places_in
from acompass.measure.loss import PolicyLevels
from acompass.measure.overview import overviews
from acompass.measure.roles import Roles
from tests.length import at_length
from tests.measure.by_definition import csv_table, measure_command
from tests.repo.sources import ROOT

ADULT = ROOT / "examples" / "adult"

#: the values that the text of a cell can stand for
Meaning = Callable[[str], set[str]]


def by_definition(labels: Sequence[str], records: int, values: set[str], meanings: Meaning) -> float:
    """`labels` are the cells of the release, `records` is the number of records of the original table."""
    shares = [1.0 if label == "*" else len(meanings(label)) / len(values) for label in labels]
    shares += [1.0] * (records - len(labels))
    mean = sum(shares) / len(shares)
    return max(0.0, (mean - 1 / len(values)) / (1 - 1 / len(values)))


def total_by_definition(losses: Sequence[float]) -> float:
    return prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


def measure_loss(after: Any, before: Any, hierarchies: dict[str, Any], qi: Sequence[str] = ("x",)) -> Loss:
    loss = acompass.measure(after, qi=qi, against=before, hierarchies=hierarchies).loss
    assert loss is not None
    return loss


def column(name: str, texts: Sequence[Any]) -> str:
    return csv_table(name, *((text,) for text in texts))


def test_an_unchanged_table_loses_nothing_and_a_suppressed_one_everything() -> None:
    before = column("x", ["a", "b", "b", "c"])
    assert measure_loss(before, before, {}).total == 0
    assert measure_loss(column("x", "****"), before, {}).total == 1
    assert measure_loss(column("x", []), before, {}).total == 1
    assert measure_loss(column("x", ["b", "b", "*"]), before, {}).total == (1 + 1 + 3 + 3 - 4) / (4 * 2)


@pytest.mark.slow
def test_adult_loses_what_the_definition_says(tmp_path: Path) -> None:
    """Its labels are bands with an open end, levels of a file, and `*`."""
    table, released = ADULT / "adult.csv.gz", tmp_path / "released.csv"
    policy = acompass.load(ADULT / "policy.acp")
    acompass.run(policy, table, output=released, params={"k": 5, "l": 3})
    education = ADULT / "hierarchies" / "education.csv"
    qi = ["age", "education", "race"]
    loss = measure_loss(released, table, {"education": education}, qi)
    before = list(csv.DictReader(gzip.decompress(table.read_bytes()).decode().splitlines()))
    after = list(csv.DictReader(released.read_text(encoding="utf-8").splitlines()))
    ages = {record["age"] for record in before}
    rows = [line.split(";") for line in education.read_text(encoding="utf-8").splitlines()]
    meanings: dict[str, tuple[set[str], Meaning]] = {
        "age": (ages, lambda label: {age for age in ages if _in_band(int(age), label)}),
        "education": ({row[0] for row in rows}, lambda label: {row[0] for row in rows if label in row}),
        "race": ({record["race"] for record in before}, lambda label: {label}),
    }
    expected = [by_definition([record[name] for record in after], len(before), *meanings[name]) for name in qi]
    assert [each.loss for each in loss.columns] == pytest.approx(expected, rel=1e-12)
    assert loss.total == pytest.approx(total_by_definition(expected), rel=1e-12)
    assert 0.01 < loss.total < 0.1
    assert [each.proposed for each in loss.columns] == [True, False, True]


def _in_band(age: int, label: str) -> bool:
    if label.endswith("+"):
        return age >= int(label[:-1])
    lower, _, upper = label.partition("-")
    return int(lower) <= age <= int(upper or lower)


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[int], list[str]]:
    """Numbers, and a release in which each became itself, a band of 5 or 10, or `*`, or was dropped."""
    numbers = draw(st.lists(st.integers(0, 60), min_size=1, max_size=30))
    labels = {0: str, 5: _band(5), 10: _band(10), 100: lambda number: "*"}
    kept = numbers[: draw(st.integers(0, len(numbers)))]
    return numbers, [labels[draw(st.sampled_from(sorted(labels)))](number) for number in kept]


def _band(width: int) -> Callable[[int], str]:
    return lambda number: f"{number // width * width}-{number // width * width + width - 1}"


@settings(max_examples=at_length(10))
@given(releases())
@pytest.mark.slow
def test_any_release_loses_what_the_definition_says(release: tuple[list[int], list[str]]) -> None:
    numbers, labels = release
    values = set(map(str, numbers))
    loss = measure_loss(column("x", labels), column("x", numbers), {"x": "bands:5,10"})
    meanings: Meaning = lambda label: {each for each in values if _in_band(int(each), label)}  # noqa: E731
    expected = 0.0 if len(values) == 1 else by_definition(labels, len(numbers), values, meanings)
    assert loss.total == pytest.approx(expected)


def test_the_rows_of_a_file_count_even_if_the_table_lacks_them(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n", encoding="utf-8")
    loss = measure_loss(column("x", ["ab", "c"]), column("x", ["a", "c"]), {"x": str(path)})
    assert loss.total == pytest.approx(((2 / 4 + 1 / 4) / 2 - 1 / 4) / (3 / 4))


def test_a_label_that_all_values_share_loses_everything(tmp_path: Path) -> None:
    """`column_levels` omits such levels, or ends with one."""
    path = tmp_path / "x.csv"
    path.write_text("a;ab;all;*\nb;ab;all;*\n", encoding="utf-8")
    for label in ("ab", "all", "*"):
        assert measure_loss(column("x", [label, "a"]), column("x", "ab"), {"x": path}).total == 0.5
    days = column("x", ["2018-03-01", "2018-03-02"])
    for label in ("2018-03", "2018-Q1", "2018", "2010s", "*"):
        assert measure_loss(column("x", [label, "2018-03-01"]), days, {"x": "dates"}).total == 0.5


def test_each_person_counts_with_weights() -> None:
    before = csv_table("x,n", ("a", "2.5"), ("b", "1.5"))
    after = csv_table("x,n", ("*", "2.5"), ("b", "1.5"))
    loss = acompass.measure(after, ["x"], weight="n", against=before, hierarchies={}).loss
    assert loss is not None
    assert loss.total == pytest.approx((2.5 + 1.5 / 2 - 4 / 2) / 4 * 2)


def test_missing_values_are_suppressed_unless_they_were_missing_before() -> None:
    before = column("x", ["a", "b", None, "c", "d"])
    assert measure_loss(before, before, {}).total == 0
    assert measure_loss(column("x", ["a", None, None, "c", "d"]), before, {}).total == pytest.approx(1 / 5)


def test_more_records_than_before_lose_nothing() -> None:
    assert measure_loss(column("x", "aab"), column("x", "ab"), {}).total == 0


@pytest.mark.parametrize(
    ("type_", "values", "after"),
    [
        ("DOUBLE", [34.0, 35.5], ["34", "35.50"]),
        ("DECIMAL(9, 2)", [Decimal("34.00"), Decimal("35.5")], ["34", "35.5"]),
        ("INTEGER", [34, 35], ["34", "35.0"]),
        ("DATE", [datetime.date(2018, 3, 1), datetime.date(2018, 4, 1)], ["2018-03-01", "2018-04-01"]),
        (
            "TIMESTAMP",
            [datetime.datetime(2018, 3, 1, 9), datetime.datetime(2019, 1, 1)],
            ["2018-03-01 09:00:00"] * 2,
        ),
    ],
)
def test_equal_values_of_another_type_lose_nothing(
    tmp_path: Path, type_: str, values: list[Any], after: list[str]
) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t (x {type_})")
        con.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        con.execute(f"COPY t TO '{tmp_path}/before.parquet' (FORMAT parquet)")
    assert measure_loss(column("x", after), tmp_path / "before.parquet", {}).total == 0


def test_labels_of_dates_and_codes_lose_by_their_size() -> None:
    before = csv_table("d,z", ("01.03.2018", "02139"), ("31.12.2019", "02140"), ("01.04.2018", "90210"))
    after = csv_table("d,z", ("2018", "021**"), ("2019-12-31", "*"), ("2018-04", "90210"))
    loss = acompass.measure(
        after,
        ["d", "z"],
        against=before,
        hierarchies={"d": "dates", "z": "prefix:3"},
        dates={"d": "%d.%m.%Y"},
    ).loss
    assert loss is not None
    assert [each.loss for each in loss.columns] == pytest.approx(
        [((2 + 1 + 1) / 9 - 1 / 3) * 1.5, ((2 + 3 + 1) / 9 - 1 / 3) * 1.5]
    )


@pytest.mark.parametrize("label", ["20-24", "<18", "90+", "2018", "teens", "[0.5,1.0)"])
def test_a_label_on_no_level_is_an_error_without_the_label(label: str) -> None:
    numbers = column("x", range(30, 80))
    with pytest.raises(CallError, match="1 label in column `x` not found on its levels: numbers, bands of") as error:
        measure_loss(column("x", [30, label]), numbers, {})
    assert label not in str(error.value)


def test_every_column_with_such_labels_is_reported() -> None:
    before, after = csv_table("x,y,z", ("a", "b", "c")), csv_table("x,y,z", ("Q", "b", "R"))
    with pytest.raises(CallError) as error:
        measure_loss(after, before, {}, ["x", "y", "z"])
    assert [finding.code for finding in error.value.diagnostics] == ["AC615", "AC615"]


@pytest.mark.parametrize(
    ("hierarchies", "message"),
    [
        ({"y": "dates"}, "a hierarchy is given for `y`, which is not a quasi-identifier"),
        (("x",), "expected a column and its levels, found `x`"),
        (("x=bands:5", "X=bands:5"), "column `x` has two hierarchies"),
    ],
)
def test_hierarchies_that_cannot_be_used_are_rejected(hierarchies: Any, message: str) -> None:
    table = csv_table("x,y", (1, 2))
    with pytest.raises(CallError, match=message):
        measure_loss(table, table, hierarchies)


def test_a_column_name_may_contain_an_equals_sign() -> None:
    table = csv_table("a=b", (1,), (2,))
    (found,) = measure_loss(table, table, ("a=b=bands:5",), ["a=b"]).columns  # type: ignore[arg-type]
    assert found.levels == "2 values, only level `*`"


def test_the_command_shows_the_loss() -> None:
    before, after = column("x", range(20, 40)), column("x", ["20-24"] * 20)
    text = measure_command(after, "--qi", "x", "--against", before, "--hierarchy", "x=bands:5").stdout
    assert text.endswith("loss 0.2105\n\ncolumn    loss  levels\nx       0.2105  numbers, bands of 5\n")
    proposed = measure_command(after, "--qi", "x", "--against", before, "--loss", "--json").stdout
    assert json.loads(proposed)["loss"] == {
        "total": pytest.approx(4 / 19),
        "per_column": {"x": pytest.approx(4 / 19)},
        "levels": {"x": "numbers, bands of 2 and 10"},
        "proposed": ["x"],
    }


def test_a_loss_needs_the_original_table() -> None:
    table = column("x", range(20))
    assert (
        "error[AC616]: measuring loss requires the table before" in measure_command(table, "--qi", "x", "--loss").stderr
    )


def test_without_hierarchies_no_loss_is_measured() -> None:
    table = column("x", range(20))
    measures: Measures = acompass.measure(table, ["x"], against=table)
    assert measures.loss is None
    assert "loss" not in str(measures)


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


def test_the_levels_of_a_policy_give_the_loss_that_measure_finds() -> None:
    found = _loss(MAPS)
    given = {"City": "city.csv", "Zip": "prefix:3", "Day": "dates"}
    released = acompass.run(MAPS, TABLE).table
    expected = acompass.measure(released, ["Age", "City", "Zip", "Day"], against=TABLE, hierarchies=given).loss
    assert found is not None
    assert expected is not None
    assert found.total == expected.total > 0
    assert [each.loss for each in found.columns] == [each.loss for each in expected.columns]
    assert [(each.column, each.proposed) for each in found.columns] == [
        *(("Age", False), ("City", False), ("Zip", False), ("Day", False))
    ]
    assert [each.levels for each in found.columns[:2]] == [*("numbers in bands of the policy", "levels of city.csv")]


def test_a_rounded_number_covers_all_that_are_rounded_to_it() -> None:
    """As a band with the same numbers does, even if the multiple itself is a number of the table."""
    table = [{**TABLE[0], "Age": age} for age in (20, 21, 22, 23, 30, 31)]
    found, bands = (
        _loss("ALWAYS : GENERALIZE Age TO NEAREST 10;", table),
        _loss("ALWAYS : GENERALIZE Age TO BANDS OF 10;", table),
    )
    assert found is not None
    assert bands is not None
    assert found.columns[0].loss == bands.columns[0].loss > 0
    assert found.columns[0].levels == "numbers rounded by the policy"


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


ORDERED = {
    "bands": ["<20", "20-29", "30-39", "80+", "*"],
    "of several digits": ["9-10", "10-19", "100-109"],
    "wide before narrow": ["20-39", "20-29", "20", "29", "30-39"],
    "negative": ["-5 to -1", "0-4", "5-9"],
    "intervals": ["<0.5", "[0.5,1.0)", "[1.0,10.0)", "10.0+"],
    "numbers": ["-1", "2", "2.5", "10"],
    "months": ["2023-12", "2024-01", "2024-10"],
    "quarters": ["2023-Q4", "2024-Q1", "2024-Q2"],
    "dates of several units": ["1990s", "2000s", "2001", "2001-Q1", "2001-01", "2001-01-31", "2001-02"],
    "years": ["1999", "2000", "2010"],
    "prefixes": ["1****", "21***", "21401", "3****", "*"],
}


@pytest.mark.parametrize("labels", ORDERED.values(), ids=ORDERED)
def test_labels_are_in_order(labels: list[str]) -> None:
    shuffled = list(labels)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        assert [shuffled[place] for place in order_labels(shuffled)] == labels


def test_texts_without_a_meaning_stay_as_they_are_after_the_others() -> None:
    labels = ["unknown", "30-39", "missing", "20-29", "9th grade"]
    assert [labels[place] for place in order_labels(labels)] == [*("20-29", "30-39", "unknown", "missing", "9th grade")]
    assert order_labels(["flu", "asthma", "²-²", "2024-²²", "0000-01"]) == [0, 1, 2, 3, 4]


def test_labels_of_a_hierarchy_are_in_the_order_of_its_rows() -> None:
    rows = (("primary", "school", "*"), ("secondary", "school", "*"), ("bachelor", "university", "*"))
    labels = ["bachelor", "*", "secondary", "university", "school"]
    places = order_labels(labels, places_in(Hierarchy(rows, "")))
    assert [labels[place] for place in places] == ["school", "secondary", "university", "bachelor", "*"]
