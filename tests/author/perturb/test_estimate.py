"""Estimates: the kernel of a policy compared with all traces of `semantics`, possible values, inverses, errors."""

import datetime
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.author.perturb.estimate import Dependent, Inverse, Row, right_inverse
from acompass.author.perturb.transitions import DrawingLines
from acompass.language.program.types import INTEGER, TEXT, Column, to_text
from tests.generators.strategies import parse_and_check
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
def test_a_row_of_the_kernel_is_the_law_of_a_record(policy: list[str], value: int) -> None:
    program = parse_and_check("\n".join(policy), (Column("x", TEXT), Column("d", INTEGER)))
    final = program.final_schema[1].type
    expected: dict[str, Fraction] = {}
    for table, share in law(program, [("x", value)]).items():
        if table:
            expected[to_text(table[0][1], final)] = share
    assert DrawingLines(program.requirements, 1).row(value, INTEGER) == expected


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
def test_the_values_that_a_column_may_have_had_are_estimated(policy: str, values: set[str]) -> None:
    """Only values of the release and of the policy; all others have a count of 0."""
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
def test_numbers_are_compared_by_the_columns_type(values: list[Any], expected: dict[str, Fraction]) -> None:
    """Two spellings of a number are two values of a text column; RANDOM draws only one of them (D26)."""
    policy = "EACH RESULT : d < 100; ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM (3, 4);"
    estimate = acompass.estimate([{"d": value} for value in values], policy, "d")
    assert {str(each.value): each.count.estimate for each in estimate.values if each.count.estimate} == expected


def test_values_that_the_policy_does_not_name_are_counted_together() -> None:
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
    """Values above 80 become 70 or 80, and neither the policy nor the release contains a value above 80."""
    policy = "ALWAYS : WITH PROBABILITY 0.1 REJECT;\nEACH RESULT : d <= 80 : RANDOM d FROM (70, 80);"
    with pytest.raises(acompass.CallError, match="`70`, `80` and values that the policy does not name"):
        acompass.estimate([{"d": 70}, {"d": 80}, {"d": 33}], policy, "d")


ENTRIES = st.fractions(-2, 2, max_denominator=6) | st.just(Fraction(0))


def matrices(height: int, width: int) -> st.SearchStrategy[list[Row]]:
    row = st.lists(ENTRIES, min_size=width, max_size=width)
    return st.lists(row.map(_sparse), min_size=height, max_size=height)


def _sparse(entries: Sequence[Fraction]) -> Row:
    return {at: entry for at, entry in enumerate(entries) if entry}


def _product(rows: Sequence[Row], inverse: Inverse) -> list[Row]:
    """`rows` · G."""
    found = []
    for row in rows:
        total = [Fraction(0)] * len(rows)
        for place, entry in row.items():
            for at, n in inverse.rows[place].items():
                total[at] += entry * Fraction(n, inverse.denominator)
        found.append(_sparse(total))
    return found


def _rank(rows: Sequence[Row], width: int) -> int:
    """Gaussian elimination, independent of the implementation."""
    left = [[row.get(at, Fraction(0)) for at in range(width)] for row in rows]
    rank = 0
    for column in range(width):
        pivot = next((at for at in range(rank, len(left)) if left[at][column]), None)
        if pivot is None:
            continue
        left[rank], left[pivot] = left[pivot], left[rank]
        for at in range(rank + 1, len(left)):
            factor = left[at][column] / left[rank][column]
            left[at] = [a - factor * b for a, b in zip(left[at], left[rank], strict=True)]
        rank += 1
    return rank


@given(st.integers(1, 5), st.integers(0, 2), st.data())
def test_the_inverse_is_exact_or_a_minimal_dependent_set_of_rows_is_found(
    height: int, more: int, data: st.DataObject
) -> None:
    width = height + more
    rows = data.draw(matrices(height, width))
    try:
        inverse = right_inverse(rows, width)
    except Dependent as error:
        blamed = [rows[at] for at in error.rows]
        assert _rank(blamed, width) == len(blamed) - 1
        for at in range(len(blamed)):
            assert _rank([*blamed[:at], *blamed[at + 1 :]], width) == len(blamed) - 1
    else:
        assert _product(rows, inverse) == [{at: Fraction(1)} for at in range(height)]


@given(matrices(4, 3))
def test_more_rows_than_columns_are_dependent(rows: list[Row]) -> None:
    with pytest.raises(Dependent):
        right_inverse(rows, 3)


