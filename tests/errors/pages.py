"""The pages of docs/errors as data: their sections, and the blocks of their examples and fixes."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "errors"
SECTIONS = ("What", "Why", "Example", "Fix")

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """`sections` by title; `example` and `fix` are their fenced blocks by language."""

    code: str
    heading: str
    sections: dict[str, str]

    @property
    def example(self) -> dict[str, str]:
        return _blocks(self.sections["Example"])

    @property
    def fix(self) -> dict[str, str]:
        """The blocks of the example, with those that the fix changes."""
        return self.example | _blocks(self.sections["Fix"])

    @property
    def shows_output(self) -> bool:
        return any(not line.startswith("$ ") for line in self.example.get("console", "").splitlines())


def _blocks(section: str) -> dict[str, str]:
    return dict(_FENCE.findall(section))


def read_page(path: Path) -> Page:
    heading, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    return Page(path.stem, heading.strip(), dict(zip(parts[::2], parts[1::2], strict=True)))


def pages() -> list[Page]:
    return [read_page(path) for path in sorted(FOLDER.glob("AC*.md"))]
