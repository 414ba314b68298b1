"""The core programs of tests/language, the examples and the documentation, with digests of their trees.

`python -m tests.syntax.core_programs` wrote `core_programs.json` with the parser and the formatter that came
before the everyday language (X0). It is not meant to be written again.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from acompass.syntax.format import format_program
from acompass.syntax.parse import parse

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "core_programs.json"
_BLOCK = re.compile(r"^```acompass[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: fields that trees had not, and their values in a core program
_ADDED = (("others", ()), ("folder", ""), ("hierarchies", {}))


def recorded() -> dict[str, list[str]]:
    """For each program, the digests of its tree and of its canonical text."""
    programs: dict[str, list[str]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return programs


def digests(text: str) -> list[str]:
    return [_digest(_described(parse(text)[0])), _digest(format_program(text))]


def _described(node: Any) -> str:
    """A tree with all its spans. Fields that no tree had before are left out while they are empty."""
    if isinstance(node, tuple):
        return f"({', '.join(_described(each) for each in node)})"
    if not is_dataclass(node):
        return repr(node)
    given = ((field.name, getattr(node, field.name)) for field in fields(node))
    parts = (f"{name}={_described(value)}" for name, value in given if (name, value) not in _ADDED)
    return f"{type(node).__name__}({', '.join(parts)})"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _programs(root: Path) -> Iterator[str]:
    """Every text that parses."""
    pages = [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "tests/language").rglob("*.md")]
    blocks = [block for page in pages for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]
    files = [path.read_text(encoding="utf-8") for path in (root / "examples").rglob("*.acp")]
    return (text for text in [*blocks, *files] if not parse(text)[1])


def main(root: Path) -> None:
    programs = {text: digests(text) for text in sorted(set(_programs(root)))}
    RECORDED.write_text(json.dumps(programs, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
