"""Parameters and their values (D5)."""

from decimal import Decimal
from fractions import Fraction

import pytest

from acompass.checked.parameters import parse_setting, parse_settings
from acompass.checked.types import INTEGER, schema_of
from acompass.diagnostics import CallError
from tests.checked.policies import TYPED, compared_value, finding, findings, only, places, said


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (3.0, 3), (2.5, Decimal("2.5")), (Decimal("1E+3"), 1000), (10**30, 10**30), (-0.0, 0)],
)
def test_a_number_is_bound_exactly(value: float, expected: object) -> None:
    assert compared_value("EACH RESULT: Whole >= k;", k=value) == expected


def test_a_float_is_the_number_that_it_is_written_as() -> None:
    assert compared_value("EACH RESULT: Exact >= k;", k=0.1) == Decimal("0.1")


def test_text_is_bound_as_text_even_if_it_looks_like_a_number() -> None:
    assert compared_value("EACH RESULT: Word >= k;", k="3") == "3"
    assert finding("EACH RESULT: Whole >= k;", TYPED, k="3").code == "AC110"


@pytest.mark.parametrize("value", [True, False])
def test_a_boolean_is_bound_as_its_text(value: bool) -> None:
    assert compared_value("EACH RESULT: Flag = k;", k=value) is value


def test_a_parameter_stands_in_every_place_of_a_constant() -> None:
    text = "EACH FILTER Whole > a: Whole < b: RANDOM Whole c d;"
    assert (only(text, a=1, b=2, c=3, d=4).action.lower, only(text, a=1, b=2, c=3, d=4).action.upper) == (
        3,
        4,
    )
    assert only("EACH RESULT: Whole > a: REPLACE Whole WITH b;", a=1, b=2).action.value == 2


def test_an_unbound_parameter_is_named_once_where_it_first_stands() -> None:
    text = "EACH RESULT: Age > k OR Age < k; EACH RESULT: Age = k;"
    found = finding(text)
    assert (found.code, found.message) == ("AC106", "parameter `k` is not bound")
    assert found.help == "bind it with `--set k=3`, or write `'k'` for text"
    assert found.labels[0].span.start == text.index("k")


def test_a_close_name_that_is_bound_is_suggested() -> None:
    unbound, unused = findings("EACH RESULT: Age > limit;", Limit=3)
    assert unbound.help.endswith("; did you mean `Limit`?")
    assert unused.code == "AC107"


def test_a_parameter_never_used_is_named() -> None:
    assert said("EACH RESULT: Age > k;", k=3, l=2) == (
        "AC107",
        "parameter `l` is bound but never used in the policy",
        "remove `--set l=…`, or `l` from an `acompass.toml`",
    )


def test_a_parameter_is_used_also_where_something_else_is_wrong() -> None:
    assert [found.code for found in findings("EACH RESULT: Agee > k: RANDOM Agee l 5;", k=3, l=2)] == [
        "AC101"
    ] * 2


def test_a_column_in_the_place_of_a_constant() -> None:
    text = "EACH RESULT: Age > aec;"
    assert said(text) == (
        "AC108",
        "expected a constant, found the column `aec`",
        "a column cannot be compared with or replaced by another column; "
        "write a number, or `'AEC'` for the text",
    )
    assert places(text, finding(text)) == ["aec"]


def test_a_binding_wins_over_a_column_of_the_same_name() -> None:
    schema = schema_of({"a": INTEGER, "k": INTEGER})
    assert compared_value("EACH RESULT: a > k;", schema, k=3) == 3


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), Decimal("-Infinity"), Decimal("1E+999999"), None, [3], Fraction(1, 3)],
)
def test_a_value_that_is_neither_a_finite_number_nor_text(value: object) -> None:
    found = finding("EACH RESULT: Age > k;", k=value)
    assert (found.code, found.labels) == ("AC109", ())
    assert found.message == "the value of parameter `k` is neither a finite number nor text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k=3", ("k", Decimal(3))),
        ("k = -3.50", ("k", Decimal("-3.50"))),
        ("zip='01234'", ("zip", "01234")),
        ("name='O''Brien'", ("name", "O'Brien")),
        ("city=Novi Sad", ("city", "Novi Sad")),
        ("x=a=b", ("x", "a=b")),
        ("x=", ("x", "")),
        ("x=1e3", ("x", "1e3")),
        ("x=.5", ("x", ".5")),
        ("größe-1.a=٣", ("größe-1.a", "٣")),
    ],
)
def test_a_setting_is_a_word_and_a_value(text: str, expected: tuple[str, object]) -> None:
    assert parse_setting(text) == expected


def test_a_number_of_a_setting_keeps_its_scale() -> None:
    assert str(parse_setting("k=3.00")[1]) == "3.00"


@pytest.mark.parametrize("text", ["k", "", "=3", "3=k", "a b=3", "'k'=3"])
def test_a_setting_that_binds_nothing(text: str) -> None:
    with pytest.raises(CallError) as raised:
        parse_setting(text)
    (found,) = raised.value.diagnostics
    assert found.code == "AC109"
    assert found.message == f"expected `NAME=VALUE` to bind a parameter, found `{text}`"


def test_settings_bind_each_parameter_once() -> None:
    assert parse_settings(["k=3", "l='2'"]) == {"k": Decimal(3), "l": "2"}
    with pytest.raises(CallError) as raised:
        parse_settings(["k=3", "k=4"])
    assert raised.value.diagnostics[0].message == "parameter `k` is bound twice"
