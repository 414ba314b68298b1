"""The whole check: errors in order, places, lines and texts, the types of constants, and the work that it takes."""

import datetime
import gc
import sys
from decimal import Decimal

import pytest

from acompass.language.program.checker import check
from acompass.language.program.types import FLOAT, INTEGER, TEXT, Type, decimal, make_schema
from acompass.language.text import tree
from acompass.language.text.parser import MAXIMUM_DEPTH, parse_text
from acompass.semantics.core import run_program, trace_of_values
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
from tests.text.trees import README, README_TEXT

PAPER_POLICY = """
EACH RESULT: Age ≤ 80: REPLACE Age WITH 80;
EACH FILTER Postal code > '21200' AND Postal code < '21299': Postal code = '212**'
  : REPLACE Postal code WITH '212**';
EACH RESULT: NOT (AEC < 3000): RANDOM AEC 3000 4000;
EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code: Class Size >= k: REJECT;
EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP_BY Age, Postal Code: Diversity AEC >= l;
"""


def test_the_papers_policy_checks() -> None:
    program = check_policy(PAPER_POLICY, k=3, l=2)
    assert len(program.requirements) == 5
    assert program.named == {1, 2, 3}
    assert program.final_schema == PAPER


def test_a_requirement_keeps_its_place_and_its_text() -> None:
    text = "-- first\n\nEACH RESULT:\n  Age  >  1 ; EACH RESULT: Age > 2: REJECT;\r\nSOME RESULT: Age > 3;"
    first, second, third = check_policy(text).requirements
    assert (first.index, first.line, first.text) == (1, 3, "EACH RESULT:\n  Age  >  1")
    assert (second.index, second.line, second.text) == (2, 4, "EACH RESULT: Age > 2: REJECT")
    assert (third.index, third.line, third.text) == (3, 5, "SOME RESULT: Age > 3")


def test_an_empty_policy_checks() -> None:
    program = check_policy("")
    assert (program.requirements, program.named, program.final_schema) == ((), frozenset(), PAPER)


def test_all_errors_are_reported_in_the_order_of_the_text() -> None:
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


def nest_condition(depth: int) -> tree.Condition:
    condition: tree.Condition = tree.Comparison(tree.Name("Age"), tree.Operator.LT, tree.Parameter("k"))
    for _ in range(depth):
        condition = tree.Not(condition)
    return condition


def make_program(condition: tree.Condition) -> tree.Program:
    assertion = tree.Assertion(tree.Quantifier.EACH, tree.Result(), condition)
    return tree.Program((tree.Requirement(assertion),))


def test_a_condition_is_nested_two_hundred_levels_deep_at_most() -> None:
    assert check(make_program(nest_condition(200)), "", PAPER, {"k": 3})[1] == ()
    for depth in (201, 20_000):
        program, found = check(make_program(nest_condition(depth)), "", PAPER, {"k": 3})
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
    assert len(check_policy(text).requirements) == 1
    _, wrong = parse_text(text.replace(level, level * 2, 1).replace("3)", "3))", 1))
    assert [finding.code for finding in wrong] == ["AC020"]


def test_a_wide_condition_is_not_deep() -> None:
    text = "EACH RESULT: " + " OR ".join(f"Age = {number}" for number in range(5_000)) + ";"
    assert len(check_policy(text).requirements[0].assertion.condition.operands) == 5_000


def test_a_number_keeps_its_value_in_a_built_tree() -> None:
    condition = tree.Comparison(tree.Name("AGE"), tree.Operator.LT, tree.Number(Decimal("1E+3")))
    program, _ = check(make_program(condition), "", PAPER)
    assert program is not None
    assert program.requirements[0].assertion.condition.value == 1000


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    switch = gc.enable if enabled else gc.disable
    try:
        switch()
        check_policy(PAPER_POLICY, k=3, l=2)
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def _calls(requirements: int, width: int) -> int:
    """The number of Python calls of a check, because its time would depend on the load of the machine."""
    schema = make_schema({"Age": INTEGER, "Zip": TEXT} | {f"c{number}": INTEGER for number in range(width)})
    text = "EACH FILTER Zip > '1' AND Zip < '2': Zip = '1*': REPLACE Zip WITH '1*';\n" * requirements
    policy, _ = parse_text(text)
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


def test_a_built_tree_checks_as_its_text() -> None:
    built, errors = check(README, "", PAPER, {"k": 2})
    assert errors == ()
    assert built == check_policy(README_TEXT, k=2)


def test_a_requirement_has_the_line_and_text_of_the_formatter() -> None:
    built, _ = check(README, "", PAPER, {"k": 2})
    assert built is not None
    lines = README_TEXT.split("\n")
    for requirement in built.requirements:
        first = requirement.line - 1
        text = "\n".join(lines[first : first + 3])
        assert requirement.text == text.removesuffix(";")
        assert requirement.span is None


