"""REPLACE and RANDOM and the types of columns (D12, D14)."""

import datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from acompass.errors.diagnostics import apply_edits
from acompass.language.program.effects import action_name, constant_written, kernel_of, write_of
from acompass.language.program.kernels import Constant, Uniform, Weighted, WeightedValue
from acompass.language.program.program import Action, Remove, Write
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    Value,
    decimal,
    make_schema,
)
from tests.program.policies import PAPER, TYPED, check_policy, describe_finding, finding, findings, only, places


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
    write = write_of(requirement.action)
    assert write is not None
    column, written = write.column, constant_written(requirement.action)
    assert (str(written), type(written)) == (str(value), type(value))
    assert requirement.after[column].type == after
    assert requirement.before == TYPED
    others = [place for place in range(len(TYPED)) if place != column]
    assert [requirement.after[place] for place in others] == [TYPED[place] for place in others]


def test_a_negative_zero_put_into_a_float_column_is_a_zero() -> None:
    assert str(constant_written(only("EACH RESULT: Whole > 1: REPLACE Real WITH -0.0;").action)) == "0.0"


@pytest.mark.parametrize("column", ["Flag", "Day", "Moment"])
def test_a_number_cannot_be_put_into_a_column_that_is_neither_number_nor_text(column: str) -> None:
    code, message, help_ = describe_finding(f"EACH RESULT: Whole > 1: REPLACE {column} WITH 0;", TYPED)
    assert code == "AC113"
    assert message.endswith("replaced with the number `0`")
    assert help_.startswith("write `'0'` to make the column text, or ")


def test_stored_numbers_have_38_digits_at_most() -> None:
    assert only(f"EACH RESULT: Whole > 1: REPLACE Whole WITH {'9' * 38};").after[0].type == decimal(0)
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Whole WITH {'9' * 39};", TYPED).code == "AC116"
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Exact WITH {'9' * 37};", TYPED).code == "AC116"
    assert finding(f"EACH RESULT: Whole > 1: REPLACE Real WITH {'9' * 400};", TYPED).code == "AC116"
    requirement = only(f"EACH RESULT: Whole > 1: REPLACE Word WITH {'9' * 400};")
    assert constant_written(requirement.action) == "9" * 400


def test_the_schema_is_shared_where_nothing_changes_it() -> None:
    program = check_policy(
        "EACH RESULT: Age > 1; EACH RESULT: Age > 1: REJECT; EACH RESULT: Age > 1: REPLACE Age WITH 5;"
    )
    assert all(r.before is PAPER and r.after is PAPER for r in program.requirements)
    assert [action_name(r.action) for r in program.requirements] == [None, "REJECT", "REPLACE"]


