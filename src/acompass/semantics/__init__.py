"""The executable definition of the language: the paper's equations as small functions, obvious before fast.

Each cites its figure or definition. Nothing but `checked` is imported here, so no engine's or optimizer's
mistake can reach it.
"""

from acompass.checked.verdict import Verdict
from acompass.semantics.order import canonical_key, canonical_order
from acompass.semantics.programs import Outcome, check_program, run_program
from acompass.semantics.trace import TraceExhausted, random, seeded_trace

__all__ = [
    "Outcome",
    "TraceExhausted",
    "Verdict",
    "canonical_key",
    "canonical_order",
    "check_program",
    "random",
    "run_program",
    "seeded_trace",
]
