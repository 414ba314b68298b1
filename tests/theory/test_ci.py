"""`.ci/run` compiles the theory where it can and installs Coq where it may. Commands are only recorded."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.sources import ROOT

INSTALLED = "apt-get install -y -qq --no-install-recommends coq ocaml-findlib ocaml-nox"
UPDATED = "apt-get update -qq"
LEFT_OUT = "the theory is not compiled: Coq and OCaml are missing"
_TOOLS = ("coqc", "ocamlfind")


class Machine:
    """A folder of commands that write down how they were called."""

    def __init__(self, folder: Path, user: int, has_coq: bool, installs: bool):
        self._commands, self._log = folder / "commands", folder / "log"
        self._commands.mkdir()
        for each in ("bash", "dirname", "timeout"):
            found = shutil.which(each)
            assert found is not None
            (self._commands / each).symlink_to(found)
        self._add("make", f'echo "make $*" >> {self._log}')
        self._add("id", f"echo {user}")
        self._add(
            "apt-get", f'echo "apt-get $*" >> {self._log}\n{self._installing() if installs else "exit 100"}'
        )
        for tool in _TOOLS if has_coq else ():
            self._add(tool, "exit 0")

    def run(self) -> tuple[list[str], list[str]]:
        """The commands that were called, and what was said."""
        command = [str(ROOT / ".ci" / "run")]
        finished = subprocess.run(command, capture_output=True, text=True, env={"PATH": str(self._commands)})
        assert finished.returncode == 0, finished.stderr
        return self._log.read_text(encoding="utf-8").splitlines(), finished.stderr.splitlines()

    def _installing(self) -> str:
        """Tools that apt-get has installed are found from then on."""
        copies = (f"/bin/cp {self._commands / 'id'} {self._commands / tool}" for tool in _TOOLS)
        return f'[ "$1" = install ] || exit 0\n{"; ".join(copies)}'

    def _add(self, name: str, script: str) -> None:
        path = self._commands / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


def test_the_theory_is_compiled_where_coq_is_present(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0, has_coq=True, installs=False)
    assert machine.run() == (["make theory", "make test"], [])


def test_root_installs_coq(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0, has_coq=False, installs=True)
    assert machine.run() == ([INSTALLED, "make theory", "make test"], [])


@pytest.mark.parametrize(
    ("user", "tried", "said"),
    [
        (0, [INSTALLED, UPDATED], ["the theory's tools cannot be installed here", LEFT_OUT]),
        (1000, [], [LEFT_OUT]),
    ],
)
def test_the_tests_run_without_coq(user: int, tried: list[str], said: list[str], tmp_path: Path) -> None:
    machine = Machine(tmp_path, user, has_coq=False, installs=False)
    assert machine.run() == ([*tried, "make test"], said)
