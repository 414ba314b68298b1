"""One line that points at `acompass lint` where it has something to say."""

from typing import TYPE_CHECKING, Any

from acompass.cli.streams import say
from acompass.diagnostics import AcompassError

if TYPE_CHECKING:
    from acompass.policy import Policy


def hint(policy: "Policy", params: dict[str, Any]) -> None:
    from acompass import api

    try:
        found = api.lint(policy, params=params)
    except AcompassError:
        # lint guesses types where the table knows them; a guess that fails is no news about the policy
        return
    if found:
        findings = "1 finding" if len(found) == 1 else f"{len(found)} findings"
        say(f"hint: `acompass lint {policy.name}` has {findings}")
