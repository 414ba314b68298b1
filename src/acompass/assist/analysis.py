"""Analyze a policy that is being written: mistakes, verdicts on the table, proofs for every table.

`Context` has what is known besides the text. Each part may be unknown."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from acompass.assist.document import Document, used_params
from acompass.base_session import SampleInfo
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError, Severity, Span, TableError
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.findings import unused_parameter
from acompass.language.program.types import Schema, types_by_name
from acompass.language.text.tokens import spell_probability
from acompass.language.text.walk import steps, steps_of
from acompass.measure.answer import ColumnFacts
from acompass.policy import Policy, TableRoles, as_policy, attach_text
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample
from acompass.prove.search.claims import policy_assertions
from acompass.prove.search.column_types import column_types
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy
from acompass.result import ActionName, Note, RequirementOutcome
from acompass.session import Session


@dataclass(frozen=True, slots=True)
class RequirementState:
    """A requirement, or a step of a THEN, in a run."""

    index: int
    line: int
    span: Span
    text: str
    action: ActionName | None
    holds: bool | None
    affected: int
    records: int
    probability: Fraction | None  # of performing the action on an affected record; None if it is certain


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The findings of a run, on a sample of the records unless `sample` is None."""

    requirements: tuple[RequirementState, ...]
    records_in: int
    records_out: int
    dropped: int
    ok: bool
    notes: tuple[Note, ...]
    unnamed: tuple[str, ...]
    sample: SampleInfo | None = None


@dataclass(frozen=True, slots=True)
class ProofState:
    """A verdict on the assertion of the requirement with this index, for every table the policy can produce."""

    index: int
    line: int
    span: Span
    claim: str
    verdict: ClaimVerdict
    reason: str
    counterexample: Counterexample | None


@dataclass(frozen=True)
class Context:
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    schema: Schema | None = None  # the table's columns with the types that the policy gives them
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)  # known without the policy
    roles: TableRoles = field(default_factory=TableRoles)
    verdicts: Verdicts | None = None
    proofs: tuple[ProofState, ...] = ()


def diagnose(document: Document, context: Context, session: Session | None = None) -> tuple[Diagnostic, ...]:
    """Return syntax errors; if there are none, errors that a run would report; if there are none, probable mistakes.

    The policy is checked against the session's table, the context's schema, or the types that its uses imply.
    """
    policy = document.policy
    if policy is None:
        return document.syntax_errors
    if not policy.tree.requirements:
        return ()
    params = used_params(document, context.params)
    return (*_find_diagnostics(policy, params, context.schema, session), *_unused_parameters(context.params, params))


def _find_diagnostics(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, session: Session | None
) -> tuple[Diagnostic, ...]:
    if session is not None:
        try:
            schema = session.checked(policy, params=params).schema
        except TableError as error:
            # the table cannot be read with the policy's types, so the policy is checked without it
            return (*error.diagnostics, *_refusals(policy, params, _types_from_uses(policy, params)))
        except (PolicyError, CallError) as error:
            return error.diagnostics
    return _refusals(policy, params, schema or _types_from_uses(policy, params)) or _mistakes(
        policy, params, schema, session
    )


def _types_from_uses(policy: Policy, params: Mapping[str, ParamValue]) -> Schema:
    return column_types(policy.tree, params).schema


def _refusals(policy: Policy, params: Mapping[str, ParamValue], schema: Schema) -> tuple[Diagnostic, ...]:
    return check(policy.tree, policy.text, schema, params)[1]


def _mistakes(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, session: Session | None
) -> tuple[Diagnostic, ...]:
    types = None if schema is None else types_by_name(schema)
    occurs = None if session is None else session.occurs
    return lint_policy(policy.tree, policy.text, types, params, occurs=occurs)


def _unused_parameters(given: Mapping[str, ParamValue], used: Mapping[str, ParamValue]) -> Iterator[Diagnostic]:
    """Only warn: the line that uses the parameter may be the one that is being written."""
    for name in given:
        if name not in used:
            yield replace(unused_parameter(name), severity=Severity.WARNING)


#: the seed of RANDOM in every answer about a policy; a release has its own
SEED = "assist"


