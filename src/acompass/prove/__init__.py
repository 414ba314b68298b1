"""Static verification: what a policy guarantees of every table, before it sees one.

It branches off `checked`: nothing of the planner or the engines is imported here.
"""

from acompass.prove.policy import prove_policy
from acompass.prove.proof import Claim, Counterexample, Proof, Verdict

__all__ = [
    "Claim",
    "Counterexample",
    "Proof",
    "Verdict",
    "prove_policy",
]
