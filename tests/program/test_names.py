"""Names (D3) and the view of the condition after PROCESS (D15)."""

from decimal import Decimal
from fractions import Fraction

import pytest

from acompass.errors.diagnostics import CallError
from acompass.language.program.constants import ParamValue, parse_setting, parse_settings
from acompass.language.program.effects import constant_written, kernel_of
from acompass.language.program.kernels import Uniform
from acompass.language.program.program import Comparison, Process
from acompass.language.program.types import INTEGER, TEXT, Names, Schema, make_schema
from acompass.language.program.uses import Use, uses
from acompass.language.text.parser import parse_text
from tests.program.policies import (
    PAPER,
    TYPED,
    check_policy,
    compared_value,
    describe_finding,
    finding,
    findings,
    only,
    places,
)

CASES = make_schema({"age": INTEGER, "Age": INTEGER, "AGE": INTEGER, "Zip": TEXT})


def compared_columns(text: str, schema: Schema = PAPER) -> list[int]:
    conditions = [requirement.assertion.condition for requirement in check_policy(text, schema).requirements]
    return [condition.column for condition in conditions if isinstance(condition, Comparison)]


@pytest.mark.parametrize("name", ["Postal Code", "Postal code", "postal  code", "POSTAL CODE", '"Postal Code"'])
def test_a_name_is_found_without_regard_to_case(name: str) -> None:
    assert compared_columns(f"EACH RESULT: {name} = '1';") == [2]


def test_the_exact_spelling_wins() -> None:
    assert compared_columns("EACH RESULT: age = 1; EACH RESULT: Age = 1; EACH RESULT: AGE = 1;", CASES) == [0, 1, 2]


def test_without_the_exact_spelling_several_columns_are_an_error() -> None:
    assert describe_finding("EACH RESULT: aGE = 1;", CASES) == (
        "AC102",
        "`aGE` matches several columns: `age`, `Age`, `AGE`",
        "spell it exactly as one of `age`, `Age`, `AGE`",
    )


def test_case_is_folded_as_unicode_says() -> None:
    schema = make_schema({"STRASSE": INTEGER, "Ökonomie": INTEGER})
    assert compared_columns("EACH RESULT: straße = 1; EACH RESULT: öKONOMIE = 1;", schema) == [0, 1]


def test_an_unknown_column_lists_the_columns_and_the_closest() -> None:
    text = "EACH RESULT: Post code = '1';"
    assert describe_finding(text) == (
        "AC101",
        "unknown column `Post code`",
        "columns: Record ID, Age, Postal Code, AEC; did you mean `Postal Code`?",
    )
    assert places(text, finding(text)) == ["Post code"]


def test_without_a_similar_name_there_is_no_suggestion() -> None:
    assert describe_finding("EACH RESULT: qqqq = 1;")[2] == "columns: Record ID, Age, Postal Code, AEC"


def test_a_wide_table_lists_some_of_its_columns() -> None:
    wide = make_schema({f"c{number}": INTEGER for number in range(10_000)})
    help_ = describe_finding("EACH RESULT: zzz = 1;", wide)[2]
    assert help_ == "columns: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 9,988 more"


@pytest.mark.parametrize(
    "text",
    [
        "EACH FILTER Agee = 1: Age = 1;",
        "EACH PROCESS SUM(Agee) AS s: s = 1;",
        "EACH PROCESS COUNT DISTINCT Agee AS s: s = 1;",
        "EACH PROCESS COUNT(*) AS s WHERE Agee = 1: s = 1;",
        "EACH PROCESS COUNT(*) AS s GROUP BY Agee: s = 1;",
        "EACH RESULT: Age = 1: REPLACE Agee WITH 1;",
        "EACH RESULT: Age = 1: RANDOM Agee 1 2;",
    ],
)
def test_an_unknown_column_is_reported_wherever_it_occurs(text: str) -> None:
    found = finding(text)
    assert (found.code, places(text, found)) == ("AC101", ["Agee"])


def test_after_process_the_condition_sees_the_groups_and_the_aggregate() -> None:
    program = check_policy("EACH PROCESS COUNT(*) AS Class Size GROUP BY age, Postal code: class size > 1 OR AGE = 3;")
    (requirement,) = program.requirements
    assert isinstance(requirement.assertion.result, Process)
    assert requirement.assertion.result.group_by == (1, 2)
    assert [a.name for a in requirement.assertion.result.aggregates] == ["Class Size"]
    assert [c.column for c in requirement.assertion.condition.operands] == [2, 0]


def test_after_process_a_column_that_is_not_grouped_is_not_seen() -> None:
    assert describe_finding("EACH PROCESS COUNT(*) AS n GROUP BY Postal Code: n > 1 AND Age > 3;") == (
        "AC103",
        "`Age` is not in the result of PROCESS",
        "the condition after PROCESS sees: Postal Code, n; add `Age` to GROUP BY, or compare it in WHERE",
    )


