"""How far one record's value of some columns can change the law of the output."""

from collections.abc import Iterable, Iterator, Sequence
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
from acompass.privacy.text_values import labels_of
from acompass.privacy.undecided import Undecided
from acompass.privacy.weights import Weights
from acompass.prove.effort import Exhausted
from acompass.semantics import Record, update

#: pairs of values that are tried where no bound is known
MOST_PAIRS = 60
#: values of the other columns that they are tried with
MOST_CONTEXTS = 24
#: pairs that are tried as they are before other values are
FIRST_PAIRS = 12

_NOT_ATTAINED = "no tables were found that attain it"
_OPEN = "it may give the raw value away, but no tables were found that show it"


def column_privacy(program: Program, asked: Iterable[frozenset[int]]) -> tuple[ColumnPrivacy, ...]:
    """An answer for each set of columns."""
    domain = Domain(program.schema, program.requirements)
    base = base_record(program.schema, domain)
    return tuple(_Question(program, domain, base, columns).answer() for columns in asked)


class _Question:
    """`domain` is that of the whole program, `base` a record for the columns that make no difference."""

    def __init__(self, program: Program, domain: Domain, base: Record, columns: frozenset[int]):
        self._program = program
        self._domain = domain
        self._base = base
        self._names = tuple(program.schema[column].name for column in sorted(columns))
        self._asked = columns & live_columns(program)[0]
        self._influence = influence_of(program, self._asked)

    def answer(self) -> ColumnPrivacy:
        if not self._asked:
            return self._exactly(Fraction(1), Fraction(1))
        try:
            uniform, seed = (self._worst(weights) for weights in Weights)
        except Undecided as undecided:
            return self._unbounded(Worst(Weights.UNIFORM, None), undecided)
        except Exhausted as exhausted:
            return self._unbounded(Worst(Weights.UNIFORM, None), Undecided(None, str(exhausted)))
        for worst in (uniform, seed):
            if worst.ratio is None:
                return self._unbounded(worst, Undecided(self._line_over_classes(), _OPEN))
        assert uniform.ratio is not None
        assert seed.ratio is not None
        witness = self._attained(uniform)
        is_exact = (uniform.ratio == 1 or witness) and (seed.ratio == 1 or self._attained(seed))
        if is_exact:
            return self._exactly(uniform.ratio, seed.ratio, witness)
        line, verdict = self._line_over_classes(), ColumnVerdict.AT_MOST
        return ColumnPrivacy(self._names, verdict, uniform.ratio, seed.ratio, None, line, _NOT_ATTAINED)

    def _exactly(
        self, ratio: Fraction, seed_ratio: Fraction, witness: Witness | None = None
    ) -> ColumnPrivacy:
        return ColumnPrivacy(self._names, ColumnVerdict.EXACT, ratio, seed_ratio, witness)

    def _unbounded(self, worst: Worst, undecided: Undecided) -> ColumnPrivacy:
        """No bound if tables show it; else the question is open."""
        witness = self._attained(worst)
        if witness is not None:
            return ColumnPrivacy(self._names, ColumnVerdict.NONE, witness=witness)
        return ColumnPrivacy(
            self._names, ColumnVerdict.UNDECIDED, line=undecided.line, reason=undecided.reason
        )

    def _line_over_classes(self) -> int | None:
        """The line behind which all is post-processing, or else the first that other records decide about."""
        after = self._program.requirements[self._influence.stop :]
        lines = (each.line for each in self._program.requirements if not is_record_level(each))
        return after[0].line if after else next(lines, None)

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
        readable = sorted(pairs, key=self._without_label)
        search = Search(self._program, self._domain, worst.weights)
        try:
            return search.find(self._among_others(readable), worst.ratio)
        except Exhausted:
            return None  # the bound holds all the same

    def _without_label(self, pair: Pair) -> int:
        """How many values have no label in a map: such a table shows little, as nothing is written."""
        values = ((record[column], column) for record in pair for column in self._asked)
        known = ((value, self._domain.mentions(column)) for value, column in values)
        return sum(None in labels_of(value, mentions) for value, mentions in known if mentions.maps)

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
        ranked = product(enumerate(islice(values, MOST_CONTEXTS)), enumerate(pairs))
        ordered = sorted(ranked, key=lambda case: case[0][0] + case[1][0])
        changed = (
            (_with(one, others, context), _with(other, others, context))
            for (_, context), (_, (one, other)) in ordered
        )
        return list(dict.fromkeys((*pairs[:FIRST_PAIRS], *changed)))


def _with(record: Record, columns: list[int], values: tuple[object, ...]) -> Record:
    for column, value in zip(columns, values, strict=True):
        record = update(record, column, value)
    return record
