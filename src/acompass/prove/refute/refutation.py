"""Search for counterexamples: tables and traces on which claims fail.

The search replaces the numbers that counts are compared with by small ones, so it costs the same for every k. It
enlarges the tables that it finds to their real size and runs the unchanged policy on them. Then it shrinks them:
smaller blocks, fewer records, simpler values, a simpler trace, as long as the claim still fails.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.language.program.effects import process_in
from acompass.language.program.program import Assertion
from acompass.language.program.types import Value
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram
from acompass.prove.proof import Exhausted, recursion_limit
from acompass.prove.refute.candidate_tables import MOST_RECORDS, Candidate, CandidateTables, block_records, real_size
from acompass.prove.refute.replay import Record, Replayer, Witness, replay
from acompass.prove.rules.facts import class_assertion
from acompass.prove.search.origins import Target
from acompass.prove.search.prover import Prover

#: the cost of a search, in records times requirements
BUDGET = 100_000
#: the same for running tables at their real size, and for shrinking one counterexample
REAL_BUDGET = 400_000
SHRINKING = 400_000
#: tables tried for each claim, and those of a single record
TRIES = 2_500
SINGLES = 8
#: how often a new table varies one that comes close to a counterexample
CHANGED = 0.5
#: how many close tables are kept: the latest, and those that leave the most distinct records
LATEST = 6
RICHEST = 3
#: with more records than this, records are not removed one by one; with more values, a column is not changed
_FEW = 150
#: the number of parts of a longer trace
_PARTS = 16
#: how many simpler values are tried in place of one
MOST_SIMPLER = 10

_SIMPLE = (Fraction(0), Fraction(1, 2))

#: the witness for these records, with the same outcomes of coins and draws; None if the claim holds
Failing: TypeAlias = Callable[[Sequence[Record]], Witness | None]
#: the witness for these records and this trace; None if the claim holds
FailingTrace: TypeAlias = Callable[[Sequence[Record], Sequence[Fraction]], Witness | None]
#: the values of a column that are simpler than a given one, the simplest first
Simpler: TypeAlias = Callable[[int, Value], Sequence[Value]]


@dataclass(frozen=True, slots=True)
class Run:
    """A candidate, and the run of the policy on it at its real size."""

    candidate: Candidate
    witness: Witness


class RefutationSearch:
    """Searches for tables on which the claims fail. For each claim, `known` are the checks that hold; `budget` limits
    the cost, in records times requirements, so that the search ends even for a long policy."""

    def __init__(self, prover: Prover, claims: Sequence[Assertion], known: Sequence[frozenset[int]], budget: int):
        rng = random.Random(0)
        self.tables = CandidateTables(prover, rng)
        self.found: dict[int, Run] = {}  # a run for each claim that fails
        self.too_large: set[int] = set()  # the claims that could fail on a larger table than those tried
        self._rng = rng
        self._prover = prover
        self._claims = claims
        self._known = known
        self._budget = budget
        self._real_budget = REAL_BUDGET
        self._counts = self.tables.counts
        self.player = Replayer(prover.program)
        self._small_player = Replayer(self._counts.program(prover.program))
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
        target = Target(self._prover.violating_records(self._prover.last, self._claims[at]), self._known[at])
        for _ in range(SINGLES):
            candidate = self.tables.single_record(target)
            tables = () if candidate is None else (candidate, self.tables.repeat(candidate))
            for table in tables:
                self._try(table, [at])
                if at in self.found:
                    return

    def _target(self, claim: Assertion) -> Diagram:
        """The final records on which the claim can fail."""
        last = self._prover.last
        classes = class_assertion(self._prover.variables, last, claim)
        if classes is None:
            return self._prover.violating_records(last, claim)
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
            return self.tables.vary(self._rng.choice(close), target)
        return self.tables.random_table(target)

    def _try(self, candidate: Candidate, claims: Sequence[int]) -> None:
        size = sum(block.count(self._counts.small_size) for block in candidate.blocks)
        self._budget -= size * (len(self._prover.program.requirements) + 1)
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

    def _play_small(self, candidate: Candidate) -> Witness | None:
        return self._small_player.play(block_records(candidate.blocks, self._counts.small_size), candidate.chances)

    def _fails_small(self, at: int, witness: Witness | None) -> bool:
        claim, known = self._small_claims[at], self._known[at]
        return witness is not None and self.tables.loadable.refutes(witness, claim, known)

    def _try_real(self, at: int, candidate: Candidate) -> None:
        """Run the table at its real size, preferably with no more records than the claim needs to fail."""
        smaller = self._with_smaller_blocks(at, candidate)
        if smaller.size > MOST_RECORDS:
            self.too_large.add(at)
        for each in (smaller, candidate):
            if at not in self.found and each.size <= MOST_RECORDS and self._real_budget > 0:
                witness = self._play_real(each)
                if witness and self.tables.loadable.refutes(witness, self._claims[at], self._known[at]):
                    self.found[at] = Run(each, witness)

    def _play_real(self, candidate: Candidate) -> Witness | None:
        self._real_budget -= candidate.size * (len(self._prover.program.requirements) + 1)
        return self.player.play(block_records(candidate.blocks, real_size), candidate.chances)

    def _with_smaller_blocks(self, at: int, candidate: Candidate) -> Candidate:
        """Reduce each block in turn to the smallest size with which the claim, in small numbers, still fails."""
        for number in reversed(range(len(candidate.blocks))):
            for smaller in self.tables.with_smaller_block(candidate, number):
                if self._fails_small(at, self._play_small(smaller)):
                    candidate = smaller
                    break
        return candidate


class CloseTables:
    """Tables that come close to a counterexample: as few of the checks `known` as possible fail, and preferably records
    are left.

    A claim of at least k fails on few records, a claim of at most k on many.
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


