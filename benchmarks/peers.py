"""Create an environment for each peer, because some pin old libraries."""

import subprocess
import venv
from pathlib import Path


def interpreter(folder: Path, *packages: str) -> str:
    """The Python interpreter of an environment with these packages, without ours."""
    home = folder / ("venv-" + packages[0].split("=")[0])
    python = home / "bin" / "python"
    if not (home / ".ready").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qqq", *packages], check=True)
        (home / ".ready").touch()
    return str(python)


def run_timed(python: str, script: str, *arguments: str) -> float:
    """Run a script, and return the seconds that it prints last."""
    done = subprocess.run([python, "-c", script, *arguments], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def version(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()
