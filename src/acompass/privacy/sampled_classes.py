"""Sampling, then a k: the (ε, δ) of a policy for one record more or less. docs/privacy-proofs.md, section 1."""

from decimal import Decimal
from fractions import Fraction

from acompass.checked.program import Program
from acompass.privacy.table_answer import Refusal, TablePrivacy


def table_privacy(program: Program, epsilon: Fraction | Decimal) -> TablePrivacy | Refusal:
    """The privacy of the table that the program leaves, as a bag; a refusal where nothing can be claimed."""
    return Refusal(None, "not yet written")
