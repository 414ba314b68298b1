"""What the two policies write for a table and a trace, according to `semantics`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.program import Program
from acompass.checked.types import remaining
from acompass.compare.answer import Difference, Written
from acompass.compare.expressions import shown
from acompass.compare.pairs import Pair
from acompass.prove.claims import check_steps
from acompass.prove.policy import decimal_text
from acompass.prove.witness import Record, Witness, replay

Trace: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """`written` is None if nothing is, `used` what the run has consumed of the trace."""

    written: Written | None
    used: Trace


def run_of(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Run:
    """A trace that is too short goes on with 1/2."""
    witness = replay(program, records, trace)
    if witness is None:
        return Run(None, ())
    return Run(_written(program, witness), witness.trace)


def _written(program: Program, witness: Witness) -> Written | None:
    if witness.violated & check_steps(program):
        return None
    kept = remaining(program.final_schema)
    schema = tuple(program.final_schema[column] for column in kept)
    return Written(schema, tuple(tuple(record[column] for column in kept) for record in witness.left))


def are_different(one: Written | None, other: Written | None) -> bool:
    """A table is a bag with columns of a type; a number of a text column is also its spelling (D26)."""
    if one is None or other is None:
        return one is not other
    return one.schema != other.schema or _bag(one) != _bag(other)


def _bag(written: Written) -> Counter[tuple[object, ...]]:
    types = [column.type for column in written.schema]
    return Counter(tuple(map(shown, record, types)) for record in written.records)


def differing_trace(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
    """What the two runs consume of the trace, if they do not write the same; else None."""
    old, new = (run_of(program, records, trace) for program in pair.programs)
    return max(old.used, new.used, key=len) if are_different(old.written, new.written) else None


def difference(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Difference:
    """The table and the trace with what both write."""
    old, new = (run_of(program, records, trace).written for program in pair.programs)
    assert are_different(old, new), "only tables on which the policies differ are shown"
    return Difference(pair.schema, tuple(records), tuple(decimal_text(rho) for rho in trace), old, new)
