"""REPLACE and RANDOM and the types of columns (D12, D14)."""

import datetime
from decimal import Decimal

import pytest

from acompass.checked.program import Random, Reject, Replace
from acompass.checked.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    TEXT,
    TIMESTAMP,
    Type,
    decimal,
    schema_of,
)
from tests.checked.policies import PAPER, TYPED, checked, finding, findings, only, places, said


@pytest.mark.parametrize(
    ("replace", "value", "after"),
    [
        ("Whole WITH 5", 5, INTEGER),
        ("Whole WITH -0", 0, INTEGER),
        ("Whole WITH 9223372036854775807", 2**63 - 1, INTEGER),
        ("Whole WITH 9223372036854775808", Decimal(2**63), decimal(0)),
        ("Whole WITH 5.00", Decimal("5.00"), decimal(2)),
        ("Whole WITH '5'", "5", TEXT),
        ("Exact WITH 5", Decimal("5.00"), decimal(2)),
        ("Exact WITH -0.0", Decimal("0.00"), decimal(2)),
        ("Exact WITH 5.125", Decimal("5.125"), decimal(3)),
        ("Exact WITH '*'", "*", TEXT),
        ("Real WITH 0.1", 0.1, FLOAT),
        ("Real WITH '*'", "*", TEXT),
        ("Word WITH '*'", "*", TEXT),
        ("Word WITH 007", "7", TEXT),
        ("Word WITH +5.50", "5.50", TEXT),
        ("Word WITH -0", "0", TEXT),
        ("Flag WITH 'true'", True, BOOLEAN),
        ("Flag WITH 'yes'", "yes", TEXT),
        ("Day WITH '2024-01-01'", datetime.date(2024, 1, 1), DATE),
        ("Day WITH '2024'", "2024", TEXT),
        ("Moment WITH '2024-01-01'", datetime.datetime(2024, 1, 1), TIMESTAMP),
        ("Moment WITH '*'", "*", TEXT),
    ],
)
def test_replace_types_its_value_and_its_column(replace: str, value: object, after: Type) -> None:
    requirement = only(f"EACH RESULT: Whole > 1: REPLACE {replace};")
    assert isinstance(requirement.action, Replace)
    column = requirement.action.column
    assert (str(requirement.action.value), type(requirement.action.value)) == (str(value), type(value))
    assert requirement.after[column].type == after
    assert requirement.before == TYPED
    others = [place for place in range(len(TYPED)) if place != column]
    assert [requirement.after[place] for place in others] == [TYPED[place] for place in others]


def test_a_negative_zero_put_into_a_float_column_is_a_zero() -> None:
    assert str(only("EACH RESULT: Whole > 1: REPLACE Real WITH -0.0;").action.value) == "0.0"


@pytest.mark.parametrize("column", ["Flag", "Day", "Moment"])
def test_a_number_cannot_be_put_into_a_column_that_is_neither_number_nor_text(column: str) -> None:
    code, message, help_ = said(f"EACH RESULT: Whole > 1: REPLACE {column} WITH 0;", TYPED)
    assert code == "AC113"
    assert message.endswith("replaced with the number `0`")
    assert help_.startswith("write `'0'` to make the column text, or ")


def test_stored_numbers_have_38_digits_at_most() -> None:
    assert only(f"EACH RESULT: Whole > 1: REPLACE Whole WITH {'9' * 38};").after[0].type == decimal(0)
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Whole WITH {'9' * 39};", TYPED).code == "AC116"
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Exact WITH {'9' * 37};", TYPED).code == "AC116"
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Real WITH {'9' * 400};", TYPED).code == "AC116"
    assert len(only(f"EACH RESULT: Whole > 1: REPLACE Word WITH {'9' * 400};").action.value) == 400


def test_the_schema_is_shared_where_nothing_changes_it() -> None:
    program = checked(
        "EACH RESULT: Age > 1; EACH RESULT: Age > 1: REJECT; EACH RESULT: Age > 1: REPLACE Age WITH 5;"
    )
    assert all(r.before is PAPER and r.after is PAPER for r in program.requirements)
    assert [type(r.action) for r in program.requirements] == [type(None), Reject, Replace]


def test_types_are_carried_from_requirement_to_requirement() -> None:
    program = checked(
        """
        EACH RESULT: Age <= 80: REPLACE Age WITH 80.5;
        EACH RESULT: Age <= 80: REPLACE Age WITH '>80';
        EACH RESULT: Age = '>80';
        """
    )
    first, second, third = program.requirements
    assert [r.before[1].type for r in program.requirements] == [INTEGER, decimal(1), TEXT]
    assert second.before is first.after
    assert third.before is second.after
    assert program.schema is PAPER
    assert program.final_schema[1].type == TEXT


