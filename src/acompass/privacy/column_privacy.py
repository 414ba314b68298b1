"""How far one record's value of some columns can change the law of the output."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product

from acompass.checked.program import Program
from acompass.privacy.answer import ColumnPrivacy, ColumnVerdict, Witness
from acompass.privacy.base_record import base_record, plain_values
from acompass.privacy.domain import Domain
from acompass.privacy.influence import influence_of, is_record_level, live_columns
from acompass.privacy.kernels import Kernels, Pair, Worst
from acompass.privacy.neighbours import Search
from acompass.privacy.slices import slice_of
from acompass.privacy.undecided import Undecided
from acompass.privacy.weights import Weights
from acompass.semantics import Record, update

#: pairs of values that are tried where no bound is known
MOST_PAIRS = 60
#: values of the other columns that they are tried with
MOST_CONTEXTS = 16


def column_privacy(program: Program, columns: frozenset[int]) -> ColumnPrivacy:
    return _Question(program, columns).answer()


class _Question:
    def __init__(self, program: Program, columns: frozenset[int]):
        self._program = program
        self._names = tuple(program.schema[column].name for column in sorted(columns))
        self._asked = columns & live_columns(program)[0]
        self._influence = influence_of(program, self._asked)
        self._domain = Domain(program.schema, program.requirements)
        self._base = base_record(program.schema, self._domain)

    def answer(self) -> ColumnPrivacy:
        if not self._asked:
            return self._finite(ColumnVerdict.EXACT, Fraction(1), Fraction(1))
        try:
            uniform, seed = (self._worst(weights) for weights in Weights)
        except Undecided as undecided:
            return self._unbounded(Worst(Weights.UNIFORM, None), undecided)
        for worst in (uniform, seed):
            if worst.ratio is None:
                return self._unbounded(worst, self._at_stop())
        assert uniform.ratio is not None
        assert seed.ratio is not None
        witness = self._attained(uniform)
        is_exact = (uniform.ratio == 1 or witness) and (seed.ratio == 1 or self._attained(seed))
        verdict = ColumnVerdict.EXACT if is_exact else ColumnVerdict.AT_MOST
        return self._finite(verdict, uniform.ratio, seed.ratio, witness if is_exact else None)

    def _finite(
        self, verdict: ColumnVerdict, ratio: Fraction, seed_ratio: Fraction, witness: Witness | None = None
    ) -> ColumnPrivacy:
        return ColumnPrivacy(self._names, verdict, ratio, seed_ratio, witness)

    def _unbounded(self, worst: Worst, undecided: Undecided) -> ColumnPrivacy:
        """No bound if tables show it; else the question is open."""
        witness = self._attained(worst)
        if witness is not None:
            return ColumnPrivacy(self._names, ColumnVerdict.NONE, witness=witness)
        return ColumnPrivacy(
            self._names, ColumnVerdict.UNDECIDED, line=undecided.line, reason=undecided.reason
        )

    def _at_stop(self) -> Undecided:
        """The line over classes behind which the bound is lost."""
        if self._influence.stop < len(self._program.requirements):
            line = self._program.requirements[self._influence.stop].line
            return Undecided(
                line, "it reads these columns, or what depends on them, before they are randomized"
            )
        return Undecided(None, "other records decide what happens to the raw value")

    def _worst(self, weights: Weights) -> Worst:
        """With all that decides whether the record is there, or without where that is too much."""
        try:
            return self._worst_of_slice(weights, with_rejects=True)
        except Undecided:
            return self._worst_of_slice(weights, with_rejects=False)

    def _worst_of_slice(self, weights: Weights, *, with_rejects: bool) -> Worst:
        part = slice_of(self._program, self._influence, with_rejects=with_rejects)
        return Kernels(part, self._domain_of_part, self._asked, self._base, weights).worst()

    @cached_property
    def _domain_of_part(self) -> Domain:
        """Lines behind the one that stops the analysis tell nothing apart."""
        lines = self._program.requirements[: self._influence.stop]
        is_whole = len(lines) == len(self._program.requirements)
        return self._domain if is_whole else Domain(self._program.schema, lines)

    def _attained(self, worst: Worst) -> Witness | None:
        pairs = [*worst.pairs, *self._usual_pairs()] if worst.ratio is None else worst.pairs
        found = Search(self._program, self._domain, worst.weights)
        return found.find(self._among_others(pairs), worst.ratio)

    def _usual_pairs(self) -> Iterator[Pair]:
        """Records that differ in nothing but simple values of the columns."""
        columns = sorted(self._asked)
        values = product(*(plain_values(column, self._domain) for column in columns))
        records = [_with(self._base, columns, each) for each in islice(values, MOST_PAIRS)]
        yield from islice(combinations(records, 2), MOST_PAIRS)

    def _among_others(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The same pairs with other values in other columns too: lines over classes may need them."""
        if all(is_record_level(requirement) for requirement in self._program.requirements):
            return list(pairs)
        others = sorted(self._program.named - self._asked)
        values = product(*(plain_values(column, self._domain) for column in others))
        changed = [
            (_with(one, others, each), _with(other, others, each))
            for each in islice(values, MOST_CONTEXTS)
            for one, other in pairs
        ]
        return list(dict.fromkeys((*pairs, *changed)))


def _with(record: Record, columns: list[int], values: tuple[object, ...]) -> Record:
    for column, value in zip(columns, values, strict=True):
        record = update(record, column, value)
    return record
