"""A table, a trace, and the table that the policy makes of them according to `semantics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program
from acompass.checked.types import Value
from acompass.prove.chances import Chances
from acompass.semantics import (
    Trace,
    affected_bag,
    perform_requirement,
    pref,
    run_program,
    trace_of_values,
)

Record: TypeAlias = tuple[Value, ...]

#: extends a trace that is too short
_MIDDLE = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Witness:
    """`trace` has only the values that the run consumes; `violated` are the requirements that failed."""

    records: tuple[Record, ...]
    trace: tuple[Fraction, ...]
    left: tuple[Record, ...]
    violated: frozenset[int] = frozenset()


def replay(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
    """None where the run ends in an error: a map has no label for a value (X2), so nothing is written."""
    rho = Trace(lambda i: trace[i - 1] if i <= len(trace) else _MIDDLE)
    try:
        outcome = run_program(program, records, rho)
    except Unlabelled:
        return None
    violated = frozenset(at for at, verdict in enumerate(outcome.requirements) if not verdict.holds)
    return Witness(tuple(records), pref(outcome.trace_used, rho), tuple(outcome.records), violated)


def play(program: Program, records: Sequence[Record], chances: Chances) -> Witness | None:
    """The run in which coins and draws show what the chances say. None as for `replay`."""
    bag, trace, violated = list(records), list[Fraction](), list[int]()
    for step, requirement in enumerate(program.requirements):
        own: list[Fraction] = []
        if step in chances:
            affected = len(affected_bag(bag, requirement.assertion))
            own = chances[step].trace(requirement.action, affected)
        try:
            bag, _, verdict = perform_requirement(requirement, bag, trace_of_values(own))
        except Unlabelled:
            return None
        trace += own
        violated += [] if verdict.holds else [step]
    return Witness(tuple(records), tuple(trace), tuple(bag), frozenset(violated))
