"""RANDOM … FROM and WITH PROBABILITY against a schema: types, equal values, parameters (X5, X6, D12)."""

import datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from acompass.checked.program import Ball, Draw, Random, Reject, Replace, Sometimes
from acompass.checked.types import DATE, FLOAT, INTEGER, TEXT, Kind, Type, Value, decimal, schema_of
from acompass.diagnostics.fixing import apply_edits
from tests.checked.policies import PAPER, TYPED, checked, finding, findings, only, places, said

DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30)
NAMES = [column.name for column in TYPED]


def _drawn(column: str, values: str) -> tuple[list[Value], Type]:
    """The values of an urn in a column of TYPED, and the column's type after it."""
    requirement = only(f"ALWAYS : RANDOM {column} FROM ({values});")
    assert isinstance(requirement.action, Draw)
    position = NAMES.index(column)
    assert requirement.action.column == position
    return [ball.value for ball in requirement.action.balls], requirement.after[position].type


@pytest.mark.parametrize(
    ("column", "values", "expected", "type_"),
    [
        ("Whole", "1, -2", [1, -2], INTEGER),
        ("Whole", "1, 2.50", [Decimal("1.00"), Decimal("2.50")], decimal(2)),
        ("Whole", "9223372036854775808, 1", [Decimal(2**63), Decimal(1)], decimal(0)),
        ("Whole", "'young', '1'", ["young", "1"], TEXT),
        ("Exact", "1, 2.5", [Decimal("1.00"), Decimal("2.50")], decimal(2)),
        ("Exact", "1.125, 2", [Decimal("1.125"), Decimal("2.000")], decimal(3)),
        ("Real", "0.1, 2", [0.1, 2.0], FLOAT),
        ("Real", "-0, 1", [0.0, 1.0], FLOAT),
        ("Word", "'a', 'b'", ["a", "b"], TEXT),
        ("Word", "1.50, 2", ["1.50", "2"], TEXT),
        ("Flag", "'true', 'false'", [True, False], TYPED[4].type),
        ("Flag", "'true', 'unknown'", ["true", "unknown"], TEXT),
        ("Day", "'2024-02-29', '2024-03-01'", [DAY, datetime.date(2024, 3, 1)], DATE),
        ("Day", "'2024-02-29', '2024-02-30'", ["2024-02-29", "2024-02-30"], TEXT),
        ("Moment", "'2024-02-29 12:30'", [MOMENT], TYPED[6].type),
        ("Moment", "'2024-02-29T12:30', 'never'", ["2024-02-29T12:30", "never"], TEXT),
    ],
)
def test_values_have_the_type_that_all_of_them_need(
    column: str, values: str, expected: list[Value], type_: Type
) -> None:
    found, after = _drawn(column, values)
    assert (found, [type(value) for value in found]) == (expected, [type(value) for value in expected])
    assert [str(value) for value in found] == [str(value) for value in expected]
    assert after == type_


@pytest.mark.parametrize("constant", ["5", "5.25", "'x'", "'2024-02-29'", "'true'"])
@pytest.mark.parametrize("column", ["Whole", "Exact", "Real", "Word", "Flag", "Day", "Moment"])
def test_an_urn_of_one_value_is_typed_as_replace(column: str, constant: str) -> None:
    drawn, replaced = (
        findings_or_types(f"ALWAYS : {action};")
        for action in (f"RANDOM {column} FROM ({constant})", f"REPLACE {column} WITH {constant}")
    )
    assert drawn == replaced


def findings_or_types(text: str) -> object:
    """The value that is written and the schema after it, or what is wrong."""
    try:
        requirement = only(text)
    except AssertionError:
        return [(each.code, each.message, each.help) for each in findings(text, TYPED)]
    action = requirement.action
    value = action.balls[0].value if isinstance(action, Draw) else action.value  # type: ignore[union-attr]
    return value, [(column.name, column.type, column.type.numbers) for column in requirement.after]


