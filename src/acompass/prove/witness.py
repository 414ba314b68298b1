"""A table, a trace, and the table that the policy makes of them according to `semantics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.effects import process_in
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Assertion, Program, Quantifier, Requirement
from acompass.checked.types import Value
from acompass.prove.chances import Chance, Chances
from acompass.prove.columns import columns_of
from acompass.prove.effort import require_time
from acompass.semantics import (
    Bag,
    Trace,
    affected_bag,
    convert_types,
    holds,
    pref,
    run_program,
    trace_of_values,
)
from acompass.semantics.requirements import NoLabel, act

Record: TypeAlias = tuple[Value, ...]

#: answers that are remembered at a time
MOST_REMEMBERED = 200_000
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


class Player:
    """Runs one policy on many small tables. The search for counterexamples spends its time here, so it is
    remembered which values violate an assertion about records. What is shown has been replayed."""

    def __init__(self, program: Program):
        self.program = program
        self._read = [_read_by_record(requirement.assertion) for requirement in program.requirements]
        self._violating: dict[tuple[Value, ...], bool] = {}

    def play(self, records: Sequence[Record], chances: Chances) -> Witness | None:
        """The run in which coins and draws show what the chances say. None as for `replay`."""
        require_time()
        bag, trace, violated = list(records), list[Fraction](), list[int]()
        distinct = list(dict.fromkeys(bag))
        for step, requirement in enumerate(self.program.requirements):
            if not self._holds(step, bag, distinct):
                violated.append(step)
                try:
                    bag, own = _performed(requirement, bag, chances.get(step))
                except NoLabel:
                    return None
                trace += own
            elif requirement.before == requirement.after:
                continue
            else:
                bag = convert_types(bag, requirement.before, requirement.after)
            distinct = list(dict.fromkeys(bag))
        return Witness(tuple(records), tuple(trace), tuple(bag), frozenset(violated))

    def _holds(self, step: int, bag: Bag, distinct: Bag) -> bool:
        """Of equal records, only one is asked."""
        read = self._read[step]
        if read is None:
            return holds(bag, self.program.requirements[step].assertion)
        return not any(self._violates(step, record, read) for record in distinct)

    def _violates(self, step: int, record: Record, read: Sequence[int]) -> bool:
        key = (step, *[record[column] for column in read])
        found = self._violating.get(key)
        if found is None:
            if len(self._violating) >= MOST_REMEMBERED:
                self._violating.clear()
            found = self._violating[key] = not holds([record], self.program.requirements[step].assertion)
        return found


def _read_by_record(assertion: Assertion) -> Sequence[int] | None:
    """The columns with which an assertion judges each record by itself; None if it does not."""
    is_about_records = assertion.quantifier is Quantifier.EACH and process_in(assertion) is None
    return sorted(columns_of(assertion)) if is_about_records else None


def _performed(requirement: Requirement, bag: Bag, chance: Chance | None) -> tuple[Bag, list[Fraction]]:
    """A requirement that is violated, performed (Figure 11), and what it consumes of the trace."""
    converted = convert_types(bag, requirement.before, requirement.after)
    if requirement.action is None:
        return converted, []
    affected = affected_bag(bag, requirement.assertion)
    own = [] if chance is None else chance.trace(requirement.action, len(affected))
    left, _ = act(requirement.action, requirement.after, converted, trace_of_values(own), affected)
    return left, own
