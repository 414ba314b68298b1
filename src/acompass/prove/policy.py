"""A policy and its claims to verdicts: prove first, search for a counterexample where that fails."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Type
from acompass.diagnostics import PolicyError
from acompass.prove.claims import Stated, Written, outside_claims, own_claims, parameters_of, read_claims
from acompass.prove.named import given_schema, named_schema
from acompass.prove.proof import Claim, Counterexample, Proof, Verdict
from acompass.prove.prover import Prover
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter
from acompass.prove.witness import Witness
from acompass.syntax import tree


def prove_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
) -> Proof:
    """A verdict on each claim, or on each of the policy's own assertions, for every table and every trace.

    Without a schema the columns are those that the policy and the claims name (`named`).
    """
    written = read_claims(claims or ())
    settings = dict(params or {})
    program = checked_policy(policy, source, written, schema, settings)
    if claims is None:
        stated = own_claims(policy, source, program, settings)
    else:
        stated = outside_claims(written, program.final_schema, settings)
    return Proof(_verdicts(program, stated))


def checked_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[Written],
    schema: Mapping[str, str | Type] | None,
    params: Mapping[str, ParamValue],
) -> Program:
    asked = [requirement for claim in claims for requirement in claim.program().requirements]
    everything = tree.Program((*policy.requirements, *asked), (), policy.span)
    columns = named_schema(everything, params) if schema is None else given_schema(schema)
    elsewhere = parameters_of(everything) - parameters_of(policy)
    own = {name: value for name, value in params.items() if name not in elsewhere}
    program, problems = check(policy, source, columns, own)
    if program is None:
        raise PolicyError(problems, source)
    return program


def _verdicts(program: Program, stated: Sequence[Stated]) -> tuple[Claim, ...]:
    asked = {at: claim.assertion for at, claim in enumerate(stated) if claim.assertion is not None}
    prover = Prover(program, list(asked.values()))
    reasons = Reasons(prover)
    arguments = {at: prover.argue(assertion, prover.last) for at, assertion in asked.items()}
    doubtful = {at: assertion for at, assertion in asked.items() if not arguments[at].is_proof}
    found = Refuter(prover).refute(list(doubtful.values())) if doubtful else []
    witnesses = dict(zip(doubtful, found, strict=True))
    judged = []
    for at, claim in enumerate(stated):
        if at not in asked:
            judged.append(_unfit(claim, program))
        elif at not in doubtful:
            reason = reasons.of_proof(asked[at], arguments[at])
            judged.append(Claim(claim.text, claim.line, Verdict.PROVED, reason))
        else:
            doubt = reasons.of_doubt(asked[at], arguments[at])
            judged.append(_doubted(claim, doubt, witnesses[at], program))
    return tuple(judged)


def _doubted(claim: Stated, doubt: str, witness: Witness | None, program: Program) -> Claim:
    if witness is None:
        return Claim(claim.text, claim.line, Verdict.UNDECIDED, doubt)
    size = len(witness.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    return Claim(
        claim.text, claim.line, Verdict.REFUTED, f"{found}\n{doubt}", _counterexample(program, witness)
    )


def _unfit(claim: Stated, program: Program) -> Claim:
    changed = [r for r in program.requirements if r.before != r.after]
    lines = ", ".join(str(requirement.line) for requirement in changed)
    reason = (
        f"line {lines}: changes the type of a column, and the claim cannot be asked of the table that is left"
    )
    return Claim(claim.text, claim.line, Verdict.UNDECIDED, reason)


def _counterexample(program: Program, witness: Witness) -> Counterexample:
    trace = tuple(decimal_text(rho) for rho in witness.trace)
    return Counterexample(program.schema, witness.records, trace, program.final_schema, witness.left)


def decimal_text(rho: Fraction) -> str:
    """A fraction with a finite decimal expansion, written out."""
    digits = 0
    while (rho * 10**digits).denominator != 1:
        digits += 1
    whole = str((rho * 10**digits).numerator).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