def test_a_large_matrix_is_inverted() -> None:
    """The rows differ from each other in two places, so that little work remains."""
    weights = [1 + (7 * at) % 11 for at in range(200)]
    total, keep = sum(weights), Fraction(4, 5)
    rows: list[Row] = [
        {at: (1 - keep) * Fraction(w, total) + keep * (at == own) for at, w in enumerate(weights)}
        for own in range(len(weights))
    ]
    inverse = right_inverse(rows, len(weights))
    assert Fraction(inverse.rows[0][1], inverse.denominator) == -Fraction(weights[1], total) / 4


SAMPLE = "ALWAYS : WITH PROBABILITY 0.25 REJECT;"
TABLE = [{"d": "a", "e": 1}, {"d": "b", "e": 2}]


@pytest.mark.parametrize(
    ("policy", "line", "why"),
    [
        ("EACH RESULT : e > 1 : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b');", 1, "it depends on `e`"),
        (f"{RESPONSE}\nEACH RESULT : e > 1 : REPLACE d WITH 'a';", 2, "it depends on `e`"),
        (f"{RESPONSE}\nEACH RESULT : e > 1 : REJECT;", 2, "it depends on `e`"),
        (f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY e : n >= 2 : REJECT;", 2, "it depends on `e`"),
        (f"{RESPONSE}\nSOME RESULT : d = 'a' : REPLACE d WITH 'b';", 2, "it depends on other records"),
        (f"{RESPONSE}\nEACH PROCESS COUNT(*) AS n : n >= 2 : REJECT;", 2, "it depends on other records"),
        (f"{RESPONSE}\nALWAYS : GENERALIZE d TO PREFIX OF 1;", 2, "it generalizes the column after"),
        (f"{RESPONSE}\nEACH PROCESS COUNT(*) AS n GROUP BY d : n >= 1;", 2, "the drawn value can decide"),
        (f"{RESPONSE}\nEACH RESULT : d = 'a';", 2, "the drawn value can decide"),
        (f"{SAMPLE}\nEACH RESULT : e > 0;", 2, "the drawn value can decide"),
        (
            f"{RESPONSE}\nEACH RESULT : d = 'a' : REPLACE e WITH 2;\nEACH RESULT : e > 1;",
            3,
            "the drawn value can decide",
        ),
        ("ALWAYS : DROP d;", 1, "it drops the column"),
        (f"ALWAYS : PSEUDONYM d;\n{RESPONSE}", 1, "each pseudonym that it writes depends on the key"),
        (f"{RESPONSE}\nALWAYS : PSEUDONYM d;", 2, "each pseudonym that it writes depends on the key"),
        (f"{RESPONSE}\nALWAYS : SHIFT d BY e WITHIN 3 DAYS;", 2, "each date that it writes depends on the key"),
    ],
)
def test_a_line_that_reads_more_than_the_column_is_an_error(policy: str, line: int, why: str) -> None:
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.estimate(TABLE, policy, "d")
    (found,) = raised.value.diagnostics
    assert (
        found.code,
        found.message.startswith(f"values cannot be traced through line {line}: {why}"),
    ) == (
        "AC635",
        True,
    )
    assert raised.value.source == policy
    assert policy.count("\n", 0, found.labels[0].span.start) == line - 1


@pytest.mark.parametrize(
    "line",
    [
        "EACH PROCESS COUNT(*) AS n GROUP BY e : n >= 2 : REPLACE e WITH 0;",
        "EACH RESULT : d != 'a' : REPLACE e WITH 0;",
        "EACH RESULT : e > 0;",
        "EACH RESULT : d != 'c';",
        "ALWAYS : DROP f;",
        "ALWAYS : WITH PROBABILITY 0.5 RANDOM e 1 6;",
        "ALWAYS : GENERALIZE e TO NEAREST 2;",
        "ALWAYS : PSEUDONYM e;",
        "ALWAYS : MICROAGGREGATE e BY 2;",
        "ALWAYS : ADD RANDOM 1 2 TO e;",
    ],
)
def test_a_line_about_other_columns_does_not_matter(line: str) -> None:
    values = [each.count for each in acompass.estimate(TABLE, RESPONSE, "d").values]
    policy = f"EACH RESULT : d IN ('a', 'b');\n{RESPONSE}\n{line}"
    assert [each.count for each in acompass.estimate(TABLE, policy, "d").values] == values


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("ALWAYS : RANDOM d FROM ('a', 'b');", "the released table cannot distinguish `a` and `b` of column `d`"),
        (f"{SAMPLE}\nEACH RESULT : d != 'b' : REPLACE d WITH 'a';", "cannot distinguish `a` and `b` of column"),
        (f"{SAMPLE}\nEACH RESULT : d != 'c' : REJECT;", "in column `d`, no record with `c` is ever released"),
        (
            f"{SAMPLE}\nEACH RESULT : d IN ('a', 'b') : REJECT;",
            "in column `d`, no record with values that the policy does not name is ever released",
        ),
        (
            f"{SAMPLE}\nEACH RESULT : d != 'b' : RANDOM d FROM ('x', 'y');\n"
            "EACH RESULT : d != 'x' : REPLACE d WITH 'b';\nEACH RESULT : d != 'y' : REPLACE d WITH 'b';",
            "cannot distinguish `b` and `x` of column",
        ),
    ],
)
def test_values_that_cannot_be_distinguished_are_an_error(policy: str, message: str) -> None:
    with pytest.raises(acompass.CallError, match="AC636") as raised:
        acompass.estimate(TABLE[:1], policy, "d")
    assert message in str(raised.value)


