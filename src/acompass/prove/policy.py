"""Verdicts on a policy's claims."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from acompass.checked.effects import type_changes
from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Assertion, Program, Requirement
from acompass.checked.types import Kind, Schema, Type, remaining
from acompass.diagnostics import PolicyError
from acompass.prove.assumptions import parse_assumptions, under
from acompass.prove.claims import CheckedClaim, ParsedClaim, check_claims, own_claims, parse_claims
from acompass.prove.column_types import ColumnTypes, column_types, finer_scale, other_types
from acompass.prove.columns import columns_of
from acompass.prove.effort import DEADLINE, time_limit
from acompass.prove.judge import Judge, Judgement, TypedPolicy
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.prove.witness import Witness
from acompass.syntax import tree
from acompass.syntax.walk import parameter_names

#: the checks that the proof of another check may use, so that the number of provers is bounded
MOST_CHECKS = 16


@dataclass(frozen=True, slots=True)
class ProvedClaim:
    """A claim and what it is proved of: a checked policy, where the checks `known` hold and the numbers of
    the columns `any_scale` may have any scale."""

    claim: Claim
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
    beside: Sequence[tree.Program] = (),
    assume: Sequence[str] = (),
    deadline: float | None = DEADLINE,
    on_proof: Callable[[ProvedClaim], None] | None = None,
) -> Proof:
    """A verdict on each claim for every table and every trace. `on_proof` gets the claims that are proved.

    By default, the claims are the policy's own assertions. Without a schema, the columns are those that
    the policy and the claims name; `types` gives the types of some of them. The policies `beside` have the
    same table: what they name and how they use it counts as well. The assertions `assume` are known of the
    table before the policy. What is not decided after `deadline` seconds is undecided.
    """
    assumed = parse_assumptions(assume)
    parsed = None if claims is None else parse_claims(claims)
    settings = dict(params or {})
    everything = _with_claims(policy, parsed or (), (*(each.program() for each in assumed), *beside))
    columns = column_types(everything, settings, schema, types)

    def typed(schema: Schema, any_scale: frozenset[int] = frozenset()) -> TypedPolicy:
        program = checked_policy(policy, source, schema, settings, everything)
        checked = (
            own_claims(policy, source, program, settings)
            if parsed is None
            else check_claims(parsed, program, settings)
        )
        return TypedPolicy(*under(assumed, program, checked, settings), any_scale)

    def widest(columns: ColumnTypes) -> tuple[ColumnTypes, TypedPolicy, TypedPolicy]:
        """The policy with numbers of any scale, and with the narrowest types."""
        narrow = typed(columns.schema)
        if not columns.any_scale:
            return columns, narrow, narrow
        try:
            wide = typed(columns.widened(finer_scale(everything, settings)), columns.any_scale)
        except PolicyError:
            # a constant of the policy is too long for a finer scale, so no such table can be run
            columns = columns.spelled()
            wide = narrow = typed(columns.schema)
        return columns, wide, narrow

    columns, wide, narrow = widest(columns)
    inferred = tuple(columns.schema[at].name for at in sorted(columns.inferred))
    with time_limit(deadline):
        verdicts = _verdicts(wide, narrow)
        for what, other in other_types(everything, settings, types) if schema is None else ():
            with suppress(PolicyError):  # the policy cannot be run on such a table
                verdicts = _also(verdicts, what, *widest(other)[1:])
        if on_proof is not None:
            for proved in _proved(wide, verdicts):
                on_proof(proved)
        return Proof(verdicts, columns.names(), inferred)


def _proved(typed: TypedPolicy, verdicts: Sequence[Claim]) -> Iterator[ProvedClaim]:
    for claim, verdict in zip(typed.claims, verdicts, strict=True):
        if verdict.verdict is ClaimVerdict.PROVED and claim.assertion is not None:
            yield ProvedClaim(verdict, claim.assertion, typed.program, _used(claim), typed.any_scale)


def _also(verdicts: Sequence[Claim], what: str, wide: TypedPolicy, narrow: TypedPolicy) -> tuple[Claim, ...]:
    """The verdicts, but what is proved has to be proved for other tables as well, if it fits them."""
    proved = (at for at, claim in enumerate(verdicts) if claim.verdict is ClaimVerdict.PROVED)
    asked = [at for at in proved if wide.claims[at].assertion is not None]
    found = list(verdicts)
    for at, claim in _verdicts_on(wide, narrow, asked).items():
        if claim.verdict is not ClaimVerdict.PROVED:
            found[at] = replace(claim, reason=f"{claim.reason}\n{what}")
    return tuple(found)


def _with_claims(
    policy: tree.Program, claims: Iterable[ParsedClaim], beside: Iterable[tree.Program]
) -> tree.Program:
    """The first use of a column decides its type, so that what is claimed of the final table comes last."""
    programs = (policy, *beside, *(claim.program() for claim in claims))
    requirements = tuple(requirement for program in programs for requirement in program.requirements)
    return tree.Program(requirements, (), policy.span)


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


def _verdicts(wide: TypedPolicy, narrow: TypedPolicy) -> tuple[Claim, ...]:
    found = _verdicts_on(wide, narrow, range(len(wide.claims)))
    return tuple(found[at] for at in range(len(wide.claims)))


def _verdicts_on(wide: TypedPolicy, narrow: TypedPolicy, claims: Iterable[int]) -> dict[int, Claim]:
    """Claims that rest on the same checks share a prover."""
    groups: dict[frozenset[int], list[int]] = defaultdict(list)
    for at in claims:
        groups[_used(wide.claims[at])].append(at)
    return {
        at: verdict for known, group in groups.items() for at, verdict in _judge(wide, narrow, group, known)
    }


def _used(claim: CheckedClaim) -> frozenset[int]:
    """The known checks that a proof may use: for the claim of a check, not more than the first few."""
    return frozenset(sorted(claim.known)[:MOST_CHECKS]) if claim.is_of_check else claim.known


def _judge(
    wide: TypedPolicy, narrow: TypedPolicy, group: Sequence[int], known: frozenset[int]
) -> Iterator[tuple[int, Claim]]:
    asked = [at for at in group if wide.claims[at].assertion is not None]
    yield from ((at, _without_types(wide.claims[at], wide.program)) for at in group if at not in asked)
    for at, judgement in Judge(wide, narrow, asked, known).judgements():
        yield at, _claim(wide.claims[at], judgement)


def _claim(claim: CheckedClaim, judgement: Judgement) -> Claim:
    if judgement.refuted is None:
        verdict = ClaimVerdict.PROVED if judgement.is_proved else ClaimVerdict.UNDECIDED
        return Claim(claim.text, claim.line, verdict, judgement.reason)
    counterexample = _counterexample(*judgement.refuted)
    size = len(counterexample.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    reason = f"{found}\n{judgement.reason}"
    return Claim(claim.text, claim.line, ClaimVerdict.REFUTED, reason, counterexample)


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
