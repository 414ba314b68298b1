"""Pages as text with fenced blocks.

A block starts with its language and, if it is a file that later blocks use, the name of the file. A comment
before a block that cannot be run gives the reason and the test: `<!-- not run: reason; path of the test -->`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.repo.sources import ROOT

#: tests/errors and tests/reason/lint run their examples
RUN_ELSEWHERE = ("docs/errors/", "docs/lint/")

_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<excuse>[^\n]*) -->\n\n?)?"
    r"^(?P<fence>`{3,})(?P<language>[\w-]*)(?: (?P<name>[^\n]*))?\n(?P<content>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_NEEDS = re.compile(r"^<!-- needs: (\w+) as (\S+) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """`excuse` says why the block is not run, and which file tests it instead."""

    language: str
    name: str
    content: str
    excuse: str | None


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/README.md")]
    return sorted(path for path in found if not path.relative_to(ROOT).as_posix().startswith(RUN_ELSEWHERE))


def servers(text: str) -> dict[str, str]:
    """The servers that a page needs, and their addresses: `<!-- needs: postgres as postgres://… -->`."""
    return dict(_NEEDS.findall(text))


def blocks(text: str) -> list[Block]:
    return [_block(match) for match in _FENCE.finditer(text)]


def without_blocks(text: str) -> str:
    return _FENCE.sub("", text)


def rewrite(text: str, content: Callable[[Block], str]) -> str:
    """Replace the content of every block by the result of the function."""

    def replace(match: re.Match[str]) -> str:
        block = _block(match)
        start, end = match.start("content") - match.start(), match.end("content") - match.start()
        return match.group()[:start] + content(block) + match.group()[end:]

    return _FENCE.sub(replace, text)


def _block(match: re.Match[str]) -> Block:
    return Block(match["language"], match["name"] or "", match["content"], match["excuse"])
