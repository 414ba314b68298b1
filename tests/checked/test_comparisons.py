"""Comparisons of columns with constants of their type, and errors for all others (D9)."""

import datetime
from decimal import Decimal

import pytest

from acompass.checked.types import FLOAT, INTEGER, TEXT, Type, decimal
from tests.checked.policies import TYPED, compared_value, finding, only, places, said


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ("Whole < 80", 80),
        ("Whole < 80.00", 80),
        ("Whole < 80.5", Decimal("80.5")),
        ("Whole < -9223372036854775809", -(2**63) - 1),
        ("Exact = 1", Decimal(1)),
        ("Exact = 1.005", Decimal("1.005")),
        ("Real = 0.1", 0.1),
        ("Real = 9007199254740993", 9007199254740992.0),
        ("Word = ''", ""),
        ("Word = '01234'", "01234"),
        ("Flag = 'true'", True),
        ("Flag < 'false'", False),
        ("Day >= '2024-02-29'", datetime.date(2024, 2, 29)),
        ("Moment >= '2024-02-29'", datetime.datetime(2024, 2, 29)),
        ("Moment >= '2024-02-29 13:14'", datetime.datetime(2024, 2, 29, 13, 14)),
        ("Moment >= '2024-02-29T13:14:15.5'", datetime.datetime(2024, 2, 29, 13, 14, 15, 500_000)),
    ],
)
def test_a_constant_takes_the_type_of_its_column(comparison: str, expected: object) -> None:
    value = compared_value(f"EACH RESULT: {comparison};")
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("comparison", "message", "help_"),
    [
        (
            "Whole = '80'",
            "column `Whole` is integer, compared with the text `'80'`",
            "write `80` without quotes",
        ),
        (
            "Exact = 'x'",
            "column `Exact` is decimal, compared with the text `'x'`",
            "write a number, such as `80`",
        ),
        (
            "Real = 'it''s'",
            "column `Real` is float, compared with the text `'it''s'`",
            "write a number, such as `80`",
        ),
        ("Word = 80.0", "column `Word` is text, compared with the number `80.0`", "write `'80.0'`"),
        (
            "Flag = 1",
            "column `Flag` is boolean, compared with the number `1`",
            "write `'true'` or `'false'`",
        ),
        (
            "Day = 2024",
            "column `Day` is date, compared with the number `2024`",
            "write a date as `'2024-12-31'`",
        ),
        (
            "Moment = 5",
            "column `Moment` is timestamp, compared with the number `5`",
            "write a timestamp as `'2024-12-31'` or `'2024-12-31 23:59:59'`",
        ),
    ],
)
def test_a_constant_of_another_type_is_an_error(comparison: str, message: str, help_: str) -> None:
    assert said(f"EACH RESULT: {comparison};", TYPED) == ("AC110", message, help_)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("Flag", "True"),
        ("Flag", "1"),
        ("Day", "2023-02-29"),
        ("Day", "20240229"),
        ("Day", "2024-W01-1"),
        ("Day", "2024-02-29 10:00"),
        ("Day", "２０２４-02-29"),
        ("Moment", "2024-02-29 25:00"),
        ("Moment", "2024-02-29T10:00:00Z"),
        ("Moment", "2024-02-29 10:00:00.1234567"),
        ("Moment", "yesterday"),
    ],
)
def test_text_that_is_no_value_of_the_column_is_an_error(column: str, text: str) -> None:
    found = finding(f"EACH RESULT: {column} = '{text}';", TYPED)
    assert found.code == "AC111"
    assert found.message.startswith(f"the text `'{text}'` is not a ")


def test_the_error_points_at_the_constant() -> None:
    text = "EACH RESULT: Whole > 1 AND NOT Whole = 'a';"
    assert places(text, finding(text, TYPED)) == ["'a'"]


def test_a_long_constant_is_not_repeated_in_full() -> None:
    assert len(finding(f"EACH RESULT: Whole = '{'a' * 10_000}';", TYPED).message) < 120


def test_a_number_larger_than_any_float_is_an_error() -> None:
    assert finding(f"EACH RESULT: Real < 1{'0' * 400};", TYPED).code == "AC116"


def test_numbers_have_a_thousand_digits_at_most() -> None:
    assert compared_value(f"EACH RESULT: Whole < {'9' * 1_000};") == 10**1_000 - 1
    found = finding(f"EACH RESULT: Whole < {'9' * 1_001};", TYPED)
    assert found.message == "the number has 1,001 digits, more than the 1,000 allowed here"
    assert finding(f"EACH RESULT: Exact < 0.{'0' * 1_000}1;", TYPED).code == "AC116"


def test_text_that_is_not_unicode_is_an_error() -> None:
    assert finding("EACH RESULT: Word = k;", TYPED, k="a\ud800").code == "AC111"
    assert compared_value("EACH RESULT: Word = k;", k="\U0001f600é") == "\U0001f600é"


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("SUM(Whole)", INTEGER),
        ("SUM(Exact)", decimal(2)),
        ("SUM(Real)", FLOAT),
        ("MIN(Exact)", decimal(2)),
        ("MAX(Word)", TEXT),
        ("COUNT(*)", INTEGER),
        ("COUNT DISTINCT(Flag)", INTEGER),
        ("COUNT DISTINCT Moment", INTEGER),
    ],
)
def test_an_aggregate_has_a_type(aggregate: str, expected: Type) -> None:
    constant = "'a'" if expected == TEXT else "1"
    assert (
        only(f"EACH PROCESS {aggregate} AS C: C > {constant};").assertion.result.aggregates[0].type
        == expected
    )


def test_the_least_day_is_a_day() -> None:
    text = "EACH PROCESS MIN(Day) AS C GROUP BY Flag: C > '2024-01-01' AND Flag = 'true';"
    day, flag = only(text).assertion.condition.operands
    assert (day.value, flag.value) == (datetime.date(2024, 1, 1), True)


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        ("SUM(Word)", "SUM needs numbers, but column `Word` is text"),
        ("SUM(Flag)", "SUM needs numbers, but column `Flag` is boolean"),
        ("SUM(Day)", "SUM needs numbers, but column `Day` is date"),
        ("MIN(Flag)", "MIN needs numbers, text, dates or timestamps, but column `Flag` is boolean"),
        ("MAX(Flag)", "MAX needs numbers, text, dates or timestamps, but column `Flag` is boolean"),
    ],
)
def test_an_aggregate_of_values_that_it_does_not_take(aggregate: str, message: str) -> None:
    code, found, help_ = said(f"EACH PROCESS {aggregate} AS C: C > 1;", TYPED)
    assert (code, found) == ("AC112", message)
    assert help_.startswith("count its values with `COUNT DISTINCT(")


def test_a_count_is_compared_as_an_integer_whatever_is_counted() -> None:
    found = finding("EACH PROCESS COUNT DISTINCT Word AS C: C > '1';", TYPED)
    assert found.message == "column `C` is integer, compared with the text `'1'`"
