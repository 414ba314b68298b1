"""No small change of a value's count can be computed from the counts that are shown."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

import pytest

from acompass.measure.withhold import Pair, shown_before
from acompass.measures import SMALLEST

#: more than any total below, so that the other records can always account for a change
MOST = 80

Changes = tuple[int, ...]


def _worlds(afters: Sequence[int], possible: range) -> dict[object, list[Changes]]:
    """All changes of the counts `afters`, by what a reader sees of them: counts before and their total.

    The last of `afters` is the number of other records.
    """
    seen = defaultdict(list)
    for changes in product(*[possible] * (len(afters) - 1), range(-afters[-1], MOST)):
        before = [after + change for after, change in zip(afters, changes, strict=True)]
        *bars, other = map(Pair, before, afters)
        if min(before) >= 0:
            counts, other_count = shown_before(bars, other)
            seen[(*counts, other_count, sum(before))].append(changes)
    return seen


@pytest.mark.parametrize("afters", [(24, 0), (24, 30, 0), (24, 30, 12), (12, 11, 30)])
@pytest.mark.parametrize("possible", [range(25), range(-30, 25)], ids=["only rejected", "any change"])
def test_a_reader_who_knows_the_rule_cannot_compute_a_small_change(
    afters: tuple[int, ...], possible: range
) -> None:
    for worlds in _worlds(afters, possible).values():
        if max(changes[-1] for changes in worlds) < MOST // 2:
            for bar in range(len(afters) - 1):
                changes = {world[bar] for world in worlds}
                assert len(changes) > 1 or not 0 < abs(min(changes)) < SMALLEST


def test_what_changed_much_is_shown() -> None:
    assert shown_before([Pair(60, 40), Pair(30, 30)], Pair(25, 10)) == ([60, 30], 25)
