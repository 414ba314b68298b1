"""The page shows no value that the release does not contain (issue 12, item 3)."""

import html
import re
from pathlib import Path

import pytest

import acompass
from acompass.measures import SMALLEST
from tests.report.pages import Element, read_page

#: each name occurs often enough to have a bar, and all are suppressed
NAMES = [f"Zebulon Pike {i}" for i in range(7)]
SUPPRESS = "EACH RESULT : Name = '*' : REPLACE Name WITH '*';\n"
POLICY = (
    SUPPRESS + "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH FILTER Town = 'A' : Pay > 1 : REJECT;"
)
PEOPLE = [
    {"Name": NAMES[i % 7], "Age": 20 + i % 79, "Town": "AB"[i % 2], "Pay": 1 if i == 4 else 1000 + i}
    for i in range(700)
]
RAW = {*NAMES, "Zebulon", "Pike", "90 to 99"}


def _text(path: Path) -> str:
    return html.unescape(path.read_text(encoding="utf-8"))


def _rows(page: Element, caption: str) -> dict[str, list[str]]:
    (table,) = [each for each in page.all("table") if each.all("caption")[0].text == caption]
    (body,) = table.all("tbody")
    return {
        row.all("th")[0].words.strip(): [cell.words.strip() for cell in row.all("td")][:2]
        for row in body.all("tr")
    }


def test_suppressed_values_are_not_on_the_page(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(POLICY, PEOPLE, report=report)
    assert "Values of Name" in _text(report)
    assert [value for value in RAW if value in _text(report)] == []
    assert _rows(read_page(report), "Values of Name, after") == {"*": ["699", ""]}


def test_a_change_by_one_record_cannot_be_computed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(POLICY, PEOPLE, report=report)
    assert _rows(read_page(report), "Values of Town") == {
        "B": ["not shown", "350"],
        "A": ["not shown", "349"],
        "other": ["not shown", "0"],
    }


@pytest.mark.parametrize(
    "action",
    [
        "WITH PROBABILITY 0.5 REPLACE Town WITH 'A'",
        "RANDOM town FROM ('A', 'B')",
        "WITH PROBABILITY 0.5 RANDOM Town FROM (3 OF 'A', 'B')",
    ],
)
def test_how_many_values_were_drawn_cannot_be_computed(tmp_path: Path, action: str) -> None:
    report = tmp_path / "report.html"
    acompass.run(f"ALWAYS : {action};", PEOPLE, report=report, seed="a")
    town = _rows(read_page(report), "Values of Town, after")
    assert sum(int(after) for after, _ in town.values()) == 700
    assert _rows(read_page(report), "Values of Age")["20 to 29"][0] != "not shown"


def test_the_report_says_the_probability_and_all_whom_it_may_meet(tmp_path: Path) -> None:
    report, internal = tmp_path / "report.html", tmp_path / "internal.html"
    policy = "ALWAYS : WITH PROBABILITY 0.250 REPLACE Town WITH 'A';"
    acompass.run(policy, PEOPLE, report=report, report_internal=internal, seed="a")
    assert "replaced with probability 0.25" in _text(report)
    assert "700 of 700" not in _text(report)
    assert "700 of 700 replaced with probability 0.25" in _text(internal)


@pytest.mark.parametrize(
    ("policy", "records"),
    [(SUPPRESS + "EACH RESULT : Pay > 1;", PEOPLE), ("EACH RESULT : Age > 200 : REJECT;", PEOPLE)],
    ids=["a check fails", "no record is left"],
)
def test_a_run_that_releases_nothing_shows_no_column(policy: str, records: list, tmp_path: Path) -> None:
    table, report = tmp_path / "people.csv", tmp_path / "report.html"
    lines = [",".join(map(str, record.values())) for record in records]
    table.write_text("\n".join(["Name,Age,Town,Pay", *lines]) + "\n", encoding="utf-8")
    acompass.run(policy, table, output=tmp_path / "out.csv", report=report)
    assert [value for value in RAW if value in _text(report)] == []
    acompass.run("EACH RESULT : Age > 200 : REJECT;", records, report=report)
    assert [value for value in RAW if value in _text(report)] == []


def test_a_check_shows_columns_only_if_the_policy_holds(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.check(POLICY, PEOPLE, report=report)
    assert [value for value in RAW if value in _text(report)] == []
    acompass.check("EACH RESULT : Age < 200;", PEOPLE, report=report)
    assert NAMES[0] in _text(report)


def test_measure_against_an_earlier_table_shows_no_value_of_it(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    released = acompass.run(POLICY, PEOPLE).table
    acompass.measure(released, qi=["Age"], against=PEOPLE, report=report)
    assert [value for value in RAW if value in _text(report)] == []


def test_every_count_before_on_a_page_differs_by_nothing_or_by_many(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(POLICY, PEOPLE, report=report)
    page = read_page(report)
    for name in ("Town", "Pay"):
        for before, after in _rows(page, f"Values of {name}").values():
            if re.fullmatch(r"[\d,]+", before):
                change = abs(
                    int(before.replace(",", "")) - int(after.replace(",", "") if after[0] != "n" else 0)
                )
                assert change == 0 or change >= SMALLEST
    for name in ("Name", "Age"):
        assert _rows(page, f"Values of {name}, after"), "a written column has no counts before"