def test_a_table_that_the_policy_cannot_produce_is_an_error() -> None:
    policy = f"EACH RESULT : d IN ('b', 'c') : REPLACE d WITH 'c';\n{RESPONSE}"
    with pytest.raises(acompass.CallError) as raised:
        acompass.estimate([*TABLE, {"d": "Lovelace", "e": 3}], policy, "d")
    assert "1 record has a value of column `d` that the policy cannot produce" in str(raised.value)
    assert "Lovelace" not in str(raised.value)


@pytest.mark.parametrize("policy", ["ALWAYS : WITH PROBABILITY 0.5 RANDOM e 1 1001;", "ALWAYS : RANDOM e 1 1001;"])
def test_too_many_possible_values_are_an_error(policy: str) -> None:
    with pytest.raises(acompass.CallError, match=r"AC631.*one of 1,001 values"):
        acompass.estimate(TABLE, policy, "e")


def test_there_is_no_value_before_the_first_date() -> None:
    first, other = datetime.date(1, 1, 1), datetime.date(2024, 1, 1)
    policy = f"ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('{first}', '{other}');"
    estimate = acompass.estimate([{"d": first}, {"d": other}], policy, "d")
    assert {each.value: each.count.estimate for each in estimate.values} == {first: 1, other: 1}


def test_without_a_draw_the_released_counts_are_exact() -> None:
    estimate = acompass.estimate(TABLE, "EACH RESULT : e > 1 : REJECT;", "d")
    assert estimate.line is None
    assert [(each.value, each.count.estimate, each.count.variance) for each in estimate.values] == [
        ("a", 1, 0),
        ("b", 1, 0),
    ]
    assert estimate.notes[0].startswith("no line draws for the column")


def test_negative_counts_and_missing_shares_are_noted() -> None:
    negative = acompass.estimate([{"d": "a"}] * 9, RESPONSE, "d")
    assert min(each.count.estimate for each in negative.values) < 0
    assert negative.notes[0].startswith("1 of the estimates is below 0")
    uneven = acompass.estimate(TABLE, "EACH RESULT : d != 'a' : WITH PROBABILITY 0.5 REJECT;", "d")
    assert all(each.share is None for each in uneven.values)
    assert "shares have no unbiased estimate" in uneven.notes[0]


def test_parameters_are_bound() -> None:
    policy = "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (one, 'b');"
    with pytest.raises(acompass.PolicyError, match="AC106"):
        acompass.estimate(TABLE, policy, "d")
    assert acompass.estimate(TABLE, policy, "d", params={"one": "a"}) == acompass.estimate(TABLE, RESPONSE, "d")


def test_the_repr_contains_no_value() -> None:
    estimate = acompass.estimate([{"d": "Lovelace"}, {"d": "Byron"}], RESPONSE, "d")
    assert "Lovelace" not in repr(estimate)
    assert "released=2" in repr(estimate)


def test_a_session_reads_the_released_table_once() -> None:
    with acompass.open(TABLE) as session:
        assert session.estimate(RESPONSE, "D") == acompass.estimate(TABLE, RESPONSE, "d")


NUMBERS = [{"d": number, "e": 1} for number in (0, 2, 2, 4)]
DRAWN = "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM (0, 2);"


def test_numbers_may_be_rounded_before_they_are_drawn() -> None:
    estimate = acompass.estimate(NUMBERS, f"ALWAYS : GENERALIZE d TO NEAREST 2;\n{DRAWN}", "d")
    assert {each.value for each in estimate.values} == {0, 2, 4}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("GENERALIZE d TO NEAREST 2", "it generalizes the column after it was drawn"),
        ("MICROAGGREGATE d BY 2", "each mean that it writes depends on other records"),
        ("ADD RANDOM 1 2 TO d", "it adds what it draws to a value, and not every value is known"),
    ],
)
def test_numbers_that_cannot_be_listed_are_not_estimated(line: str, why: str) -> None:
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.estimate(NUMBERS, f"{DRAWN}\nALWAYS : {line};", "d")
    assert [each.message for each in raised.value.diagnostics] == [f"values cannot be traced through line 2: {why}"]
