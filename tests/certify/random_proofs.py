"""Certificates for the proved claims of random policies: those of the tests of soundness."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from acompass.certify import Certified, Uncertified, certificate_of, certify
from acompass.checked.effects import process_in
from acompass.checked.program import Assertion, Program
from acompass.checked.types import Kind, Schema, decimal
from acompass.prove.claims import check_claims, own_claims, parse_claims
from acompass.prove.policy import ProvedClaim
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.prove.prover import Prover
from acompass.semantics import Record
from acompass.syntax.parse import parse
from acompass.syntax.tree import Function
from tests.prove.everyday_policies import EverydayCurator, everyday_records
from tests.prove.policies import Claimed, Writer, random_records, random_trace
from tests.prove.replaying import checked, is_written, run_or_none
from tests.prove.soundness import Tables

_COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)
#: tables tried to find one of which a policy leaves a record
_TABLES = 12


@dataclass
class Figures:
    """`meant` are the proved claims of the kinds that certificates are for."""

    meant: int = 0
    certified: int = 0
    others: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def is_meant(assertion: Assertion) -> bool:
    """An EACH about records, COUNT or COUNT DISTINCT."""
    process = process_in(assertion)
    is_each = assertion.quantifier.value == "EACH"
    return is_each and (process is None or all(each.function in _COUNTS for each in process.aggregates))


@dataclass(frozen=True)
class Proven:
    """A policy, the certificate of its claims, and whether it leaves some table with a record."""

    text: str
    certificate: Any
    leaves_records: bool


def certificates(seeds: range, figures: Figures) -> Iterator[Proven]:
    """The certificates of random policies, for those with a certified claim."""
    for seed in seeds:
        rng = random.Random(f"certify {seed}")
        is_everyday = seed % 2 == 0
        case = EverydayCurator(rng).policy() if is_everyday else Writer(rng).policy()
        has_any_scale = seed % 4 == 1
        case = replace(case, schema=_widened(case.schema)) if has_any_scale else case
        outcomes = _outcomes(case, figures, has_any_scale)
        certified = [each for each in outcomes if isinstance(each, Certified)]
        if certified:
            content = certificate_of(case.text, [certified[0].claim], certified)
            tables_of = everyday_records if is_everyday else random_records
            yield Proven(case.text, content, _leaves_records(rng, case, tables_of))


def _widened(schema: Schema) -> Schema:
    """Numbers of any scale, like those of columns whose types are inferred from a policy."""
    numbers = (Kind.INTEGER, Kind.DECIMAL)
    return tuple(
        replace(column, type=decimal(2)) if column.type.kind in numbers else column for column in schema
    )


def _leaves_records(rng: random.Random, case: Claimed, tables_of: Tables) -> bool:
    program = checked(case.text, case.schema)
    return any(_is_left(rng, program, tables_of(rng, case.schema)) for _ in range(_TABLES))


def _is_left(rng: random.Random, program: Program, records: list[Record]) -> bool:
    outcome = run_or_none(program, records, random_trace(rng, 12 * len(records) * len(program.requirements)))
    return outcome is not None and bool(outcome.records) and is_written(program, outcome)


def _outcomes(case: Claimed, figures: Figures, has_any_scale: bool) -> list[Certified | Uncertified]:
    outcomes = [certify(claim) for claim in _proved(case, has_any_scale)]
    for each in outcomes:
        _count(each, figures)
    return outcomes


def _proved(case: Claimed, has_any_scale: bool) -> Iterator[ProvedClaim]:
    """The claims that `prove` proves. Its search for counterexamples to the others takes most of its time."""
    program = checked(case.text, case.schema)
    decimals = (at for at, column in enumerate(program.schema) if column.type.kind is Kind.DECIMAL)
    any_scale = frozenset(decimals) if has_any_scale else frozenset()
    policy = parse(case.text)[0]
    claims = (
        own_claims(policy, case.text, program, {})
        if case.claims is None
        else check_claims(parse_claims(case.claims), program, {})
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
