"""Comments on a policy's lines: `fmt` keeps them where they are, and no line is longer than 100 columns."""

from decimal import Decimal

import pytest

from acompass.suggest.comments import commented
from acompass.suggest.to_syntax import Goal, Line, policy_tree, suppression
from acompass.syntax import tree
from acompass.syntax.format import format_program
from acompass.syntax.parse import parse
from acompass.syntax.remarks import WIDTH

LONG = "a-very-long-folder-of-hierarchies-that-somebody-made/"


def _level(column: str, file: str, where: tree.Condition | None = None) -> Line:
    level, else_ = tree.Number(Decimal(2)), tree.String("*")
    return Line(tree.Generalize(tree.Name(column), tree.LevelOf(level, tree.String(file), else_)), where)


def _bands(column: str) -> Line:
    return Line(tree.Generalize(tree.Name(column), tree.BandsOf(tree.Number(Decimal(5)))))


def _star(column: str) -> Line:
    return Line(suppression(tree.Name(column)))


BUT = tree.Unequal(tree.Name("TO TO"), tree.Inequality.C, tree.String("it's " + "long " * 6))
STEPS = [
    _bands("age"),
    _level("TO TO", "short.csv", BUT),
    _level("age", f"{LONG}age.csv"),
    _level("TO TO", f"{LONG}{'x' * 20}.csv"),
    _star("age"),
]
NAMES = [
    ("age", "TO TO"),
    ("age", "TO TO", *(f"column-number-{n}" for n in range(9))),
    ("age", "TO TO", "GROUP BY", 'a "quoted", name', "--", "ü" * 30, "x" * 40),
]


@pytest.mark.parametrize("columns", NAMES, ids=len)
@pytest.mark.parametrize("cut", range(len(STEPS) + 1))
def test_fmt_changes_nothing(columns: tuple[str, ...], cut: int) -> None:
    goal = Goal(columns, ("AS", "n"), 5, 3, (*columns, "AS", "n", "d"))
    program = policy_tree(goal, STEPS[:cut], STEPS[cut:])
    remarks = [f"{n} records" for n in range(len(STEPS) + 1)]
    text = commented(program, ["word " * 60], ["loss 0.0123" for _ in columns], remarks)
    assert format_program(text) == text
    assert parse(text)[0].requirements == program.requirements
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(f"-- {remark}" in text for remark in remarks)


def test_a_name_with_a_line_break_leaves_only_the_header() -> None:
    program = policy_tree(Goal(("a\nb",), (), 2, None, ("a\nb",)), (), [_star("a\nb")])
    text = commented(program, ["header"], ["loss"], ["one", "two"])
    assert text.startswith("-- header\nEACH PROCESS")
    assert "one" not in text
    assert format_program(text) == text


def test_names_of_aggregates_are_no_column() -> None:
    taken = ("N", "D", "d2", "records", "age", "s")
    program = policy_tree(Goal(("age",), ("s", "D"), 2, 2, taken), (), ())
    text = commented(program, [], [], ["all"])
    assert "COUNT(*) AS n1, COUNT DISTINCT(s) AS d3, COUNT DISTINCT(D) AS d4 GROUP BY age" in text
