"""The smallest change that would have left a record unaffected."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import acompass
from acompass.checked.types import DATE, FLOAT, INTEGER, TEXT, Type, decimal
from acompass.explain.distance import Target, distance, holds, nearest_target
from acompass.explain.literals import Literal, Relation
from acompass.syntax import tree

PEOPLE = [{"Age": 86, "Zip": "21000", "Income": 1200}, {"Age": 30, "Zip": "21000", "Income": 800}]


def nearest(policy: str, **params: int) -> tuple[str, ...]:
    (life,) = acompass.explain(policy, PEOPLE, record=1, params=params, seed="s").lives
    return life.steps[-1].nearest


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("EACH RESULT : Age < 80 : REJECT;", ("`Age` of 79 (7 less)", "`Age < 87` in the policy")),
        ("EACH RESULT : NOT (Age > 80) : REJECT;", ("`Age` of 80 (6 less)", "`Age > 86` in the policy")),
        (
            "EACH RESULT : Age < 20 OR Age > 90 : REJECT;",
            ("`Age` of 91 (5 more)", "`Age > 85` in the policy"),
        ),
        ("EACH RESULT : Age <= 80 AND Zip = 'x' : REJECT;", ("`Age` of 80 (6 less) and `Zip` of 'x'",)),
        ("EACH RESULT : NOT (Zip = '21000') : REJECT;", ("any other `Zip`",)),
        ("EACH RESULT : Zip > '21000' : REJECT;", ("`Zip` above '21000'",)),
        ("EACH FILTER Age >= 86 : Age = 0 : REJECT;", ("`Age` of 85 (1 less)", "`Age >= 87` in the policy")),
        ("EACH RESULT : Age < 80 AND Age > 79 : REJECT;", ()),
        ("SOME RESULT : Age > 90 : REJECT;", ("one record with Age > 90",)),
        ("SOME PROCESS COUNT(*) AS N GROUP BY Age : N > 1 : REJECT;", ("one class with N > 1",)),
        (
            "EACH PROCESS SUM(Income) AS S GROUP BY Zip : S >= 3000 : REJECT;",
            ("a sum of `Income` in its class of 3000 (1,000 more)", "`S >= 2000` in the policy"),
        ),
        (
            "EACH PROCESS MAX(Age) AS Oldest : Oldest <= 80 : REJECT;",
            ("a largest `Age` in the table of 80 (6 less)", "`Oldest <= 86` in the policy"),
        ),
        ("EACH PROCESS COUNT(*) AS N GROUP BY Age : Age < 80 AND N > 1 : REJECT;", ()),
    ],
)
def test_in_words(policy: str, expected: tuple[str, ...]) -> None:
    assert nearest(policy) == expected


def test_a_parameter_is_named() -> None:
    policy = "EACH PROCESS COUNT(*) AS N GROUP BY Zip : N >= k : REJECT;"
    assert nearest(policy, k=5) == ("3 more records in its class", "`k` of 2")


VALUES = {
    INTEGER: st.integers(-20, 20),
    decimal(1): st.decimals(-20, 20, places=1),
    FLOAT: st.floats(-20, 20),
    TEXT: st.text("ab", max_size=3),
    DATE: st.dates(),
}


@st.composite
def wishes(draw: st.DrawFn) -> tuple[object, Type, list[Literal]]:
    type_ = draw(st.sampled_from(list(VALUES)))
    values = VALUES[type_]
    relations = draw(st.lists(st.sampled_from(Relation), min_size=1, max_size=4))
    written = tree.Comparison(tree.Name("a", None), tree.Operator.EQ, tree.Parameter("b", None), None)  # type: ignore[arg-type]
    return draw(values), type_, [Literal(0, relation, draw(values), written) for relation in relations]


@given(wishes(), st.data())
def test_no_value_is_nearer_than_the_target(
    wish: tuple[object, Type, list[Literal]], data: st.DataObject
) -> None:
    value, type_, literals = wish
    assume(not all(holds(literal, Target(value)) for literal in literals))
    target = nearest_target(value, type_, literals)
    other = data.draw(VALUES[type_])
    satisfied = all(holds(literal, Target(other)) for literal in literals)
    if target is None:
        assert not satisfied
    else:
        assert all(holds(literal, target) for literal in literals)
        if satisfied:
            assert distance(value, target) <= distance(value, Target(other))