def test_types_are_carried_from_requirement_to_requirement() -> None:
    program = check_policy(
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


def test_a_number_after_a_replace_with_text_points_at_both_lines() -> None:
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
def test_every_use_as_a_number_of_a_column_turned_to_text_is_an_error(use: str) -> None:
    found = findings(f"EACH RESULT: Age <= 80: REPLACE Age WITH '*'; {use};")
    assert [(f.code, len(f.labels)) for f in found][:1] == [("AC118", 2)]


def test_the_error_points_at_the_first_replace_with_text() -> None:
    text = (
        "EACH RESULT: Age <= 80: REPLACE Age WITH 'a'; EACH RESULT: Age = 'a': REPLACE Age WITH 'b';"
        "EACH RESULT: Age = 1;"
    )
    assert places(text, finding(text)) == ["1", "REPLACE Age WITH 'a'"]


def test_a_column_that_was_always_text_has_one_label() -> None:
    text = "EACH RESULT: Age <= 80: REPLACE Postal Code WITH 'a'; EACH RESULT: Postal Code = 1;"
    assert finding(text).code == "AC110"


def test_a_column_gets_no_further_errors_after_a_wrong_replace() -> None:
    text = "EACH RESULT: Age <= 80: REPLACE Age WITH k; EACH RESULT: Age = 'x'; EACH RESULT: Age = 5;"
    assert finding(text).code == "AC106"


@pytest.mark.parametrize("column", ["Whole", "Exact", "Real", "Word"])
def test_random_keeps_the_type_of_its_column(column: str) -> None:
    requirement = only(f"EACH RESULT: Whole > 1: RANDOM {column} -3 3;")
    position = [c.name for c in TYPED].index(column)
    assert requirement.action == Action(Write((position,), Uniform(-3, 3)))
    assert requirement.after is requirement.before


@pytest.mark.parametrize("column", ["Flag", "Day", "Moment"])
def test_random_needs_a_column_that_holds_integers(column: str) -> None:
    code, message, help_ = describe_finding(f"EACH RESULT: Whole > 1: RANDOM {column} 1 2;", TYPED)
    assert code == "AC114"
    assert help_ == (f"use `RANDOM {column} FROM` and values in parentheses, or `REPLACE {column} WITH` and a constant")
    assert message.startswith(f"RANDOM writes an integer, but column `{column}` is ")


def test_random_needs_a_lower_bound_that_is_not_above_the_upper() -> None:
    text = "EACH RESULT: Age > 1: RANDOM AEC 4000 3000;"
    assert describe_finding(text) == (
        "AC115",
        "the lower bound 4000 of RANDOM is above its upper bound 3000",
        "write `RANDOM AEC 3000 4000`",
    )
    assert places(text, finding(text)) == ["4000 3000"]
    assert only("EACH RESULT: Age > 1: RANDOM AEC 3 3;", PAPER).action == Action(Write((3,), Uniform(3, 3)))


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
    added = finding("ALWAYS : ADD RANDOM l 9223372036854775807 TO AEC;", l=value)
    assert (added.code, added.message) == ("AC115", f"a bound of ADD RANDOM must be a 64-bit integer, not {shown}")


def test_random_spans_all_64_bits() -> None:
    text = "EACH RESULT: Age > 1: RANDOM AEC -9223372036854775808 9223372036854775807;"
    assert only(text, PAPER).action == Action(Write((3,), Uniform(-(2**63), 2**63 - 1)))


def test_random_fits_the_decimals_of_its_column() -> None:
    schema = make_schema({"Exact": decimal(36)})
    assert only("EACH RESULT: Exact > 1: RANDOM Exact 1 99;", schema).action == Action(Write((0,), Uniform(1, 99)))
    assert finding("EACH RESULT: Exact > 1: RANDOM Exact 1 100;", schema).code == "AC116"


DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30)
NAMES = [column.name for column in TYPED]


def _draw_values(column: str, values: str) -> tuple[list[Value], Type]:
    """The values of a RANDOM … FROM in a column of TYPED, and the column's type after it."""
    requirement = only(f"ALWAYS : RANDOM {column} FROM ({values});")
    write, position = write_of(requirement.action), NAMES.index(column)
    assert write is not None
    assert write.column == position
    return list(write.kernel.listed_values() or ()), requirement.after[position].type


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
    found, after = _draw_values(column, values)
    assert (found, [type(value) for value in found]) == (expected, [type(value) for value in expected])
    assert [str(value) for value in found] == [str(value) for value in expected]
    assert after == type_


@pytest.mark.parametrize("constant", ["5", "5.25", "'x'", "'2024-02-29'", "'true'"])
@pytest.mark.parametrize("column", ["Whole", "Exact", "Real", "Word", "Flag", "Day", "Moment"])
def test_one_value_is_typed_as_by_replace(column: str, constant: str) -> None:
    drawn, replaced = (
        findings_or_types(f"ALWAYS : {action};")
        for action in (f"RANDOM {column} FROM ({constant})", f"REPLACE {column} WITH {constant}")
    )
    assert drawn == replaced


def findings_or_types(text: str) -> object:
    """The value that is written and the schema after it, or the errors."""
    try:
        requirement = only(text)
    except AssertionError:
        return [(each.code, each.message, each.help) for each in findings(text, TYPED)]
    kernel = kernel_of(requirement.action)
    assert kernel is not None
    (value,) = kernel.listed_values() or ()
    return value, [(column.name, column.type, column.type.numbers) for column in requirement.after]


