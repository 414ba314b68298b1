"""AC509: a RANDOM that can draw the value it replaces (Theorem 6). After ALWAYS, no value is wrong."""

from collections.abc import Iterator

from acompass.checked.effects import is_always, random_of
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy


def draws_what_it_replaces(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    variables, reachability = policy.prover.variables, policy.prover.reachability
    for at, transition in enumerate(policy.transitions):
        action = random_of(transition.requirement.action)
        if action is None or is_always(transition.requirement):
            continue
        variable = variables.column(at + 1, action.column)
        affected = reachability.converted(transition, transition.may)
        if variables.diagrams.mask_of(affected, variable) & reachability.written(transition):
            name = transition.requirement.after[action.column].name
            message = f"RANDOM can draw values of `{name}` that this requirement replaces"
            help_ = f"choose bounds that exclude the values of `{name}` that violate the assertion"
            yield policy.finding("AC509", message, at, help_)