def test_a_built_program_runs() -> None:
    built, _ = check(README, "", PAPER, {"k": 2})
    assert built is not None
    records = [(1, 90, "21410", 7), (2, 81, "21410", 8), (3, 30, "21201", 9)]
    outcome = run_program(built, records, trace_of_values(()))
    assert outcome.records == [(1, 80, "214**", 7), (2, 80, "214**", 8)]


def test_errors_about_a_built_tree_have_no_places() -> None:
    unknown = tree.Comparison(tree.Name("Agee"), tree.Operator.EQ, tree.String("x"))
    mistyped = tree.Comparison(tree.Name("Age"), tree.Operator.EQ, tree.String("x"))
    random = tree.Random(tree.Name("Age"), tree.Parameter("u"), tree.Parameter("l"))
    assertion = tree.Assertion(tree.Quantifier.EACH, tree.Result(), tree.Or((unknown, mistyped)))
    program, errors = check(tree.Program((tree.Requirement(assertion, random),)), "", PAPER, {"l": 1, "u": 2})
    assert program is None
    assert [(error.code, error.labels) for error in errors] == [("AC101", ()), ("AC110", ()), ("AC115", ())]


def test_built_and_parsed_requirements_may_be_mixed() -> None:
    text = "-- a comment\n\nEACH RESULT : Age <= 80;"
    parsed, _ = parse_text(text)
    mixed = tree.Program((*parsed.requirements, *README.requirements))
    program, errors = check(mixed, text, PAPER, {"k": 2})
    assert program is not None, errors
    assert [requirement.line for requirement in program.requirements] == [3, 4, 8, 12, 16]


def test_nodes_of_a_parsed_policy_have_their_places() -> None:
    text = "EACH FILTER Age > 1 : NOT (AEC < 3) : RANDOM AEC 3 9; EACH PROCESS COUNT(*) AS n : n > 2: REJECT;"
    first, second = check_policy(text).requirements
    shown = [
        text[node.span.start : node.span.end]
        for node in (
            first,
            first.assertion,
            first.assertion.result,
            first.assertion.result.condition,
            first.assertion.condition.operand,
            first.action,
            second.assertion.result,
            second.action,
        )
    ]
    assert shown == [
        "EACH FILTER Age > 1 : NOT (AEC < 3) : RANDOM AEC 3 9;",
        "EACH FILTER Age > 1 : NOT (AEC < 3)",
        "FILTER Age > 1",
        "Age > 1",
        "(AEC < 3)",
        "RANDOM AEC 3 9",
        "PROCESS COUNT(*) AS n",
        "REJECT",
    ]


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ("Whole < 80", 80),
        ("Whole < 80.00", 80),
        ("Whole < 80.5", Decimal("80.5")),
        ("Whole < -9223372036854775809", -(2**63) - 1),
        ("Exact = 1", Decimal(1)),
        ("Exact = 1.005", Decimal("1.005")),
        ("Real = 0.1", 0.1),
        ("Real = 9007199254740993", 9007199254740992.0),
        ("Word = ''", ""),
        ("Word = '01234'", "01234"),
        ("Flag = 'true'", True),
        ("Flag < 'false'", False),
        ("Day >= '2024-02-29'", datetime.date(2024, 2, 29)),
        ("Moment >= '2024-02-29'", datetime.datetime(2024, 2, 29)),
        ("Moment >= '2024-02-29 13:14'", datetime.datetime(2024, 2, 29, 13, 14)),
        ("Moment >= '2024-02-29T13:14:15.5'", datetime.datetime(2024, 2, 29, 13, 14, 15, 500_000)),
    ],
)
def test_a_constant_takes_the_type_of_its_column(comparison: str, expected: object) -> None:
    value = compared_value(f"EACH RESULT: {comparison};")
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("comparison", "message", "help_"),
    [
        (
            "Whole = '80'",
            "column `Whole` is integer, compared with the text `'80'`",
            "write `80` without quotes",
        ),
        (
            "Exact = 'x'",
            "column `Exact` is decimal, compared with the text `'x'`",
            "write a number, such as `80`",
        ),
        (
            "Real = 'it''s'",
            "column `Real` is float, compared with the text `'it''s'`",
            "write a number, such as `80`",
        ),
        ("Word = 80.0", "column `Word` is text, compared with the number `80.0`", "write `'80.0'`"),
        (
            "Flag = 1",
            "column `Flag` is boolean, compared with the number `1`",
            "write `'true'` or `'false'`",
        ),
        (
            "Day = 2024",
            "column `Day` is date, compared with the number `2024`",
            "write a date as `'2024-12-31'`",
        ),
        (
            "Moment = 5",
            "column `Moment` is timestamp, compared with the number `5`",
            "write a timestamp as `'2024-12-31'` or `'2024-12-31 23:59:59'`",
        ),
    ],
)
def test_a_constant_of_another_type_is_an_error(comparison: str, message: str, help_: str) -> None:
    assert describe_finding(f"EACH RESULT: {comparison};", TYPED) == ("AC110", message, help_)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("Flag", "True"),
        ("Flag", "1"),
        ("Day", "2023-02-29"),
        ("Day", "20240229"),
        ("Day", "2024-W01-1"),
        ("Day", "2024-02-29 10:00"),
        ("Day", "２０２４-02-29"),
        ("Moment", "2024-02-29 25:00"),
        ("Moment", "2024-02-29T10:00:00Z"),
        ("Moment", "2024-02-29 10:00:00.1234567"),
        ("Moment", "yesterday"),
    ],
)
def test_text_that_is_not_a_value_of_the_column_is_an_error(column: str, text: str) -> None:
    found = finding(f"EACH RESULT: {column} = '{text}';", TYPED)
    assert found.code == "AC111"
    assert found.message.startswith(f"the text `'{text}'` is not a ")


