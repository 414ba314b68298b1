"""AC503: an action that leaves its own assertion violated."""

from collections.abc import Iterator

from acompass.checked.effects import process_of
from acompass.checked.program import Program, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import EMPTY
from acompass.prove.prover import Prover
from acompass.prove.reachability import Transition, record_condition
from acompass.prove.refute import Refuter

#: records times requirements that the search for a counterexample may cost
BUDGET = 3_000


def not_established(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, transition in enumerate(policy.transitions):
        column = transition.column
        if column is not None and _keeps_its_schema(transition) and _stays_violated(policy, at, transition):
            name = transition.requirement.after[column].name
            message = f"writing `{name}` does not make the assertion true"
            yield policy.finding("AC503", message, at, "write a value that satisfies it, or use REJECT")


def _keeps_its_schema(transition: Transition) -> bool:
    """Otherwise the assertion may not fit the table after the requirement."""
    return transition.requirement.before == transition.requirement.after


def _stays_violated(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    if transition.may is EMPTY:
        return False
    if process_of(transition.requirement) is not None:
        return assertion.quantifier is Quantifier.EACH and _leaves_violating_classes(policy, at, transition)
    diagrams = policy.prover.diagrams
    scope, condition = record_condition(policy.prover.variables, at, assertion)
    rewritten = policy.prover.reachability.rewritten(transition)
    if assertion.quantifier is Quantifier.SOME:
        return diagrams.intersection(rewritten, diagrams.intersection(scope, condition)) is EMPTY
    return diagrams.intersection(rewritten, diagrams.difference(scope, condition)) is not EMPTY


def _leaves_violating_classes(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    """The assertion is not proved after the requirement, and refuted for the requirement alone."""
    assertion = transition.requirement.assertion
    if policy.prover.attempt(assertion, at + 1).is_proof:
        return False
    alone = Program(transition.requirement.before, (transition.requirement,), frozenset())
    (witness,) = Refuter(Prover(alone, (assertion,)), BUDGET).refute([assertion])
    return witness is not None