def test_a_number_expected_of_a_column_turned_to_text_points_at_both_lines() -> None:
    text = "EACH RESULT: Age <= 80:\n REPLACE Age WITH '*';\nEACH RESULT: Age > 5: REJECT;"
    found = finding(text)
    assert (found.code, found.message) == (
        "AC118",
        "column `Age` is used as a number after a REPLACE turned it into text",
    )
    assert places(text, found) == ["5", "REPLACE Age WITH '*'"]
    assert [label.text for label in found.labels] == ["used as a number here", "becomes text here"]
    assert found.help == "move this requirement before the REPLACE, or replace with a number there"


@pytest.mark.parametrize(
    "use",
    [
        "EACH PROCESS SUM(Age) AS s: s > 3",
        "EACH PROCESS MAX(Age) AS s: s > 3",
        "EACH PROCESS COUNT(*) AS s GROUP BY Age: Age > 3",
        "EACH FILTER Age > 3: AEC > 3",
    ],
)
def test_every_use_as_a_number_of_a_column_turned_to_text(use: str) -> None:
    found = findings(f"EACH RESULT: Age <= 80: REPLACE Age WITH '*'; {use};")
    assert [(f.code, len(f.labels)) for f in found][:1] == [("AC118", 2)]


def test_the_replace_that_turned_the_column_is_the_first() -> None:
    text = (
        "EACH RESULT: Age <= 80: REPLACE Age WITH 'a'; EACH RESULT: Age = 'a': REPLACE Age WITH 'b';"
        "EACH RESULT: Age = 1;"
    )
    assert places(text, finding(text)) == ["1", "REPLACE Age WITH 'a'"]


def test_a_column_that_was_always_text_has_no_replace_to_blame() -> None:
    text = "EACH RESULT: Age <= 80: REPLACE Postal Code WITH 'a'; EACH RESULT: Postal Code = 1;"
    assert finding(text).code == "AC110"


def test_nothing_more_is_said_of_a_column_after_a_wrong_replace() -> None:
    text = "EACH RESULT: Age <= 80: REPLACE Age WITH k; EACH RESULT: Age = 'x'; EACH RESULT: Age = 5;"
    assert finding(text).code == "AC106"


@pytest.mark.parametrize("column", ["Whole", "Exact", "Real", "Word"])
def test_random_keeps_the_type_of_its_column(column: str) -> None:
    requirement = only(f"EACH RESULT: Whole > 1: RANDOM {column} -3 3;")
    position = [c.name for c in TYPED].index(column)
    assert requirement.action == Random(position, -3, 3)
    assert requirement.after is requirement.before


@pytest.mark.parametrize("column", ["Flag", "Day", "Moment"])
def test_random_needs_a_column_that_holds_integers(column: str) -> None:
    code, message, help_ = said(f"EACH RESULT: Whole > 1: RANDOM {column} 1 2;", TYPED)
    assert code == "AC114"
    assert help_ == (
        f"use `RANDOM {column} FROM` and values in parentheses, or `REPLACE {column} WITH` and a constant"
    )
    assert message.startswith(f"RANDOM writes an integer, but column `{column}` is ")


def test_random_needs_a_lower_bound_that_is_not_above_the_upper() -> None:
    text = "EACH RESULT: Age > 1: RANDOM AEC 4000 3000;"
    assert said(text) == (
        "AC115",
        "the lower bound 4000 of RANDOM is above its upper bound 3000",
        "write `RANDOM AEC 3000 4000`",
    )
    assert places(text, finding(text)) == ["4000 3000"]
    assert only("EACH RESULT: Age > 1: RANDOM AEC 3 3;", PAPER).action == Random(3, 3, 3)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**63, "the number `9223372036854775808`"),
        (-(2**63) - 1, "the number `-9223372036854775809`"),
        (Decimal("1.5"), "the number `1.5`"),
        (3.0, "the number `3.0`"),
        ("3", "the text `'3'`"),
    ],
)
def test_a_bound_is_a_64_bit_integer(value: object, shown: str) -> None:
    found = finding("EACH RESULT: Age > 1: RANDOM AEC l 9223372036854775807;", l=value)
    assert found.code == "AC115"
    assert found.message == f"a bound of RANDOM must be a 64-bit integer, not {shown}"


def test_random_spans_all_64_bits() -> None:
    text = "EACH RESULT: Age > 1: RANDOM AEC -9223372036854775808 9223372036854775807;"
    assert only(text, PAPER).action == Random(3, -(2**63), 2**63 - 1)


def test_random_fits_the_decimals_of_its_column() -> None:
    schema = schema_of({"Exact": decimal(36)})
    assert only("EACH RESULT: Exact > 1: RANDOM Exact 1 99;", schema).action == Random(0, 1, 99)
    assert finding("EACH RESULT: Exact > 1: RANDOM Exact 1 100;", schema).code == "AC116"