def test_after_process_a_misspelled_aggregate_is_suggested() -> None:
    assert describe_finding("EACH PROCESS COUNT(*) AS Class Size: Clas Size > 1;") == (
        "AC103",
        "`Clas Size` is not in the result of PROCESS",
        "the condition after PROCESS sees: Class Size; did you mean `Class Size`?",
    )


def test_the_aggregate_may_take_the_name_of_a_column_that_is_not_grouped() -> None:
    assert compared_value("EACH PROCESS COUNT(*) AS Postal Code GROUP BY Age: Postal Code > 3;", PAPER) == 3


@pytest.mark.parametrize("alias", ["Age", "age", "AGE"])
def test_the_aggregate_must_differ_from_every_group(alias: str) -> None:
    text = f"EACH PROCESS COUNT(*) AS {alias} GROUP BY Postal Code, Age: {alias} > 3;"
    found = finding(text)
    assert found.code == "AC104"
    assert found.message == f"`{alias}` names both the aggregate and a column of GROUP BY"
    assert places(text, found) == [alias, "Age"]


def test_a_column_is_grouped_by_once() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Postal Code, age: n > 3;"
    found = finding(text)
    assert (found.code, found.message) == ("AC105", "column `Age` appears twice in GROUP BY")
    assert found.help == "remove the second `age`"
    assert places(text, found) == ["age", "Age"]


def test_columns_that_differ_in_case_can_both_be_grouped_by() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY age, Age: Age > 3;"
    assert compared_columns(text, CASES) == [1]


def test_an_unknown_group_is_reported_once() -> None:
    assert len(findings("EACH PROCESS COUNT(*) AS n GROUP BY Agee: Agee > 3 AND agee < 5;")) == 1


def test_an_opaque_column_cannot_be_named() -> None:
    text = "EACH PROCESS COUNT DISTINCT Blob AS n: n > 1;"
    assert describe_finding(text, TYPED)[:2] == (
        "AC117",
        "column `Blob` has a type that policies do not support",
    )


def test_an_opaque_column_can_be_dropped() -> None:
    assert len(check_policy("ALWAYS : DROP Blob;", TYPED).named) == 1


def test_the_named_columns_are_those_that_the_policy_uses() -> None:
    text = """
        EACH FILTER Age > 3: Age < 5: REJECT;
        EACH PROCESS COUNT DISTINCT AEC AS Postal Code GROUP BY Age: Postal Code > 2;
    """
    assert check_policy(text).named == {1, 3}
    assert check_policy("EACH RESULT: Age > 1: REPLACE Postal code WITH '*';").named == {1, 2}


