"""A proof as SARIF: one result per claim that is not proved, at its line in the policy."""

from typing import Any

from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.report.sarif.document import log, result, rule
from acompass.report.words import policy_line

#: the rule and the level of each verdict that is not a proof
_RULES = {ClaimVerdict.REFUTED: "claim-refuted", ClaimVerdict.UNDECIDED: "claim-undecided"}
_LEVELS = {ClaimVerdict.REFUTED: "error", ClaimVerdict.UNDECIDED: "warning"}
_KNOWN = [
    rule(
        _RULES[ClaimVerdict.REFUTED],
        "some table that the policy writes violates the assertion",
        "`acompass prove` shows a table for which the policy does not establish the assertion. Let a later "
        "line enforce it.",
    ),
    rule(
        _RULES[ClaimVerdict.UNDECIDED],
        "it is not known whether every table that the policy writes satisfies the assertion",
        "Give the types of the columns with `--types` or `--table`, or more time with `--deadline`.",
    ),
]


def proof_to_sarif(proof: Proof, policy: str) -> dict[str, Any]:
    return log(_KNOWN, [_result(claim, policy) for claim in proof.claims if claim.verdict in _RULES])


def _result(claim: Claim, policy: str) -> dict[str, Any]:
    """A claim of the call has no line of its own, so it is shown at the first."""
    message = f"{claim.verdict}: {policy_line(claim.text)}\n{claim.reason}".rstrip()
    region = {"startLine": claim.line or 1}
    return result(_RULES[claim.verdict], _LEVELS[claim.verdict], message, policy, region)
