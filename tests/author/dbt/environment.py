"""A virtual environment with dbt-core, dbt-duckdb and this checkout, kept in the repository for the next run."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.repo.sources import ROOT

#: the build of dbt-core 1.12 downloads a parser from another site
REQUIREMENTS = ("dbt-core>=1.9,<1.12", "dbt-duckdb>=1.9")


class NotInstalled(Exception):
    """pip could not install dbt."""


def dbt_environment() -> dict[str, str]:
    """The variables of a shell that finds `dbt` and `acompass` in the environment."""
    folder = ROOT / f".venv-dbt-{_key()}"
    with (ROOT / ".venv-dbt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # pytest-xdist may ask twice at once
        if not (folder / "complete").exists():
            _make(folder)
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {
        **inherited,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "DBT_USE_COLORS": "false",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_VERSION_CHECK": "false",
    }


def _key() -> str:
    """A key that changes with the version of Python, the requirements and the checkout."""
    parts = (sys.version, str(ROOT), *REQUIREMENTS, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _make(folder: Path) -> None:
    for outdated in ROOT.glob(".venv-dbt-*"):
        shutil.rmtree(outdated)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "-q", *REQUIREMENTS, "-e", f"{ROOT}[dbt]"]
    ran = subprocess.run(install, capture_output=True, text=True)
    if ran.returncode:
        raise NotInstalled("\n".join(ran.stderr.splitlines()[-3:]))
    (folder / "complete").touch()
