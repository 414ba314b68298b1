"""The files of `theory/` and their statements."""

import re
from pathlib import Path

from tests.repo.sources import ROOT

THEORY = ROOT / "theory"

_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_STATED = re.compile(r"^\s*(Theorem|Corollary|Lemma|Example) (\w+)", re.MULTILINE)


def files() -> list[Path]:
    return sorted(THEORY.glob("*/*.v"))


def code(path: Path) -> str:
    """The file without its comments, none of which are nested."""
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def statements(*kinds: str) -> set[str]:
    """The qualified names of all statements of these kinds."""
    return {f"{path.stem}.{name}" for path in files() for kind, name in _STATED.findall(code(path)) if kind in kinds}
