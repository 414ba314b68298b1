"""Which counts of the table before are withheld from a distribution.

A reader knows the released table, so a count before tells by how much a value's count changed. A change of 1
to SMALLEST - 1 records is a small count. It must not be computable, neither directly nor by subtracting the
shown counts from the total.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from acompass.measures import SMALLEST, Persons


@dataclass(frozen=True, slots=True)
class Pair:
    """The counts of a bar, or of all records without a bar, before and in the released table."""

    before: Persons
    after: Persons

    @property
    def change(self) -> Persons:
        return self.before - self.after


def shown_before(bars: Sequence[Pair], other: Pair) -> tuple[list[Persons | None], Persons | None]:
    """The counts before, None where they are withheld: one per bar, and that of the other records.

    The total is known, so the sum over the withheld bars and the other records is known as well. As long as
    they changed by a small count together, further bars are withheld, those that changed least first.
    """
    withheld = {i for i, bar in enumerate(bars) if _is_small(bar.change) or _is_small(bar.before)}
    while not _is_safe([bars[i] for i in withheld], other):
        candidates = [i for i in range(len(bars)) if i not in withheld]
        if not candidates:
            break
        withheld.add(min(candidates, key=lambda i: (bars[i].change == 0, abs(bars[i].change))))
    counts = [None if i in withheld else bar.before for i, bar in enumerate(bars)]
    hides_other = withheld or _is_small(other.before) or _is_small(other.change)
    return counts, None if hides_other else other.before


def _is_safe(withheld: Sequence[Pair], other: Pair) -> bool:
    """A reader may know from the policy which counts can only grow, so both directions are considered."""
    pool = (*withheld, other)
    lost = sum(max(pair.change, 0) for pair in pool)
    gained = sum(max(-pair.change, 0) for pair in pool)
    before = sum(pair.before for pair in withheld) + other.before
    return not (_is_small(lost) or _is_small(gained) or (withheld and _is_small(before)))


def _is_small(count: Persons) -> bool:
    return -SMALLEST < count < SMALLEST and count != 0