class Refuter:
    """Searches for counterexamples to claims of one prover's policy."""

    def __init__(self, prover: Prover, budget: int = BUDGET):
        self._budget = budget
        self._prover = prover
        self.exhausted = ""  # why the last search ended early, if it did
        #: the claims of the last search that could fail on a larger table than those tried
        self.too_large: frozenset[int] = frozenset()

    def refute(
        self, claims: Sequence[Assertion], known: Sequence[frozenset[int]] | None = None
    ) -> list[Witness | None]:
        """For each claim, the smallest witness found against it. `known` are the checks that hold for each claim; the
        default is those that the prover knows."""
        known = known or [self._prover.known] * len(claims)
        search = self._search(claims, known)
        return [
            _Shrinker(search.player, search.tables, claim, known[at]).smallest(search.found[at])
            if at in search.found
            else None
            for at, claim in enumerate(claims)
        ]

    def is_refuted(self, claims: Sequence[Assertion]) -> list[bool]:
        """For each claim, whether a table on which it fails was found."""
        search = self._search(claims, [self._prover.known] * len(claims))
        return [at in search.found for at in range(len(claims))]

    def _search(self, claims: Sequence[Assertion], known: Sequence[frozenset[int]]) -> RefutationSearch:
        search = RefutationSearch(self._prover, claims, known, self._budget)
        try:
            with recursion_limit():
                search.run()
        except Exhausted as exhausted:
            self.exhausted = str(exhausted)
        self.too_large = frozenset(search.too_large - search.found.keys())
        return search


class _Shrinker:
    """Shrinks the witness against one claim, within a budget."""

    def __init__(self, player: Replayer, tables: CandidateTables, claim: Assertion, known: frozenset[int]):
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
            return self._replay(records, trace) if self._may_try(records) else None

        blocks = [block.records(real_size) for block in run.candidate.blocks]
        witness = run.witness
        try:
            witness = shrink_witness(witness, blocks, with_same_chances, self._tables.simpler)
            witness = with_simpler_trace(witness, with_trace)
        except Exhausted:
            pass  # a counterexample that could be smaller is still a counterexample
        return self._replay(witness.records, witness.trace)

    def _may_try(self, records: Sequence[Record]) -> bool:
        self._left -= len(records) * (len(self._player.program.requirements) + 1)
        return self._left > 0

    def _replay(self, records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
        return self._failing(replay(self._player.program, records, trace))

    def _failing(self, witness: Witness | None) -> Witness | None:
        if witness is None or not self._tables.loadable.refutes(witness, self._claim, self._known):
            return None
        return witness


def shrink_witness(witness: Witness, blocks: Sequence[Sequence[Record]], failing: Failing, simpler: Simpler) -> Witness:
    """Fewer records and simpler values; `blocks` are the records of the witness."""
    witness = _with_fewer_classes(_with_smaller_blocks(witness, blocks, failing), failing)
    if len(witness.records) <= _FEW:
        witness = _with_fewer_records(witness, failing)
    return _with_simpler_values(witness, failing, simpler)


def _with_smaller_blocks(witness: Witness, blocks: Sequence[Sequence[Record]], failing: Failing) -> Witness:
    """The records of a block are similar, so it does not matter which of them are removed."""
    left = list(blocks)
    for at, block in enumerate(blocks):
        removed = len(block)
        while removed:
            smaller = left[at][removed:] if removed <= len(left[at]) else None
            found = None if smaller is None else failing([*chain(*left[:at], smaller, *left[at + 1 :])])
            if smaller is not None and found is not None:
                witness, left[at] = found, smaller
            else:
                removed //= 2
    return witness


def _with_fewer_classes(witness: Witness, failing: Failing) -> Witness:
    """Remove all records with one value: a check may need whole classes, whose records need not be adjacent."""
    for column, value in list(_values(witness)):
        witness = failing([record for record in witness.records if record[column] != value]) or witness
    return witness


def _with_fewer_records(witness: Witness, failing: Failing) -> Witness:
    size = len(witness.records)
    while size:
        for start in reversed(range(0, len(witness.records), size)):
            rest = (*witness.records[:start], *witness.records[start + size :])
            witness = failing(rest) or witness
        size //= 2
    return witness


def _with_simpler_values(witness: Witness, failing: Failing, simpler: Simpler) -> Witness:
    for column, value in list(_values(witness)):
        for candidate in simpler(column, value)[:MOST_SIMPLER]:
            records = [_swap_value(record, column, value, candidate) for record in witness.records]
            found = failing(records)
            if found is not None:
                witness = found
                break
    return witness


def _values(witness: Witness) -> Iterator[tuple[int, Value]]:
    """The values of each column that has few of them."""
    for column in range(len(witness.records[0]) if witness.records else 0):
        values = dict.fromkeys(record[column] for record in witness.records)
        if len(values) <= _FEW:
            yield from ((column, value) for value in values)


def _swap_value(record: Record, column: int, old: Value, new: Value) -> Record:
    return (*record[:column], new, *record[column + 1 :]) if record[column] == old else record


def with_simpler_trace(witness: Witness, failing: FailingTrace) -> Witness:
    """Simplify the trace value by value, or part by part if it is long."""
    width = 1 if len(witness.trace) <= _FEW else -(-len(witness.trace) // _PARTS)
    for start in range(0, len(witness.trace), width):
        for rho in _SIMPLE:
            part = witness.trace[start : start + width]
            if all(own == rho for own in part):
                break
            trace = (*witness.trace[:start], *(rho for _ in part), *witness.trace[start + width :])
            found = failing(witness.records, trace)
            if found is not None:
                witness = found
                break
    return witness
