"""Read corpus.md and side_conditions.md: headings, policies in fenced blocks, and after each its claims.

`proved with Age=integer:` gives the types of columns, separated by commas. `refuted of the line:` tests the
policy's own claim, which a check may not use to prove itself. `not proved` is for a false claim that no table of
values can refute."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.prove.proof import Claim
from acompass.prove.search.verdicts import prove_policy

PATH = Path(__file__).with_name("corpus.md")
PATHS = (PATH, PATH.with_name("side_conditions.md"))

_POLICY = re.compile(r"^```acompass\n(.*?)^```\n(.*?)(?=^```|^## |\Z)", re.MULTILINE | re.DOTALL)
_CLAIM = re.compile(r"^- (proved|refuted|not proved)( of the line)?(?: with (\S+))?: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    title: str
    policy: str
    verdict: str
    claim: str
    types: tuple[str, ...]
    is_own: bool

    @property
    def id(self) -> str:
        return f"{self.title}: {self.claim} {' '.join(self.types)}"

    def is_right(self, verdict: str) -> bool:
        return verdict != "proved" if self.verdict == "not proved" else verdict == self.verdict

    def parse(self) -> tree.Program:
        policy, problems = parse_text(self.policy)
        assert not problems
        return replace(policy, folder=str(PATH.parent))

    def prove(self) -> Claim:
        """The prover's answer to the claim."""
        types = dict(type_.split("=") for type_ in self.types)
        claims = None if self.is_own else [self.claim]
        proof = prove_policy(self.parse(), self.policy, claims, types=types)
        (claim,) = (claim for claim in proof.claims if claim.text == self.claim)
        return claim


def cases() -> list[Case]:
    return [case for path in PATHS for case in _cases(path.read_text(encoding="utf-8"))]


def _cases(text: str) -> Iterator[Case]:
    for section in text.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for policy, claims in _POLICY.findall(section):
            for verdict, own, types, claim in _CLAIM.findall(claims):
                yield Case(title, policy, verdict, claim, tuple(filter(None, types.split(","))), bool(own))
