"""What the README files show is what happens: their commands and their Python are run and compared."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.sources import ROOT, shown

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("examples/*/README.md"))]
CONSOLE = re.compile(r"^```console\n(\$ acompass .*?)^```", re.MULTILINE | re.DOTALL)
POLICY = re.compile(r"^```acompass\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _sessions(page: Path) -> Iterator[tuple[str, str]]:
    """The commands of a page in order, each with the output shown below it."""
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            yield command, output


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    sessions = list(_sessions(page))
    assert sessions
    for command, output in sessions:
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert ran.stderr == "", command
        assert _lines(ran.stdout) == _lines(output), command


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_python_of_the_readme_gives_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted == 7
    assert results.failed == 0


def test_the_policy_of_the_readme_is_a_policy() -> None:
    from acompass import parse

    (text,) = POLICY.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(parse(text).tree.requirements) == 3
