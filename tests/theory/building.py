"""Compile `theory/` into `build/theory`, once for all processes."""

import fcntl
import shutil
import subprocess
from functools import cache

import pytest

from tests.repo.sources import ROOT
from tests.theory.sources import THEORY

BUILD = ROOT / "build" / "theory"


def needs(*commands: str) -> pytest.MarkDecorator:
    missing = [command for command in commands if shutil.which(command) is None]
    reason = f"{', '.join(missing)} not found; on Debian and Ubuntu: apt install coq ocaml-findlib ocaml-nox"
    return pytest.mark.skipif(bool(missing), reason=reason)


@cache
def make(target: str) -> str:
    """Make the target and return the output of `make`. Other processes wait, and find it up to date."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "--no-print-directory", "-C", str(THEORY), f"BUILD={BUILD}", target]
        finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout
