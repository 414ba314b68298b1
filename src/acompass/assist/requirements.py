"""For each requirement of a policy: what a run finds on the table, and what is proved for every table."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from acompass.assist.document import Document
from acompass.assist.parameters import used_params
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema, types_by_name
from acompass.diagnostics import PolicyError, Span
from acompass.opened import SampleInfo
from acompass.policy import Policy, as_policy, attach_text
from acompass.prove import Claim, ClaimVerdict, Counterexample, prove_policy
from acompass.prove.claims import assertions_of
from acompass.result import ActionName, Note, RequirementOutcome
from acompass.session import Session
from acompass.syntax.walk import steps

#: the draws of RANDOM in every answer about a policy; a release draws its own
SEED = "assist"


@dataclass(frozen=True, slots=True)
class RequirementState:
    """A requirement in a run. Each step of a THEN is one, and `span` is its place (X10). The action is
    performed on an affected record with a `probability`; None if it is certain (X5)."""

    index: int
    line: int
    span: Span
    text: str
    action: ActionName | None
    holds: bool | None
    affected: int
    records: int
    probability: Fraction | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a run finds. With a `sample`, it is about those records alone."""

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
    """A verdict on the assertion of the requirement with that index, about every table that a run writes."""

    index: int
    line: int
    span: Span
    claim: str
    verdict: ClaimVerdict
    reason: str
    counterexample: Counterexample | None


def verdicts(
    document: Document, params: Mapping[str, ParamValue], session: Session, seed: str = SEED
) -> Verdicts:
    """What a run of the policy finds on the session's table. Raise AcompassError if it cannot run."""
    policy = required_policy(document)
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


def proofs(
    document: Document, params: Mapping[str, ParamValue], schema: Schema | None
) -> tuple[ProofState, ...]:
    """A verdict on each of the policy's assertions. Without a schema, its uses decide the types (D31)."""
    policy = required_policy(document)
    spans = [step.span for step in steps(policy.tree)]
    claims = _proved(policy, used_params(document, params), schema, None)
    places = [at for at, _ in assertions_of(policy.tree)]
    return tuple(_proof(at, spans[at], claim) for at, claim in zip(places, claims, strict=True))


def _proof(at: int, span: Span, claim: Claim) -> ProofState:
    assert claim.line is not None, "the claim is an assertion of the policy"
    return ProofState(at + 1, claim.line, span, claim.text, claim.verdict, claim.reason, claim.counterexample)


def prove_claim(
    document: Document, params: Mapping[str, ParamValue], schema: Schema | None, claim: str
) -> Claim:
    """A verdict on any assertion about the tables that a run writes."""
    (found,) = _proved(required_policy(document), dict(params), schema, [claim])
    return found


def _proved(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, claims: list[str] | None
) -> tuple[Claim, ...]:
    types = None if schema is None else types_by_name(schema)
    with attach_text(policy):
        return prove_policy(policy.tree, policy.text, claims, types, params).claims


def required_policy(document: Document) -> Policy:
    """The policy, which must parse and have requirements."""
    if document.policy is None:
        raise PolicyError(document.syntax_errors, document.text, document.path)
    return as_policy(document.policy)
