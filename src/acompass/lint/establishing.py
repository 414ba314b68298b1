"""AC503: an action that leaves its own assertion violated."""

from collections.abc import Iterator

from acompass.checked.effects import generalize_of, is_always, is_certain, process_of
from acompass.checked.program import Program, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import EMPTY
from acompass.prove.prover import Prover
from acompass.prove.reachability import Transition, record_condition
from acompass.prove.refute import Refuter

#: records times requirements that the search for a counterexample may cost
BUDGET = 20_000


def not_established(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """Not where a later line makes the assertion true, such as the REJECT at the end of a cascade."""
    for at, transition in enumerate(policy.transitions):
        if (
            _should_establish(transition)
            and policy.prover.fits(transition.requirement.assertion, at, at + 1)
            and _stays_violated(policy, at, transition)
            and not policy.holds_later(at)
        ):
            yield policy.finding("AC503", _message(transition), at, _help(transition))


def _should_establish(transition: Transition) -> bool:
    """A REJECT of all that violates the assertion needs no test. With a probability, an assertion about
    records only says which of them the coin is for, but one about classes is meant to be true."""
    requirement = transition.requirement
    if not is_certain(requirement.action):
        return process_of(requirement) is not None
    return transition.column is not None and not is_always(requirement)


def _message(transition: Transition) -> str:
    if not is_certain(transition.requirement.action):
        return "with a probability, the action does not make the assertion true"
    assert transition.column is not None
    name = transition.requirement.after[transition.column].name
    return f"writing `{name}` does not make the assertion true"


def _help(transition: Transition) -> str:
    if not is_certain(transition.requirement.action):
        return "remove WITH PROBABILITY, or add THEN REJECT"
    if generalize_of(transition.requirement.action) is not None:
        return "add THEN REJECT, or a coarser step"
    return "write a value that satisfies it, or use REJECT"


def _stays_violated(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    if transition.may is EMPTY:
        return False
    if process_of(transition.requirement) is not None:
        return assertion.quantifier is Quantifier.EACH and _leaves_violating_classes(policy, at, transition)
    diagrams = policy.prover.diagrams
    scope, condition = record_condition(policy.prover.variables, at + 1, assertion)
    rewritten = policy.prover.reachability.rewritten(transition)
    if assertion.quantifier is Quantifier.SOME:
        return diagrams.intersection(rewritten, diagrams.intersection(scope, condition)) is EMPTY
    return diagrams.intersection(rewritten, diagrams.difference(scope, condition)) is not EMPTY


def _leaves_violating_classes(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    """The assertion is not proved after the requirement, and refuted for the requirement alone."""
    assertion = transition.requirement.assertion
    if policy.prover_of(assertion).attempt(assertion, at + 1).is_proof:
        return False
    alone = Program(transition.requirement.before, (transition.requirement,), frozenset())
    (is_refuted,) = Refuter(Prover(alone, (assertion,)), BUDGET).is_refuted([assertion])
    return is_refuted
