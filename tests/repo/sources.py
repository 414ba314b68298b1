"""The files of the repository and their imports, for the tests that check them."""

import ast
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "acompass"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path, folder: Path = PACKAGE.parent) -> str:
    """The full name of the module in a file below the folder: `acompass.cli.app`."""
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def kept_files() -> list[Path]:
    """The files that Git tracks or would track. Skips the test if Git is missing or this is not a clone."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs Git and a clone, to know which files belong to the repository")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The full names of the modules that a file imports, at its top or in a function."""
    return tuple(name for node in ast.walk(syntax(path)) for name in _imported_by(node, path))


def _imported_by(node: ast.AST, path: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from _imported_from(node, path)


def _imported_from(node: ast.ImportFrom, path: Path) -> Iterator[str]:
    assert node.level == 0, f"{path} imports relatively"
    module = str(node.module)
    if module == "acompass":
        yield from (f"acompass.{alias.name}" for alias in node.names)
    else:
        yield module


def relative_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
