"""Read corpus.md: headings, policies in fenced blocks, and after each policy the claims about it."""

import re
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("corpus.md")

_POLICY = re.compile(r"^```acompass\n(.*?)^```\n(.*?)(?=^```|^## |\Z)", re.MULTILINE | re.DOTALL)
_CLAIM = re.compile(r"^- (proved|refuted): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    title: str
    policy: str
    verdict: str
    claim: str

    @property
    def id(self) -> str:
        return f"{self.title}: {self.claim}"


def cases() -> list[Case]:
    found = []
    for section in PATH.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for policy, claims in _POLICY.findall(section):
            found += [Case(title, policy, verdict, claim) for verdict, claim in _CLAIM.findall(claims)]
    return found