def test_suggestions_for_a_wide_table_end_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each suggestion compares a spelling with every column, so their number is limited."""
    monkeypatch.setattr("acompass.language.program.types.SPELLING_BUDGET", 5_999)
    names = Names([f"column {number}" for number in range(1_000)])
    suggestions = [names.closest(f"colum {number}") for number in range(20)]
    assert suggestions[:5] == [f"column {number}" for number in range(5)]
    assert set(suggestions[5:]) == {None}


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


def test_a_parameter_can_replace_every_constant() -> None:
    text = "EACH FILTER Whole > a: Whole < b: RANDOM Whole c d;"
    assert kernel_of(only(text, a=1, b=2, c=3, d=4).action) == Uniform(3, 4)
    assert constant_written(only("EACH RESULT: Whole > a: REPLACE Whole WITH b;", a=1, b=2).action) == 2


def test_an_unbound_parameter_is_reported_once_at_its_first_use() -> None:
    text = "EACH RESULT: Age > k OR Age < k; EACH RESULT: Age = k;"
    found = finding(text)
    assert (found.code, found.message) == ("AC106", "parameter `k` is not bound")
    assert found.help == 'bind it with `params={"k": 3}`'
    assert found.labels[0].span.start == text.index("k")


def test_a_close_name_that_is_bound_is_suggested() -> None:
    unbound, unused = findings("EACH RESULT: Age > limit;", Limit=3)
    assert unbound.help.endswith("; did you mean `Limit`?")
    assert unused.code == "AC107"


def test_an_unused_parameter_is_reported() -> None:
    assert describe_finding("EACH RESULT: Age > k;", k=3, l=2) == (
        "AC107",
        "parameter `l` is bound but never used in the policy",
        'remove `params={"l": …}`, or remove `l` from `acompass.toml`',
    )


def test_a_parameter_next_to_an_error_counts_as_used() -> None:
    assert [found.code for found in findings("EACH RESULT: Agee > k: RANDOM Agee l 5;", k=3, l=2)] == ["AC101"] * 2


def test_a_column_in_place_of_a_constant_is_an_error() -> None:
    text = "EACH RESULT: Age > aec;"
    assert describe_finding(text) == (
        "AC108",
        "expected a constant, found the column `aec`",
        "a column cannot be compared with or replaced by another column; write a number, or `'AEC'` for the text",
    )
    assert places(text, finding(text)) == ["aec"]


def test_a_binding_wins_over_a_column_of_the_same_name() -> None:
    schema = make_schema({"a": INTEGER, "k": INTEGER})
    assert compared_value("EACH RESULT: a > k;", schema, k=3) == 3


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), Decimal("-Infinity"), Decimal("1E+999999"), None, [3], Fraction(1, 3)],
)
def test_a_value_that_is_neither_a_finite_number_nor_text_is_an_error(value: object) -> None:
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
def test_a_setting_that_binds_nothing_is_rejected(text: str) -> None:
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


NAMES = ("Record ID", "Age", "Postal Code", "AEC")


def column_uses(text: str, **params: ParamValue) -> dict[str, Use]:
    policy, wrong = parse_text(text)
    assert wrong == ()
    return {NAMES[column]: use.use for column, use in uses(policy, NAMES, params).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EACH RESULT: Age > 5;", Use.NUMBER),
        ("EACH RESULT: age = '5';", Use.TEXT),
        ("SOME FILTER NOT (AGE > 5): AEC > 1;", Use.NUMBER),
        ("EACH PROCESS COUNT(*) AS n WHERE Age = 'x': n > 1;", Use.TEXT),
        ("EACH PROCESS SUM(Age) AS n: n > 1;", Use.NUMBER),
        ("EACH PROCESS MIN(Age) AS n: n > 1;", Use.NUMBER),
        ("EACH PROCESS MAX(Age) AS n GROUP BY AEC: N > 'x';", Use.TEXT),
        ("EACH PROCESS COUNT(*) AS n GROUP BY Age: n > 1;", Use.ANY),
        ("EACH PROCESS COUNT(*) AS n GROUP BY age: aGE > 1;", Use.NUMBER),
        ("EACH PROCESS COUNT DISTINCT Age AS n: n > 1;", Use.ANY),
        ("EACH PROCESS COUNT DISTINCT AEC AS Age GROUP BY Age: AEC > 1;", Use.ANY),
        ("EACH RESULT: AEC > 1: RANDOM Age 1 2;", Use.ANY),
        ("EACH RESULT: AEC > 1: REPLACE Age WITH 1;", Use.ANY),
        ("EACH RESULT: AEC > 1: REPLACE Age WITH '1';", Use.TEXT),
        # the first comparison decides, before or after a REPLACE with text
        ("EACH RESULT: Age > 1 AND Age = 'x';", Use.NUMBER),
        ("EACH RESULT: Age = 'x' AND Age > 1;", Use.TEXT),
        ("EACH RESULT: Age <= 80: REPLACE Age WITH '*';", Use.NUMBER),
        ("EACH RESULT: AEC > 1: REPLACE Age WITH '*'; EACH RESULT: Age > 1;", Use.NUMBER),
        ("EACH RESULT: AEC > 1: REPLACE Age WITH '*'; EACH RESULT: Age = '*';", Use.TEXT),
        ("EACH RESULT: AEC > 1: RANDOM Age 1 2; EACH RESULT: Age = '*';", Use.TEXT),
    ],
)
def test_the_policy_decides_the_use_of_a_column(text: str, expected: Use) -> None:
    assert column_uses(text)["Age"] is expected


def test_a_parameter_is_used_as_what_it_is_bound_to() -> None:
    text = "EACH RESULT: Age > k;"
    assert (column_uses(text, k=3), column_uses(text, k="3"), column_uses(text)) == (
        {"Age": Use.NUMBER},
        {"Age": Use.TEXT},
        {"Age": Use.ANY},
    )


def test_a_column_that_the_policy_does_not_name_has_no_use() -> None:
    assert column_uses("EACH PROCESS COUNT(*) AS AEC GROUP BY Age: AEC > 1;") == {"Age": Use.ANY}


def test_names_that_mean_no_column_are_left_out() -> None:
    assert column_uses("EACH RESULT: Agee > 1; EACH PROCESS SUM(x) AS y GROUP BY z: y > 1 AND w > 2;") == {}


def test_a_use_says_where_it_is() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY Age: n > 1; EACH RESULT: Age > 5 AND Age < 9;"
    policy, _ = parse_text(text)
    span = uses(policy, NAMES)[1].span
    assert text[span.start : span.end] == "Age > 5"
