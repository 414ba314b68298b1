"""Verdicts on a policy's claims: attempt a proof first, then search for a counterexample."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from acompass.checked.effects import generalize_of, type_changes
from acompass.checked.from_syntax import check
from acompass.checked.maps.map import Map
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Assertion, Program, Requirement
from acompass.checked.types import Kind, Schema, Type, remaining
from acompass.diagnostics import PolicyError
from acompass.prove.claims import CheckedClaim, ParsedClaim, check_claims, own_claims, parse_claims
from acompass.prove.column_types import column_types, finer_scale
from acompass.prove.columns import columns_of
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.prove.proof_search import ProofAttempt
from acompass.prove.prover import Prover
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter
from acompass.prove.witness import Witness
from acompass.syntax import tree
from acompass.syntax.walk import parameter_names

#: the checks that the proof of another check may use, so that the number of provers is bounded
MOST_CHECKS = 16


@dataclass(frozen=True, slots=True)
class _TypedPolicy:
    """A policy and its claims, checked with one set of types."""

    program: Program
    claims: list[CheckedClaim]
    any_scale: frozenset[int]

    @property
    def maps(self) -> list[Map]:
        actions = (generalize_of(requirement.action) for requirement in self.program.requirements)
        return [action.map for action in actions if action is not None]

    def prover(self, claims: Iterable[int], known: frozenset[int]) -> Prover:
        asked = (self.claims[at].assertion for at in claims)
        return Prover(self.program, [each for each in asked if each is not None], known, self.any_scale)


@dataclass(frozen=True, slots=True)
class ProvedClaim:
    """The claim at a position of the answer, and what it is proved of: a checked policy, where the checks
    `known` hold and the numbers of the columns `any_scale` may have any scale."""

    at: int
    text: str
    assertion: Assertion
    program: Program
    known: frozenset[int]
    any_scale: frozenset[int]


def prove_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
    on_proof: Callable[[ProvedClaim], None] | None = None,
) -> Proof:
    """A verdict on each claim for every table and every trace. `on_proof` gets the claims that are proved.

    By default, the claims are the policy's own assertions. Without a schema, the columns are those that
    the policy and the claims name; `types` gives the types of some of them.
    """
    parsed = None if claims is None else parse_claims(claims)
    settings = dict(params or {})
    everything = _with_claims(policy, parsed or ())
    columns = column_types(everything, settings, schema, types)

    def typed(schema: Schema, any_scale: frozenset[int] = frozenset()) -> _TypedPolicy:
        program = checked_policy(policy, source, schema, settings, everything)
        checked = (
            own_claims(policy, source, program, settings)
            if parsed is None
            else check_claims(parsed, program, settings)
        )
        return _TypedPolicy(program, checked, any_scale)

    narrow = wide = typed(columns.schema)
    if columns.any_scale:
        try:
            wide = typed(columns.widened(finer_scale(everything, settings)), columns.any_scale)
        except PolicyError:
            # a constant of the policy is too long for a finer scale, so no such table can be run
            columns = replace(columns, any_scale=frozenset())
    inferred = tuple(columns.schema[at].name for at in sorted(columns.inferred))
    verdicts = _verdicts(wide, narrow)
    if on_proof is not None:
        for proved in _proved(wide, verdicts):
            on_proof(proved)
    return Proof(verdicts, columns.names(), inferred)


def _proved(typed: _TypedPolicy, verdicts: Sequence[Claim]) -> Iterator[ProvedClaim]:
    for at, (claim, verdict) in enumerate(zip(typed.claims, verdicts, strict=True)):
        if verdict.verdict is ClaimVerdict.PROVED and claim.assertion is not None:
            known = _used(claim)
            yield ProvedClaim(at, claim.text, claim.assertion, typed.program, known, typed.any_scale)


def _with_claims(policy: tree.Program, claims: Iterable[ParsedClaim]) -> tree.Program:
    asked = [requirement for claim in claims for requirement in claim.program().requirements]
    return tree.Program((*policy.requirements, *asked), (), policy.span)


def checked_policy(
    policy: tree.Program,
    source: str,
    schema: Schema,
    params: Mapping[str, ParamValue],
    everything: tree.Program | None = None,
) -> Program:
    """`everything` is the policy with its claims, which may have parameters of their own."""
    used_by_claims_only = parameter_names(everything or policy) - parameter_names(policy)
    own = {name: value for name, value in params.items() if name not in used_by_claims_only}
    program, problems = check(policy, source, schema, own)
    if program is None:
        raise PolicyError(problems, source)
    return program


def _verdicts(wide: _TypedPolicy, narrow: _TypedPolicy) -> tuple[Claim, ...]:
    """Claims that rest on the same checks share a prover."""
    groups: dict[frozenset[int], list[int]] = defaultdict(list)
    for at, claim in enumerate(wide.claims):
        groups[_used(claim)].append(at)
    found = {
        at: verdict for known, group in groups.items() for at, verdict in _judge(wide, narrow, group, known)
    }
    return tuple(found[at] for at in range(len(wide.claims)))


def _used(claim: CheckedClaim) -> frozenset[int]:
    """The known checks that a proof may use: for the claim of a check, not more than the first few."""
    return frozenset(sorted(claim.known)[:MOST_CHECKS]) if claim.is_of_check else claim.known


def _judge(
    wide: _TypedPolicy, narrow: _TypedPolicy, group: Sequence[int], known: frozenset[int]
) -> Iterator[tuple[int, Claim]]:
    """A proof is about numbers of any scale. A counterexample with the narrowest types is easier to read.

    Bands of integers have other labels than those of decimals, so that both need a proof.
    """
    prover = wide.prover(group, known)
    asked = {at: assertion for at in group if (assertion := wide.claims[at].assertion) is not None}
    attempts = {at: prover.attempt(assertion, prover.last) for at, assertion in asked.items()}
    reasons = dict.fromkeys(asked, Reasons(prover))
    if wide.maps != narrow.maps:
        other = narrow.prover(group, known)
        for at in [at for at in asked if attempts[at].is_proof]:
            assertion = narrow.claims[at].assertion
            attempt = ProofAttempt(False) if assertion is None else other.attempt(assertion, other.last)
            if not attempt.is_proof:
                attempts[at], reasons[at] = attempt, Reasons(other)
    unproved = [at for at in asked if not attempts[at].is_proof]
    found = {} if wide is narrow else _refuted(narrow, narrow.prover(unproved, known), unproved)
    found |= _refuted(wide, prover, [at for at in unproved if at not in found])
    for at in group:
        claim = wide.claims[at]
        if at not in asked:
            yield at, _without_types(claim, wide.program)
        elif attempts[at].is_proof:
            reason = reasons[at].why_proved(asked[at], attempts[at])
            yield at, Claim(claim.text, claim.line, ClaimVerdict.PROVED, reason)
        else:
            reason = reasons[at].why_unproved(asked[at], attempts[at])
            yield at, _unproved(claim, reason, found.get(at))


def _refuted(typed: _TypedPolicy, prover: Prover, claims: Sequence[int]) -> dict[int, Counterexample]:
    """The counterexamples found to claims that the prover cannot prove."""
    open_claims = {
        at: assertion
        for at in claims
        if (assertion := typed.claims[at].assertion) is not None
        and not prover.attempt(assertion, prover.last).is_proof
    }
    if not open_claims:
        return {}
    known = [typed.claims[at].known for at in open_claims]
    witnesses = Refuter(prover).refute(list(open_claims.values()), known)
    found = zip(open_claims, witnesses, strict=True)
    return {at: _counterexample(typed.program, witness) for at, witness in found if witness is not None}


def _unproved(claim: CheckedClaim, reason: str, counterexample: Counterexample | None) -> Claim:
    if counterexample is None:
        return Claim(claim.text, claim.line, ClaimVerdict.UNDECIDED, reason)
    size = len(counterexample.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    return Claim(claim.text, claim.line, ClaimVerdict.REFUTED, f"{found}\n{reason}", counterexample)


def _without_types(claim: CheckedClaim, program: Program) -> Claim:
    """Only an assertion of the policy may not fit the final table."""
    assert claim.step is not None
    read = columns_of(program.requirements[claim.step].assertion)
    changes = [change for each in program.requirements[claim.step :] for change in _changes(each, read)]
    reason = "\n".join(changes) + ", so the claim does not fit the final table"
    return Claim(claim.text, claim.line, ClaimVerdict.UNDECIDED, reason)


def _changes(requirement: Requirement, columns: frozenset[int]) -> Iterator[str]:
    for column, (_, after) in type_changes(requirement).items():
        if column in columns:
            what = "is dropped" if after.kind is Kind.DROPPED else f"becomes {after.kind}"
            yield f"line {requirement.line}: column `{requirement.before[column].name}` {what}"


def _counterexample(program: Program, witness: Witness) -> Counterexample:
    """Without the columns that the policy drops: they are not written."""
    trace = tuple(decimal_text(rho) for rho in witness.trace)
    kept = remaining(program.final_schema)
    left_schema = tuple(program.final_schema[column] for column in kept)
    left = tuple(tuple(record[column] for column in kept) for record in witness.left)
    return Counterexample(program.schema, witness.records, trace, left_schema, left)


def decimal_text(rho: Fraction) -> str:
    """A fraction that has a finite decimal expansion, in decimals."""
    digits = 0
    while (rho * 10**digits).denominator != 1:
        digits += 1
    whole = str((rho * 10**digits).numerator).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
