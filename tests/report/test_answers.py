"""Every answer in every form: as in its golden file, printed, and as data. Text, JSON, SARIF and JUnit are compared
byte for byte, Markdown and HTML after rendering."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

import acompass
from acompass.cli.app import COMMANDS, app
from acompass.errors.display import PLAIN, Answer, Style
from acompass.report import Context, render
from acompass.result import Plan, Result
from tests.report.golden import CASES, FOLDER, Case, parse_golden
from tests.report.pages import EMPTY, MIXED
from tests.report.pages import render as render_markdown

#: HTML elements that a browser shows on lines or in cells of their own
BLOCKS = {"div", "p", "caption", "th", "td", "pre", "summary", "li", "strong"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_answer_is_as_in_its_golden_file(case: Case, tmp_path: Path) -> None:
    expected = parse_golden(case.path.read_text(encoding="utf-8"))
    found = case.sections(tmp_path)
    assert list(found) == list(expected)
    assert {name: _content(name, text) for name, text in found.items()} == {
        name: _content(name, text) for name, text in expected.items()
    }


def _content(section: str, text: str) -> object:
    if "standard error" in section:
        return text
    if section.startswith("markdown"):
        return _markdown_content(text)
    return _html_content(text) if section == "html" else text


def _markdown_content(text: str) -> list[tuple[str, str]]:
    """Each heading, paragraph and cell: its kind, and its text as a reader sees it."""
    tokens = render_markdown(text).tokens
    pairs = pairwise(tokens)
    return [(token.type, following.content) for token, following in pairs if following.type in ("inline", "fence")]


class _Content(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.found.append((tag, ""))

    def handle_data(self, data: str) -> None:
        tag, text = self.found[-1]
        self.found[-1] = tag, text + data


def _html_content(text: str) -> list[tuple[str, str]]:
    """Each paragraph, caption and cell with its element."""
    reader = _Content()
    reader.feed(text)
    reader.close()
    return [(tag, " ".join(words.split())) for tag, words in reader.found]


def test_every_golden_file_belongs_to_a_case() -> None:
    assert {path.name for path in FOLDER.glob("*.golden")} == {case.path.name for case in CASES}


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;\n"
PEOPLE = [{"Name": f"Zebulon {number}", "Age": 30 + number, "Zip": f"12{number % 2}"} for number in range(60)]
DRAWS = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Zip FROM ('120', '121');"

ANSWERS: Mapping[str, Callable[[], Any]] = {
    "run": lambda: acompass.run(POLICY, PEOPLE),
    "check": lambda: acompass.check(POLICY, PEOPLE, show=3),
    "plan": lambda: acompass.plan(POLICY, PEOPLE),
    "explain": lambda: acompass.explain(POLICY, PEOPLE, record=1),
    "measure": lambda: acompass.measure(PEOPLE, ["Age", "Zip"], against=PEOPLE, hierarchies={}),
    "prove": lambda: acompass.prove(POLICY, ["EACH RESULT : Age <= 70"]),
    "prove --privacy": lambda: acompass.prove(DRAWS, types={"Zip": "text"}, privacy=True),
    "compare": lambda: acompass.compare(POLICY, DRAWS),
    "lint": lambda: acompass.lint("EACH RESULT : Age <= 3 OR Age >= 4 : REJECT;"),
    "suggest": lambda: acompass.suggest(PEOPLE, ["Zip"], 2, lines=2),
    "pram": lambda: acompass.pram(PEOPLE, "Zip", 0.8),
    "estimate": lambda: acompass.estimate(PEOPLE, DRAWS, "Zip"),
    "dbt": lambda: acompass.dbt(POLICY, "people", types={"Age": "integer"}),
}
#: answers that contain records if they are printed
WITH_RECORDS = {"check", "explain"}


@pytest.mark.parametrize("call", ANSWERS)
def test_an_answer_has_every_form(call: str) -> None:
    answer = ANSWERS[call]()
    assert isinstance(answer, Answer)
    assert json.dumps(answer.to_json())
    rendered = render_markdown(answer.to_markdown("a policy"))
    assert "a policy" in rendered.headings[0]
    assert answer._repr_html_().startswith("<div>")
    printed = str(answer)
    assert printed == printed.strip("\n")
    assert "(" + "index=" not in printed
    assert ("Zebulon" in printed) == (call in WITH_RECORDS)


@pytest.mark.parametrize("call", ANSWERS)
def test_a_repr_contains_no_record(call: str) -> None:
    answer = ANSWERS[call]()
    assert "Zebulon" not in repr(answer)


def test_a_result_prints_the_table_of_the_command_line() -> None:
    assert str(acompass.run(POLICY, PEOPLE)).splitlines() == [
        "line  verdict   affected  action    output  requirement",
        "   1  repaired   9 of 60  replaced  proved  EACH RESULT : Age <= 80 : REPLACE Age WITH 80",
        "   2  holds      0 of 60  nothing   proved  EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT",
        "",
        "columns that the policy never names, released unchanged: Name",
        "60 records in, 60 out",
    ]


#: commands that start a server, or write a policy, and so have no report
WITHOUT_REPORT = {"core", "fmt", "lsp", "studio"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_that_prints_an_answer_has_the_same_options(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    options = {option: each for each in command.params for option in each.opts}
    assert ("--format" in options) == ("--json" in options) == (name not in WITHOUT_REPORT)
    if name not in WITHOUT_REPORT:
        choices = options["--format"].type
        assert isinstance(choices, click.Choice)
        assert {"text", "json", "markdown"} <= set(choices.choices)
        assert ({"junit", "sarif"} <= set(choices.choices)) == ("--also" in options)


def _modules(code: str, folder: Path) -> set[str]:
    code += "\nprint('MODULES', *(name for name in sys.modules if name.startswith('acompass.report')))"
    ran = subprocess.run([sys.executable, "-c", f"import sys\n{code}"], cwd=folder, capture_output=True, text=True)
    assert "MODULES" in ran.stdout, ran.stderr
    return set(ran.stdout.partition("MODULES")[2].split())


def test_importing_answers_imports_no_renderer(tmp_path: Path) -> None:
    names = ("result", "prove.proof", "reason.compare.answer", "reason.privacy.answer", "measure.answer")
    others = ("author.answers", "explain.answer", "reason.lint")
    code = "\n".join(f"import acompass.{name}" for name in (*names, *others))
    assert _modules(code, tmp_path) == set()


@pytest.mark.parametrize("call", [("run", "p.acp", "t.csv", "-o", "out.csv"), ("check", "p.acp", "t.csv")])
def test_a_quiet_command_imports_no_renderer(call: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Age\n31\n")
    (tmp_path / "p.acp").write_text("EACH RESULT : Age <= 80 : REJECT;\n")
    code = (
        "from acompass.cli.app import app\n"
        f"try: app({[*call, '--quiet']!r})\n"
        "except SystemExit as end: assert not end.code"
    )
    assert _modules(code, tmp_path) == set()


#: the result of a run, whose actions were performed
PERFORMED = replace(MIXED, performed=True)
RAN = """\
line  verdict     affected  action        requirement
   2  repaired  3 of 1,000  replaced      EACH RESULT : Age <= 80 : REPLACE Age WITH 80
   6  holds     0 of 1,000  nothing       EACH PROCESS COUNT(*) AS Size GROUP BY Age : Size >= 2 : REJECT
   7  violated  1 of 1,000  only checked  EACH RESULT : Name < '<b>&' OR Name > '\\x07'

