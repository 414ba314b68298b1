"""Static verification: what a policy guarantees of every table, before it sees one.

It branches off `checked`: nothing of the planner or the engines is imported here.
"""

from acompass.prove.as_json import proof_as_json
from acompass.prove.as_text import proof_as_text
from acompass.prove.policy import prove_policy
from acompass.prove.proof import Claim, Counterexample, Proof, Verdict

__all__ = [
    "Claim",
    "Counterexample",
    "Proof",
    "Verdict",
    "proof_as_json",
    "proof_as_text",
    "prove_policy",
]
