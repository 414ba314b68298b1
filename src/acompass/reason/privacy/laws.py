"""Compute exact laws of outputs, and the largest ratio of an output's probabilities for two values of a record.

A trace is divided into cells: values of ρ between two cuts, which all draw the same. `semantics` runs on one trace
from each box of cells. docs/privacy.md has the proof."""

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import isfinite, prod
from typing import Any, NamedTuple, TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.language.program.effects import drawing_kernel, kernel_of, probability_of, write_of
from acompass.language.program.kernels import Kernel, UnfitValueError, shortest_trace_value
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Action, Requirement
from acompass.language.program.types import INTEGER, Kind, Value, convert
from acompass.prove.diagrams.cuts import read_text
from acompass.reason.privacy.answer import Weights, probability
from acompass.reason.privacy.mentions import Budget, Marker, Slice, Undecided
from acompass.reason.privacy.representatives import Domain
from acompass.semantics.core import (
    Record,
    affected_bag,
    canonical_order,
    perform_requirement,
    random,
    trace_of_values,
    update,
)

#: a bag as its records in canonical order; None if nothing is written
Table: TypeAlias = tuple[Record, ...] | None

#: what the lines over classes have read of the record, and the table that is left
State: TypeAlias = tuple[tuple[Any, ...], Table]
RecordLaw: TypeAlias = dict[State, Fraction]
#: two records that differ in the columns asked about
Pair: TypeAlias = tuple[Record, Record]

#: a limit on the steps of records through lines
BUDGET = 200_000
#: at most this many pairs with the same ratio are kept
MOST_PAIRS = 12
#: if every integer of a RANDOM matters, at most this many are followed
MOST_APART = 64


@dataclass(slots=True)
class Worst:
    weights: Weights
    ratio: Fraction | None = Fraction(1)  # the largest ratio; None if it is infinite
    pairs: list[Pair] = field(default_factory=list)  # pairs of records that have it

    def add(self, ratio: Fraction | None, pair: Pair) -> None:
        if is_larger(ratio, self.ratio):
            self.ratio, self.pairs = ratio, [pair]
        elif ratio == self.ratio and len(self.pairs) < MOST_PAIRS and pair not in self.pairs:
            self.pairs.append(pair)


class Mass(NamedTuple):
    probability: Fraction
    trace: tuple[Fraction, ...]  # one trace that leads to the table


Law: TypeAlias = dict[Table, Mass]


class Cell(NamedTuple):
    rho: Fraction  # a short decimal in the cell
    probability: Fraction


class Box(NamedTuple):
    trace: tuple[Fraction, ...]  # the values that an action consumes, one from each cell
    probability: Fraction


def is_larger(one: Fraction | None, other: Fraction | None) -> bool:
    """None means infinite."""
    return other is not None and (one is None or one > other)


class RecordLaws:
    """The laws of one record, for all values of the columns asked about and of the columns that influence them.
    `base` supplies values for the other columns."""

    def __init__(self, slice_: Slice, domain: Domain, asked: frozenset[int], base: Record, weights: Weights):
        self._slice = slice_
        self._weights = weights
        self._draws = Draws(domain, lambda column: domain.representatives(column).values)
        self._cells = self._draws.cells(weights)
        self._budget = Budget(BUDGET)
        self._steps: dict[tuple[int, Table], dict[Table, Fraction]] = {}
        self._base = base
        self._asked = {column: domain.representatives(column).values for column in sorted(asked)}
        context = sorted(slice_.columns - asked)
        self._context = {column: domain.representatives(column).one_of_each for column in context}

    def worst(self) -> Worst:
        worst = Worst(self._weights)
        # give up at once if there are too many records to follow
        self._budget.spend(prod(len(each) for each in (*self._asked.values(), *self._context.values())), None)
        # other records can decide in each of these ways
        for lines in product(*self._slice.lines):
            for context in self._records(self._base, self._context):
                records = list(self._records(context, self._asked))
                laws = [self._law(record, lines) for record in records]
                self._compare(records, laws, worst)
        return worst

    def _records(self, record: Record, values: dict[int, tuple[Any, ...]]) -> Iterator[Record]:
        for chosen in product(*values.values()):
            yield replace_values(record, values, chosen)

    def _law(self, record: Record, lines: Sequence[Marker | Requirement]) -> RecordLaw:
        """The law of what remains of a record."""
        law: RecordLaw = {((), (record,)): Fraction(1)}
        for line in lines:
            after: defaultdict[State, Fraction] = defaultdict(Fraction)
            for (seen, table), share in law.items():
                if isinstance(line, Marker):
                    after[(*seen, _project(table, line.columns)), table] += share
                else:
                    for left, own in self._step(line, table).items():
                        after[seen, left] += share * own
            law = after
        return self._visible_law(law)

    def _step(self, requirement: Requirement, table: Table) -> dict[Table, Fraction]:
        key = (id(requirement), table)
        if key not in self._steps:
            law = step_law(requirement, table, self._cells, self._budget)
            self._steps[key] = {left: mass.probability for left, mass in law.items()}
        self._budget.spend(len(self._steps[key]), requirement.line)
        return self._steps[key]

    def _visible_law(self, law: RecordLaw) -> RecordLaw:
        """The law of what is visible at the end, without outputs that represent several."""
        visible: defaultdict[State, Fraction] = defaultdict(Fraction)
        for (seen, table), share in law.items():
            visible[seen, _project(table, self._slice.kept)] += share
        return {state: share for state, share in visible.items() if not self._is_vague(state[1])}

    def _is_vague(self, table: Table) -> bool:
        values = [pair for record in table or () for pair in zip(self._slice.kept, record, strict=True)]
        return any(self._draws.is_vague(column, value) for column, value in values)

    def _compare(self, records: Sequence[Record], laws: Sequence[RecordLaw], worst: Worst) -> None:
        """Compare the highest and the lowest probability of each output."""
        for state in dict.fromkeys(state for law in laws for state in law):
            shares = [law.get(state, Fraction(0)) for law in laws]
            most, least = max(shares), min(shares)
            pair = records[shares.index(most)], records[shares.index(least)]
            worst.add(most / least if least else None, pair)


