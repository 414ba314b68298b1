"""Search for a small table on which two policies differ.

The search starts with records for which the proof failed. `semantics` runs both policies on every table."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from typing import Any, TypeAlias

from acompass.dataclasses import dataclass
from acompass.language.program.effects import columns_written, drawing_kernel, draws
from acompass.language.program.program import Program
from acompass.language.program.types import Value
from acompass.prove.diagrams.decision_diagram import ALL, Diagram, Variable
from acompass.prove.diagrams.regions import regions_in
from acompass.prove.proof import Exhausted
from acompass.prove.refute.candidate_tables import MOST_RECORDS, CandidateTables, compared_counts, real_size
from acompass.prove.refute.refutation import shrink_witness, with_simpler_trace
from acompass.prove.refute.replay import Chance, Chances, Record, Replayer, Stream, Witness, replay, rho_for_miss
from acompass.prove.search.claims import check_steps
from acompass.prove.search.origins import Target
from acompass.prove.search.prover import Prover
from acompass.prove.search.verdicts import decimal_text
from acompass.reason.compare.answer import Difference, WrittenTable
from acompass.reason.compare.pairs import Pair
from acompass.reason.compare.symbols import Symbols, written_form
from acompass.reason.privacy.representatives import Domain, base_record

#: the number of random tables to try
TRIES = 1_500
#: a limit on the total of records times requirements
BUDGET = 120_000
#: at most this many copies of a record
LARGEST = 2_000
#: the probability that a random table gets a record for which the proof failed
HINTED = 0.5
#: the search starts with at most this many records
MOST_HINTS = 120
#: one in this many random tables has classes of chosen sizes instead
RESIZED = 3
#: at most this many paths of a diagram, and records of one path, become such records
MOST_PATHS = 60
MOST_OF_PATH = 16

Trace: TypeAlias = tuple[Fraction, ...]

#: returns the part of the trace that the two runs consume if they differ, else None
DifferingTrace: TypeAlias = Callable[[Pair, Sequence[Record], Sequence[Fraction]], Trace | None]
#: a record, with the outcomes of chance in a run of the old policy
Hint: TypeAlias = tuple[Record, Chances]


@dataclass(frozen=True, slots=True)
class _Case:
    """A table of blocks, and the outcomes of chance in a run of one policy, which give the trace."""

    blocks: Sequence[Sequence[Record]]
    player: Replayer
    chances: Chances

    @property
    def records(self) -> list[Record]:
        return [record for block in self.blocks for record in block]

    def trace(self, records: Sequence[Record]) -> Trace:
        witness = self.player.play(records, self.chances)
        return () if witness is None else witness.trace


class Search:
    """`hints` are records that the policies may treat differently. Raises Exhausted."""

    def __init__(self, pair: Pair, hints: Sequence[Hint]):
        self._pair = pair
        self._hints = hints
        self._rng = random.Random(0)
        self._players = [Replayer(program) for program in pair.programs]
        provers = (Prover(program, (), check_steps(program), pair.any_scale) for program in pair.programs)
        self._tables = [CandidateTables(prover, self._rng) for prover in provers]
        self._sizes = _sizes(pair)
        self._written = sorted(columns_written((*pair.old.requirements, *pair.new.requirements)))
        self._is_same_schema = pair.old.final_schema == pair.new.final_schema

    def difference(self, differing: DifferingTrace | None = None) -> Difference | None:
        """Prefer a table that `run` can load. If the policies release different columns, every table shows a
        difference, so prefer one from which both policies keep records."""
        shown = differing or differing_trace
        wanted = [self._require_loadable(shown), shown]
        if not self._is_same_schema:
            wanted.insert(0, self._require_loadable(_showing_both(shown)))
        if all(tables.loadable.are_all for tables in self._tables):
            wanted.pop()
        for each in wanted:
            found = self.find(each)
            if found is not None:
                return difference(self._pair, found.records, found.trace)
        return None

    def _require_loadable(self, differing: DifferingTrace) -> DifferingTrace:
        def differing_if_loadable(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
            loads = all(tables.loadable.loads(records) for tables in self._tables)
            return differing(pair, records, trace) if loads else None

        return differing_if_loadable

    def find(self, differing: DifferingTrace) -> Witness | None:
        """A small table on which the two runs differ."""
        budget = BUDGET
        for case in chain(self._hinted_cases(), self._random_cases()):
            records = case.records
            budget -= (len(records) + 1) * len(case.player.program.requirements)
            if differing(self._pair, records, case.trace(records)) is not None:
                return self._smallest(case, differing)
            if budget < 0:
                return None
        return None

    def _hinted_cases(self) -> Iterator[_Case]:
        """Each record alone, then the empty table, then copies of each record. If the released columns differ, the
        empty table shows the least and comes last."""
        last = self._sizes[0] if self._is_same_schema else self._sizes[-1]
        for size in self._sizes:
            for record, chances in self._hints:
                yield _Case([[record] * size], self._players[0], chances)
            if size == last:
                yield _Case([], self._players[0], {})

    def _random_cases(self) -> Iterator[_Case]:
        for attempt in range(TRIES):
            side = attempt % 2
            program = self._pair.programs[side]
            candidate = self._tables[side].random_table(Target(ALL, check_steps(program)))
            if candidate.size > MOST_RECORDS:  # a count is compared with a number, or a group has a size, above it
                continue
            blocks = [block.records(real_size) for block in candidate.blocks]
            if self._hints and self._rng.random() < HINTED:
                hint, _ = self._rng.choice(self._hints)
                blocks.append([hint] * self._rng.choice(self._sizes))
            if attempt % RESIZED == 0:
                blocks = self._resize_classes([record for block in blocks for record in block])
            yield _Case(blocks, self._players[side], candidate.chances)

    def _resize_classes(self, records: Sequence[Record]) -> list[list[Record]]:
        """Two records, each as often as some count requires, every second copy with another value in one column:
        classes that a policy merges, and that are large and diverse enough only together."""
        if not records:
            return []
        one, another = self._rng.choice(records), self._rng.choice(records)
        columns = range(len(one))
        merged, varied = self._rng.choice(self._written or columns), self._rng.choice(columns)
        other = tuple(another[column] if column == merged else one[column] for column in columns)
        return [
            _alternate([record] * self._rng.choice(self._sizes), varied, another[varied]) for record in (one, other)
        ]

    def _smallest(self, case: _Case, differing: DifferingTrace) -> Witness:
        def with_trace(records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
            used = differing(self._pair, records, trace)
            return None if used is None else Witness(tuple(records), used, ())

        def with_same_chances(records: Sequence[Record]) -> Witness | None:
            return with_trace(records, case.trace(records))

        def simpler(column: int, value: Value) -> Sequence[Value]:
            return [simple for tables in self._tables for simple in tables.simpler(column, value)]

        found = with_same_chances(case.records)
        assert found is not None
        try:
            found = shrink_witness(found, case.blocks, with_same_chances, simpler)
            return with_simpler_trace(found, with_trace)
        except Exhausted:
            return found  # a difference, even if it is not the smallest


def _alternate(block: Sequence[Record], column: int, value: Value) -> list[Record]:
    """The block, with the value in the column of every second record."""
    return [(*record[:column], value, *record[column + 1 :]) if at % 2 else record for at, record in enumerate(block)]


def _showing_both(differing: DifferingTrace) -> DifferingTrace:
    """The same question, but None unless both policies keep records."""

    def differing_if_both(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
        runs = [replay_program(program, records, trace) for program in pair.programs]
        shows_both = all(run.written is not None and run.written.records for run in runs)
        return differing(pair, records, trace) if shows_both else None

    return differing_if_both


def _sizes(pair: Pair) -> list[int]:
    """Small sizes, and sizes near every number that a count is compared with."""
    lines = [requirement for program in pair.programs for requirement in program.requirements]
    counts = {count for requirement in lines for count in compared_counts(requirement.assertion)}
    near = {count + by for count in counts for by in (-1, 0, 1)}
    return sorted({1, 2, 3} | {size for size in near if 1 <= size <= LARGEST})


@dataclass(frozen=True, slots=True)
class Run:
    written: WrittenTable | None  # None if nothing is written
    used: Trace  # the part of the trace that the run consumes


def replay_program(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Run:
    """Run the program. A trace that is too short is continued with 1/2."""
    witness = replay(program, records, trace)
    if witness is None:
        return Run(None, ())
    if witness.violated & check_steps(program):
        return Run(None, witness.trace)
    return Run(WrittenTable(*witness.released(program)), witness.trace)


def are_different(one: WrittenTable | None, other: WrittenTable | None) -> bool:
    """Tables are compared as bags, with the types of their columns and the spelling of numbers (D26, spellings)."""
    if one is None or other is None:
        return one is not other
    return one.schema != other.schema or _bag(one) != _bag(other)


def _bag(written: WrittenTable) -> Counter[tuple[object, ...]]:
    types = [column.type for column in written.schema]
    return Counter(tuple(map(written_form, record, types)) for record in written.records)


def differing_trace(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
    """The part of the trace that the two runs consume if their outputs differ; else None."""
    old, new = (replay_program(program, records, trace) for program in pair.programs)
    return max(old.used, new.used, key=len) if are_different(old.written, new.written) else None


def difference(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Difference:
    old, new = (replay_program(program, records, trace).written for program in pair.programs)
    assert are_different(old, new), "only tables on which the policies differ are shown"
    return Difference(pair.schema, tuple(records), tuple(decimal_text(rho) for rho in trace), old, new)


class Examples:
    """Finds examples of the records in a diagram."""

    def __init__(self, symbols: Symbols, pair: Pair):
        self._symbols = symbols
        self._pair = pair
        lines = [*pair.old.requirements, *pair.new.requirements]
        self._base = base_record(pair.schema, Domain(pair.schema, lines))

    def hints(self, diagram: Diagram) -> list[Hint]:
        """Records, with outcomes of chance in a run of the old policy on such a record alone."""
        found = (
            (record, chances)
            for path in islice(_diagram_paths(diagram), MOST_PATHS)
            for chances in (dict(self._chances(path)),)
            for record in islice(self._records(path), MOST_OF_PATH)
        )
        return list(islice(found, MOST_HINTS))

    def _records(self, path: Mapping[Variable, int]) -> Iterator[Record]:
        columns = [
            self._symbols.kinds[column][path[column]] if column in path else (value,)
            for column, value in enumerate(self._base)
        ]
        yield from product(*columns)

    def _chances(self, path: Mapping[Variable, int]) -> Iterator[tuple[int, Chance]]:
        for step, requirement in enumerate(self._pair.old.requirements):
            if draws(requirement.action):
                outcome, kernel = self._symbols.outcome(requirement), drawing_kernel(requirement.action)
                coin = Fraction(0) if path.get(outcome.coin, 1) else rho_for_miss(requirement.action)
                drawn: Any = self._symbols.kinds[outcome.drawn][path.get(outcome.drawn, 0)][0]
                drawn = drawn if kernel is None or kernel.integers() is None else int(drawn)
                rho = Fraction(0) if kernel is None or kernel.reads_value else kernel.trace_value(drawn)
                yield step, Chance(Stream((), (coin,)), Stream((), (rho,)))


def _diagram_paths(diagram: Diagram, path: Sequence[tuple[Variable, int]] = ()) -> Iterator[dict[Variable, int]]:
    """One region for each variable that is tested; the other variables may have any."""
    if diagram is ALL:
        yield dict(path)
    for mask, child in diagram.edges:
        for region in regions_in(mask):
            yield from _diagram_paths(child, (*path, (diagram.variable, region)))
