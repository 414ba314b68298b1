"""The search for a table and a trace on which a claim fails. Each is replayed through `semantics` first.

A table on which a known check is violated (D31), or on which a map has no label for a value (X2), is no
counterexample: nothing is written for it.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from acompass.checked.effects import process_in
from acompass.checked.program import Assertion, Program, Quantifier
from acompass.prove.candidate_tables import Candidate, CandidateTables
from acompass.prove.chances import Chances
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.facts import class_assertion
from acompass.prove.prover import Prover
from acompass.prove.shrink import shrunk, with_simpler_trace
from acompass.prove.witness import Record, Witness, play, replay
from acompass.semantics import holds

#: tables tried for each claim
TRIES = 1_500
#: the total of records times requirements, so that the search through a long policy ends
BUDGET = 60_000


#: by claim, a run on which it fails, with the chances that it was found with
_Found: TypeAlias = dict[int, tuple[Witness, Chances]]


class Refuter:
    """`exhausted` says why the last search ended early, if it did."""

    def __init__(self, prover: Prover, budget: int = BUDGET):
        self.exhausted = ""
        self._budget = budget
        self._prover = prover
        self._program: Program = prover.program
        self._known: Sequence[frozenset[int]] = ()
        self._tables = CandidateTables(prover, random.Random(0))

    def refute(
        self, claims: Sequence[Assertion], known: Sequence[frozenset[int]] | None = None
    ) -> list[Witness | None]:
        """For each claim, the smallest witness found against it.

        For each claim, `known` are the checks that hold; by default, those that the prover knows.
        """
        found = self._find(claims, known)
        return [self._smallest(at, found.get(at), claim) for at, claim in enumerate(claims)]

    def is_refuted(self, claims: Sequence[Assertion]) -> list[bool]:
        """For each claim, whether a table on which it fails was found."""
        found = self._find(claims)
        return [at in found for at in range(len(claims))]

    def _find(self, claims: Sequence[Assertion], known: Sequence[frozenset[int]] | None = None) -> _Found:
        self._known = known or [self._prover.known] * len(claims)
        found: _Found = {}
        try:
            with bounded():
                self._find_all(claims, found)
        except Exhausted as exhausted:
            self.exhausted = str(exhausted)
        return found

    def _find_all(self, claims: Sequence[Assertion], found: _Found) -> None:
        for at, claim in enumerate(claims):
            if claim.quantifier is Quantifier.SOME:
                self._try(([], {}), {at: claim}, found)
            elif process_in(claim) is None:
                self._try_single(at, claims, found)
        self._search(claims, found)

    def _try_single(self, at: int, claims: Sequence[Assertion], found: _Found) -> None:
        target = self._prover.violating(self._prover.last, claims[at])
        for _ in range(8):
            case = self._tables.single(target) if at not in found else None
            if case is None:
                return
            records, chances = case
            for size in (1, self._tables.largest_size):
                if at not in found:
                    self._try((records * size, chances), {at: claims[at]}, found)

    def _search(self, claims: Sequence[Assertion], found: _Found) -> None:
        targets = {at: self._target(claim) for at, claim in enumerate(claims) if at not in found}
        targets = {at: target for at, target in targets.items() if target is not EMPTY}
        budget = self._budget
        for _ in range(TRIES):
            for at in [at for at in targets if at not in found]:
                case = self._tables.some(targets[at])
                budget -= len(case[0]) * (len(self._program.requirements) + 1)
                self._try(case, {other: claims[other] for other in targets if other not in found}, found)
                if budget < 0:
                    return

    def _target(self, claim: Assertion) -> Diagram:
        """The final records on which the claim can fail."""
        last = self._prover.last
        classes = class_assertion(self._prover.variables, last, claim)
        if classes is None:
            return self._prover.violating(last, claim)
        care = self._prover.reachability.reach[last]
        violating = self._prover.reachability.laws.can_violate(classes, care)
        return self._prover.diagrams.intersection(care, violating)

    def _try(self, case: Candidate, claims: dict[int, Assertion], found: _Found) -> None:
        records, chances = case
        witness = play(self._program, records, chances)
        if witness is not None:
            failing = [at for at, claim in claims.items() if self._fails(at, claim, witness)]
            found.update(dict.fromkeys(failing, (witness, chances)))

    def _fails(self, at: int, claim: Assertion, witness: Witness) -> bool:
        return not witness.violated & self._known[at] and not holds(list(witness.left), claim)

    def _smallest(self, at: int, found: tuple[Witness, Chances] | None, claim: Assertion) -> Witness | None:
        """The witness with fewer records, simpler values and a simpler trace; None if it does not replay."""
        if found is None:
            return None
        witness, chances = found

        def with_same_chances(records: Sequence[Record]) -> Witness | None:
            return self._failing(at, claim, play(self._program, records, chances))

        def with_trace(records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
            return self._failing(at, claim, replay(self._program, records, trace))

        try:
            witness = shrunk(witness, with_same_chances, self._tables.simpler)
            witness = with_simpler_trace(witness, with_trace)
        except Exhausted:
            pass  # a counterexample that could be smaller is a counterexample
        return with_trace(witness.records, witness.trace)

    def _failing(self, at: int, claim: Assertion, witness: Witness | None) -> Witness | None:
        return witness if witness is not None and self._fails(at, claim, witness) else None
