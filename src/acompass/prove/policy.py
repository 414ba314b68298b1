"""Verdicts on a policy's claims: attempt a proof first, then search for a counterexample."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Type
from acompass.diagnostics import PolicyError
from acompass.prove.claims import CheckedClaim, ParsedClaim, check_claims, own_claims, parse_claims
from acompass.prove.inferred_schema import declared_schema, inferred_schema
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.prove.prover import Prover
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter
from acompass.prove.witness import Witness
from acompass.syntax import tree
from acompass.syntax.walk import parameter_names

#: the checks that the proof of another check may use, so that the number of provers is bounded
MOST_CHECKS = 16


def prove_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
) -> Proof:
    """A verdict on each claim for every table and every trace.

    By default, the claims are the policy's own assertions. Without a schema, the columns are those that
    the policy and the claims name (`inferred_schema`).
    """
    parsed = parse_claims(claims or ())
    settings = dict(params or {})
    program = checked_policy(policy, source, parsed, schema, settings)
    if claims is None:
        checked = own_claims(policy, source, program, settings)
    else:
        checked = check_claims(parsed, program, settings)
    return Proof(_verdicts(program, checked))


def checked_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[ParsedClaim],
    schema: Mapping[str, str | Type] | None,
    params: Mapping[str, ParamValue],
) -> Program:
    asked = [requirement for claim in claims for requirement in claim.program().requirements]
    everything = tree.Program((*policy.requirements, *asked), (), policy.span)
    columns = inferred_schema(everything, params) if schema is None else declared_schema(schema)
    used_by_claims_only = parameter_names(everything) - parameter_names(policy)
    own = {name: value for name, value in params.items() if name not in used_by_claims_only}
    program, problems = check(policy, source, columns, own)
    if program is None:
        raise PolicyError(problems, source)
    return program


def _verdicts(program: Program, claims: Sequence[CheckedClaim]) -> tuple[Claim, ...]:
    """Claims that rest on the same checks share a prover."""
    groups: dict[frozenset[int], dict[int, CheckedClaim]] = defaultdict(dict)
    for at, claim in enumerate(claims):
        groups[_used(claim)][at] = claim
    found = {at: verdict for known, group in groups.items() for at, verdict in _judge(program, group, known)}
    return tuple(found[at] for at in range(len(claims)))


def _used(claim: CheckedClaim) -> frozenset[int]:
    """The known checks that a proof may use: for the claim of a check, not more than the first few."""
    return frozenset(sorted(claim.known)[:MOST_CHECKS]) if claim.is_of_check else claim.known


def _judge(
    program: Program, claims: Mapping[int, CheckedClaim], known: frozenset[int]
) -> Iterator[tuple[int, Claim]]:
    asked = {at: claim.assertion for at, claim in claims.items() if claim.assertion is not None}
    prover = Prover(program, list(asked.values()), known)
    reasons = Reasons(prover)
    attempts = {at: prover.attempt(assertion, prover.last) for at, assertion in asked.items()}
    unproved = {at: assertion for at, assertion in asked.items() if not attempts[at].is_proof}
    required = [claims[at].known for at in unproved]
    found = Refuter(prover).refute(list(unproved.values()), required) if unproved else []
    witnesses = dict(zip(unproved, found, strict=True))
    for at, claim in claims.items():
        if at not in asked:
            yield at, _without_types(claim, program)
        elif at not in unproved:
            reason = reasons.why_proved(asked[at], attempts[at])
            yield at, Claim(claim.text, claim.line, ClaimVerdict.PROVED, reason)
        else:
            reason = reasons.why_unproved(asked[at], attempts[at])
            yield at, _unproved(claim, reason, witnesses[at], program)


def _unproved(claim: CheckedClaim, reason: str, witness: Witness | None, program: Program) -> Claim:
    if witness is None:
        return Claim(claim.text, claim.line, ClaimVerdict.UNDECIDED, reason)
    size = len(witness.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    counterexample = _counterexample(program, witness)
    return Claim(claim.text, claim.line, ClaimVerdict.REFUTED, f"{found}\n{reason}", counterexample)


def _without_types(claim: CheckedClaim, program: Program) -> Claim:
    changed = [r for r in program.requirements if r.before != r.after]
    lines = ", ".join(str(requirement.line) for requirement in changed)
    place = f"{'line' if len(changed) == 1 else 'lines'} {lines}"
    reason = f"{place}: a column changes its type, so the claim does not fit the final table"
    return Claim(claim.text, claim.line, ClaimVerdict.UNDECIDED, reason)


def _counterexample(program: Program, witness: Witness) -> Counterexample:
    trace = tuple(_decimal_text(rho) for rho in witness.trace)
    return Counterexample(program.schema, witness.records, trace, program.final_schema, witness.left)


def _decimal_text(rho: Fraction) -> str:
    """A fraction that has a finite decimal expansion, in decimals."""
    digits = 0
    while (rho * 10**digits).denominator != 1:
        digits += 1
    whole = str((rho * 10**digits).numerator).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
