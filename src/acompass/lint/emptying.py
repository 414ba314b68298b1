"""AC510: a REJECT that can remove every record of a table. A sample (X5) is not meant to."""

from collections.abc import Iterator

from acompass.checked.effects import drops_records, is_always, is_certain, process_of
from acompass.checked.program import Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import EMPTY
from acompass.prove.reachability import Transition


def empties_the_table(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, transition in enumerate(policy.transitions):
        if (
            drops_records(transition.requirement.action)
            and is_certain(transition.requirement.action)
            and transition.care is not EMPTY
            and _can_affect_all(policy, transition)
        ):
            message = "this REJECT removes every record"
            if not _must_affect_all(policy, transition):
                message += " of a table that violates the assertion"
            yield policy.finding("AC510", message, at, _help(transition))


def _can_affect_all(policy: InspectedPolicy, transition: Transition) -> bool:
    if transition.may is EMPTY:
        return False
    if transition.requirement.assertion.quantifier is Quantifier.SOME:
        return True
    process = process_of(transition.requirement)
    if process is not None and not process.group_by:
        return policy.prover.diagrams.difference(transition.care, transition.scope) is EMPTY
    return _must_affect_all(policy, transition)


def _must_affect_all(policy: InspectedPolicy, transition: Transition) -> bool:
    return policy.prover.diagrams.difference(transition.care, transition.must) is EMPTY


def _help(transition: Transition) -> str:
    if is_always(transition.requirement):
        return "replace ALWAYS with the assertion that records have to satisfy"
    if transition.requirement.assertion.quantifier is Quantifier.SOME:
        return "use EACH to remove only the records that violate it, or omit the action to check"
    process = process_of(transition.requirement)
    if process is None:
        return "correct the condition, which no record satisfies"
    if process.group_by:
        return "correct the condition, which no class satisfies"
    return "add GROUP BY to remove only the classes that violate it"
