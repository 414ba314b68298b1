"""Search for two neighboring tables and an output whose probabilities have a given ratio."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from acompass.language.program.aggregates import counts_distinct, facts_about
from acompass.language.program.effects import columns_read, process_of
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import remaining
from acompass.language.text.tree import Function
from acompass.prove.refute.candidate_tables import compared_counts
from acompass.prove.refute.replay import Record, replay
from acompass.prove.search.verdicts import decimal_text
from acompass.reason.privacy.answer import Weights, Witness
from acompass.reason.privacy.influence import is_record_level
from acompass.reason.privacy.laws import Draws, Law, Mass, Pair, Table, is_larger, output_law
from acompass.reason.privacy.mentions import Budget, Undecided
from acompass.reason.privacy.representatives import Domain, similar_values
from acompass.semantics.core import canonical_order, update

#: the most records to process for the law of one table, and in one search
TABLE_BUDGET = 10_000
SEARCH_BUDGET = 60_000
#: this many pairs are tried before the next larger tables
PAIRS_PER_SIZE = 2
#: at most this many copies of a record are tried
MOST_COPIES = 40

_IMPOSSIBLE = Mass(Fraction(0), ())
_RECORD_COUNTS = tuple(each for each in Function if facts_about(each).counts_records)
_DISTINCT_COUNTS = tuple(each for each in Function if counts_distinct(each))


class OtherRecords(NamedTuple):
    """The number of records, in addition to the one that differs."""

    same: int  # copies of it
    other: int  # copies of its counterpart in the neighboring table
    varied: int  # records with other values in the columns whose distinct values are counted


class NeighborSearch:
    def __init__(self, program: Program, domain: Domain, weights: Weights):
        self._program = program
        self._weights = weights
        self._domain = domain
        over_classes = [each for each in program.requirements if not is_record_level(each)]
        self._read_together = frozenset().union(*(columns_read(each) for each in over_classes))
        self._counted = sorted({column for each in over_classes for column in _counted_columns(each)})
        self._shapes = _table_shapes(over_classes)
        self._left = SEARCH_BUDGET

    def find(self, pairs: Iterable[Pair], wanted: Fraction | None) -> Witness | None:
        """`wanted` is the ratio to find; None for an infinite ratio."""
        for pair, shape in self._cases(list(pairs)):
            for one, other in (pair, pair[::-1]):
                rest = self._common_records(shape, one, other)
                witness = self._compare([one, *rest], [other, *rest], wanted)
                if witness is not None:
                    return witness
            if self._left < 0:
                break
        return None

    def _cases(self, pairs: Sequence[Pair]) -> list[tuple[Pair, OtherRecords]]:
        """Small tables and the first pairs come first."""
        ranked = product(enumerate(pairs), enumerate(self._shapes))
        ordered = sorted(ranked, key=lambda case: case[0][0] + PAIRS_PER_SIZE * case[1][0])
        return [(pair, shape) for (_, pair), (_, shape) in ordered]

    def _common_records(self, shape: OtherRecords, one: Record, other: Record) -> list[Record]:
        others = (self._vary(one, number) for number in range(1, shape.varied + 1))
        return [one] * shape.same + [other] * shape.other + list(others)

    def _vary(self, record: Record, number: int) -> Record:
        """The record with other values in the columns whose distinct values are counted."""
        for column in self._counted:
            values = similar_values(record[column], column, self._domain)
            record = update(record, column, values[(number - 1) % len(values)]) if values else record
        return record

    def _compare(self, records: list[Record], neighbor: list[Record], wanted: Fraction | None) -> Witness | None:
        """A witness if some output has this ratio in the laws of the two tables."""
        draws = self._draws(records, neighbor)
        try:
            more, less = self._law(records, draws), self._law(neighbor, draws)
        except Undecided:
            return None
        for left, mass in sorted(more.items(), key=lambda item: -item[1].probability):
            other = less.get(left, _IMPOSSIBLE)
            ratio = mass.probability / other.probability if other.probability else None
            if self._is_vague(left, draws):
                continue
            assert not is_larger(ratio, wanted), "the ratio of two tables exceeds the bound"
            if ratio == wanted:
                return self._witness((records, mass), (neighbor, other), left)
        return None

    def _draws(self, records: Sequence[Record], neighbor: Sequence[Record]) -> Draws:
        apart = self._read_together if len(records) > 1 else frozenset()
        return Draws(self._domain, lambda column: {record[column] for record in (*records, *neighbor)}, apart)

    def _law(self, records: Sequence[Record], draws: Draws) -> Law:
        budget = Budget(TABLE_BUDGET)
        try:
            return output_law(self._program.requirements, records, draws.cells(self._weights), budget)
        finally:
            self._left -= budget.spent

    def _is_vague(self, left: Table, draws: Draws) -> bool:
        columns = remaining(self._program.final_schema)
        return any(draws.is_vague(column, record[column]) for record in left or () for column in columns)

    def _witness(self, one: tuple[list[Record], Mass], other: tuple[list[Record], Mass], left: Table) -> Witness:
        for records, mass in (one, other):
            if mass.probability:
                self._require_replayed(records, mass.trace, left)
        kept = remaining(self._program.final_schema)
        return Witness(
            self._program.schema,
            tuple(one[0]),
            tuple(other[0]),
            tuple(self._program.final_schema[column] for column in kept),
            None if left is None else tuple(tuple(record[column] for column in kept) for record in left),
            (one[1].probability, other[1].probability),
            (_trace_texts(one[1].trace), _trace_texts(other[1].trace) if other[1].probability else None),
            self._weights,
        )

    def _require_replayed(self, records: list[Record], trace: Sequence[Fraction], left: Table) -> None:
        """Assert that the whole program, run on the trace, gives this output."""
        again = replay(self._program, records, trace)
        checks = {at for at, each in enumerate(self._program.requirements) if each.action is None}
        reached = None
        if again is not None and not again.violated & checks:
            reached = tuple(canonical_order(self._program.final_schema, again.left))
        assert reached == left, "the witness is not replayed"


def _counted_columns(requirement: Requirement) -> Iterator[int]:
    process = process_of(requirement)
    for aggregate in () if process is None else process.aggregates:
        if counts_distinct(aggregate.function) and aggregate.column is not None:
            yield aggregate.column


def _table_shapes(over_classes: Sequence[Requirement]) -> list[OtherRecords]:
    """Table sizes at which a line over classes may change its verdict, then all small sizes."""
    if not over_classes:
        return [OtherRecords(0, 0, 0)]
    counts = {1, 2, *_compared_sizes(over_classes, _RECORD_COUNTS)}
    distinct = {1, *_compared_sizes(over_classes, _DISTINCT_COUNTS)}
    fitting = (
        OtherRecords(max(size - other - kinds, 0), other, kinds - 1)
        for size, kinds, other, more in product(counts, distinct, (0, 1), (0, 1))
        for size in (size + more,)
    )
    small = map(OtherRecords._make, product(range(3), repeat=3))
    return list(dict.fromkeys((*sorted(fitting, key=sum), *sorted(small, key=sum))))


def _compared_sizes(requirements: Iterable[Requirement], functions: Sequence[Function]) -> Iterator[int]:
    for requirement in requirements:
        counts = compared_counts(requirement.assertion, functions)
        yield from (count for count in counts if 1 <= count <= MOST_COPIES)


def _trace_texts(trace: Sequence[Fraction]) -> tuple[str, ...]:
    return tuple(decimal_text(rho) for rho in trace)
