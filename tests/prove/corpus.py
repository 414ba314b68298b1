"""Read corpus.md: headings, policies in fenced blocks, and after each policy the claims about it.

`proved with Age=integer:` gives the type of a column.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("corpus.md")

_POLICY = re.compile(r"^```acompass\n(.*?)^```\n(.*?)(?=^```|^## |\Z)", re.MULTILINE | re.DOTALL)
_CLAIM = re.compile(r"^- (proved|refuted)(?: with (\S+))?: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    title: str
    policy: str
    verdict: str
    claim: str
    types: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.title}: {self.claim} {' '.join(self.types)}"


def cases() -> list[Case]:
    found = []
    for section in PATH.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for policy, claims in _POLICY.findall(section):
            for verdict, type_, claim in _CLAIM.findall(claims):
                found.append(Case(title, policy, verdict, claim, (type_,) if type_ else ()))
    return found
