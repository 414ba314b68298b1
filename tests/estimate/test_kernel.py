"""What lines do to a value, compared with all traces of `semantics`; and the values that are possible."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.checked.convert import to_text
from acompass.checked.types import INTEGER, TEXT, Column
from acompass.estimate.kernel import Kernel
from tests.generators.programs import program_of
from tests.laws.pushforward import law

ASSERTIONS = [
    "ALWAYS",
    "EACH RESULT : d < 3",
    "EACH RESULT : d != 2",
    "EACH FILTER d > 1 : d >= 3",
    "EACH RESULT : NOT (d = 2 OR d = 3)",
]
ACTIONS = [
    "REJECT",
    "REPLACE d WITH 2",
    "RANDOM d 1 3",
    "RANDOM d FROM (1 OF 1, 2 OF 4)",
    "RANDOM d FROM (2.5, 3)",
]


@st.composite
def lines(draw: st.DrawFn) -> str:
    coin = draw(st.sampled_from(["", "WITH PROBABILITY 0.3 ", "WITH PROBABILITY 0.5 "]))
    return f"{draw(st.sampled_from(ASSERTIONS))} : {coin}{draw(st.sampled_from(ACTIONS))};"


@given(st.lists(lines(), min_size=1, max_size=4), st.integers(0, 5))
def test_a_row_is_the_law_of_a_record(policy: list[str], value: int) -> None:
    program = program_of("\n".join(policy), (Column("x", TEXT), Column("d", INTEGER)))
    final = program.final_schema[1].type
    expected: dict[str, Fraction] = {}
    for table, share in law(program, [("x", value)]).items():
        if table:
            expected[to_text(table[0][1], final)] = share
    assert Kernel(program.requirements, 1).row(value, INTEGER) == expected


RESPONSE = "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM ('a', 'b');"
FREE = {"a", "b", "z"}
DOMAINS = [
    (RESPONSE, FREE),
    (f"EACH RESULT : d IN ('a', 'b', 'z');\n{RESPONSE}", FREE),
    (f"EACH RESULT : d IN ('a', 'b', 'z') : REPLACE d WITH 'a';\n{RESPONSE}", FREE),
    (f"EACH RESULT : d != 'q' : REJECT;\n{RESPONSE}", FREE),
    (f"EACH PROCESS COUNT(*) AS n GROUP BY d : n >= 2 : REPLACE d WITH 'rare';\n{RESPONSE}", {*FREE, "rare"}),
    (f"EACH RESULT : e = 1 : REPLACE d WITH 'f';\n{RESPONSE}", {*FREE, "f"}),
    (f"ALWAYS : GENERALIZE d TO PREFIX OF 1;\n{RESPONSE}", FREE),
]


@pytest.mark.parametrize(("policy", "values"), DOMAINS)
def test_the_values_that_a_column_may_have_had(policy: str, values: set[str]) -> None:
    """Those of the release, those of the policy, and no others: these have a count of 0."""
    estimate = acompass.estimate([{"d": "z", "e": 1}, {"d": "a", "e": 2}], policy, "d")
    assert {each.value for each in estimate.values} == values
    assert estimate.line == policy.count("\n") + 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 3, 9], {"3": Fraction(5, 2), "4": Fraction(-3, 2), "9": Fraction(2)}),
        (
            ["3", "3.0", "9.5"],
            {"3": Fraction(1, 2), "3.0": Fraction(2), "4": Fraction(-3, 2), "9.5": Fraction(2)},
        ),
        ([3.0, 3.0, 1e-7], {"1e-07": Fraction(2), "3.0": Fraction(5, 2), "4.0": Fraction(-3, 2)}),
    ],
)
def test_numbers_are_values_of_the_columns_type(values: list[Any], expected: dict[str, Fraction]) -> None:
    """Two spellings of a number are two values of a column of text, one of which the urn has (D26)."""
    policy = "EACH RESULT : d < 100; ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM (3, 4);"
    estimate = acompass.estimate([{"d": value} for value in values], policy, "d")
    assert {
        str(each.value): each.count.estimate for each in estimate.values if each.count.estimate
    } == expected


def test_values_that_no_one_names_are_counted_together() -> None:
    policy = "EACH RESULT : d != 'x';\nALWAYS : WITH PROBABILITY 0.5 REJECT;\n"
    policy += "EACH RESULT : d IN ('a', 'b') : REPLACE d WITH 'x';"
    estimate = acompass.estimate([{"d": "a"}, {"d": "x"}, {"d": "x"}], policy, "d")
    assert [(each.value, each.count.estimate) for each in estimate.values] == [
        ("a", 2),
        ("b", 0),
        (None, 4),
        ("x", 0),
    ]


def test_a_range_that_is_never_released_is_not_overlooked() -> None:
    """All above 80 become 70 or 80. No value of the policy or the release is above 80."""
    policy = "ALWAYS : WITH PROBABILITY 0.1 REJECT;\nEACH RESULT : d <= 80 : RANDOM d FROM (70, 80);"
    with pytest.raises(acompass.CallError, match="`70`, `80` and values that the policy does not name"):
        acompass.estimate([{"d": 70}, {"d": 80}, {"d": 33}], policy, "d")
