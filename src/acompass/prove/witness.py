"""A table and a trace with the table that the policy leaves of them, as `semantics` says."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.program import Program
from acompass.checked.types import Value
from acompass.semantics import Trace, pref, run_program

Record: TypeAlias = tuple[Value, ...]

#: what the trace goes on with where it is too short
_MIDDLE = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Witness:
    """`trace` is what was consumed, no more."""

    records: tuple[Record, ...]
    trace: tuple[Fraction, ...]
    left: tuple[Record, ...]


def replay(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Witness:
    rho = Trace(lambda i: trace[i - 1] if i <= len(trace) else _MIDDLE)
    outcome = run_program(program, records, rho)
    return Witness(tuple(records), pref(outcome.trace_used, rho), tuple(outcome.records))