def test_weights_are_positive_integers_and_1_if_not_said() -> None:
    action = only("ALWAYS : RANDOM Word FROM (5 OF 'flu', 3 OF 'asthma', 'other');").action
    assert isinstance(action, Draw)
    assert action.balls == (Ball("flu", 5), Ball("asthma", 3), Ball("other", 1))
    assert action.cuts == (Fraction(5, 9), Fraction(8, 9), Fraction(1))


def test_spelled_decimals_are_written_as_the_policy_spells_them() -> None:
    schema = schema_of({"Price": Type(Kind.DECIMAL, 2, spelled=True)})
    action = only("ALWAYS : RANDOM Price FROM (1.5, 2.50, 3, 0.125);", schema).action
    assert isinstance(action, Draw)
    assert [str(ball.value) for ball in action.balls] == ["1.5", "2.50", "3", "0.125"]


def test_a_spelled_decimal_that_the_table_spells_otherwise_is_shortened() -> None:
    schema = schema_of({"Price": Type(Kind.DECIMAL, 2, spelled=True, shortened=frozenset({Decimal("2.5")}))})
    action = only("ALWAYS : RANDOM Price FROM (2.50, 3.50);", schema).action
    assert isinstance(action, Draw)
    assert [str(ball.value) for ball in action.balls] == ["2.5", "3.50"]


@pytest.mark.parametrize(
    ("column", "values", "place"),
    [
        ("Word", "'a', 3 OF 'b', 'a'", ["'a'", "'a'"]),
        ("Word", "1, 1.0", ["1.0", "1"]),
        ("Whole", "5 OF 1, 1.0", ["1.0", "5 OF 1"]),
        ("Exact", "0, -0.00", ["-0.00", "0"]),
        ("Real", "0.1, 0.1000000000000000000001", ["0.1000000000000000000001", "0.1"]),
        ("Moment", "'2024-02-29', '2024-02-29 00:00'", ["'2024-02-29 00:00'", "'2024-02-29'"]),
        ("Day", "'2024-02-29', 2 OF '2024-02-29'", ["2 OF '2024-02-29'", "'2024-02-29'"]),
    ],
)
def test_no_value_is_there_twice(column: str, values: str, place: list[str]) -> None:
    text = f"ALWAYS : RANDOM {column} FROM ({values});"
    found = finding(text, TYPED)
    assert found.code == "AC126"
    assert places(text, found) == place


def test_two_spellings_of_a_moment_are_two_texts_in_a_column_that_becomes_text() -> None:
    values, _ = _drawn("Moment", "'2024-02-29', '2024-02-29 00:00', '?'")
    assert values == ["2024-02-29", "2024-02-29 00:00", "?"]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("(5 OF 'a', 'b', 2 OF 'a')", "(7 OF 'a', 'b')"),
        ("('a', 'a', 'b')", "(2 OF 'a', 'b')"),
        ("(1, 1.0)", "(2 OF 1)"),
    ],
)
def test_a_value_twice_is_offered_once_with_both_weights(text: str, fixed: str) -> None:
    policy = f"ALWAYS : RANDOM Word FROM {text};"
    (fix,) = finding(policy, TYPED).fixes
    assert not fix.is_safe
    assert apply_edits(policy, fix.edits) == f"ALWAYS : RANDOM Word FROM {fixed};"


def test_numbers_and_texts_are_not_in_one_urn() -> None:
    text = "ALWAYS : RANDOM Word FROM ('a', 3 OF 5, 1.50);"
    found = finding(text, TYPED)
    assert (found.code, places(text, found)) == ("AC125", ["5", "'a'"])
    (fix,) = found.fixes
    assert apply_edits(text, fix.edits) == "ALWAYS : RANDOM Word FROM ('a', 3 OF '5', '1.50');"


def test_parameters_are_balls() -> None:
    requirement = only("ALWAYS : RANDOM Word FROM (5 OF a, b);", a="x", b="y")
    assert requirement.action == Draw(3, (Ball("x", 5), Ball("y", 1)))


