"""The search for a small table on which two policies differ. Every table goes through `semantics` twice."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

from acompass.checked.program import Program
from acompass.checked.types import Value
from acompass.compare.answer import Difference
from acompass.compare.pairs import Pair
from acompass.compare.results import Trace, difference, differing_trace, run_of
from acompass.prove.blocks import real_size
from acompass.prove.candidate_tables import CandidateTables
from acompass.prove.chances import Chances
from acompass.prove.claims import check_steps
from acompass.prove.decision_diagram import ALL
from acompass.prove.effort import Exhausted
from acompass.prove.origins import Target
from acompass.prove.prover import Prover
from acompass.prove.shrink import shrunk, with_simpler_trace
from acompass.prove.small_counts import compared_counts
from acompass.prove.witness import Player, Record, Witness

#: random tables that are tried
TRIES = 1_500
#: the total of records times requirements, so that the search ends
BUDGET = 120_000
#: the most copies of a record
LARGEST = 2_000
#: how often a record that is known to be treated differently joins a random table
HINTED = 0.5

#: what two runs consume of the trace, if they differ; else None
Differing: TypeAlias = Callable[[Pair, Sequence[Record], Sequence[Fraction]], Trace | None]
#: a record, with what chance shows in a run of the old policy
Hint: TypeAlias = tuple[Record, Chances]


@dataclass(frozen=True, slots=True)
class _Case:
    """A table of blocks, and the chances of a run of one of the policies, which give the trace."""

    blocks: Sequence[Sequence[Record]]
    player: Player
    chances: Chances

    @property
    def records(self) -> list[Record]:
        return [record for block in self.blocks for record in block]

    def trace(self, records: Sequence[Record]) -> Trace:
        witness = self.player.play(records, self.chances)
        return () if witness is None else witness.trace


class Search:
    """`hints` are records for which the policies do not do the same. Raises Exhausted."""

    def __init__(self, pair: Pair, hints: Sequence[Hint]):
        self._pair = pair
        self._hints = hints
        self._rng = random.Random(0)
        self._players = [Player(program) for program in pair.programs]
        self._tables = [self._candidates(program) for program in pair.programs]
        self._sizes = _sizes(pair)
        self._is_same_schema = pair.old.final_schema == pair.new.final_schema

    def _candidates(self, program: Program) -> CandidateTables:
        return CandidateTables(Prover(program, (), check_steps(program), self._pair.any_scale), self._rng)

    def difference(self) -> Difference | None:
        """If the columns differ, all tables do: then one is shown of which both policies leave records. A
        table that `run` loads is preferred."""
        wanted = [self._loading(differing_trace), differing_trace]
        if not self._is_same_schema:
            wanted.insert(0, self._loading(_telling_trace))
        if all(tables.loadable.are_all for tables in self._tables):
            wanted.pop()
        for differing in wanted:
            found = self.find(differing)
            if found is not None:
                return difference(self._pair, found.records, found.trace)
        return None

    def _loading(self, differing: Differing) -> Differing:
        def trace_of(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
            loads = all(tables.loadable.loads(records) for tables in self._tables)
            return differing(pair, records, trace) if loads else None

        return trace_of

    def find(self, differing: Differing) -> Witness | None:
        """A small table for which the two runs are found to be different."""
        budget = BUDGET
        for case in chain(self._hinted(), self._random()):
            records = case.records
            budget -= (len(records) + 1) * len(case.player.program.requirements)
            if differing(self._pair, records, case.trace(records)) is not None:
                return self._smallest(case, differing)
            if budget < 0:
                return None
        return None

    def _hinted(self) -> Iterator[_Case]:
        """Each record alone, then the empty table, then copies of each. If the columns differ, the empty
        table shows the least, so that it comes last."""
        last = self._sizes[0] if self._is_same_schema else self._sizes[-1]
        for size in self._sizes:
            for record, chances in self._hints:
                yield _Case([[record] * size], self._players[0], chances)
            if size == last:
                yield _Case([], self._players[0], {})

    def _random(self) -> Iterator[_Case]:
        for attempt in range(TRIES):
            side = attempt % 2
            program = self._pair.programs[side]
            candidate = self._tables[side].some(Target(ALL, check_steps(program)))
            blocks = [block.records(real_size) for block in candidate.blocks]
            if self._hints and self._rng.random() < HINTED:
                hint, _ = self._rng.choice(self._hints)
                blocks.append([hint] * self._rng.choice(self._sizes))
            yield _Case(blocks, self._players[side], candidate.chances)

    def _smallest(self, case: _Case, differing: Differing) -> Witness:
        def with_trace(records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
            used = differing(self._pair, records, trace)
            return None if used is None else Witness(tuple(records), used, ())

        def with_same_chances(records: Sequence[Record]) -> Witness | None:
            return with_trace(records, case.trace(records))

        found = with_same_chances(case.records)
        assert found is not None
        try:
            found = shrunk(found, case.blocks, with_same_chances, self._simpler)
            return with_simpler_trace(found, with_trace)
        except Exhausted:
            return found  # a difference that could be smaller is a difference

    def _simpler(self, column: int, value: Value) -> Sequence[Value]:
        return [simple for tables in self._tables for simple in tables.simpler(column, value)]


def _telling_trace(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
    """As `differing_trace`, if both policies leave records."""
    runs = [run_of(program, records, trace) for program in pair.programs]
    shows_both = all(run.written is not None and run.written.records for run in runs)
    return differing_trace(pair, records, trace) if shows_both else None


def _sizes(pair: Pair) -> list[int]:
    """Small sizes, and sizes around every number that a count is compared with."""
    lines = [requirement for program in pair.programs for requirement in program.requirements]
    counts = {count for requirement in lines for count in compared_counts(requirement.assertion)}
    near = {count + by for count in counts for by in (-1, 0, 1)}
    return sorted({1, 2, 3} | {size for size in near if 1 <= size <= LARGEST})
