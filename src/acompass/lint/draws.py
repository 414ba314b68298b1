"""AC509: a RANDOM that can draw the value it replaces (Theorem 6).

After ALWAYS, no value is wrong. With a probability, the action is not meant to replace every such value.
"""

from collections.abc import Iterator
from typing import assert_never

from acompass.checked.effects import is_always, is_certain, random_of
from acompass.checked.program import Draw, Random
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy


def draws_what_it_replaces(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    variables, reachability = policy.prover.variables, policy.prover.reachability
    for at, transition in enumerate(policy.transitions):
        action = random_of(transition.requirement.action)
        is_meant = is_certain(transition.requirement.action) and not is_always(transition.requirement)
        if action is None or not is_meant:
            continue
        variable = variables.column(at + 1, action.column)
        affected = reachability.converted(transition, transition.may)
        if variables.diagrams.mask_of(affected, variable) & reachability.written(transition):
            name = transition.requirement.after[action.column].name
            message = f"RANDOM can draw values of `{name}` that this requirement replaces"
            yield policy.finding("AC509", message, at, _help(action, name))


def _help(action: Random | Draw, name: str) -> str:
    match action:
        case Random():
            return f"choose bounds that exclude the values of `{name}` that violate the assertion"
        case Draw():
            return f"leave out the values of `{name}` that violate the assertion"
        case _:
            assert_never(action)
