"""Require that a verdict on columns is true for all small tables."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, assert_never

from acompass.language.program.program import Program
from acompass.reason.privacy.answer import BITS, ColumnPrivacy, ColumnVerdict, Weights, Witness
from acompass.reason.privacy.mentions import Undecided
from acompass.reason.privacy.proof import column_privacy
from acompass.reason.privacy.representatives import Domain
from acompass.semantics.core import run_program, trace_of_values
from tests.laws.pushforward import as_table
from tests.reason.privacy.enumeration import Laws, Truth

#: values in addition to the representatives of the prover
_USUAL: dict[str, tuple[Any, ...]] = {"d": ("a", "b", "bz"), "a": (0, 2)}


def require_true(program: Program, columns: frozenset[int], *, thorough: bool = False) -> ColumnPrivacy:
    """The answer, after comparing it with all tables of at most two records and with its own witness.

    Unless `thorough`, the other columns have one value of each kind.
    """
    (answer,) = column_privacy(program, [columns])
    match answer.verdict:
        case ColumnVerdict.EXACT | ColumnVerdict.AT_MOST:
            _require_ratio(program, columns, answer, thorough)
        case ColumnVerdict.NONE:
            assert answer.witness is not None
            assert answer.witness.ratio is None
        case ColumnVerdict.UNDECIDED:
            assert answer.reason
        case _:
            assert_never(answer.verdict)
    if answer.witness is not None:
        require_replayed(program, columns, answer.witness)
    return answer


def _require_ratio(program: Program, columns: frozenset[int], answer: ColumnPrivacy, thorough: bool) -> None:
    """The largest ratio is at most the claimed one, and equal if the witness is small enough to be enumerated."""
    values = _values(program, columns, answer.witness, thorough)
    largest = Truth(program, values).largest(columns, most=2)
    with_seed = Truth(program, values, BITS).largest(columns, most=1)
    assert _is_at_most(largest, answer.ratio), (largest, answer)
    assert _is_at_most(with_seed, answer.seed_ratio), (with_seed, answer)
    if answer.verdict is ColumnVerdict.EXACT:
        size = len(answer.witness.records) if answer.witness is not None else 0
        assert largest == answer.ratio or size > 2, (largest, answer)
        assert with_seed == answer.seed_ratio or size > 1, (with_seed, answer)


def _is_at_most(largest: Fraction | None, ratio: Fraction | None) -> bool:
    return largest is not None and ratio is not None and largest <= ratio


def _values(program: Program, columns: frozenset[int], witness: Witness | None, thorough: bool) -> list[Sequence[Any]]:
    """The prover's representatives and the values of the witness; if `thorough`, also values that the prover may
    consider equivalent."""
    domain = Domain(program.schema, program.requirements)
    found: list[Sequence[Any]] = []
    for column, named in enumerate(program.schema):
        usual = _USUAL[named.name]
        shown = () if witness is None else [r[column] for r in (*witness.records, *witness.neighbour)]
        try:
            known = domain.representatives(column)
        except Undecided:
            found.append(tuple(dict.fromkeys((*usual, *shown))))
        else:
            own = known.values if thorough or column in columns else known.one_of_each
            found.append(tuple(dict.fromkeys((*own, *shown, *(usual if thorough else ())))))
    return found


def require_replayed(program: Program, columns: frozenset[int], witness: Witness) -> None:
    """The tables are neighbors, each trace leads to the output, and the output has these probabilities."""
    (one, *rest), (other, *same) = witness.records, witness.neighbour
    assert rest == same
    assert {c for c, (a, b) in enumerate(zip(one, other, strict=True)) if a != b} <= columns
    require_run(program, witness)
    bits = BITS if witness.weights is Weights.SEED else None
    output = None if witness.left is None else tuple(sorted(witness.left, key=repr))
    for table, share in zip((witness.records, witness.neighbour), witness.probabilities, strict=True):
        assert Laws(program, bits).of(as_table(program.schema, table)).get(output, 0) == share


def require_run(program: Program, witness: Witness) -> None:
    """Each trace leads to the output."""
    for table, trace in zip((witness.records, witness.neighbour), witness.traces, strict=True):
        if trace is not None and witness.left is not None:
            left = run_program(program, table, trace_of_values(map(Fraction, trace))).records
            names = [column.name for column in program.final_schema]
            kept = [names.index(column.name) for column in witness.left_schema]
            assert sorted(tuple(r[c] for c in kept) for r in left) == sorted(witness.left)
