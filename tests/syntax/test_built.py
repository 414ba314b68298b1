"""Trees that are built in code, without spans: formatted, parsed back, and made into a policy that runs."""

from decimal import Decimal
from pathlib import Path

import pytest

import acompass
from acompass.syntax import tree
from acompass.syntax.format import format_program, format_tree
from acompass.syntax.parse import parse
from tests.syntax.built import README, README_TEXT

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "examples/electricity/table.csv"


def test_a_built_tree_is_formatted_and_parses_back() -> None:
    assert format_tree(README) == README_TEXT == format_program(README_TEXT)
    assert parse(README_TEXT) == (README, ())


def test_an_empty_tree_is_an_empty_text() -> None:
    assert format_tree(tree.Program(())) == ""


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_policy_of_a_tree_runs_as_that_of_its_text(engine: str) -> None:
    built = acompass.run(acompass.Policy.from_tree(README), TABLE, params={"k": 2}, engine=engine)
    written = acompass.run(README_TEXT, TABLE, params={"k": 2}, engine=engine)
    assert built.requirements == written.requirements
    assert [each.line for each in built.requirements] == [1, 5, 9, 13]
    assert built.table.to_pylist() == written.table.to_pylist()


def test_an_error_about_a_policy_of_a_tree_points_into_its_text() -> None:
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.check(acompass.Policy.from_tree(README, "built"), TABLE)
    assert "built:14:20" in str(raised.value)


def _policy(condition: tree.Condition) -> acompass.Policy:
    assertion = tree.Assertion(tree.Quantifier.EACH, tree.Result(), condition)
    return acompass.Policy.from_tree(tree.Program((tree.Requirement(assertion),)))


def _comparison(constant: tree.Constant) -> tree.Comparison:
    return tree.Comparison(tree.Name("Age"), tree.Operator.EQ, constant)


def test_a_number_keeps_its_value() -> None:
    assert _policy(_comparison(tree.Number(Decimal("1E+3")))).text.endswith(": Age = 1000;\n")


@pytest.mark.parametrize("word", ["80", "'x'", "k -- a comment"])
def test_a_tree_that_no_text_has_is_refused(word: str) -> None:
    with pytest.raises((ValueError, acompass.PolicyError)):
        _policy(_comparison(tree.Parameter(word)))


@pytest.mark.parametrize("levels", [100, 100_000])
def test_a_tree_that_is_too_deep_is_refused(levels: int) -> None:
    condition: tree.Condition = _comparison(tree.Parameter("k"))
    for _ in range(levels):
        condition = tree.Not(condition)
    with pytest.raises(acompass.PolicyError) as raised:
        _policy(condition)
    assert [error.code for error in raised.value.diagnostics] == ["AC020"]


@pytest.mark.parametrize(
    ("function", "column"), [(tree.Function.COUNT, tree.Name("Age")), (tree.Function.SUM, None)]
)
def test_only_count_takes_no_column(function: tree.Function, column: tree.Name | None) -> None:
    with pytest.raises(ValueError, match="COUNT takes no column"):
        tree.Aggregate(function, column)
