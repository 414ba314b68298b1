"""The uses of columns of a table without types (D10)."""

import pytest

from acompass.checked.parameters import ParamValue
from acompass.checked.uses import Use, uses
from acompass.syntax.parse import parse

NAMES = ("Record ID", "Age", "Postal Code", "AEC")


def found(text: str, **params: ParamValue) -> dict[str, Use]:
    policy, wrong = parse(text)
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
def test_the_use_of_a_column(text: str, expected: Use) -> None:
    assert found(text)["Age"] is expected


def test_a_parameter_is_used_as_what_it_is_bound_to() -> None:
    text = "EACH RESULT: Age > k;"
    assert (found(text, k=3), found(text, k="3"), found(text)) == (
        {"Age": Use.NUMBER},
        {"Age": Use.TEXT},
        {"Age": Use.ANY},
    )


def test_a_column_that_the_policy_does_not_name_has_no_use() -> None:
    assert found("EACH PROCESS COUNT(*) AS AEC GROUP BY Age: AEC > 1;") == {"Age": Use.ANY}


def test_names_that_mean_no_column_are_left_out() -> None:
    assert found("EACH RESULT: Agee > 1; EACH PROCESS SUM(x) AS y GROUP BY z: y > 1 AND w > 2;") == {}


def test_a_use_says_where_it_is() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY Age: n > 1; EACH RESULT: Age > 5 AND Age < 9;"
    policy, _ = parse(text)
    span = uses(policy, NAMES)[1].span
    assert text[span.start : span.end] == "Age > 5"