def test_weights_are_positive_integers_and_1_by_default() -> None:
    kernel = kernel_of(only("ALWAYS : RANDOM Word FROM (5 OF 'flu', 3 OF 'asthma', 'other');").action)
    assert kernel == Weighted((WeightedValue("flu", 5), WeightedValue("asthma", 3), WeightedValue("other", 1)))
    assert kernel.trace_cuts() == (Fraction(5, 9), Fraction(8, 9), Fraction(1))


def test_spelled_decimals_are_written_as_the_policy_spells_them() -> None:
    schema = make_schema({"Price": Type(Kind.DECIMAL, 2, spelled=True)})
    kernel = kernel_of(only("ALWAYS : RANDOM Price FROM (1.5, 2.50, 3, 0.125);", schema).action)
    assert kernel is not None
    assert [str(value) for value in kernel.listed_values() or ()] == ["1.5", "2.50", "3", "0.125"]


def test_a_spelled_decimal_that_the_table_spells_otherwise_is_shortened() -> None:
    schema = make_schema({"Price": Type(Kind.DECIMAL, 2, spelled=True, shortened=frozenset({Decimal("2.5")}))})
    kernel = kernel_of(only("ALWAYS : RANDOM Price FROM (2.50, 3.50);", schema).action)
    assert kernel is not None
    assert [str(value) for value in kernel.listed_values() or ()] == ["2.5", "3.50"]


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
def test_values_are_distinct(column: str, values: str, place: list[str]) -> None:
    text = f"ALWAYS : RANDOM {column} FROM ({values});"
    found = finding(text, TYPED)
    assert found.code == "AC126"
    assert places(text, found) == place


def test_two_spellings_of_a_moment_are_two_texts_in_a_column_that_becomes_text() -> None:
    values, _ = _draw_values("Moment", "'2024-02-29', '2024-02-29 00:00', '?'")
    assert values == ["2024-02-29", "2024-02-29 00:00", "?"]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("(5 OF 'a', 'b', 2 OF 'a')", "(7 OF 'a', 'b')"),
        ("('a', 'a', 'b')", "(2 OF 'a', 'b')"),
        ("(1, 1.0)", "(2 OF 1)"),
    ],
)
def test_the_fix_for_a_duplicate_value_adds_up_its_weights(text: str, fixed: str) -> None:
    policy = f"ALWAYS : RANDOM Word FROM {text};"
    (fix,) = finding(policy, TYPED).fixes
    assert not fix.is_safe
    assert apply_edits(policy, fix.edits) == f"ALWAYS : RANDOM Word FROM {fixed};"


def test_numbers_and_text_are_not_mixed() -> None:
    text = "ALWAYS : RANDOM Word FROM ('a', 3 OF 5, 1.50);"
    found = finding(text, TYPED)
    assert (found.code, places(text, found)) == ("AC125", ["5", "'a'"])
    (fix,) = found.fixes
    assert apply_edits(text, fix.edits) == "ALWAYS : RANDOM Word FROM ('a', 3 OF '5', '1.50');"


def test_parameters_are_values() -> None:
    requirement = only("ALWAYS : RANDOM Word FROM (5 OF a, b);", a="x", b="y")
    assert requirement.action == Action(Write((3,), Weighted((WeightedValue("x", 5), WeightedValue("y", 1)))))


@pytest.mark.parametrize(
    ("params", "code"),
    [({"a": "x"}, "AC106"), ({"a": "x", "b": 5}, "AC125"), ({"a": 5, "b": Decimal("5.0")}, "AC126")],
)
def test_parameters_that_do_not_fit_are_an_error(params: dict[str, object], code: str) -> None:
    found = finding("ALWAYS : RANDOM Word FROM (a, b);", TYPED, **params)  # type: ignore[arg-type]
    assert found.code == code
    assert not [fix for fix in found.fixes if code == "AC125"]


