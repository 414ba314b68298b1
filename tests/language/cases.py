"""Literate cases: a heading, prose, and fenced blocks with the input and the expected result.

acompass  the policy                          csv       the table
options   `set: k=2`, `trace: 0.5 0.25`, `seed: …`, `missing: drop`, `dates: A=%d.%m.%Y`, `order: canonical`,
          `force: yes`, `command: check`, `types: integer decimal(2) float text boolean date timestamp`,
          one on each line
hierarchy the file `hierarchy.csv` in the policy's folder
after     the resulting table                 verdicts  `1 violated 3 REPLACE`, a line for each requirement,
                                                        `-` where it has no verdict or no action
error     a line with code and message for each error; there is no other result
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
EXPECTED = ("after", "verdicts", "error")

_HEADING = re.compile(r"^#+ (.+)$")
_FENCE = re.compile(r"^```(\w*)$")


@dataclass
class Case:
    """`blocks` maps a fence's word to its text, `lines` maps it to the text's lines in the file."""

    path: Path
    title: str
    blocks: dict[str, str] = field(default_factory=dict)
    lines: dict[str, slice] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.path.stem}: {self.title}"

    @property
    def expected(self) -> dict[str, str]:
        return {word: text for word, text in self.blocks.items() if word in EXPECTED}

    @property
    def options(self) -> list[tuple[str, str]]:
        lines = self.blocks.get("options", "").splitlines()
        return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]

    def option(self, name: str) -> str | None:
        return next((value for option, value in self.options if option == name), None)


def all_cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.md")) for case in read_cases(path)]


def read_cases(path: Path) -> list[Case]:
    """A heading begins a case. Sections without blocks are prose."""
    cases = [Case(path, "")]
    opened: tuple[str, int] | None = None
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened = (fence[1], number + 1)
        elif opened is not None and fence:
            _add_block(cases[-1], opened[0], slice(opened[1], number), lines)
            opened = None
        elif opened is None and (heading := _HEADING.match(line)):
            cases.append(Case(path, heading[1]))
    assert opened is None, f"{path.name}: a block is not closed"
    return [case for case in cases if case.blocks]


def _add_block(case: Case, word: str, place: slice, lines: list[str]) -> None:
    assert word not in case.blocks, f"{case.id}: two blocks of `{word}`"
    case.blocks[word] = "".join(f"{line}\n" for line in lines[place])
    case.lines[word] = place
