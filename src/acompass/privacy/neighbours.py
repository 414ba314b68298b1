"""The search for two neighbouring tables and an output whose probabilities have a given ratio."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from acompass.checked.effects import columns_read, process_of
from acompass.checked.program import Function, Program, Requirement
from acompass.checked.types import remaining
from acompass.privacy.answer import Witness
from acompass.privacy.base_record import similar_values
from acompass.privacy.domain import Domain
from acompass.privacy.draws import Draws
from acompass.privacy.influence import is_record_level
from acompass.privacy.kernels import Pair, is_larger
from acompass.privacy.law import Law, Mass, Table, law_of
from acompass.privacy.undecided import Budget, Undecided
from acompass.privacy.weights import Weights
from acompass.prove.policy import decimal_text
from acompass.prove.small_counts import compared_counts
from acompass.prove.witness import Record, replay
from acompass.semantics import canonical_order, update

#: the most records that are performed to find the law of one table, and in one search
OF_A_TABLE = 10_000
OF_A_SEARCH = 60_000
#: so many pairs are tried before the next larger tables
PAIRS_PER_SIZE = 2
#: more copies of a record are not tried
MOST_COPIES = 40

_IMPOSSIBLE = Mass(Fraction(0), ())


class Beside(NamedTuple):
    """The records beside the one that differs: copies of it, copies of what it is in the neighbour, and
    records that vary in columns whose distinct values are counted."""

    same: int
    other: int
    varied: int


class Search:
    def __init__(self, program: Program, domain: Domain, weights: Weights):
        self._program = program
        self._weights = weights
        self._domain = domain
        over_classes = [each for each in program.requirements if not is_record_level(each)]
        self._read_together = frozenset().union(*(columns_read(each) for each in over_classes))
        self._counted = sorted({column for each in over_classes for column in _counted(each)})
        self._tables = _tables(over_classes)
        self._left = OF_A_SEARCH

    def find(self, pairs: Iterable[Pair], wanted: Fraction | None) -> Witness | None:
        """`wanted` is None for a ratio without a bound."""
        for pair, beside in self._cases(list(pairs)):
            for one, other in (pair, pair[::-1]):
                rest = self._beside(beside, one, other)
                witness = self._between([one, *rest], [other, *rest], wanted)
                if witness is not None:
                    return witness
            if self._left < 0:
                break
        return None

    def _cases(self, pairs: Sequence[Pair]) -> list[tuple[Pair, Beside]]:
        """Small tables and the first pairs come first."""
        ranked = product(enumerate(pairs), enumerate(self._tables))
        ordered = sorted(ranked, key=lambda case: case[0][0] + PAIRS_PER_SIZE * case[1][0])
        return [(pair, beside) for (_, pair), (_, beside) in ordered]

    def _beside(self, beside: Beside, one: Record, other: Record) -> list[Record]:
        """The records that both tables have."""
        others = (self._varied(one, number) for number in range(1, beside.varied + 1))
        return [one] * beside.same + [other] * beside.other + list(others)

    def _varied(self, record: Record, number: int) -> Record:
        """The record with other values in the columns whose distinct values are counted."""
        for column in self._counted:
            values = similar_values(record[column], column, self._domain)
            record = update(record, column, values[(number - 1) % len(values)]) if values else record
        return record

    def _between(
        self, records: list[Record], neighbour: list[Record], wanted: Fraction | None
    ) -> Witness | None:
        """A witness for the ratio in the laws of the two tables."""
        draws = self._draws(records, neighbour)
        try:
            more, less = self._law(records, draws), self._law(neighbour, draws)
        except Undecided:
            return None
        for left, mass in sorted(more.items(), key=lambda item: -item[1].probability):
            other = less.get(left, _IMPOSSIBLE)
            ratio = mass.probability / other.probability if other.probability else None
            if self._is_vague(left, draws):
                continue
            assert not is_larger(ratio, wanted), "the ratio of two tables exceeds the bound"
            if ratio == wanted:
                return self._witness((records, mass), (neighbour, other), left)
        return None

    def _draws(self, records: Sequence[Record], neighbour: Sequence[Record]) -> Draws:
        apart = self._read_together if len(records) > 1 else frozenset()
        return Draws(
            self._domain, lambda column: {record[column] for record in (*records, *neighbour)}, apart
        )

    def _law(self, records: Sequence[Record], draws: Draws) -> Law:
        budget = Budget(OF_A_TABLE)
        try:
            return law_of(self._program.requirements, records, draws.cells(self._weights), budget)
        finally:
            self._left -= budget.spent

    def _is_vague(self, left: Table, draws: Draws) -> bool:
        columns = remaining(self._program.final_schema)
        return any(draws.is_vague(column, record[column]) for record in left or () for column in columns)

    def _witness(
        self, one: tuple[list[Record], Mass], other: tuple[list[Record], Mass], left: Table
    ) -> Witness:
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
            (_texts(one[1].trace), _texts(other[1].trace) if other[1].probability else None),
            self._weights,
        )

    def _require_replayed(self, records: list[Record], trace: Sequence[Fraction], left: Table) -> None:
        """Run the whole program on the trace: it leaves the output, or nothing is written."""
        again = replay(self._program, records, trace)
        checks = {at for at, each in enumerate(self._program.requirements) if each.action is None}
        reached = None
        if again is not None and not again.violated & checks:
            reached = tuple(canonical_order(self._program.final_schema, again.left))
        assert reached == left, "the witness is not replayed"


def _counted(requirement: Requirement) -> Iterator[int]:
    process = process_of(requirement)
    for aggregate in () if process is None else process.aggregates:
        if aggregate.function is Function.COUNT_DISTINCT and aggregate.column is not None:
            yield aggregate.column


def _tables(over_classes: Sequence[Requirement]) -> list[Beside]:
    """Tables of sizes that a line over classes may ask for, then all small ones."""
    if not over_classes:
        return [Beside(0, 0, 0)]
    counts = {1, 2, *_compared(over_classes, Function.COUNT)}
    distinct = {1, *_compared(over_classes, Function.COUNT_DISTINCT)}
    fitting = (
        Beside(max(size - other - kinds, 0), other, kinds - 1)
        for size, kinds, other, more in product(counts, distinct, (0, 1), (0, 1))
        for size in (size + more,)
    )
    small = map(Beside._make, product(range(3), repeat=3))
    return list(dict.fromkeys((*sorted(fitting, key=sum), *sorted(small, key=sum))))


def _compared(requirements: Iterable[Requirement], function: Function) -> Iterator[int]:
    for requirement in requirements:
        counts = compared_counts(requirement.assertion, (function,))
        yield from (count for count in counts if 1 <= count <= MOST_COPIES)


def _texts(trace: Sequence[Fraction]) -> tuple[str, ...]:
    return tuple(decimal_text(rho) for rho in trace)
