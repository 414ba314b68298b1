"""Separate environments for peers that pin old libraries, each created once."""

import subprocess
import venv
from pathlib import Path


def interpreter(folder: Path, *packages: str) -> str:
    """A Python interpreter with these packages and without ours."""
    home = folder / ("venv-" + packages[0].split("=")[0])
    python = home / "bin" / "python"
    if not (home / ".ready").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qqq", *packages], check=True)
        (home / ".ready").touch()
    return str(python)


def timed(python: str, script: str, *arguments: str) -> float:
    """The number of seconds that a script prints on its last line."""
    done = subprocess.run([python, "-c", script, *arguments], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def version(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()
