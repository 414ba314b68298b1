"""The packages of editors/vscode, installed once for all tests; a reason where that is impossible."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.sources import ROOT
from tests.waiting import PATIENCE

EXTENSION = ROOT / "editors" / "vscode"
NPM = shutil.which("npm")


def installed_copy(folder: Path) -> Path:
    """A copy of the extension with its packages: those of the clone, else from the registry."""
    if NPM is None or shutil.which("node") is None:
        pytest.skip("needs Node and npm")
    copy = folder / EXTENSION.relative_to(ROOT)
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules", "out"))
    shutil.copy(ROOT / "LICENSE", folder)
    if (EXTENSION / "node_modules").is_dir():
        (copy / "node_modules").symlink_to(EXTENSION / "node_modules")
    else:
        _install(copy)
    return copy


def _install(folder: Path) -> None:
    try:
        command = [str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        last = [line for line in str(error.stderr or error).splitlines() if line.strip()][:1]
        pytest.skip(f"the packages of editors/vscode cannot be installed: {last}")
