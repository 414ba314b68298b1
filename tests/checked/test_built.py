"""Trees that are built in code, without spans: checked, with lines and texts but no places."""

from acompass.checked.from_syntax import check
from acompass.semantics import run_program, trace_of_values
from acompass.syntax import tree
from acompass.syntax.parse import parse
from tests.checked.policies import PAPER, checked
from tests.syntax.built import README, README_TEXT


def test_a_built_tree_checks_as_its_text() -> None:
    built, errors = check(README, "", PAPER, {"k": 2})
    assert errors == ()
    assert built == checked(README_TEXT, k=2)


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


def test_a_built_requirement_may_stand_among_parsed_ones() -> None:
    text = "-- a comment\n\nEACH RESULT : Age <= 80;"
    parsed, _ = parse(text)
    mixed = tree.Program((*parsed.requirements, *README.requirements))
    program, errors = check(mixed, text, PAPER, {"k": 2})
    assert program is not None, errors
    assert [requirement.line for requirement in program.requirements] == [3, 4, 8, 12, 16]


def test_nodes_of_a_parsed_policy_have_their_places() -> None:
    text = "EACH FILTER Age > 1 : NOT (AEC < 3) : RANDOM AEC 3 9; EACH PROCESS COUNT(*) AS n : n > 2: REJECT;"
    first, second = checked(text).requirements
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
