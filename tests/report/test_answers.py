"""Every public answer prints itself as the command line does, has JSON and Markdown, and a repr without records."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

import acompass
from acompass.cli.app import COMMANDS, app
from acompass.errors.display import Answer
from tests.report.pages import render

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
    rendered = render(answer.to_markdown("a policy"))
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
        "line  verdict   affected  action    requirement",
        "   1  repaired   9 of 60  replaced  EACH RESULT : Age <= 80 : REPLACE Age WITH 80",
        "   2  holds      0 of 60  nothing   EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT",
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
