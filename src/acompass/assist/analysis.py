"""Analyze a policy that is being written: mistakes, verdicts on the table, proofs for every table.

`Context` has what is known besides the text. Each part may be unknown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from acompass.assist.document import Document, used_params
from acompass.base_session import SampleInfo
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError, Severity, Span, TableError
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.findings import unused_parameter
from acompass.language.program.program import Program
from acompass.language.program.types import Column, Names, Schema, types_by_name
from acompass.language.text import tree
from acompass.language.text.tokens import spell_probability
from acompass.language.text.walk import steps, steps_of
from acompass.measure.answer import ColumnFacts
from acompass.policy import Policy, TableRoles, as_policy, attach_text
from acompass.prove.proof import Claim
from acompass.prove.search.claims import policy_assertions
from acompass.prove.search.column_types import column_types
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy
from acompass.result import RequirementOutcome, Result
from acompass.roles import released_identifiers, undecided_columns
from acompass.session import Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The findings of a run, on a sample of the records unless `sample` is None."""

    result: Result
    spans: tuple[Span, ...]  # of the requirements and of the steps of a THEN
    sample: SampleInfo | None = None

    @property
    def by_index(self) -> dict[int, tuple[RequirementOutcome, Span]]:
        return {outcome.index: (outcome, self.spans[outcome.index - 1]) for outcome in self.result.requirements}


@dataclass(frozen=True, slots=True)
class ProofState:
    """A verdict on the assertion of the requirement with this index, for every table the policy can produce."""

    index: int
    span: Span
    claim: Claim


@dataclass(frozen=True)
class Context:
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    schema: Schema | None = None  # the table's columns with the types that the policy gives them
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)  # known without the policy
    roles: TableRoles = field(default_factory=TableRoles)
    verdicts: Verdicts | None = None
    proofs: tuple[ProofState, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column that a policy means by a name, if its type is known."""
        schema = self.schema or ()
        return _only(schema, [column.name for column in schema], name)

    def facts_about(self, name: str) -> ColumnFacts | None:
        return _only(tuple(self.facts.values()), tuple(self.facts), name)


def _only(values: Sequence[T], names: Sequence[str], name: str) -> T | None:
    found = Names(names).find(name)
    return values[found[0]] if len(found) == 1 else None


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
    return (*_find_diagnostics(policy, params, context, session), *_unused_parameters(context.params, params))


def _find_diagnostics(
    policy: Policy, params: Mapping[str, ParamValue], context: Context, session: Session | None
) -> tuple[Diagnostic, ...]:
    schema, of_roles = context.schema, tuple[Diagnostic, ...]()
    if session is not None:
        try:
            program = session.checked(policy, params=params)
            schema, of_roles = program.schema, _role_problems(program, policy, context.roles)
        except TableError as error:
            # the table cannot be read with the policy's types, so the policy is checked without it
            return (*error.diagnostics, *_refusals(policy, params, _types_from_uses(policy, params)))
        except (PolicyError, CallError) as error:
            return error.diagnostics
    refusals = _refusals(policy, params, schema or _types_from_uses(policy, params))
    try:
        return refusals or (*of_roles, *_mistakes(policy, params, schema, session))
    except TableError as error:  # a reference table is incomplete (X14)
        return (*of_roles, *error.diagnostics)


def _role_problems(program: Program, policy: Policy, roles: TableRoles) -> tuple[Diagnostic, ...]:
    if not roles.are_given:
        return ()
    return (*released_identifiers(program, policy, roles), *undecided_columns(program, roles))


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
#: the key of PSEUDONYM and SHIFT in answers that show counts only, so that an editor needs no secret
STAND_IN_KEY = "the key of answers without values"


def verdicts(
    document: Document, params: Mapping[str, ParamValue], session: Session, key: bytes | str | None = STAND_IN_KEY
) -> Verdicts:
    """Run the policy on the session's table, without writing it. Raise AcompassError if that fails."""
    policy = require_policy(document)
    result = session.preview(policy, params=used_params(document, params), seed=SEED, key=key)
    return Verdicts(result, tuple(step.span for step in steps(policy.tree)), session.sampled)


def proofs(document: Document, params: Mapping[str, ParamValue], schema: Schema | None) -> tuple[ProofState, ...]:
    """Prove each of the policy's assertions. Without a schema, its uses decide the types (D31, prove)."""
    policy = require_policy(document)
    spans = [step.span for step in steps(policy.tree)]
    claims = _prove(policy, used_params(document, params), schema, None)
    places = [at for at, _ in policy_assertions(policy.tree)]
    return tuple(ProofState(at + 1, spans[at], claim) for at, claim in zip(places, claims, strict=True))


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
        outcomes = [outcome for outcome in context.verdicts.result.requirements if outcome.index in indexes]
        yield from (verdict_words(outcome, context.verdicts.sample) for outcome in outcomes)
    yield from (proof_words(proof) for proof in context.proofs if proof.index in indexes)


def _indexes(document: Document, offset: int) -> range:
    """The indexes of the steps of the requirement at an offset."""
    for number, requirement in enumerate(document.program.requirements, start=1):
        if requirement.span.start <= offset < requirement.span.end:
            return step_indexes(document.program, number)
    return range(0)


def step_indexes(program: tree.Program, number: int | None) -> range:
    """The indexes of the steps of one requirement, or of all."""
    lengths = [len(tuple(steps_of(requirement))) for requirement in program.requirements]
    if number is None:
        return range(1, sum(lengths) + 1)
    first = 1 + sum(lengths[: number - 1])
    return range(first, first + lengths[number - 1])


def verdict_words(outcome: RequirementOutcome, sample: SampleInfo | None = None) -> str:
    """Such as `repaired: 12 of 500 records affected, REJECT`; a check without an action is violated, and its
    release is refused for that reason alone."""
    of = f"{outcome.affected:,} of {outcome.records:,} records"
    match outcome.holds:
        case True:
            verdict = f"holds for {outcome.records:,} records"
        case False:
            verdict = f"{'violated' if outcome.action is None else 'repaired'}: {of} affected"
        case None:
            verdict = f"no verdict: {of} affected"
    chance = "" if outcome.probability is None else f" with probability {spell_probability(outcome.probability)}"
    action = "" if outcome.action is None or not outcome.affected else f", {outcome.action}{chance}"
    is_broken = outcome.after == "violated" and not outcome.is_failed_check
    output = "; does not hold for the output" if is_broken else ""
    return f"{verdict}{action}{output}{'' if sample is None else f' (in a sample of {sample.records:,})'}"


def proof_words(proof: ProofState) -> str:
    claim = proof.claim
    first = claim.reason.splitlines()[0] if claim.reason else ""
    return f"{claim.verdict} for every table{f': {first}' if first else ''}"
