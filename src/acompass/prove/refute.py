"""Counterexamples: tables and traces on which claims fail. Each is replayed through `semantics` first.

A table on which a known check is violated (D31), or on which a map has no label for a value (X2), is no
counterexample: nothing is written for it.
"""

from collections.abc import Sequence
from fractions import Fraction

from acompass.checked.program import Assertion
from acompass.prove.blocks import real_size
from acompass.prove.candidate_tables import CandidateTables
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.prover import Prover
from acompass.prove.refutation_search import RefutationSearch, Run
from acompass.prove.shrink import shrunk, with_simpler_trace
from acompass.prove.witness import Player, Record, Witness, replay

#: the total of records times requirements of a search
BUDGET = 100_000
#: the same for making one counterexample smaller
SHRINKING = 400_000


class Refuter:
    """`too_large` are the claims of the last call that could fail on a table with more records than are
    tried; `exhausted` says why its search ended early, if it did."""

    def __init__(self, prover: Prover, budget: int = BUDGET):
        self.exhausted = ""
        self._budget = budget
        self._prover = prover
        self.too_large: frozenset[int] = frozenset()

    def refute(
        self, claims: Sequence[Assertion], known: Sequence[frozenset[int]] | None = None
    ) -> list[Witness | None]:
        """For each claim, the smallest witness found against it.

        For each claim, `known` are the checks that hold; by default, those that the prover knows.
        """
        known = known or [self._prover.known] * len(claims)
        search = self._searched(claims, known)
        return [
            _Shrinker(search.player, search.tables, claim, known[at]).smallest(search.found[at])
            if at in search.found
            else None
            for at, claim in enumerate(claims)
        ]

    def is_refuted(self, claims: Sequence[Assertion]) -> list[bool]:
        """For each claim, whether a table on which it fails was found."""
        search = self._searched(claims, [self._prover.known] * len(claims))
        return [at in search.found for at in range(len(claims))]

    def _searched(self, claims: Sequence[Assertion], known: Sequence[frozenset[int]]) -> RefutationSearch:
        search = RefutationSearch(self._prover, claims, known, self._budget)
        try:
            with bounded():
                search.run()
        except Exhausted as exhausted:
            self.exhausted = str(exhausted)
        self.too_large = frozenset(search.too_large - search.found.keys())
        return search


class _Shrinker:
    """Makes the witness against one claim smaller, for as long as that costs little."""

    def __init__(self, player: Player, tables: CandidateTables, claim: Assertion, known: frozenset[int]):
        self._player = player
        self._tables = tables
        self._claim = claim
        self._known = known
        self._left = SHRINKING

    def smallest(self, run: Run) -> Witness | None:
        """The witness with fewer records, simpler values and a simpler trace; None if it does not replay."""
        chances = run.candidate.chances

        def with_same_chances(records: Sequence[Record]) -> Witness | None:
            return self._failing(self._player.play(records, chances)) if self._may_try(records) else None

        def with_trace(records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
            return self._replayed(records, trace) if self._may_try(records) else None

        blocks = [block.records(real_size) for block in run.candidate.blocks]
        witness = run.witness
        try:
            witness = shrunk(witness, blocks, with_same_chances, self._tables.simpler)
            witness = with_simpler_trace(witness, with_trace)
        except Exhausted:
            pass  # a counterexample that could be smaller is a counterexample
        return self._replayed(witness.records, witness.trace)

    def _may_try(self, records: Sequence[Record]) -> bool:
        self._left -= len(records) * (len(self._player.program.requirements) + 1)
        return self._left > 0

    def _replayed(self, records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
        return self._failing(replay(self._player.program, records, trace))

    def _failing(self, witness: Witness | None) -> Witness | None:
        if witness is None or not self._tables.loadable.refutes(witness, self._claim, self._known):
            return None
        return witness