1,000 records in, 1,000 out, 1 value of the trace used
"""


def run_text(result: Result, style: Style = PLAIN) -> str:
    return render(replace(result, performed=True), "text", Context(style=style))


def check_text(result: Result) -> str:
    return render(result, "text")


def test_a_run_shows_a_line_for_each_requirement_and_the_records_in_and_out() -> None:
    assert run_text(PERFORMED) == RAN


def test_a_check_shows_the_number_of_violations_and_the_intended_actions() -> None:
    lines = check_text(MIXED).splitlines()
    assert lines[1].split()[:6] == ["2", "violated", "3", "of", "1,000", "REPLACE"]
    assert lines[-1] == "1,000 records, 2 of 3 requirements violated"


def test_a_plan_says_what_would_be_repaired() -> None:
    lines = render(Plan(PERFORMED, (), ()), "text").splitlines()
    assert [line[6:23].rstrip() for line in lines[1:4]] == ["would be repaired", "holds", "violated"]


def test_only_the_display_of_a_run_says_repaired() -> None:
    assert PERFORMED._repr_html_().count(">repaired<") == 1
    assert PERFORMED._repr_html_().count(">violated<") == 1
    assert MIXED._repr_html_().count(">violated<") == 2


def test_an_action_is_shown_with_its_probability() -> None:
    first = replace(MIXED.requirements[0], probability=Fraction(1, 4))
    line = run_text(replace(PERFORMED, requirements=(first,))).splitlines()[1]
    assert line.startswith("   2  repaired  3 of 1,000  replaced with probability 0.25  EACH RESULT")


def test_dropped_records_are_reported() -> None:
    result = replace(EMPTY, records_in=3, dropped=2)
    assert run_text(result) == "3 records in, 2 dropped as incomplete, 1 out; no check in this policy\n"
    assert check_text(result) == "3 records, 2 dropped as incomplete, no check in this policy\n"


def test_a_policy_without_requirements_has_no_table() -> None:
    assert run_text(EMPTY) == "1 record in, 1 out; no check in this policy\n"
    assert check_text(EMPTY) == "1 record, no check in this policy\n"


def test_comments_inside_a_requirement_are_not_shown() -> None:
    first = replace(MIXED.requirements[0], text="EACH RESULT -- old people\n : Age /* in years */ <= '-- 80'")
    line = run_text(replace(MIXED, requirements=(first,))).splitlines()[1]
    assert line.endswith("EACH RESULT : Age <= '-- 80'")


def test_a_terminal_cuts_long_lines_and_colors_only_the_verdict() -> None:
    repaired, _, violated = run_text(PERFORMED, Style(color=True, width=60)).splitlines()[1:4]
    assert "\x1b[31mviolated\x1b[0m" in violated
    assert "\x1b[33mrepaired\x1b[0m" in repaired
    plain = repaired.replace("\x1b[33m", "").replace("\x1b[0m", "")
    assert len(plain) == 60
    assert plain.endswith("…")


def test_the_steps_of_a_then_differ_even_if_lines_are_cut() -> None:
    assertion = "EACH PROCESS COUNT(*) AS n GROUP BY age, education, marital-status : n >= 5"
    steps = ("GENERALIZE age TO BANDS OF 5", "GENERALIZE age TO BANDS OF 10", "REJECT")
    (first, *_) = MIXED.requirements
    outcomes = [replace(first, line=line, text=f"{assertion} : {step}") for line, step in enumerate(steps, 1)]
    lines = run_text(replace(MIXED, requirements=tuple(outcomes)), Style(width=80)).splitlines()
    assert [line[38:] for line in lines[1:4]] == [
        "EACH PROCESS COUNT(*) AS n GROUP BY age, …",
        "… : GENERALIZE age TO BANDS OF 10",
        "… : REJECT",
    ]


def test_any_width_is_accepted() -> None:
    assert len(run_text(MIXED, Style(width=1)).splitlines()) == len(RAN.splitlines())
