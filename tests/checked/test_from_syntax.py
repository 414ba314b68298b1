"""The whole check: the order of errors, places, lines and texts, and the work it takes."""

import gc
import sys
from decimal import Decimal

import pytest

from acompass.checked.from_syntax import check
from acompass.checked.types import INTEGER, TEXT, schema_of
from acompass.syntax import tree
from acompass.syntax.parse import MAXIMUM_DEPTH, parse
from tests.checked.policies import PAPER, checked, findings, places

PAPER_POLICY = """
EACH RESULT: Age ≤ 80: REPLACE Age WITH 80;
EACH FILTER Postal code > '21200' AND Postal code < '21299': Postal code = '212**'
  : REPLACE Postal code WITH '212**';
EACH RESULT: NOT (AEC < 3000): RANDOM AEC 3000 4000;
EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code: Class Size >= k: REJECT;
EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP_BY Age, Postal Code: Diversity AEC >= l;
"""


def test_the_papers_policy_checks() -> None:
    program = checked(PAPER_POLICY, k=3, l=2)
    assert len(program.requirements) == 5
    assert program.named == {1, 2, 3}
    assert program.final_schema == PAPER


def test_a_requirement_keeps_its_place_and_its_text() -> None:
    text = "-- first\n\nEACH RESULT:\n  Age  >  1 ; EACH RESULT: Age > 2: REJECT;\r\nSOME RESULT: Age > 3;"
    first, second, third = checked(text).requirements
    assert (first.index, first.line, first.text) == (1, 3, "EACH RESULT:\n  Age  >  1")
    assert (second.index, second.line, second.text) == (2, 4, "EACH RESULT: Age > 2: REJECT")
    assert (third.index, third.line, third.text) == (3, 5, "SOME RESULT: Age > 3")


def test_an_empty_policy_checks() -> None:
    program = checked("")
    assert (program.requirements, program.named, program.final_schema) == ((), frozenset(), PAPER)


def test_everything_wrong_is_reported_in_order_of_place() -> None:
    text = """
        EACH PROCESS SUM(Postal Code) AS s WHERE Agee > k GROUP BY Age, Age: AEC > 'x' OR t = 1
            : REPLACE Zip WITH m;
        EACH RESULT: Age > 'x' AND Age = 5 AND NOT AEC < 'y': RANDOM Age 3 2;
    """
    found = findings(text, n=1)
    codes = "AC112 AC101 AC106 AC105 AC103 AC103 AC101 AC106 AC110 AC110 AC115 AC107"
    assert " ".join(f.code for f in found) == codes
    starts = [f.labels[0].span.start for f in found if f.labels]
    assert starts == sorted(starts)
    assert places(text, found[0]) == ["Postal Code"]


def deep(depth: int) -> tree.Condition:
    condition: tree.Condition = tree.Comparison(tree.Name("Age"), tree.Operator.LT, tree.Parameter("k"))
    for _ in range(depth):
        condition = tree.Not(condition)
    return condition


def program_of(condition: tree.Condition) -> tree.Program:
    assertion = tree.Assertion(tree.Quantifier.EACH, tree.Result(), condition)
    return tree.Program((tree.Requirement(assertion),))


def test_a_condition_is_nested_two_hundred_levels_deep_at_most() -> None:
    assert check(program_of(deep(200)), "", PAPER, {"k": 3})[1] == ()
    for depth in (201, 20_000):
        program, found = check(program_of(deep(depth)), "", PAPER, {"k": 3})
        assert program is None
        assert [f.code for f in found] == ["AC020"]


@pytest.mark.parametrize(
    ("level", "close", "levels"),
    [
        ("NOT ", "", MAXIMUM_DEPTH),
        ("NOT (", ")", MAXIMUM_DEPTH // 2),
        ("Age = 1 OR Age = 2 AND (", ")", MAXIMUM_DEPTH),
    ],
)
def test_the_deepest_condition_that_can_be_read_checks(level: str, close: str, levels: int) -> None:
    text = f"EACH RESULT: {level * levels}Age = 3{close * levels};"
    assert len(checked(text).requirements) == 1
    _, wrong = parse(text.replace(level, level * 2, 1).replace("3)", "3))", 1))
    assert [finding.code for finding in wrong] == ["AC020"]


def test_a_wide_condition_is_not_deep() -> None:
    text = "EACH RESULT: " + " OR ".join(f"Age = {number}" for number in range(5_000)) + ";"
    assert len(checked(text).requirements[0].assertion.condition.operands) == 5_000


def test_a_number_keeps_its_value_in_a_built_tree() -> None:
    condition = tree.Comparison(tree.Name("AGE"), tree.Operator.LT, tree.Number(Decimal("1E+3")))
    program, _ = check(program_of(condition), "", PAPER)
    assert program is not None
    assert program.requirements[0].assertion.condition.value == 1000


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    switch = gc.enable if enabled else gc.disable
    try:
        switch()
        checked(PAPER_POLICY, k=3, l=2)
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def _calls(requirements: int, width: int) -> int:
    """How many Python functions a check calls; time would depend on the load of the machine."""
    schema = schema_of({"Age": INTEGER, "Zip": TEXT} | {f"c{number}": INTEGER for number in range(width)})
    text = "EACH FILTER Zip > '1' AND Zip < '2': Zip = '1*': REPLACE Zip WITH '1*';\n" * requirements
    policy, _ = parse(text)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        program, _ = check(policy, text, schema)
    finally:
        sys.setprofile(previous)
    assert program is not None
    return calls


def test_the_work_is_linear_in_the_requirements_and_independent_of_the_columns() -> None:
    few, many = _calls(50, 1), _calls(500, 1)
    assert many <= 10 * few
    assert _calls(500, 5_000) - _calls(1, 5_000) <= many
