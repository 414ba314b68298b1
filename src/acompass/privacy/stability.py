"""How far one record spreads: the stability of each requirement. docs/privacy-proofs.md, section 2."""

from acompass.checked.program import Program
from acompass.privacy.table_answer import Stability


def stability(program: Program) -> Stability:
    """The product of the requirements' stabilities bounds the policy's."""
    return Stability((), None)
