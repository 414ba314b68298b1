"""The extracted checker must accept the certificates of random proofs, and refuse tampered ones.

`python -m tests.prove.certify.campaign --proofs 20000`"""

import argparse
import copy
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from acompass.language.program.effects import process_in
from acompass.language.program.program import Assertion, Program
from acompass.language.program.types import Kind, Schema, decimal
from acompass.language.text.parser import parse_text
from acompass.language.text.tree import Function
from acompass.prove.certify.certificate import Certified, Uncertified, build_certificate, certify
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.prove.search.claims import check_claims, own_claims, parse_claims
from acompass.prove.search.prover import Prover
from acompass.prove.search.verdicts import ProvedClaim
from acompass.semantics.core import Record
from tests.generators.strategies import parse_and_check
from tests.prove.everyday_policies import EverydayCurator, everyday_records
from tests.prove.policies import Claimed, Writer, random_records, random_trace
from tests.prove.replaying import is_written, run_or_none
from tests.prove.soundness import Tables
from tests.theory.building import BUILD, make

#: number of policies per process of the checker
_SHARE = 100


@dataclass
class Figures:
    """`meant` counts the proved claims of the kinds that certificates cover."""

    meant: int = 0
    certified: int = 0
    others: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


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


@dataclass(frozen=True)
class Proven:
    """A policy, the certificate of its claims, and whether it keeps a record of some table."""

    text: str
    certificate: Any
    leaves_records: bool


def _count_accepted(found: list[Proven], outcome: Outcome) -> None:
    for proven, answer in zip(found, answers([each.certificate for each in found]), strict=True):
        outcome.accepted += answer.count("a")
        outcome.refused += [proven.text] * (len(proven.certificate["claims"]) - answer.count("a"))


def _count_tampered(found: list[Proven], outcome: Outcome) -> None:
    changed = [
        (proven.text, name, certificate)
        for proven in found
        if proven.leaves_records
        for name, certificate in tamper(proven.certificate)
    ]
    for (text, name, _), answer in zip(changed, answers([each for _, _, each in changed]), strict=True):
        outcome.tampered += 1
        if "a" in answer:
            outcome.tampered_accepted.append(f"{name}\n{text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proofs", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first policy")
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


_COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)
#: the most tables that are tried to find one with a record that a policy keeps
_TABLES = 12


def is_meant(assertion: Assertion) -> bool:
    """Whether the assertion is an EACH about records, COUNT or COUNT DISTINCT."""
    process = process_in(assertion)
    is_each = assertion.quantifier.value == "EACH"
    return is_each and (process is None or all(each.function in _COUNTS for each in process.aggregates))


def certificates(seeds: range, figures: Figures) -> Iterator[Proven]:
    """The certificates of those random policies that have a certified claim."""
    for seed in seeds:
        rng = random.Random(f"certify {seed}")
        is_everyday = seed % 2 == 0
        case = EverydayCurator(rng).policy() if is_everyday else Writer(rng).policy()
        has_any_scale = seed % 4 == 1
        case = replace(case, schema=_widen(case.schema)) if has_any_scale else case
        outcomes = _outcomes(case, figures, has_any_scale)
        certified = [each for each in outcomes if isinstance(each, Certified)]
        if certified:
            content = build_certificate(case.text, [certified[0].claim], certified)
            tables_of = everyday_records if is_everyday else random_records
            yield Proven(case.text, content, _leaves_records(rng, case, tables_of))


def _widen(schema: Schema) -> Schema:
    """Make numbers decimals, as in columns whose types are inferred from a policy."""
    numbers = (Kind.INTEGER, Kind.DECIMAL)
    return tuple(replace(column, type=decimal(2)) if column.type.kind in numbers else column for column in schema)


def _leaves_records(rng: random.Random, case: Claimed, tables_of: Tables) -> bool:
    program = parse_and_check(case.text, case.schema)
    return any(_is_left(rng, program, tables_of(rng, case.schema)) for _ in range(_TABLES))


def _is_left(rng: random.Random, program: Program, records: list[Record]) -> bool:
    outcome = run_or_none(program, records, random_trace(rng, 12 * len(records) * len(program.requirements)))
    return outcome is not None and bool(outcome.records) and is_written(program, outcome)


