"""Static verification: what a policy guarantees for every table, before it sees one.

This package builds on `checked` and imports nothing of the planner or the engines.
"""

from acompass.prove.policy import prove_policy
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Instead, Proof

__all__ = [
    "Claim",
    "ClaimVerdict",
    "Counterexample",
    "Instead",
    "Proof",
    "prove_policy",
]