@pytest.mark.parametrize(
    ("column", "values", "code"),
    [
        ("Day", "1, 2", "AC113"),
        ("Flag", "0, 1", "AC113"),
        ("Blob", "'a', 'b'", "AC117"),
        ("Absent", "'a', 'b'", "AC101"),
        ("Real", f"1, 1{'0' * 400}", "AC116"),
        ("Whole", f"1, 0.{'1' * 39}", "AC116"),
    ],
)
def test_values_that_do_not_fit_the_column_are_an_error(column: str, values: str, code: str) -> None:
    assert finding(f"ALWAYS : RANDOM {column} FROM ({values});", TYPED).code == code


def test_digits_are_counted_with_the_scale_that_another_value_needs() -> None:
    schema = make_schema({"Whole": INTEGER})
    large = "1" + "0" * 37
    only(f"ALWAYS : RANDOM Whole FROM ({large}, 1);", schema)
    text = f"ALWAYS : RANDOM Whole FROM ({large}, 0.5);"
    found = finding(text, schema)
    assert (found.code, places(text, found)) == ("AC116", [large])


def test_a_number_after_a_draw_of_text_is_an_error() -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Age FROM ('young', 'old'); EACH RESULT : Age > 5 : REJECT;"
    code, message, help_ = describe_finding(text)
    assert (code, message) == ("AC118", "column `Age` is used as a number after a RANDOM turned it into text")
    assert help_ == "move this requirement before the RANDOM, or draw numbers there"
    assert places(text, finding(text)) == ["5", "RANDOM Age FROM ('young', 'old')"]


def test_a_later_map_needs_labels_for_all_values() -> None:
    text = "ALWAYS : RANDOM Age FROM ('*', 'old'); ALWAYS : GENERALIZE Age TO BANDS OF 5;"
    code, message, _ = describe_finding(text)
    assert (code, message) == (
        "AC119",
        "this map of column `Age` has no label for text that a RANDOM writes",
    )
    check_policy("ALWAYS : RANDOM Age FROM ('*', '30-34', '7'); ALWAYS : GENERALIZE Age TO BANDS OF 5;")


def test_only_a_draw_for_all_records_makes_earlier_maps_irrelevant() -> None:
    before = "ALWAYS : GENERALIZE Age TO BANDS OF 5; "
    after = " ALWAYS : GENERALIZE Age TO BANDS OF 7;"
    check_policy(f"{before}ALWAYS : RANDOM Age FROM ('1', '2');{after}")
    for kept in (
        "ALWAYS : WITH PROBABILITY 0.9 RANDOM Age FROM ('1', '2');",
        "ALWAYS : WITH PROBABILITY 0.9 REPLACE Age WITH '*';",
        "EACH RESULT : AEC > 5 : RANDOM Age FROM ('1', '2');",
    ):
        assert finding(f"{before}{kept}{after}").code == "AC119"


def test_a_probability_is_exact_and_keeps_the_action() -> None:
    program = check_policy(
        "ALWAYS : WITH PROBABILITY 0.10 REJECT;"
        "EACH RESULT : Age > 5 : WITH PROBABILITY 0.5 REPLACE Age WITH 5;"
        "EACH RESULT : Age > 5 : WITH PROBABILITY 0.5 RANDOM Age 1 5;"
    )
    tenth, half = Fraction(1, 10), Fraction(1, 2)
    assert [requirement.action for requirement in program.requirements] == [
        Action(Remove(), tenth),
        Action(Write((1,), Constant(5)), half),
        Action(Write((1,), Uniform(1, 5)), half),
    ]
    assert program.final_schema == PAPER


def test_a_type_changes_whether_or_not_a_record_is_drawn() -> None:
    program = check_policy("ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 'x';")
    assert program.final_schema[1].type == TEXT