def test_the_error_points_at_the_constant() -> None:
    text = "EACH RESULT: Whole > 1 AND NOT Whole = 'a';"
    assert places(text, finding(text, TYPED)) == ["'a'"]


def test_a_long_constant_is_not_repeated_in_full() -> None:
    assert len(finding(f"EACH RESULT: Whole = '{'a' * 10_000}';", TYPED).message) < 120


def test_a_number_larger_than_any_float_is_an_error() -> None:
    assert finding(f"EACH RESULT: Real < 1{'0' * 400};", TYPED).code == "AC116"


def test_numbers_have_a_thousand_digits_at_most() -> None:
    assert compared_value(f"EACH RESULT: Whole < {'9' * 1_000};") == 10**1_000 - 1
    found = finding(f"EACH RESULT: Whole < {'9' * 1_001};", TYPED)
    assert found.message == "the number has 1,001 digits, more than the 1,000 allowed here"
    assert finding(f"EACH RESULT: Exact < 0.{'0' * 1_000}1;", TYPED).code == "AC116"


def test_text_that_is_not_unicode_is_an_error() -> None:
    assert finding("EACH RESULT: Word = k;", TYPED, k="a\ud800").code == "AC111"
    assert compared_value("EACH RESULT: Word = k;", k="\U0001f600é") == "\U0001f600é"


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("SUM(Whole)", INTEGER),
        ("SUM(Exact)", decimal(2)),
        ("SUM(Real)", FLOAT),
        ("MIN(Exact)", decimal(2)),
        ("MAX(Word)", TEXT),
        ("COUNT(*)", INTEGER),
        ("COUNT DISTINCT(Flag)", INTEGER),
        ("COUNT DISTINCT Moment", INTEGER),
    ],
)
def test_an_aggregate_has_a_type(aggregate: str, expected: Type) -> None:
    constant = "'a'" if expected == TEXT else "1"
    assert only(f"EACH PROCESS {aggregate} AS C: C > {constant};").assertion.result.aggregates[0].type == expected


def test_the_minimum_of_a_date_column_is_a_date() -> None:
    text = "EACH PROCESS MIN(Day) AS C GROUP BY Flag: C > '2024-01-01' AND Flag = 'true';"
    day, flag = only(text).assertion.condition.operands
    assert (day.value, flag.value) == (datetime.date(2024, 1, 1), True)


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        ("SUM(Word)", "SUM needs numbers, but column `Word` is text"),
        ("SUM(Flag)", "SUM needs numbers, but column `Flag` is boolean"),
        ("SUM(Day)", "SUM needs numbers, but column `Day` is date"),
        ("MIN(Flag)", "MIN needs numbers, text, dates or timestamps, but column `Flag` is boolean"),
        ("MAX(Flag)", "MAX needs numbers, text, dates or timestamps, but column `Flag` is boolean"),
    ],
)
def test_an_aggregate_of_unsuitable_values_is_an_error(aggregate: str, message: str) -> None:
    code, found, help_ = describe_finding(f"EACH PROCESS {aggregate} AS C: C > 1;", TYPED)
    assert (code, found) == ("AC112", message)
    assert help_.startswith("count its values with `COUNT DISTINCT(")


def test_a_count_is_compared_as_an_integer_whatever_is_counted() -> None:
    found = finding("EACH PROCESS COUNT DISTINCT Word AS C: C > '1';", TYPED)
    assert found.message == "column `C` is integer, compared with the text `'1'`"


def test_an_error_in_the_assertion_is_reported_once() -> None:
    text = "EACH RESULT : b = 1 AND c IN (1, 2) : REPLACE a WITH 1 THEN REPLACE a WITH 2 THEN REJECT;"
    _, found = check(parse_text(text)[0], text, make_schema({"a": INTEGER}), {})
    assert [(each.code, each.labels[0].span.start) for each in found] == [("AC101", 14), ("AC101", 24)]


def test_several_findings_without_a_place_are_kept() -> None:
    text = "EACH RESULT : a = 1;"
    _, found = check(parse_text(text)[0], text, make_schema({"a": INTEGER}), {"k": 1, "l": 2})
    assert [each.code for each in found] == ["AC107", "AC107"]
