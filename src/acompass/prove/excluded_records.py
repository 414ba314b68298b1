"""The records that known checks exclude from earlier steps: whatever becomes of them, nothing is written."""

from typing import assert_never

from acompass.checked.effects import is_certain, plain_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.preimages import Preimages
from acompass.prove.reachability import Reachability, Transition


class ExcludedRecords:
    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._preimages = Preimages(reachability)
        self._diagrams = reachability.laws.diagrams

    def by_step(self) -> list[Diagram]:
        """For each step, records that no table has there of which something is written."""
        excluded = [EMPTY]
        for transition in reversed(self._reachability.transitions):
            excluded.append(self._before(excluded[-1], transition))
        return excluded[::-1]

    def _before(self, excluded: Diagram, transition: Transition) -> Diagram:
        plain = plain_of(transition.requirement.action)
        match plain:
            case None if transition.is_known:
                return self._diagrams.union(excluded, transition.must)
            case None | Drop():
                return excluded
            case Reject():
                return self._diagrams.difference(excluded, transition.may)
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                return self._before_write(excluded, transition, column)
            case _:
                assert_never(plain)

    def _before_write(self, excluded: Diagram, transition: Transition, column: int) -> Diagram:
        """Those that are excluded both as they are and as the action leaves them, as far as each can be."""
        diagrams = self._diagrams
        kept = self._preimages.surely_unwritten(excluded, transition, column)
        if is_certain(transition.requirement.action):
            kept = diagrams.union(kept, transition.must)
        saved = self._preimages.written(diagrams.complement(excluded), transition)
        return diagrams.difference(kept, diagrams.intersection(saved, transition.may))
