"""Two policies side by side: whether they are equivalent, and what the new one releases that the old did not.

This package builds on `prove` and `privacy`, and imports nothing of the planner or the engines.
"""

from acompass.compare.answer import Comparison, Difference, Impact, Released, Written
from acompass.compare.flow import compare_policies

__all__ = ["Comparison", "Difference", "Impact", "Released", "Written", "compare_policies"]
