"""AC501 and AC502: a requirement that no table can violate, or none that the lines before it leave."""

from collections.abc import Iterator

from acompass.checked.effects import is_always, process_in
from acompass.checked.program import Assertion, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import ALL, EMPTY
from acompass.prove.facts import class_assertion
from acompass.prove.reachability import Transition


def never_violated(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, transition in enumerate(policy.transitions):
        if is_always(transition.requirement):
            continue
        if _always_holds(policy, at, transition):
            if not policy.is_first_step(at):
                continue
            message = "no table can violate this requirement"
            yield policy.finding(
                "AC501", message, at, "remove it, or correct its condition", fixes=policy.removal(at)
            )
        elif transition.requirement.action is not None and _holds_before(policy, at, transition):
            yield _redundant(policy, at)


def _always_holds(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    prover = policy.prover
    if assertion.quantifier is Quantifier.SOME:
        return transition.may is EMPTY and transition.care is not EMPTY
    classes = class_assertion(prover.variables, at, assertion)
    if classes is None:
        return prover.refused(at, assertion) is EMPTY
    laws = prover.reachability.laws
    return all(any(laws.follows(fact, ALL) for fact in part or ()) for part in classes.parts)


def _holds_before(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    return (
        assertion.quantifier is Quantifier.EACH
        and policy.prover_of(assertion).attempt(assertion, at).is_proof
    )


def _redundant(policy: InspectedPolicy, at: int) -> Diagnostic:
    assertion = policy.program.requirements[at].assertion
    message = "the lines before leave nothing that violates this requirement"
    cause = _cause(policy, assertion, at)
    also = () if cause is None else (policy.label(cause, "leaves nothing that violates it"),)
    return policy.finding("AC502", message, at, "remove it, or move it up", also, policy.removal(at))


def _cause(policy: InspectedPolicy, assertion: Assertion, at: int) -> int | None:
    if process_in(assertion) is not None:
        attempt = policy.prover_of(assertion).attempt(assertion, at)
        return max(attempt.passed, default=None)
    since = policy.reasons_of(assertion).unchanged_since(assertion, at)
    return since - 1 if since > 0 else None
