"""A table, a trace, and the table that the policy makes of them according to `semantics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.effects import process_in
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program, Requirement
from acompass.checked.types import Value
from acompass.prove.chances import Chance, Chances
from acompass.prove.effort import require_time
from acompass.semantics import (
    Trace,
    affected_bag,
    convert_types,
    holds,
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
    """The run in which coins and draws show what the chances say. None as for `replay`.

    The search for counterexamples spends its time here: an assertion that holds is asked only once, and of
    equal records only one.
    """
    require_time()
    bag, trace, violated = list(records), list[Fraction](), list[int]()
    distinct = list(dict.fromkeys(bag))
    for step, requirement in enumerate(program.requirements):
        is_about_records = process_in(requirement.assertion) is None
        if holds(distinct if is_about_records else bag, requirement.assertion):
            if requirement.before == requirement.after:
                continue
            bag = convert_types(bag, requirement.before, requirement.after)
        else:
            own = _consumed(requirement, bag, chances.get(step))
            try:
                bag, _, _ = perform_requirement(requirement, bag, trace_of_values(own))
            except Unlabelled:
                return None
            trace += own
            violated.append(step)
        distinct = list(dict.fromkeys(bag))
    return Witness(tuple(records), tuple(trace), tuple(bag), frozenset(violated))


def _consumed(requirement: Requirement, bag: list[Record], chance: Chance | None) -> list[Fraction]:
    """What a requirement that is violated consumes of the trace."""
    if chance is None:
        return []
    return chance.trace(requirement.action, len(affected_bag(bag, requirement.assertion)))
