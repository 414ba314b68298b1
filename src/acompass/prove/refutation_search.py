"""The search for tables on which claims fail.

It is for the policy with small numbers in place of those that counts are compared with, so it costs the same
for every k. A table that it finds is given its real size and run through the policy as it is.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from acompass.checked.effects import process_in
from acompass.checked.program import Assertion, Quantifier
from acompass.prove.blocks import real_size, records_of
from acompass.prove.candidate_tables import MOST_RECORDS, Candidate, CandidateTables
from acompass.prove.close_tables import CloseTables
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import class_assertion
from acompass.prove.origins import Target
from acompass.prove.prover import Prover
from acompass.prove.witness import Player, Witness

#: tables tried for each claim, and those of a single record
TRIES = 2_500
SINGLES = 8
#: records times requirements that tables may cost in their real size
REAL_BUDGET = 400_000
#: how often a table is changed that comes close to a counterexample
CHANGED = 0.5


@dataclass(frozen=True, slots=True)
class Run:
    """A candidate, and the run of the policy on it in its real size."""

    candidate: Candidate
    witness: Witness


class RefutationSearch:
    """`found` has a run for each claim that fails, `too_large` the claims that could fail on a table with
    more records than are tried. For each claim, `known` are the checks that hold; `budget` is the total of
    records times requirements, so that the search through a long policy ends."""

    def __init__(
        self, prover: Prover, claims: Sequence[Assertion], known: Sequence[frozenset[int]], budget: int
    ):
        rng = random.Random(0)
        self.tables = CandidateTables(prover, rng)
        self.found: dict[int, Run] = {}
        self.too_large: set[int] = set()
        self._rng = rng
        self._prover = prover
        self._claims = claims
        self._known = known
        self._budget = budget
        self._real_budget = REAL_BUDGET
        self._counts = self.tables.counts
        self.player = Player(prover.program)
        self._small_player = Player(self._counts.program(prover.program))
        self._small_claims = [self._counts.assertion(claim) for claim in claims]
        self._close = [CloseTables(each) for each in known]

    def run(self) -> None:
        for at, claim in enumerate(self._claims):
            if claim.quantifier is Quantifier.SOME:
                self._try(Candidate((), {}), [at])
            elif process_in(claim) is None:
                self._try_singles(at)
        targets = {at: self._target(claim) for at, claim in enumerate(self._claims) if at not in self.found}
        self._try_many(
            {at: Target(records, self._known[at]) for at, records in targets.items() if records is not EMPTY}
        )

    def _try_singles(self, at: int) -> None:
        target = Target(self._prover.violating(self._prover.last, self._claims[at]), self._known[at])
        for _ in range(SINGLES):
            candidate = self.tables.single(target)
            tables = () if candidate is None else (candidate, self.tables.repeated(candidate))
            for table in tables:
                self._try(table, [at])
                if at in self.found:
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

    def _try_many(self, targets: dict[int, Target]) -> None:
        for _ in range(TRIES):
            for at in [at for at in targets if at not in self.found]:
                candidate = self._candidate(at, targets[at])
                self._try(candidate, [other for other in targets if other not in self.found])
                if self._budget < 0:
                    return

    def _candidate(self, at: int, target: Target) -> Candidate:
        close = self._close[at].tables
        if close and self._rng.random() < CHANGED:
            return self.tables.like(self._rng.choice(close), target)
        return self.tables.some(target)

    def _try(self, candidate: Candidate, claims: Sequence[int]) -> None:
        self._budget -= self._small_size(candidate) * (len(self._prover.program.requirements) + 1)
        witness = self._play_small(candidate)
        if witness is None:
            return
        for at in claims:
            if not self._fails_small(at, witness):
                self._close[at].add(candidate, witness)
            elif self._counts.are_real:
                self.found[at] = Run(candidate, witness)
            else:
                self._try_real(at, candidate)

    def _small_size(self, candidate: Candidate) -> int:
        return sum(block.count(self._counts.of) for block in candidate.blocks)

    def _play_small(self, candidate: Candidate) -> Witness | None:
        return self._small_player.play(records_of(candidate.blocks, self._counts.of), candidate.chances)

    def _fails_small(self, at: int, witness: Witness | None) -> bool:
        claim, known = self._small_claims[at], self._known[at]
        return witness is not None and self.tables.loadable.refutes(witness, claim, known)

    def _try_real(self, at: int, candidate: Candidate) -> None:
        """Give the table its real size, with no more records than the claim needs to fail."""
        smaller = self._with_smaller_blocks(at, candidate)
        if smaller.size > MOST_RECORDS:
            self.too_large.add(at)
        for each in (smaller, candidate):
            if at not in self.found and each.size <= MOST_RECORDS and self._real_budget > 0:
                witness = self._play_real(each)
                if witness is not None and self._fails(at, witness):
                    self.found[at] = Run(each, witness)

    def _fails(self, at: int, witness: Witness) -> bool:
        return self.tables.loadable.refutes(witness, self._claims[at], self._known[at])

    def _play_real(self, candidate: Candidate) -> Witness | None:
        self._real_budget -= candidate.size * (len(self._prover.program.requirements) + 1)
        return self.player.play(records_of(candidate.blocks, real_size), candidate.chances)

    def _with_smaller_blocks(self, at: int, candidate: Candidate) -> Candidate:
        """For each block in turn, the smallest size with which the claim fails, in small numbers."""
        for number in reversed(range(len(candidate.blocks))):
            for smaller in self.tables.with_smaller_block(candidate, number):
                if self._fails_small(at, self._play_small(smaller)):
                    candidate = smaller
                    break
        return candidate
