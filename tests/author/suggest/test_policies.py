"""Whatever a search finds, the written policy does exactly what the search predicted, and reaches k and l."""

import csv
from collections import Counter
from contextlib import chdir
from decimal import Decimal
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.author.answers import Suggestion, Unreachable
from acompass.author.suggest import flow
from acompass.author.suggest.policy_tree import Goal, Line, format_with_comments, policy_tree, suppression
from acompass.author.suggest.search_problem import Found, Problem, evaluate
from acompass.errors.catalog import CODES
from acompass.language.text import tree
from acompass.language.text.formatter import WIDTH, format_program
from acompass.language.text.parser import parse_text
from acompass.plan.run import queries
from tests.author.suggest.problems import COLUMNS, RandomColumn, any_steps, assert_tidy, write_table
from tests.errors.pages import FOLDER, Page, read_page, run_blocks, run_fix
from tests.length import at_length

STYLES = ("cascade", "uniform", "stars")


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=at_length(3))
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([None, 2, 3]), st.integers(1, 40))
def test_a_run_of_any_steps_does_what_was_predicted(
    style: str, seed: int, k: int, least: int | None, records: int
) -> None:
    with patch.object(flow, "search", any_steps(Random(seed), style)):
        _assert_predicted(style, seed, k, least, records, may_idle=True)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=at_length(3))
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([None, 2, 3]), st.integers(1, 40))
def test_a_run_of_the_found_steps_does_what_was_predicted(
    style: str, seed: int, k: int, least: int | None, records: int
) -> None:
    _assert_predicted(style, seed, k, least, records)


def test_a_diverse_class_is_unchanged_whichever_values_it_has(tmp_path: Path) -> None:
    """Of 600 values, three that are 256 apart form a class, and three others form another."""
    rows = [f"{min(20 + number % 256, 60)},d{number:03}" for number in range(600)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["age,d", *rows, ""]), encoding="utf-8")
    found = acompass.suggest(str(table), ["age"], 3, sensitive=["d"], l=2, max_lost="0%")
    result = acompass.run(found.policy, str(table), engine="reference")
    assert [step.text for step in found.steps] == ["REJECT"]
    assert result.records_out == 600


def _assert_predicted(
    style: str, seed: int, k: int, least: int | None, records: int, *, may_idle: bool = False
) -> None:
    random = Random(seed)
    columns = random.sample(COLUMNS, random.randint(1, 3))
    with TemporaryDirectory() as folder, chdir(folder):
        table = str(write_table(random, Path(folder), columns, records))
        levels = {column.name: text for column in columns if (text := random.choice(column.levels))}
        try:
            found = acompass.suggest(
                table,
                [column.name for column in columns],
                k,
                sensitive=["d"],
                l=least,
                hierarchies=levels,
                max_lost="100%",
                lines=random.randint(1, 8),
                style=style,
                output="suggested.acp",
            )
        except Unreachable:  # the steps leave no record
            assert not Path("suggested.acp").exists()
            return
        assert found.records_out
        result = acompass.run(acompass.load("suggested.acp"), table, engine="reference", output="released.csv")
        assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
        assert (result.records_in, result.records_out) == (found.records_in, found.records_out)
        _assert_reached([column.name for column in columns], k, least or 1)
        _assert_loss(found, table, columns, levels)
        assert_tidy(found.policy, may_idle=may_idle)


def _assert_reached(columns: list[str], k: int, least: int) -> None:
    classes: dict[tuple[str, ...], list[str]] = {}
    for record in csv.DictReader(Path("released.csv").read_text(encoding="utf-8").splitlines()):
        classes.setdefault(tuple(record[name] for name in columns), []).append(record["d"])
    assert all(len(values) >= k and len(set(values)) >= least for values in classes.values())


def _assert_loss(found: Suggestion, table: str, columns: list[RandomColumn], levels: dict[str, str]) -> None:
    """`measure` reads a released table, where two spellings of a number are two values."""
    assert sum(step.loss for step in found.steps) == pytest.approx(found.loss, abs=1e-9)
    if not any(column.has_two_spellings for column in columns):
        names = [column.name for column in columns]
        loss = acompass.measure("released.csv", names, against=table, hierarchies=levels).loss
        assert loss is not None
        assert loss.total == pytest.approx(found.loss, abs=1e-9)