def _outcomes(case: Claimed, figures: Figures, has_any_scale: bool) -> list[Certified | Uncertified]:
    outcomes = [certify(claim) for claim in _prove_claims(case, has_any_scale)]
    for each in outcomes:
        _count(each, figures)
    return outcomes


def _prove_claims(case: Claimed, has_any_scale: bool) -> Iterator[ProvedClaim]:
    """The claims that `prove` proves, without its search for counterexamples, which takes most of its time."""
    program = parse_and_check(case.text, case.schema)
    decimals = (at for at, column in enumerate(program.schema) if column.type.kind is Kind.DECIMAL)
    any_scale = frozenset(decimals) if has_any_scale else frozenset()
    policy = parse_text(case.text)[0]
    claims = (
        own_claims(policy, case.text, program, {})
        if case.claims is None
        else check_claims(parse_claims(case.claims, policy), program, {})
    )
    for claim in claims:
        if claim.assertion is None:
            continue
        prover = Prover(program, [claim.assertion], claim.known, any_scale)
        if prover.attempt(claim.assertion, prover.last).is_proof:
            proved = Claim(claim.text, claim.line, ClaimVerdict.PROVED, "")
            yield ProvedClaim(proved, claim.assertion, program, claim.known, any_scale)


def _count(outcome: Certified | Uncertified, figures: Figures) -> None:
    is_certified = isinstance(outcome, Certified)
    if is_meant(outcome.claim.assertion):
        figures.meant += 1
        figures.certified += is_certified
    else:
        figures.others += 1
    if isinstance(outcome, Uncertified):
        figures.reasons[outcome.reason] += 1


NOTHING = ["or"]


def _false_claim(certificate: Any) -> None:
    """Claim that no table has a record."""
    for claim in certificate["claims"]:
        claim["assertion"] = ["each", "result", NOTHING]


def _nothing_at_the_start(certificate: Any) -> None:
    for claim in certificate["claims"]:
        claim["steps"][0]["invariant"] = NOTHING


def _nothing_at_the_end(certificate: Any) -> None:
    for claim in certificate["claims"]:
        claim["steps"][-1]["invariant"] = NOTHING


def _line_removed(certificate: Any) -> None:
    """Remove the last line of the policy."""
    del certificate["program"][-1]


def _step_removed(certificate: Any) -> None:
    for claim in certificate["claims"]:
        del claim["steps"][0]


def _contradiction(certificate: Any) -> None:
    """Add a last fact that no class satisfies."""
    for claim in certificate["claims"]:
        fact = {"function": "count", "where": ["and"], "group by": [], "allowed": NOTHING}
        claim["steps"][-1]["facts"].append({"fact": fact, "because": ["here", ["values", []]]})


#: changes that invalidate the proof of any policy that keeps a record of some table
TAMPERINGS: dict[str, Callable[[Any], None]] = {
    "false claim": _false_claim,
    "nothing at the start": _nothing_at_the_start,
    "nothing at the end": _nothing_at_the_end,
    "line removed": _line_removed,
    "step removed": _step_removed,
    "contradiction": _contradiction,
}


def tamper(certificate: Any) -> Iterator[tuple[str, Any]]:
    for name, change in TAMPERINGS.items():
        changed = copy.deepcopy(certificate)
        change(changed)
        yield name, changed


def answers(certificates: Sequence[Any]) -> list[str]:
    """For each certificate, one letter per claim: `a` for accepted, `r` for refused; `?` if it is not a certificate."""
    return [letters for letters, *_ in statements(list(map(json.dumps, certificates)))]


def statements(texts: Sequence[str]) -> list[list[str]]:
    """For each text, the letters of its claims and the lines that `verify` prints, or `?` and the reason."""
    make("verify")
    lines = "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass")
    finished = subprocess.run([BUILD / "verify", "--lines"], input=lines, capture_output=True)
    assert finished.returncode == 0, finished.stderr
    found = [line.split("\t") for line in finished.stdout.decode().removesuffix("\n").split("\n")]
    assert len(found) == max(1, len(texts))
    return found if texts else []


if __name__ == "__main__":
    sys.exit(main())
