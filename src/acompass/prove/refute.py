"""The search for a table and a trace on which a claim fails; each is replayed through `semantics` before it
counts.
"""

import random
from collections.abc import Sequence
from fractions import Fraction

from acompass.checked.program import Assertion, Process, Program, Quantifier
from acompass.prove.cells import NONE, Cells
from acompass.prove.facts import fact_of
from acompass.prove.prover import Prover
from acompass.prove.shrink import shrunk
from acompass.prove.tables import Tables
from acompass.prove.witness import Record, Witness, replay
from acompass.semantics import holds

#: tables tried for a claim
TRIES = 1_500
#: records times requirements in all, so that a long policy is not searched for ever
LABOUR = 60_000


class Refuter:
    def __init__(self, prover: Prover, labour: int = LABOUR):
        self._labour = labour
        self._prover = prover
        self._program: Program = prover.program
        self._tables = Tables(prover, random.Random(0))

    def refute(self, claims: Sequence[Assertion]) -> list[Witness | None]:
        """A smallest witness found against each claim."""
        found: dict[int, Witness] = {}
        for at, claim in enumerate(claims):
            if claim.quantifier is Quantifier.SOME:
                found[at] = Witness((), (), ())
            elif not isinstance(claim.result, Process):
                self._try_single(at, claims, found)
        self._search(claims, found)
        return [self._smallest(found.get(at), claim) for at, claim in enumerate(claims)]

    def _try_single(self, at: int, claims: Sequence[Assertion], found: dict[int, Witness]) -> None:
        target = self._prover.violating(self._prover.last, claims[at])
        for _ in range(8):
            case = self._tables.single(target) if at not in found else None
            if case is None:
                return
            self._try(case, {at: claims[at]}, found)

    def _search(self, claims: Sequence[Assertion], found: dict[int, Witness]) -> None:
        targets = {at: self._target(claim) for at, claim in enumerate(claims) if at not in found}
        targets = {at: target for at, target in targets.items() if target is not NONE}
        labour = self._labour
        for _ in range(TRIES):
            for at in [at for at in targets if at not in found]:
                case = self._tables.some(targets[at])
                labour -= len(case[0]) * (len(self._program.requirements) + 1)
                self._try(case, {other: claims[other] for other in targets if other not in found}, found)
                if labour < 0:
                    return

    def _target(self, claim: Assertion) -> Cells:
        """Where a record has to end for the claim to speak of it, or to fail on it."""
        last = self._prover.last
        if not isinstance(claim.result, Process):
            return self._prover.violating(last, claim)
        diagrams = self._prover.levels.diagrams
        fact = fact_of(self._prover.levels, last, claim)
        care = self._prover.effects.reach[last]
        laws = self._prover.effects.laws
        return diagrams.both(care, laws.records_with(fact, diagrams.complement(fact.allowed), care))

    def _try(
        self,
        case: tuple[list[Record], list[Fraction]],
        claims: dict[int, Assertion],
        found: dict[int, Witness],
    ) -> None:
        records, trace = case
        witness = replay(self._program, records, trace)
        left = list(witness.left)
        found.update({at: witness for at, claim in claims.items() if not holds(left, claim)})

    def _smallest(self, witness: Witness | None, claim: Assertion) -> Witness | None:
        if witness is None:
            return None

        def fails(records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
            again = replay(self._program, records, trace)
            return None if holds(list(again.left), claim) else again

        return shrunk(witness, fails, self._tables.simpler)
