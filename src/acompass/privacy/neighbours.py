"""The search for two neighbouring tables and an output whose probabilities have a given ratio."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from acompass.checked.effects import columns_read
from acompass.checked.program import Program
from acompass.checked.types import remaining
from acompass.privacy.answer import Witness
from acompass.privacy.domain import Domain
from acompass.privacy.influence import is_record_level
from acompass.privacy.kernels import Pair, is_larger
from acompass.privacy.law import Law, Mass, Table, law_of
from acompass.privacy.undecided import Budget, Undecided
from acompass.privacy.weights import Weights
from acompass.prove.candidate_tables import compared_counts
from acompass.prove.policy import decimal_text
from acompass.prove.witness import Record, replay
from acompass.semantics import canonical_order

#: the most records that are performed to find the law of one table, and in one search
OF_A_TABLE = 12_000
OF_A_SEARCH = 120_000
#: more copies of a record are not tried
MOST_COPIES = 40

_IMPOSSIBLE = Mass(Fraction(0), ())


class Search:
    def __init__(self, program: Program, domain: Domain, weights: Weights):
        self._program = program
        self._weights = weights
        lines = program.requirements
        read = (columns_read(each) for each in lines if not is_record_level(each))
        self._single = domain
        self._several = Domain(program.schema, lines, frozenset().union(*read))
        self._is_record_level = all(is_record_level(each) for each in lines)
        self._left = OF_A_SEARCH

    def find(self, pairs: Iterable[Pair], wanted: Fraction | None) -> Witness | None:
        """The smallest tables first; `wanted` is None for a ratio without a bound."""
        tried = list(pairs)
        for own, others in self._copies():
            for pair in tried:
                for one, other in (pair, pair[::-1]):
                    rest = [one] * own + [other] * others
                    witness = self._between([one, *rest], [other, *rest], wanted)
                    if witness is not None:
                        return witness
                if self._left < 0:
                    return None
        return None

    def _copies(self) -> list[tuple[int, int]]:
        """How many copies of the two records stand beside the one that differs."""
        if self._is_record_level:
            return [(0, 0)]
        counts = (c for each in self._program.requirements for c in compared_counts(each.assertion))
        near = {0, 1, *(count + by for count in counts for by in (-2, -1, 0))}
        sizes = sorted(size for size in near if 0 <= size <= MOST_COPIES)
        return sorted(((a, b) for a in sizes for b in sizes), key=lambda pair: (sum(pair), pair[1]))

    def _between(
        self, records: list[Record], neighbour: list[Record], wanted: Fraction | None
    ) -> Witness | None:
        """A witness for the ratio in the laws of the two tables."""
        try:
            more, less = self._law(records), self._law(neighbour)
        except Undecided:
            return None
        for left, mass in more.items():
            other = less.get(left, _IMPOSSIBLE)
            ratio = mass.probability / other.probability if other.probability else None
            if self._is_vague(left, len(records)):
                continue
            assert not is_larger(ratio, wanted), "the ratio of two tables exceeds the bound"
            if ratio == wanted:
                return self._witness((records, mass), (neighbour, other), left)
        return None

    def _law(self, records: Sequence[Record]) -> Law:
        domain = self._domain(len(records))
        budget = Budget(OF_A_TABLE)
        try:
            return law_of(self._program.requirements, records, domain.cells(self._weights), budget)
        finally:
            self._left -= budget.spent

    def _domain(self, size: int) -> Domain:
        return self._single if size == 1 else self._several

    def _is_vague(self, left: Table, size: int) -> bool:
        columns = remaining(self._program.final_schema)
        domain = self._domain(size)
        return any(domain.is_vague(column, record[column]) for record in left or () for column in columns)

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


def _texts(trace: Sequence[Fraction]) -> tuple[str, ...]:
    return tuple(decimal_text(rho) for rho in trace)