COMBINATIONS_COLUMNS = ("a", "b", "c")


@pytest.fixture
def records(tmp_path: Path) -> list[tuple[str, ...]]:
    random = Random(3)
    found = [
        (*(str(random.randint(0, 4)) for _ in COMBINATIONS_COLUMNS), random.choice("xyz"), random.choice("uv"))
        for _ in range(200)
    ]
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([(*COMBINATIONS_COLUMNS, "s", "t"), *found])
    return found


def _problem(path: Path) -> Problem:
    """The problem that a search of the table receives."""
    seen: list[Problem] = []

    def search(problem: Problem, *_: Any) -> Found:
        seen.append(problem)
        return Found((), (), evaluate(problem, (), ()), True, problem.k)

    with patch.object(flow, "search", search):
        acompass.suggest(str(path), COMBINATIONS_COLUMNS, 2, sensitive=["s", "t"], l=2, max_lost="100%")
    return seen[0]


@pytest.mark.parametrize(("largest", "at_once"), [(2**62, 1_000_000), (30, 1_000_000), (2**62, 7), (6, 50)])
def test_every_combination_is_counted_once(
    records: list[tuple[str, ...]], tmp_path: Path, largest: int, at_once: int
) -> None:
    with patch.object(queries, "LARGEST", largest), patch.object(queries, "AT_ONCE", at_once):
        problem = _problem(tmp_path / "table.csv")
    texts = [
        tuple(ladder.labels[code] for ladder, code in zip(problem.ladders, row, strict=True))
        for row in problem.combinations
    ]
    assert dict(zip(texts, problem.counts.tolist(), strict=True)) == Counter(each[:3] for each in records)
    assert len(set(texts)) == len(texts)
    for column, sensitive in enumerate(problem.sensitive, start=3):
        expected = Counter((each[:3], sorted({r[column] for r in records}).index(each[column])) for each in records)
        pairs = zip((texts[row] for row in sensitive.rows), sensitive.values.tolist(), strict=True)
        assert dict(zip(pairs, sensitive.counts.tolist(), strict=True)) == expected


LONG = "a-folder-of-hierarchies-with-a-very-very-long-name-xx/"


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
def test_a_suggested_policy_is_already_formatted(columns: tuple[str, ...], cut: int) -> None:
    goal = Goal(columns, ("AS", "n"), 5, 3, (*columns, "AS", "n", "d"))
    program = policy_tree(goal, STEPS[:cut], STEPS[cut:])
    remarks = [f"{n} records" for n in range(len(STEPS) + 1)]
    text = format_with_comments(program, ["word " * 60], ["loss 0.0123" for _ in columns], remarks)
    assert format_program(text) == text
    assert parse_text(text)[0].requirements == program.requirements
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(f"-- {remark}" in text for remark in remarks)


def test_if_a_name_has_a_line_break_only_the_header_is_commented() -> None:
    program = policy_tree(Goal(("a\nb",), (), 2, None, ("a\nb",)), (), [_star("a\nb")])
    text = format_with_comments(program, ["header"], ["loss"], ["one", "two"])
    assert text.startswith("-- header\nEACH PROCESS")
    assert "one" not in text
    assert format_program(text) == text


def test_names_of_aggregates_differ_from_columns() -> None:
    taken = ("N", "D", "d2", "records", "age", "s")
    program = policy_tree(Goal(("age",), ("s", "D"), 2, 2, taken), (), ())
    text = format_with_comments(program, [], [], ["all"])
    assert "COUNT(*) AS n1, COUNT DISTINCT(s) AS d3, COUNT DISTINCT(D) AS d4 GROUP BY age" in text


#: AC620 depends on the installation
PAGES = [read_page(FOLDER / f"{code}.md") for code in sorted(CODES) if code.startswith("AC62") and code != "AC620"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_writes_a_policy(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ran,) = run_blocks(page.sections["Example"])
    assert (ran.exit_code, set(ran.codes)) == (1 if page.code == "AC624" else 2, {page.code})
    assert not Path("release.acp").exists()
    assert run_fix(page).codes == []
    assert Path("release.acp").exists()
