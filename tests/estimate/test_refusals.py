"""Where there is no unbiased estimate, the answer says at which line, or for which values."""

import pytest

import acompass

RESPONSE = "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM ('a', 'b');"
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
        (f"{RESPONSE}\nEACH PROCESS COUNT(*) AS n GROUP BY d : n >= 1;", 2, "what was drawn decides"),
        (f"{RESPONSE}\nEACH RESULT : d = 'a';", 2, "what was drawn decides"),
        (f"{SAMPLE}\nEACH RESULT : e > 0;", 2, "what was drawn decides"),
        (f"{RESPONSE}\nEACH RESULT : d = 'a' : REPLACE e WITH 2;\nEACH RESULT : e > 1;", 3, "what was drawn"),
        ("ALWAYS : DROP d;", 1, "it drops the column"),
    ],
)
def test_a_line_that_reads_more_than_the_column(policy: str, line: int, why: str) -> None:
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.estimate(TABLE, policy, "d")
    (found,) = raised.value.diagnostics
    assert (
        found.code,
        found.message.startswith(f"an estimate cannot be traced through line {line}: {why}"),
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
    ],
)
def test_a_line_about_other_columns_does_not_matter(line: str) -> None:
    values = [each.count for each in acompass.estimate(TABLE, RESPONSE, "d").values]
    policy = f"EACH RESULT : d IN ('a', 'b');\n{RESPONSE}\n{line}"
    assert [each.count for each in acompass.estimate(TABLE, policy, "d").values] == values


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("ALWAYS : RANDOM d FROM ('a', 'b');", "the release does not tell `a` and `b` of column `d` apart"),
        (f"{SAMPLE}\nEACH RESULT : d != 'b' : REPLACE d WITH 'a';", "does not tell `a` and `b` of column"),
        (f"{SAMPLE}\nEACH RESULT : d != 'c' : REJECT;", "no record of column `d` with `c` is ever released"),
        (
            f"{SAMPLE}\nEACH RESULT : d IN ('a', 'b') : REJECT;",
            "no record of column `d` with values that the policy does not name is ever released",
        ),
        (
            f"{SAMPLE}\nEACH RESULT : d != 'b' : RANDOM d FROM ('x', 'y');\n"
            "EACH RESULT : d != 'x' : REPLACE d WITH 'b';\nEACH RESULT : d != 'y' : REPLACE d WITH 'b';",
            "does not tell `b` and `x` of column",
        ),
    ],
)
def test_values_that_cannot_be_told_apart(policy: str, message: str) -> None:
    with pytest.raises(acompass.CallError, match="AC636") as raised:
        acompass.estimate(TABLE[:1], policy, "d")
    assert message in str(raised.value)


def test_a_table_that_the_policy_has_not_left() -> None:
    policy = f"EACH RESULT : d IN ('b', 'c') : REPLACE d WITH 'c';\n{RESPONSE}"
    with pytest.raises(acompass.CallError) as raised:
        acompass.estimate([*TABLE, {"d": "Lovelace", "e": 3}], policy, "d")
    assert "1 record has a value of column `d` that the policy cannot have left" in str(raised.value)
    assert "Lovelace" not in str(raised.value)


@pytest.mark.parametrize(
    "policy", ["ALWAYS : WITH PROBABILITY 0.5 RANDOM e 1 1001;", "ALWAYS : RANDOM e 1 1001;"]
)
def test_more_values_than_can_be_followed(policy: str) -> None:
    with pytest.raises(acompass.CallError, match=r"AC631.*one of 1,001 values"):
        acompass.estimate(TABLE, policy, "e")


def test_without_a_draw_the_released_counts_are_exact() -> None:
    estimate = acompass.estimate(TABLE, "EACH RESULT : e > 1 : REJECT;", "d")
    assert estimate.line is None
    assert [(each.value, each.count.estimate, each.count.variance) for each in estimate.values] == [
        ("a", 1, 0),
        ("b", 1, 0),
    ]
    assert estimate.notes[0].startswith("no line draws for the column")


def test_what_a_reader_should_know_is_noted() -> None:
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
    assert acompass.estimate(TABLE, policy, "d", params={"one": "a"}) == acompass.estimate(
        TABLE, RESPONSE, "d"
    )


def test_no_value_is_in_the_repr() -> None:
    estimate = acompass.estimate([{"d": "Lovelace"}, {"d": "Byron"}], RESPONSE, "d")
    assert "Lovelace" not in repr(estimate)
    assert "released=2" in repr(estimate)


def test_a_session_reads_the_released_table_once() -> None:
    with acompass.open(TABLE) as session:
        assert session.estimate(RESPONSE, "D") == acompass.estimate(TABLE, RESPONSE, "d")