def replace_values(record: Record, columns: Iterable[int], values: Iterable[Value]) -> Record:
    for column, value in zip(columns, values, strict=True):
        record = update(record, column, value)
    return record


def _project(table: Table, columns: Sequence[int]) -> Table:
    return None if table is None else tuple(tuple(record[column] for column in columns) for record in table)


class Draw(NamedTuple):
    """A RANDOM between two bounds."""

    column: int
    integers: range


#: where the cells of such a RANDOM end
IntegerCuts: TypeAlias = Callable[[Draw], Sequence[Fraction]]


class Cells:
    """The cells of every draw, without those of probability 0."""

    def __init__(self, weights: Weights, integer_cuts: IntegerCuts):
        self._weights = weights
        self._integer_cuts = integer_cuts
        self._known: dict[tuple[Fraction, ...], list[Cell]] = {}

    def boxes(self, action: Action | None, affected: int) -> Iterator[Box]:
        """All boxes for this number of affected records."""
        threshold = probability_of(action)
        if threshold is None or not affected:
            yield from self._drawn_boxes(action, affected)
            return
        for coins in _boxes(self._between((threshold, Fraction(1))), affected):
            for drawn in self._drawn_boxes(action, sum(rho < threshold for rho in coins.trace)):
                yield Box(coins.trace + drawn.trace, coins.probability * drawn.probability)

    def _drawn_boxes(self, action: Action | None, count: int) -> Iterator[Box]:
        """All boxes of the values that a RANDOM draws for this number of records."""
        kernel, draw = drawing_kernel(action), integer_draw(action)
        if kernel is None or not count:
            yield Box((), Fraction(1))
        elif draw is not None:
            yield from _boxes(self._between(self._integer_cuts(draw)), count)
        else:
            yield from _boxes(self._between(kernel.trace_cuts() or _cuts_of_sums(kernel)), count)

    def _between(self, cuts: Iterable[Fraction]) -> list[Cell]:
        ends = tuple(cuts)
        assert ends[-1] == 1, "the cells contain every value of the trace"
        if ends not in self._known:
            cells = (
                Cell(shortest_trace_value(low, high), probability(self._weights, low, high))
                for low, high in pairwise((Fraction(0), *ends))
            )
            self._known[ends] = [cell for cell in cells if cell.probability]
        return self._known[ends]


def _cuts_of_sums(kernel: Kernel) -> list[Fraction]:
    """A cell for each integer that ADD RANDOM draws: every sum matters."""
    addition = kernel.addition()
    assert addition is not None, "the other kernels have cuts or integers"
    size = addition.upper - addition.lower + 1
    if size > MOST_APART:
        raise Undecided(None, f"ADD RANDOM draws from more than {MOST_APART} integers")
    return [Fraction(number, size) for number in range(1, size + 1)]


def output_law(requirements: Iterable[Requirement], records: Sequence[Record], cells: Cells, budget: Budget) -> Law:
    """The law of the output. If a check fails or a value cannot be written, nothing is, which is an output too."""
    law: Law = {tuple(records): Mass(Fraction(1), ())}
    for requirement in requirements:
        after: Law = {}
        for table, (share, trace) in law.items():
            for left, own in step_law(requirement, table, cells, budget).items():
                _add_mass(after, left, Mass(share * own.probability, trace + own.trace))
        law = after
    return law


def _add_mass(law: Law, left: Table, mass: Mass) -> None:
    known = law.get(left)
    law[left] = mass if known is None else Mass(known.probability + mass.probability, known.trace)


def step_law(requirement: Requirement, table: Table, cells: Cells, budget: Budget) -> Law:
    """The law of the table after one requirement."""
    if table is None:
        return {None: Mass(Fraction(1), ())}
    bag = list(table)
    affected = len(affected_bag(bag, requirement.assertion))
    law: Law = {}
    for box in cells.boxes(requirement.action, affected):
        budget.spend(1 + len(bag), requirement.line)
        _add_mass(law, _perform(requirement, bag, box.trace), Mass(box.probability, box.trace))
    return law


