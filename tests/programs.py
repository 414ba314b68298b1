"""Programs for a folder on `PATH`, and paths in policies, wherever Python and this checkout are.

The scripts that pip installs do not work in a folder with a double quote in its path."""

import shlex
import sys
from pathlib import Path


def write_program(path: Path, *command: str, **environment: str) -> None:
    """Write a program that runs the command and appends its own arguments."""
    settings = "".join(f"{name}={shlex.quote(value)} " for name, value in environment.items())
    path.write_text(f'#!/bin/sh\n{settings}exec {shlex.join(command)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def quote(path: object) -> str:
    """Quote a path as a constant of a policy."""
    return "'" + str(path).replace("'", "''") + "'"


def write_acompass(folder: Path, **environment: str) -> None:
    """Write the programs `acompass` and `python`, which use the Python that runs the tests."""
    write_program(folder / "acompass", sys.executable, "-m", "acompass", **environment)
    write_program(folder / "python", sys.executable, **environment)