def verdicts(document: Document, params: Mapping[str, ParamValue], session: Session, seed: str = SEED) -> Verdicts:
    """Run the policy on the session's table, without writing it. Raise AcompassError if that fails."""
    policy = require_policy(document)
    result = session.preview(policy, params=used_params(document, params), seed=seed)
    spans = [step.span for step in steps(policy.tree)]
    return Verdicts(
        requirements=tuple(_state(outcome, spans[outcome.index - 1]) for outcome in result.requirements),
        records_in=result.records_in,
        records_out=result.records_out,
        dropped=result.dropped,
        ok=result.ok,
        notes=result.notes,
        unnamed=result.unnamed,
        sample=session.sampled,
    )


def _state(outcome: RequirementOutcome, span: Span) -> RequirementState:
    return RequirementState(
        index=outcome.index,
        line=outcome.line,
        span=span,
        text=outcome.text,
        action=outcome.action,
        holds=outcome.holds,
        affected=outcome.affected,
        records=outcome.records,
        probability=outcome.probability,
    )


def proofs(document: Document, params: Mapping[str, ParamValue], schema: Schema | None) -> tuple[ProofState, ...]:
    """Prove each of the policy's assertions. Without a schema, its uses decide the types (D31, prove)."""
    policy = require_policy(document)
    spans = [step.span for step in steps(policy.tree)]
    claims = _prove(policy, used_params(document, params), schema, None)
    places = [at for at, _ in policy_assertions(policy.tree)]
    return tuple(_proof(at, spans[at], claim) for at, claim in zip(places, claims, strict=True))


def _proof(at: int, span: Span, claim: Claim) -> ProofState:
    assert claim.line is not None, "the claim is an assertion of the policy"
    return ProofState(at + 1, claim.line, span, claim.text, claim.verdict, claim.reason, claim.counterexample)


def prove_claim(document: Document, params: Mapping[str, ParamValue], schema: Schema | None, claim: str) -> Claim:
    """Prove an assertion about every table the policy can produce."""
    (found,) = _prove(require_policy(document), dict(params), schema, [claim])
    return found


def _prove(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, claims: list[str] | None
) -> tuple[Claim, ...]:
    types = None if schema is None else types_by_name(schema)
    with attach_text(policy):
        return prove_policy(policy.tree, policy.text, claims, types, params).claims


def require_policy(document: Document) -> Policy:
    """Raise unless the policy parses and has requirements."""
    if document.policy is None:
        raise PolicyError(document.syntax_errors, document.text, document.path)
    return as_policy(document.policy)


def verdict_lines(document: Document, offset: int, context: Context) -> Iterator[str]:
    """For each step of the requirement at an offset, the verdict of a run; then the proofs."""
    indexes = _indexes(document, offset)
    if context.verdicts is not None:
        states = [state for state in context.verdicts.requirements if state.index in indexes]
        yield from (verdict_words(state, context.verdicts.sample) for state in states)
    yield from (proof_words(proof) for proof in context.proofs if proof.index in indexes)


def _indexes(document: Document, offset: int) -> range:
    """The indexes of the steps of the requirement at an offset."""
    first = 1
    for requirement in document.program.requirements:
        number = len(tuple(steps_of(requirement)))
        if requirement.span.start <= offset < requirement.span.end:
            return range(first, first + number)
        first += number
    return range(0)


def verdict_words(state: RequirementState, sample: SampleInfo | None = None) -> str:
    """Such as `repaired: 12 of 500 records affected, REJECT`; a check without an action is violated."""
    of = f"{state.affected:,} of {state.records:,} records"
    match state.holds:
        case True:
            verdict = f"holds for {state.records:,} records"
        case False:
            verdict = f"{'violated' if state.action is None else 'repaired'}: {of} affected"
        case None:
            verdict = f"no verdict: {of} affected"
    chance = "" if state.probability is None else f" with probability {spell_probability(state.probability)}"
    action = "" if state.action is None or not state.affected else f", {state.action}{chance}"
    return f"{verdict}{action}{'' if sample is None else f' (in a sample of {sample.records:,})'}"


def proof_words(proof: ProofState) -> str:
    first = proof.reason.splitlines()[0] if proof.reason else ""
    return f"{proof.verdict} for every table{f': {first}' if first else ''}"
