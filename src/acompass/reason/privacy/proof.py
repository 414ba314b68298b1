"""Prove the privacy of a policy by column, for the whole table, and its stability.

`prove_privacy` is the entry point. This module decides the privacy of columns: how far one record's values in some
columns can change the probability distribution (the law) of the output. It also searches for two neighboring tables
and an output whose probabilities have the ratio that was proved."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product
from typing import NamedTuple

from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.program.aggregates import counts_distinct, facts_about
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import columns_read, process_of, reads_others, with_key
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Names, Schema, Type, remaining
from acompass.language.text import tree
from acompass.language.text.tree import Function
from acompass.language.text.walk import parameter_names
from acompass.prove.proof import Exhausted
from acompass.prove.refute.candidate_tables import compared_counts
from acompass.prove.refute.replay import EXAMPLE_KEY, replay
from acompass.prove.search.column_types import column_types, finer_scale
from acompass.prove.search.verdicts import check_policy, decimal_text
from acompass.reason.privacy import laws
from acompass.reason.privacy.answer import ColumnPrivacy, ColumnVerdict, Privacy, Weights, Witness
from acompass.reason.privacy.laws import Law, Mass, Pair, Table, Worst
from acompass.reason.privacy.mentions import (
    Budget,
    Undecided,
    column_influence,
    is_record_level,
    live_columns,
    policy_slice,
)
from acompass.reason.privacy.representatives import Domain, base_record, plain_values, similar_values, value_labels
from acompass.reason.privacy.sampling import table_privacy
from acompass.reason.privacy.stability import stability
from acompass.semantics.core import Record, canonical_order, update

#: at most this many pairs of values are tried if no bound is known
MOST_PAIRS = 60
#: each with at most this many values of the other columns
MOST_CONTEXTS = 24
#: this many pairs are tried unchanged, before other values
FIRST_PAIRS = 12
#: the most records to process for the law of one table, and in one search
TABLE_BUDGET = 10_000
SEARCH_BUDGET = 60_000
#: this many pairs are tried before the next larger tables
PAIRS_PER_SIZE = 2
#: at most this many copies of a record are tried
MOST_COPIES = 40

_NOT_ATTAINED = "no tables were found that attain it"
_OPEN = "the raw value may be revealed, but no tables were found that show it"
_IMPOSSIBLE = Mass(Fraction(0), ())
_RECORD_COUNTS = tuple(each for each in Function if facts_about(each).counts_records)
_DISTINCT_COUNTS = tuple(each for each in Function if counts_distinct(each))


def prove_privacy(
    policy: tree.Program,
    source: str,
    schema: Mapping[str, str | Type],
    params: Mapping[str, ParamValue] | None = None,
    columns: Sequence[str | Sequence[str]] | None = None,
    epsilon: str = "1",
) -> Privacy:
    """`schema` must list every column of the table. `columns` are the columns, or sets of columns, to analyze; by
    default each column."""
    # without the parameters that only claims use, and with a scale that distinguishes all constants
    own = {name: value for name, value in (params or {}).items() if name in parameter_names(policy)}
    types = column_types(policy, own, schema).widen(finer_scale(policy, own))
    program = with_key(check_policy(policy, source, types, own), EXAMPLE_KEY)
    asked = _asked_columns(program.schema, columns)
    return Privacy(column_privacy(program, asked), table_privacy(program, _parse_epsilon(epsilon)), stability(program))


def require_columns(types: Mapping[str, str | Type] | None) -> Mapping[str, str | Type]:
    """Return the column types, or raise CallError if there are none."""
    if types:
        return types
    message = "privacy needs every column of the table: columns the policy does not name are released unchanged"
    help_ = f"{option_text('table', 'people.csv')}, or {option_text('types')} for each column"
    raise CallError([Diagnostic("AC553", message, help=help_)])


def _asked_columns(schema: Schema, columns: Sequence[str | Sequence[str]] | None) -> list[frozenset[int]]:
    names = Names([column.name for column in schema])
    if columns is None:
        return [frozenset((column,)) for column in range(len(schema))]
    sets = ((each,) if isinstance(each, str) else each for each in columns)
    return [frozenset(_column_position(name, names) for name in each) for each in sets]


def _column_position(name: str, names: Names) -> int:
    match names.find(name):
        case (position,):
            return position
        case ():
            close = names.closest(name)
            meant = f"; did you mean `{close}`?" if close else ""
            message, help_ = f"unknown column `{name}`", f"columns: {names.listing()}{meant}"
        case several:
            message = f"`{name}` matches several columns"
            help_ = f"spell it exactly as one of {', '.join(f'`{names.texts[each]}`' for each in several)}"
    raise CallError([Diagnostic("AC554", message, help=help_)])


def _parse_epsilon(epsilon: str) -> Decimal:
    try:
        number = Decimal(epsilon)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite() and number >= 0:
        return number
    message = f"`{epsilon}` is not a valid ε: expected a non-negative number"
    raise CallError([Diagnostic("AC555", message, help=option_text("epsilon", 1))])


def column_privacy(program: Program, asked: Iterable[frozenset[int]]) -> tuple[ColumnPrivacy, ...]:
    domain = Domain(program.schema, program.requirements)
    base = base_record(program.schema, domain)
    return tuple(_Question(program, domain, base, columns).answer() for columns in asked)


class _Question:
    """`domain` is the domain of the whole program; `base` supplies values for irrelevant columns."""

    def __init__(self, program: Program, domain: Domain, base: Record, columns: frozenset[int]):
        self._program = program
        self._domain = domain
        self._base = base
        self._names = tuple(program.schema[column].name for column in sorted(columns))
        self._asked = columns & live_columns(program)[0]
        self._influence = column_influence(program, self._asked)

    def answer(self) -> ColumnPrivacy:
        if not self._asked:
            return ColumnPrivacy(self._names, ColumnVerdict.EXACT, Fraction(1), Fraction(1))
        try:
            uniform, seed = (self._worst(weights) for weights in Weights)
        except Undecided as undecided:
            return self._without_bound(Worst(Weights.UNIFORM, None), undecided)
        except Exhausted as exhausted:
            return self._without_bound(Worst(Weights.UNIFORM, None), Undecided(None, str(exhausted)))
        for worst in (uniform, seed):
            if worst.ratio is None:
                return self._without_bound(worst, Undecided(self._line_over_classes(), _OPEN))
        assert uniform.ratio is not None
        assert seed.ratio is not None
        witness = self._find_witness(uniform)
        is_exact = (uniform.ratio == 1 or witness) and (seed.ratio == 1 or self._find_witness(seed))
        if is_exact:
            return ColumnPrivacy(self._names, ColumnVerdict.EXACT, uniform.ratio, seed.ratio, witness)
        line, verdict = self._line_over_classes(), ColumnVerdict.AT_MOST
        return ColumnPrivacy(self._names, verdict, uniform.ratio, seed.ratio, None, line, _NOT_ATTAINED)

    def _without_bound(self, worst: Worst, undecided: Undecided) -> ColumnPrivacy:
        """The verdict is `none` if two tables prove that the ratio is unbounded; else it is undecided."""
        witness = self._find_witness(worst)
        if witness is not None:
            return ColumnPrivacy(self._names, ColumnVerdict.NONE, witness=witness)
        return ColumnPrivacy(self._names, ColumnVerdict.UNDECIDED, line=undecided.line, reason=undecided.reason)

    def _line_over_classes(self) -> int | None:
        """The first line of the post-processing; if there is none, the first line that depends on other records."""
        after = self._program.requirements[self._influence.stop :]
        lines = (each.line for each in self._program.requirements if not is_record_level(each))
        return after[0].line if after else next(lines, None)

    def _worst(self, weights: Weights, *, with_rejects: bool = True) -> Worst:
        """Follow the lines that decide whether the record is kept, unless that costs too much."""
        part = policy_slice(self._program, self._influence, with_rejects=with_rejects)
        try:
            return laws.RecordLaws(part, self._domain_of_part, self._asked, self._base, weights).worst()
        except Undecided:
            if with_rejects:
                return self._worst(weights, with_rejects=False)
            raise

    @cached_property
    def _domain_of_part(self) -> Domain:
        """The domain of the lines up to where the analysis stops; later lines distinguish no values."""
        lines = self._program.requirements[: self._influence.stop]
        is_whole = len(lines) == len(self._program.requirements)
        return self._domain if is_whole else Domain(self._program.schema, lines)

    def _find_witness(self, worst: Worst) -> Witness | None:
        """Two tables that attain the ratio."""
        pairs = [*worst.pairs, *self._usual_pairs()] if worst.ratio is None else worst.pairs
        readable = sorted(pairs, key=self._without_label)
        search = NeighborSearch(self._program, self._domain, worst.weights)
        try:
            return search.find(self._pairs_in_context(readable), worst.ratio)
        except Exhausted:
            return None  # the bound holds anyway

    def _without_label(self, pair: Pair) -> int:
        """The number of values for which a map has no label: then nothing is written, and the table shows little."""
        values = ((record[column], column) for record in pair for column in self._asked)
        known = ((value, self._domain.mentions(column)) for value, column in values)
        return sum(None in value_labels(value, mentions) for value, mentions in known if mentions.maps)

    def _usual_pairs(self) -> Iterator[Pair]:
        """Records that differ only in these columns, with simple values."""
        columns = sorted(self._asked)
        values = product(*(plain_values(column, self._domain) for column in columns))
        records = [laws.replace_values(self._base, columns, each) for each in islice(values, MOST_PAIRS)]
        yield from islice(combinations(records, 2), MOST_PAIRS)

    def _pairs_in_context(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The same pairs, also with other values in the other columns: lines over classes may need them."""
        if all(is_record_level(requirement) for requirement in self._program.requirements):
            return list(pairs)
        others = sorted(self._program.named - self._asked)
        values = product(*(plain_values(column, self._domain) for column in others))
        ranked = product(enumerate(islice(values, MOST_CONTEXTS)), enumerate(pairs))
        ordered = sorted(ranked, key=lambda case: case[0][0] + case[1][0])
        changed = (
            (laws.replace_values(one, others, context), laws.replace_values(other, others, context))
            for (_, context), (_, (one, other)) in ordered
        )
        return list(dict.fromkeys((*pairs[:FIRST_PAIRS], *changed)))


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
        over_classes = [each for each in program.requirements if not is_record_level(each) or reads_others(each.action)]
        self._read_together = frozenset().union(*(_columns_read_together(program, each) for each in over_classes))
        self._counted = sorted({column for each in over_classes for column in _counted_columns(each)})
        self._shapes = _table_shapes(over_classes)
        self._left = SEARCH_BUDGET

    def find(self, pairs: Iterable[Pair], wanted: Fraction | None) -> Witness | None:
        """`wanted` is the ratio to find; None for an infinite ratio."""
        # small tables and the first pairs come first
        ranked = product(enumerate(pairs), enumerate(self._shapes))
        for (_, pair), (_, shape) in sorted(ranked, key=lambda case: case[0][0] + PAIRS_PER_SIZE * case[1][0]):
            for one, other in (pair, pair[::-1]):
                varied = (self._vary(one, number) for number in range(1, shape.varied + 1))
                rest = [one] * shape.same + [other] * shape.other + list(varied)
                witness = self._compare([one, *rest], [other, *rest], wanted)
                if witness is not None:
                    return witness
            if self._left < 0:
                break
        return None

    def _vary(self, record: Record, number: int) -> Record:
        """The record with other values in the columns whose distinct values are counted."""
        for column in self._counted:
            values = similar_values(record[column], column, self._domain)
            record = update(record, column, values[(number - 1) % len(values)]) if values else record
        return record

    def _compare(self, records: list[Record], neighbor: list[Record], wanted: Fraction | None) -> Witness | None:
        """A witness if some output has this ratio in the laws of the two tables."""
        apart = self._read_together if len(records) > 1 else frozenset()
        draws = laws.Draws(self._domain, lambda column: {each[column] for each in (*records, *neighbor)}, apart)
        try:
            more, less = self._law(records, draws), self._law(neighbor, draws)
        except Undecided:
            return None
        kept = remaining(self._program.final_schema)
        for left, mass in sorted(more.items(), key=lambda item: -item[1].probability):
            other = less.get(left, _IMPOSSIBLE)
            ratio = mass.probability / other.probability if other.probability else None
            if any(draws.is_vague(column, record[column]) for record in left or () for column in kept):
                continue
            assert not laws.is_larger(ratio, wanted), "the ratio of two tables exceeds the bound"
            if ratio == wanted:
                return self._witness((records, mass), (neighbor, other), left)
        return None

    def _law(self, records: Sequence[Record], draws: laws.Draws) -> Law:
        budget = Budget(TABLE_BUDGET)
        try:
            return laws.output_law(self._program.requirements, records, draws.cells(self._weights), budget)
        finally:
            self._left -= budget.spent

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


def _columns_read_together(program: Program, requirement: Requirement) -> frozenset[int]:
    """The columns whose values in several records the requirement compares: all, if it averages them in canonical
    order."""
    return frozenset(range(len(program.schema))) if reads_others(requirement.action) else columns_read(requirement)


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
