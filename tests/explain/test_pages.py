"""The examples on the pages of AC7xx report the error, and the fixes do not."""

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import acompass
from acompass.cli.app import app
from tests.errors.pages import Page, pages

PEOPLE = "Name,Age,Zip\nAda,36,21101\nBob,82,21102\nEve,45,21101\n"
CALLS = [page for page in pages() if page.code.startswith("AC7") and "python" not in page.example]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("policy.acp").write_text("EACH RESULT : Age <= 80 : REJECT;", encoding="utf-8")
    Path("adults.acp").write_text("EACH RESULT : Age >= 18;", encoding="utf-8")
    Path("noise.acp").write_text("EACH RESULT : Age <= 40 : RANDOM Age 20 30;", encoding="utf-8")


def _run(blocks: dict[str, str]) -> list[Result]:
    commands = [
        line[len("$ acompass ") :] for line in blocks["console"].splitlines() if line.startswith("$ ")
    ]
    return [CliRunner().invoke(app, shlex.split(command)) for command in commands]


@pytest.mark.parametrize("page", CALLS, ids=lambda page: page.code)
def test_the_example_reports_the_error(page: Page) -> None:
    (ran,) = _run(page.example)
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[0] == page.example["console"].splitlines()[1]
    assert not set(os.listdir()) - {"people.csv", "policy.acp", "noise.acp", "adults.acp"}


@pytest.mark.parametrize("page", CALLS, ids=lambda page: page.code)
def test_the_fix_succeeds(page: Page) -> None:
    assert [ran.exit_code for ran in _run(page.fix)] == [0] * len(_run(page.fix))


def test_a_call_in_python() -> None:
    (page,) = [page for page in pages() if page.code == "AC701"]
    with pytest.raises(acompass.CallError, match="AC701"):
        exec(page.example["python"], {})
    exec(page.fix["python"], {})
