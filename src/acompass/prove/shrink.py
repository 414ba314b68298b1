"""Shrink a witness: fewer records, simpler values, a simpler trace, as long as the claim still fails."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.types import Value
from acompass.prove.witness import Record, Witness

#: the witness for these records, with coins and draws that show the same; None where the claim holds
Failing: TypeAlias = Callable[[Sequence[Record]], Witness | None]
#: the witness for these records and this trace; None where the claim holds
FailingTrace: TypeAlias = Callable[[Sequence[Record], Sequence[Fraction]], Witness | None]

_SIMPLE = (Fraction(0), Fraction(1, 2))


def shrunk(witness: Witness, failing: Failing, simpler: Callable[[int, Value], Sequence[Value]]) -> Witness:
    """`simpler` lists the values of a column that are simpler than a given one, the simplest first."""
    witness = _with_fewer_records(_with_fewer_classes(witness, failing), failing)
    return _with_simpler_values(witness, failing, simpler)


def _with_fewer_classes(witness: Witness, failing: Failing) -> Witness:
    """A check may need whole classes, whose records need not stand together."""
    for column, value in list(_values(witness)):
        rest = [record for record in witness.records if record[column] != value]
        witness = failing(rest) or witness
    return witness


def _with_fewer_records(witness: Witness, failing: Failing) -> Witness:
    size = len(witness.records)
    while size:
        for start in reversed(range(0, len(witness.records), size)):
            rest = (*witness.records[:start], *witness.records[start + size :])
            witness = failing(rest) or witness
        size //= 2
    return witness


def _with_simpler_values(
    witness: Witness, failing: Failing, simpler: Callable[[int, Value], Sequence[Value]]
) -> Witness:
    for column, value in list(_values(witness)):
        for candidate in simpler(column, value):
            records = [_swapped(record, column, value, candidate) for record in witness.records]
            found = failing(records)
            if found is not None:
                witness = found
                break
    return witness


def _values(witness: Witness) -> Iterator[tuple[int, Value]]:
    for column in range(len(witness.records[0]) if witness.records else 0):
        for value in dict.fromkeys(record[column] for record in witness.records):
            yield column, value


def _swapped(record: Record, column: int, old: Value, new: Value) -> Record:
    return (*record[:column], new, *record[column + 1 :]) if record[column] == old else record


def with_simpler_trace(witness: Witness, failing: FailingTrace) -> Witness:
    for at in range(len(witness.trace)):
        for rho in _SIMPLE:
            if at >= len(witness.trace) or witness.trace[at] == rho:
                break
            found = failing(witness.records, (*witness.trace[:at], rho, *witness.trace[at + 1 :]))
            if found is not None:
                witness = found
                break
    return witness
