"""Certificates of random proofs, all of which the extracted checker must accept, and tampered ones to refuse.

`python -m tests.certify.campaign --proofs 20000`
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

from tests.certify.checking import answers
from tests.certify.random_proofs import Figures, Proven, certificates
from tests.certify.tampering import tampered

#: policies whose certificates one process of the checker answers
_SHARE = 100


@dataclass
class Outcome:
    figures: Figures = field(default_factory=Figures)
    policies: int = 0
    accepted: int = 0
    refused: list[str] = field(default_factory=list)
    tampered: int = 0
    tampered_accepted: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        figures = self.figures
        share = figures.certified / max(1, figures.meant)
        return (
            f"certify: {self.policies:,} policies, {figures.meant:,} proved claims about records and counts, "
            f"{share:.1%} certified: {self.accepted:,} accepted, {len(self.refused):,} refused; "
            f"{self.tampered:,} tampered, {len(self.tampered_accepted):,} of them accepted"
        )


def run_share(seeds: range, outcome: Outcome) -> None:
    found = list(certificates(seeds, outcome.figures))
    outcome.policies += len(seeds)
    _count_accepted(found, outcome)
    _count_tampered(found, outcome)


def _count_accepted(found: list[Proven], outcome: Outcome) -> None:
    for proven, answer in zip(found, answers([each.certificate for each in found]), strict=True):
        outcome.accepted += answer.count("a")
        outcome.refused += [proven.text] * (len(proven.certificate["claims"]) - answer.count("a"))


def _count_tampered(found: list[Proven], outcome: Outcome) -> None:
    changed = [
        (proven.text, name, certificate)
        for proven in found
        if proven.leaves_records
        for name, certificate in tampered(proven.certificate)
    ]
    for (text, name, _), answer in zip(changed, answers([each for _, _, each in changed]), strict=True):
        outcome.tampered += 1
        if "a" in answer:
            outcome.tampered_accepted.append(f"{name}\n{text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proofs", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first policy")
    options = parser.parse_args()
    outcome, started = Outcome(), time.monotonic()
    for start in count(options.first, _SHARE):
        run_share(range(start, start + _SHARE), outcome)
        print(f"{outcome}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        if outcome.accepted + len(outcome.refused) >= options.proofs:
            break
    _report(outcome)
    return 1 if outcome.refused or outcome.tampered_accepted else 0


def _report(outcome: Outcome) -> None:
    print(outcome)
    reasons: Counter[str] = outcome.figures.reasons
    sys.stdout.writelines(f"{number:6,}  {reason}\n" for reason, number in reasons.most_common(10))
    for text in (*outcome.refused[:3], *outcome.tampered_accepted[:3]):
        print(text)


if __name__ == "__main__":
    sys.exit(main())
