"""The forms beyond the paper: the places of errors, lines of steps (X10), uses of columns (D10, D27, X2)."""

from dataclasses import replace

import pytest

from acompass.language.program.types import INTEGER, TEXT, Kind, make_schema
from acompass.language.program.uses import ColumnUse, Use, uses
from acompass.language.text.parser import parse_text
from tests.program.policies import TYPED, check_policy, finding, findings, places

LABELLED = make_schema({"Age": replace(TEXT, numbers=Kind.INTEGER), "Zip": TEXT, "Sum": INTEGER})


def test_a_step_on_a_line_of_its_own_has_that_line() -> None:
    text = (
        "ALWAYS : DROP Postal Code THEN DROP AEC;\n"
        'EACH RESULT\n : Age > 3\n : REPLACE Age WITH 3\n THEN REPLACE "Record ID" WITH 0 THEN REJECT;'
    )
    assert [requirement.line for requirement in check_policy(text).requirements] == [1, 1, 2, 5, 5]


def test_a_map_that_cannot_follow_points_at_both_lines() -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS OF 5;\nALWAYS : GENERALIZE Age TO BANDS OF 7;"
    assert places(text, finding(text)) == ["BANDS OF 7", "GENERALIZE Age TO BANDS OF 5"]


def test_a_text_without_a_label_points_at_the_replace() -> None:
    text = "EACH RESULT : Age < 90 : REPLACE Age WITH 'old';\nALWAYS : GENERALIZE Age TO BANDS AT 18;"
    assert places(text, finding(text)) == ["BANDS AT 18", "REPLACE Age WITH 'old'"]


def test_a_number_after_generalize_points_at_both_lines() -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS OF 5;\nEACH RESULT : Age IN (1, 2);"
    first, second = findings(text)
    assert places(text, first) == ["1", "GENERALIZE Age TO BANDS OF 5"]
    assert places(text, second) == ["2", "GENERALIZE Age TO BANDS OF 5"]


def test_a_dropped_column_points_at_its_drop() -> None:
    text = "ALWAYS : DROP Age;\nEACH RESULT : Age > 1;"
    assert places(text, finding(text)) == ["Age", "DROP Age"]


def test_like_is_one_mistake_though_it_is_two_comparisons() -> None:
    text = "EACH RESULT : Whole LIKE '1%';"
    assert finding(text, TYPED).message == "column `Whole` is integer, compared with the text `'1'`"


@pytest.mark.parametrize("condition", ["Age <= 80", "Age BETWEEN 1 AND 80", "Age != 80"])
def test_labels_among_numbers_are_not_compared_as_text_instead(condition: str) -> None:
    """The help for a wrong type would suggest `'80'`, which orders numbers as text (D24)."""
    text = f"EACH RESULT : {condition} : REJECT; ALWAYS : GENERALIZE Age TO BANDS OF 5;"
    found = findings(text, LABELLED)
    assert {each.code for each in found} == {"AC210"}
    assert all("'" not in (each.help or "") for each in found)


def test_a_sum_of_labels_among_numbers_is_an_error() -> None:
    text = "EACH PROCESS SUM(Age) AS s : s > 1; ALWAYS : GENERALIZE Age TO BANDS OF 5;"
    assert finding(text, LABELLED).code == "AC210"


def age_use(text: str, *, may_be_released: bool = False) -> ColumnUse:
    policy, wrong = parse_text(text)
    assert not wrong
    return uses(policy, ["Age", "Zip"], may_be_released=may_be_released)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5;", Use.NUMBER),
        ("ALWAYS : GENERALIZE Age TO BANDS AT 5;", Use.NUMBER),
        ("ALWAYS : GENERALIZE Age TO PREFIX OF 2;", Use.TEXT),
        ("ALWAYS : GENERALIZE Age TO YEAR;", Use.TEXT),
        ("ALWAYS : GENERALIZE Age TO LEVEL 1 OF 'x.csv';", Use.TEXT),
        ("ALWAYS : DROP Age;", Use.ANY),
        ("EACH RESULT : Age IN (1);", Use.NUMBER),
        ("EACH RESULT : Age NOT BETWEEN '1' AND '2';", Use.TEXT),
        ("EACH RESULT : Age <> 1;", Use.NUMBER),
        ("EACH RESULT : Age LIKE '1%';", Use.TEXT),
        ("EACH PROCESS COUNT(*) AS n, SUM(Age) AS s : n > 1;", Use.NUMBER),
        # labels say nothing about the table as it was read
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5; EACH RESULT : Age = '0-4';", Use.NUMBER),
        ("EACH RESULT : Age = '*' : GENERALIZE Age TO BANDS OF 5;", Use.TEXT),
    ],
)
def test_the_policy_decides_the_use_of_a_column(text: str, expected: Use) -> None:
    assert age_use(text).use is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALWAYS : REPLACE Age WITH 1;", True),
        ("ALWAYS : DROP Zip, Age;", True),
        ("ALWAYS : REPLACE Age WITH 1; EACH RESULT : Age > 0;", True),
        ("EACH RESULT : Age > 0; ALWAYS : DROP Age;", False),
        ("EACH RESULT : Zip = '1' : REPLACE Age WITH 1;", False),
        ("ALWAYS : GENERALIZE Age TO YEAR; ALWAYS : DROP Age;", False),
        ("ALWAYS : RANDOM Age 1 2;", False),
    ],
)
def test_a_column_that_is_overwritten_first_need_not_be_complete(text: str, expected: bool) -> None:
    assert age_use(text).overwritten is expected


def test_only_a_generalized_column_of_a_released_table_may_have_labels() -> None:
    text = "EACH RESULT : Age > 1; ALWAYS : GENERALIZE Age TO PREFIX OF 1;"
    assert age_use(text, may_be_released=True).may_have_labels
    assert not age_use(text).may_have_labels
    assert not age_use("EACH RESULT : Age > 1;", may_be_released=True).may_have_labels