def _perform(requirement: Requirement, bag: list[Record], trace: tuple[Fraction, ...]) -> Table:
    try:
        left, _, verdict = perform_requirement(requirement, bag, trace_of_values(trace))
    except (UnlabeledValueError, UnfitValueError):
        return None
    if requirement.action is None and not verdict.holds:
        return None
    return tuple(canonical_order(requirement.after, left))


def _boxes(cells: Sequence[Cell], count: int) -> Iterator[Box]:
    for chosen in product(cells, repeat=count):
        yield Box(tuple(cell.rho for cell in chosen), prod((cell.probability for cell in chosen), start=Fraction(1)))


#: the values that a column may have without any draw
ValuesOf: TypeAlias = Callable[[int], Iterable[Value]]


class Draws:
    """Divides the integers of each RANDOM into runs that the policy treats alike.

    `values_of` returns the values of a column whose probabilities are needed. Lines over classes compare the values of
    several records in the columns `apart`, so every integer drawn into these matters, as into the column of a person
    (X16)."""

    def __init__(self, domain: Domain, values_of: ValuesOf, apart: frozenset[int] = frozenset()):
        self._domain = domain
        self._values_of = values_of
        kernels = (kernel_of(requirement.action) for requirement in domain.requirements)
        self._apart = apart | {kernel.by for kernel in kernels if kernel is not None and kernel.by is not None}
        self._runs: dict[Draw, list[range]] = {}
        self._vague: dict[Draw, frozenset[Value]] = {}

    def cells(self, weights: Weights) -> Cells:
        return Cells(weights, self._cuts)

    def is_vague(self, column: int, value: Value) -> bool:
        """Whether a value represents several integers of a run. Only RANDOMs whose cells were requested count."""
        return any(value in self._vague_values(draw) for draw in self._runs if draw.column == column)

    def _vague_values(self, draw: Draw) -> frozenset[Value]:
        if draw not in self._vague:
            drawn = list(self._run_representatives(draw))
            forms = (
                form
                for at, requirement in enumerate(self._domain.requirements)
                if integer_draw(requirement.action) == draw
                for each in drawn
                for form in self._forms(each, draw.column, at)
            )
            self._vague[draw] = frozenset(forms)
        return self._vague[draw]

    def _run_representatives(self, draw: Draw) -> Iterator[int]:
        """The integer that is drawn for each run of several."""
        ends = pairwise((Fraction(0), *self._cuts(draw)))
        for run, (low, high) in zip(self._integer_runs(draw), ends, strict=True):
            if run.stop - run.start > 1:
                yield random(draw.integers.start, draw.integers.stop - 1, shortest_trace_value(low, high))

    def _forms(self, drawn: int, column: int, at: int) -> Iterator[Value]:
        """The integer that a requirement draws, in each type that its column has from then on."""
        requirements = self._domain.requirements
        value = convert(drawn, INTEGER, requirements[at].after[column].type)
        yield value
        for requirement in requirements[at + 1 :]:
            before, after = requirement.before[column].type, requirement.after[column].type
            if after.kind is Kind.DROPPED:
                return
            value = convert(value, before, after)
            yield value

    def _cuts(self, draw: Draw) -> list[Fraction]:
        first, end = draw.integers.start, draw.integers.stop
        return [Fraction(run.stop - first, end - first) for run in self._integer_runs(draw)]

    def _integer_runs(self, draw: Draw) -> list[range]:
        if draw not in self._runs:
            self._runs[draw] = self._find_runs(*draw)
        return self._runs[draw]

    def _find_runs(self, column: int, integers: range) -> list[range]:
        if column in self._apart:
            if integers.stop - integers.start > MOST_APART:
                raise Undecided(None, f"classes depend on more than {MOST_APART} integers of a RANDOM")
            return [range(each, each + 1) for each in integers]
        known = self._domain.representatives(column)
        # the lower bound is alone, so that some output represents a single integer
        values = (integers.start, *known.points, *self._values_of(column))
        single = {each for value in values if (each := _as_integer(value)) is not None and each in integers}
        starts = {*known.splits, *single, *(each + 1 for each in single)}
        inner = sorted(start for start in starts if start in integers)
        return [range(first, end) for first, end in pairwise((*inner, integers.stop))]


def integer_draw(action: Action | None) -> Draw | None:
    """The RANDOM between two bounds that an action performs."""
    write, kernel = write_of(action), drawing_kernel(action)
    integers = None if kernel is None else kernel.integers()
    return None if write is None or integers is None else Draw(write.column, integers)


def _as_integer(value: Any) -> int | None:
    """The integer that a number equals or a text spells; None if there is none. The text of a period may spell one."""
    if isinstance(value, datetime.date):
        raise Undecided(None, "RANDOM draws integers in place of dates")
    if isinstance(value, str):
        read = read_text(value, INTEGER)
        return read if isinstance(read, int) else None
    return int(value) if isfinite(value) and value == int(value) else None
