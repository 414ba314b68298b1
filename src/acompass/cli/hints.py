"""Print a hint to run `acompass lint` if the policy has findings."""

from typing import TYPE_CHECKING, Any

from acompass.cli.streams import print_err
from acompass.diagnostics import AcompassError

if TYPE_CHECKING:
    from acompass.policy import Policy


#: seconds that a run may wait for its hint
DEADLINE = 2


def hint(policy: "Policy", params: dict[str, Any]) -> None:
    from acompass import reasoning
    from acompass.lint import INCOMPLETE

    try:
        found = reasoning.lint(policy, params=params, deadline=DEADLINE)
    except AcompassError:
        # lint guesses the types of columns, so its errors may not be those of the policy
        return
    number = sum(finding.code != INCOMPLETE for finding in found)
    if number:
        findings = "1 finding" if number == 1 else f"{number} findings"
        print_err(f"hint: `acompass lint {policy.name}` has {findings}")
