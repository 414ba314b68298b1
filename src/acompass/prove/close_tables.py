"""The tables that come closest to a counterexample of a claim, from which others are made."""

from collections import deque

from acompass.prove.candidate_tables import Candidate
from acompass.prove.witness import Witness

#: how many of the latest tables are kept, and of those that leave the most different records
LATEST = 6
RICHEST = 3


class CloseTables:
    """Tables on which the fewest of the checks `known` fail, and that leave records if any of these do.

    A claim about at least k fails on few records, one about at most k on many.
    """

    def __init__(self, known: frozenset[int]):
        self._known = known
        self._distance: tuple[int, bool] | None = None
        self._latest: deque[Candidate] = deque(maxlen=LATEST)
        self._richest: list[tuple[int, Candidate]] = []

    @property
    def tables(self) -> list[Candidate]:
        return [*self._latest, *(candidate for _, candidate in self._richest)]

    def add(self, candidate: Candidate, witness: Witness) -> None:
        distance = (len(witness.violated & self._known), not witness.left)
        if not candidate.blocks or (self._distance is not None and distance > self._distance):
            return
        if distance != self._distance:
            self._distance = distance
            self._latest.clear()
            self._richest.clear()
        self._latest.append(candidate)
        ranked = sorted((*self._richest, (len(set(witness.left)), candidate)), key=lambda each: -each[0])
        self._richest = ranked[:RICHEST]
