"""The certificate of a policy's proved claims."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from acompass.certify import program
from acompass.certify.column_types import types_of_steps
from acompass.certify.constants import Json
from acompass.certify.outline import MOST_STEPS, Outline
from acompass.certify.prover import COUNTS, CertifyingProver
from acompass.certify.uncertified import NotCertified
from acompass.checked.effects import process_in
from acompass.checked.program import Assertion, Process, Quantifier
from acompass.prove.assumptions import is_assumed
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.facts import Alternatives, class_assertion
from acompass.prove.policy import ProvedClaim

VERSION = 1


@dataclass(frozen=True, slots=True)
class Certified:
    """The part of a certificate that is about one claim."""

    claim: ProvedClaim
    proof: Json


@dataclass(frozen=True, slots=True)
class Uncertified:
    claim: ProvedClaim
    reason: str


def certify(claim: ProvedClaim) -> Certified | Uncertified:
    try:
        with bounded():
            return Certified(claim, _proof(claim))
    except (NotCertified, Exhausted) as problem:
        return Uncertified(claim, str(problem))


def _proof(claim: ProvedClaim) -> Json:
    if claim.assertion.quantifier is Quantifier.SOME:
        raise NotCertified("certificates are for EACH, not for SOME")
    if any(is_assumed(each) for each in claim.program.requirements):
        raise NotCertified("the claim rests on an assumption")
    if len(claim.program.requirements) > MOST_STEPS:
        raise NotCertified(f"the policy has more than {MOST_STEPS} requirements")
    prover = CertifyingProver(claim.program, [claim.assertion], claim.known, claim.any_scale)
    outline = Outline(prover)
    parts = _parts(prover, outline, claim.assertion)
    return {
        "claim": claim.claim.text,
        "assertion": program.assertion(claim.assertion),
        "known": sorted(claim.known),
        "steps": outline.annotations(prover.types),
        "parts": parts,
    }


def _parts(prover: CertifyingProver, outline: Outline, assertion: Assertion) -> Json:
    classes, process = class_assertion(prover.variables, prover.last, assertion), process_in(assertion)
    if classes is not None and process is not None:
        _require_counts(process)
        return [_part(outline, assertion, part) for part in classes.parts]
    if not prover.is_satisfied(assertion):
        raise NotCertified("the proof rests on labels, on texts of other types or on a MIN, MAX or SUM")
    return []


def _require_counts(process: Process) -> None:
    other = next((each.function for each in process.aggregates if each.function not in COUNTS), None)
    if other is not None:
        raise NotCertified(f"certificates are for records, COUNT and COUNT DISTINCT, not for {other}")


def _part(outline: Outline, assertion: Assertion, part: Alternatives) -> Json:
    problem = NotCertified("a condition of the claim is about several aggregates")
    for fact in part or ():
        try:
            outline.add(fact)
        except NotCertified as found:
            problem = found
        else:
            return [outline.position(fact, assertion), outline.allowed(fact), outline.reason(fact)]
    raise problem


def certificate_of(text: str, proved: Sequence[ProvedClaim], certified: Sequence[Certified]) -> Json:
    """Everything that the checker reads, and what ties it to the policy. All claims are of one policy."""
    return {
        "acompass": "certificate",
        "version": VERSION,
        "policy": {"sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text},
        **(_checked(proved[0]) if proved else {}),
        "claims": [each.proof for each in certified],
    }


def _checked(claim: ProvedClaim) -> Json:
    return {
        "columns": [column.name for column in claim.program.schema],
        "types": types_of_steps(claim.program, claim.any_scale)[0],
        "program": [program.requirement(each) for each in claim.program.requirements],
    }
