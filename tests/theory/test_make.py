"""`make theory` reports a missing tool before it starts, and `make count` counts lines and theorems."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.theory.building import needs
from tests.theory.sources import THEORY, files, statements

pytestmark = needs("make")


def _make(target: str, build: Path, commands: Path) -> subprocess.CompletedProcess[str]:
    """Run `make` with only the commands of a folder on the PATH."""
    make = shutil.which("make")
    assert make is not None
    command = [make, "-C", str(THEORY), f"BUILD={build}", target]
    return subprocess.run(command, capture_output=True, text=True, env={"PATH": str(commands)})


def _write_command(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize(("found", "missing"), [((), "coqc"), (("coqc",), "ocamlfind")])
def test_a_missing_tool_is_reported_before_anything_is_compiled(
    found: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    commands, build = tmp_path / "commands", tmp_path / "build"
    commands.mkdir()
    for each in found:
        _write_command(commands / each, "exit 0")
    finished = _make("all", build, commands)
    assert finished.returncode != 0
    expected = f"{missing} is missing; on Debian and Ubuntu: apt install coq ocaml-findlib ocaml-nox\n"
    assert finished.stderr.startswith(expected)
    assert not build.exists()


def test_the_count_is_that_of_the_files() -> None:
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files())
    theorems = len(statements("Theorem", "Corollary"))
    finished = subprocess.run(
        ["make", "--no-print-directory", "-s", "-C", str(THEORY), "count"], capture_output=True, text=True
    )
    assert finished.stdout == f"{lines} lines, {theorems} theorems\n"
