"""A proof as JUnit: one case per claim, with a failure unless it is proved."""

from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.report.junit.document import Case, junit
from acompass.report.text.proof import claim_text
from acompass.report.words import policy_line


def proof_to_junit(proof: Proof, policy: str) -> str:
    return junit(policy, [claim_case(claim) for claim in proof.claims])


def claim_case(claim: Claim) -> Case:
    place = "claim" if claim.line is None else f"line {claim.line}"
    name = f"{place}: {policy_line(claim.text)}"
    if claim.verdict is ClaimVerdict.PROVED:
        return Case(name)
    first, *_ = claim.reason.splitlines() or [""]
    return Case(name, "failure", claim.verdict, f"{claim.verdict}: {first}", claim_text(claim))
