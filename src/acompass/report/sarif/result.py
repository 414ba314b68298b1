"""A check as SARIF: one result per violated requirement, at its line in the policy."""

from typing import Any

from acompass.report.sarif.document import log, result, rule
from acompass.report.words import violation
from acompass.result import Result

_VIOLATED = "requirement-violated"
_RULE = rule(
    _VIOLATED,
    "a requirement of the policy is violated",
    "`acompass run` performs the actions of a policy. `acompass check --show 3` shows violating records.",
)


def to_sarif(checked: Result, policy: str) -> dict[str, Any]:
    violated = [outcome for outcome in checked.requirements if outcome.is_violated]
    return log(
        [_RULE],
        [
            result(_VIOLATED, "error", violation(outcome), policy, {"startLine": outcome.line})
            for outcome in violated
        ],
    )