@pytest.mark.parametrize(
    ("text", "code", "marked", "help_"),
    [
        (
            "ALWAYS : SHIFT Whole BY Word WITHIN 30 DAYS;",
            "AC127",
            ["Whole"],
            "name columns that contain dates, or write `ADD RANDOM -30 30 TO Whole`",
        ),
        ("ALWAYS : SHIFT Flag BY Word WITHIN 30 DAYS;", "AC127", ["Flag"], "name columns that contain dates"),
        (
            "ALWAYS : ADD RANDOM 1 5 TO Day;",
            "AC127",
            ["Day"],
            "name a column that contains numbers; SHIFT moves dates",
        ),
        ("ALWAYS : MICROAGGREGATE Word BY 3;", "AC127", ["Word"], "name a column that contains numbers"),
        (
            "ALWAYS : SHIFT Day BY Word WITHIN 5000 DAYS;",
            "AC128",
            ["5000"],
            "write an integer from 1 to 3650, such as `3650`",
        ),
        ("ALWAYS : MICROAGGREGATE Whole BY 1;", "AC128", ["1"], "write an integer of at least 2, such as `2`"),
        ("ALWAYS : MICROAGGREGATE Whole BY k;", "AC128", ["k"], "bind `k` to an integer of at least 2"),
        (
            "EACH PROCESS SHARE OF LARGEST 0 (Real) AS s : s < 1;",
            "AC128",
            ["0"],
            "write an integer of at least 1, such as `1`",
        ),
        ("ALWAYS : SHIFT Day, Moment, day BY Word WITHIN 9 DAYS;", "AC129", ["day", "Day"], "remove the second `day`"),
        ("ALWAYS : ADD RANDOM 5 1 TO Real;", "AC115", ["5 1"], "write `ADD RANDOM 1 5 TO Real`"),
        ("ALWAYS : GENERALIZE Word TO NEAREST 5;", "AC121", ["Word"], None),
        ("ALWAYS : GENERALIZE Real TO NEAREST 0;", "AC120", ["NEAREST 0"], "write for example `NEAREST 5`"),
        (
            "EACH PROCESS SHARE OF LARGEST 1 (Word) AS s : s < 1;",
            "AC112",
            ["Word"],
            "limit its most frequent value with `SHARE OF MODE (Word)`",
        ),
        ("EACH PROCESS SHARE OF MODE (Word) AS s : s < 'a';", "AC110", ["'a'"], "write a number, such as `0.5`"),
        (
            "ALWAYS : GENERALIZE Whole TO BANDS OF 5; ALWAYS : GENERALIZE Whole TO NEAREST 15;",
            "AC119",
            ["NEAREST 15", "GENERALIZE Whole TO BANDS OF 5"],
            None,
        ),
        (
            "ALWAYS : GENERALIZE Whole TO NEAREST 5; ALWAYS : GENERALIZE Whole TO NEAREST 10;",
            "AC119",
            ["NEAREST 10", "GENERALIZE Whole TO NEAREST 5"],
            None,
        ),
        (
            "ALWAYS : PSEUDONYM Whole; ALWAYS : MICROAGGREGATE Whole BY 3;",
            "AC118",
            ["Whole", "PSEUDONYM Whole"],
            "move this requirement before the PSEUDONYM",
        ),
    ],
)
def test_the_words_of_published_rules_say_what_they_need(
    text: str, code: str, marked: list[str], help_: str | None
) -> None:
    found = finding(text, TYPED, **({"k": "x"} if " k;" in text else {}))
    assert (found.code, places(text, found)) == (code, marked)
    assert help_ is None or found.help == help_
    for fix in found.fixes:
        check_policy(apply_edits(text, fix.edits), TYPED)


def test_rounding_twice_is_rounding_once_or_an_error() -> None:
    check_policy("ALWAYS : GENERALIZE Whole TO NEAREST 5 THEN GENERALIZE Whole TO NEAREST 15;", TYPED)
    check_policy("ALWAYS : GENERALIZE Whole TO NEAREST 5 THEN GENERALIZE Whole TO BANDS OF 10;", TYPED)


def test_a_name_that_runs_into_the_next_step_can_be_split() -> None:
    """Without quotes, the bounds of the RANDOM are the last two words, as they were before PSEUDONYM existed (X0)."""
    text = "ALWAYS : RANDOM Whole low high THEN PSEUDONYM Word;"
    found = next(each for each in findings(text, TYPED) if each.code == "AC101")
    (fix,) = found.fixes
    assert apply_edits(text, fix.edits) == 'ALWAYS : RANDOM "Whole" low high THEN PSEUDONYM Word;'
    (other,) = finding("ALWAYS : RANDOM Whole then low high;", TYPED, low=1, high=2).fixes
    assert other.title == "write `Whole`"
