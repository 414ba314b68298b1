"""Shrink a witness: fewer records, simpler values, a simpler trace, as long as the claim still fails.

Blocks are made smaller first. Single records, values and draws are tried only where there are few of them.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

from acompass.checked.types import Value
from acompass.prove.witness import Record, Witness

#: the witness for these records, with coins and draws that show the same; None where the claim holds
Failing: TypeAlias = Callable[[Sequence[Record]], Witness | None]
#: the witness for these records and this trace; None where the claim holds
FailingTrace: TypeAlias = Callable[[Sequence[Record], Sequence[Fraction]], Witness | None]
#: the values of a column that are simpler than a given one, the simplest first
Simpler: TypeAlias = Callable[[int, Value], Sequence[Value]]

_SIMPLE = (Fraction(0), Fraction(1, 2))
#: more records than these are not removed one by one, and more values of a column are not changed
_FEW = 150
#: the parts of a longer trace
_PARTS = 16
#: values that are tried in place of one
MOST_SIMPLER = 10


def shrunk(
    witness: Witness, blocks: Sequence[Sequence[Record]], failing: Failing, simpler: Simpler
) -> Witness:
    """`blocks` are the records of the witness."""
    witness = _with_fewer_classes(_with_smaller_blocks(witness, blocks, failing), failing)
    if len(witness.records) <= _FEW:
        witness = _with_fewer_records(witness, failing)
    return _with_simpler_values(witness, failing, simpler)


def _with_smaller_blocks(witness: Witness, blocks: Sequence[Sequence[Record]], failing: Failing) -> Witness:
    """Records of a block are alike, so it does not matter which of them are removed."""
    left = list(blocks)
    for at, block in enumerate(blocks):
        removed = len(block)
        while removed:
            smaller = left[at][removed:] if removed <= len(left[at]) else None
            found = None if smaller is None else failing([*chain(*left[:at], smaller, *left[at + 1 :])])
            if smaller is not None and found is not None:
                witness, left[at] = found, smaller
            else:
                removed //= 2
    return witness


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


def _with_simpler_values(witness: Witness, failing: Failing, simpler: Simpler) -> Witness:
    for column, value in list(_values(witness)):
        for candidate in simpler(column, value)[:MOST_SIMPLER]:
            records = [_swapped(record, column, value, candidate) for record in witness.records]
            found = failing(records)
            if found is not None:
                witness = found
                break
    return witness


def _values(witness: Witness) -> Iterator[tuple[int, Value]]:
    """The values of each column, if they are few."""
    for column in range(len(witness.records[0]) if witness.records else 0):
        values = dict.fromkeys(record[column] for record in witness.records)
        if len(values) <= _FEW:
            yield from ((column, value) for value in values)


def _swapped(record: Record, column: int, old: Value, new: Value) -> Record:
    return (*record[:column], new, *record[column + 1 :]) if record[column] == old else record


def with_simpler_trace(witness: Witness, failing: FailingTrace) -> Witness:
    """One value after the other, or one part after the other of a long trace."""
    width = 1 if len(witness.trace) <= _FEW else -(-len(witness.trace) // _PARTS)
    for start in range(0, len(witness.trace), width):
        for rho in _SIMPLE:
            part = witness.trace[start : start + width]
            if all(own == rho for own in part):
                break
            trace = (*witness.trace[:start], *(rho for _ in part), *witness.trace[start + width :])
            found = failing(witness.records, trace)
            if found is not None:
                witness = found
                break
    return witness
