"""Compares a table with an earlier one: how each column's distribution changed, and the information lost.

Tables are bags, so records are not paired; only distributions are compared.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from acompass.checked.types import Kind
from acompass.measure.columns import Positions
from acompass.measure.records import Records, paired_counts
from acompass.measures import Classes, ColumnChange, Comparison


def compare(
    after: Records, ours: Positions, before: Records, theirs: Positions, classes: Classes
) -> Comparison:
    """`classes` are the equivalence classes of `after`."""
    sizes = before.class_sizes(theirs.quasi_identifiers)
    records = before.persons(sum(size * number for size, number in sizes))
    return Comparison(
        records_before=records,
        records_after=classes.records,
        columns=tuple(_change(after, a, before, b) for a, b in _shared(after, before)),
        only_before=_only_in(before, after),
        only_after=_only_in(after, before),
        entropy_before=_bits(sizes),
        entropy_after=_bits(after.class_sizes(ours.quasi_identifiers)),
        discernibility=classes.discernibility + max(0, records - classes.records) * records,
    )


def _shared(after: Records, before: Records) -> list[tuple[int, int]]:
    """The positions, in both tables, of the columns that both have."""
    places = {before.schema[b].name: b for b in range(len(before.schema)) if _shown(before, b)}
    return [
        (a, places[column.name])
        for a, column in enumerate(after.schema)
        if _shown(after, a) and column.name in places
    ]


def _only_in(records: Records, other: Records) -> tuple[str, ...]:
    names = {column.name for column in other.schema}
    return tuple(column.name for column in records.schema if column.name not in names)


def _shown(records: Records, position: int) -> bool:
    return position != records.weight and records.schema[position].type.kind is not Kind.OPAQUE


def _change(after: Records, a: int, before: Records, b: int) -> ColumnChange:
    counts = paired_counts(after, before, [(a, b)])
    then = [(earlier, times) for _, earlier, times in counts if earlier]
    now = [(later, times) for later, _, times in counts if later]
    return ColumnChange(
        column=after.schema[a].name,
        distance=_distance(counts),
        values_before=sum(times for _, times in then),
        values_after=sum(times for _, times in now),
        entropy_before=_bits(then),
        entropy_after=_bits(now),
    )


def _distance(counts: Sequence[tuple[int, int, int]]) -> Fraction:
    """The total variation distance; 1 if exactly one of the tables is empty."""
    after = sum(later * times for later, _, times in counts)
    before = sum(earlier * times for _, earlier, times in counts)
    if not after or not before:
        return Fraction(int(after != before))
    moved = sum(max(0, later * before - earlier * after) * times for later, earlier, times in counts)
    return Fraction(moved, after * before)


def _bits(counts: Sequence[tuple[int, int]]) -> float:
    """The entropy of a distribution, from each count and the number of values that have it; 0 without
    records. The sum is rounded once, so that its digits do not depend on an order."""
    total = sum(n * times for n, times in counts)
    if not total:
        return 0.0
    weighted = math.fsum(times * n * math.log2(n) for n, times in counts)
    return max(0.0, math.log2(total) - weighted / total)