@pytest.mark.parametrize(
    ("params", "code"),
    [({"a": "x"}, "AC106"), ({"a": "x", "b": 5}, "AC125"), ({"a": 5, "b": Decimal("5.0")}, "AC126")],
)
def test_parameters_that_do_not_fit(params: dict[str, object], code: str) -> None:
    found = finding("ALWAYS : RANDOM Word FROM (a, b);", TYPED, **params)  # type: ignore[arg-type]
    assert found.code == code
    assert not [fix for fix in found.fixes if code == "AC125"]


@pytest.mark.parametrize(
    ("column", "values", "code"),
    [
        ("Day", "1, 2", "AC113"),
        ("Flag", "0, 1", "AC113"),
        ("Blob", "'a', 'b'", "AC117"),
        ("Nobody", "'a', 'b'", "AC101"),
        ("Real", f"1, 1{'0' * 400}", "AC116"),
        ("Whole", f"1, 0.{'1' * 39}", "AC116"),
    ],
)
def test_values_that_do_not_fit_the_column(column: str, values: str, code: str) -> None:
    assert finding(f"ALWAYS : RANDOM {column} FROM ({values});", TYPED).code == code


def test_digits_are_counted_with_the_scale_that_another_value_needs() -> None:
    schema = schema_of({"Whole": INTEGER})
    large = "1" + "0" * 37
    only(f"ALWAYS : RANDOM Whole FROM ({large}, 1);", schema)
    text = f"ALWAYS : RANDOM Whole FROM ({large}, 0.5);"
    found = finding(text, schema)
    assert (found.code, places(text, found)) == ("AC116", [large])


def test_a_number_expected_of_a_column_that_was_drawn_as_text() -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Age FROM ('young', 'old'); EACH RESULT : Age > 5 : REJECT;"
    code, message, help_ = said(text)
    assert (code, message) == ("AC118", "column `Age` is used as a number after a RANDOM turned it into text")
    assert help_ == "move this requirement before the RANDOM, or draw numbers there"
    assert places(text, finding(text)) == ["5", "RANDOM Age FROM ('young', 'old')"]


def test_a_later_map_needs_labels_for_all_values() -> None:
    text = "ALWAYS : RANDOM Age FROM ('*', 'old'); ALWAYS : GENERALIZE Age TO BANDS OF 5;"
    code, message, _ = said(text)
    assert (code, message) == (
        "AC119",
        "this map of column `Age` has no label for a text that a RANDOM writes",
    )
    checked("ALWAYS : RANDOM Age FROM ('*', '30-34', '7'); ALWAYS : GENERALIZE Age TO BANDS OF 5;")


def test_only_a_draw_for_all_records_forgets_what_was_there_before() -> None:
    before = "ALWAYS : GENERALIZE Age TO BANDS OF 5; "
    after = " ALWAYS : GENERALIZE Age TO BANDS OF 7;"
    checked(f"{before}ALWAYS : RANDOM Age FROM ('1', '2');{after}")
    for kept in (
        "ALWAYS : WITH PROBABILITY 0.9 RANDOM Age FROM ('1', '2');",
        "ALWAYS : WITH PROBABILITY 0.9 REPLACE Age WITH '*';",
        "EACH RESULT : AEC > 5 : RANDOM Age FROM ('1', '2');",
    ):
        assert finding(f"{before}{kept}{after}").code == "AC119"


def test_a_probability_is_exact_and_keeps_the_action() -> None:
    program = checked(
        "ALWAYS : WITH PROBABILITY 0.10 REJECT;"
        "EACH RESULT : Age > 5 : WITH PROBABILITY 0.5 REPLACE Age WITH 5;"
        "EACH RESULT : Age > 5 : WITH PROBABILITY 0.5 RANDOM Age 1 5;"
    )
    tenth, half = Fraction(1, 10), Fraction(1, 2)
    assert [requirement.action for requirement in program.requirements] == [
        Sometimes(tenth, Reject()),
        Sometimes(half, Replace(1, 5)),
        Sometimes(half, Random(1, 1, 5)),
    ]
    assert program.final_schema == PAPER


def test_a_type_changes_whether_or_not_a_record_is_drawn() -> None:
    program = checked("ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 'x';")
    assert program.final_schema[1].type == TEXT
