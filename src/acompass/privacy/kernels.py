"""The largest ratio of the probabilities of one output from two values of a record. docs/privacy.md."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias, assert_never

from acompass.checked.program import Requirement
from acompass.privacy.domain import Domain
from acompass.privacy.draws import Draws
from acompass.privacy.law import Table, step_law
from acompass.privacy.slices import Line, Marker, Slice, Step
from acompass.privacy.undecided import Budget
from acompass.privacy.weights import Weights
from acompass.semantics import Record, update

#: what the lines over classes have seen of the record, and what is left of it
State: TypeAlias = tuple[tuple[Any, ...], Table]
Kernel: TypeAlias = dict[State, Fraction]
#: two records that differ in the columns asked about
Pair: TypeAlias = tuple[Record, Record]

#: the most steps of a record through a line
BUDGET = 200_000
#: the pairs that are kept of those with the same ratio
MOST_PAIRS = 12


@dataclass(slots=True)
class Worst:
    """The largest ratio, None where it has no bound, and pairs of records that have it."""

    weights: Weights
    ratio: Fraction | None = Fraction(1)
    pairs: list[Pair] = field(default_factory=list)

    def add(self, ratio: Fraction | None, pair: Pair) -> None:
        if is_larger(ratio, self.ratio):
            self.ratio, self.pairs = ratio, [pair]
        elif ratio == self.ratio and len(self.pairs) < MOST_PAIRS and pair not in self.pairs:
            self.pairs.append(pair)


def is_larger(one: Fraction | None, other: Fraction | None) -> bool:
    """None has no bound."""
    return other is not None and (one is None or one > other)


class Kernels:
    """The laws of one record, for all values of the columns asked about and all that decides about them.

    `base` has values for the other columns.
    """

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
        self._require_few()
        for lines in self._variants():
            for around in self._records(self._base, self._context):
                records = list(self._records(around, self._asked))
                kernels = [self._kernel(record, lines) for record in records]
                self._compare(records, kernels, worst)
        return worst

    def _require_few(self) -> None:
        """Fail at once where each record alone would be too much."""
        values = (len(each) for each in (*self._asked.values(), *self._context.values()))
        self._budget.spend(prod(values), None)

    def _variants(self) -> Iterator[list[Marker | Requirement]]:
        """The lines, for each way in which the other records can decide."""
        yield from map(list, product(*(_choices(line) for line in self._slice.lines)))

    def _records(self, record: Record, values: dict[int, tuple[Any, ...]]) -> Iterator[Record]:
        for chosen in product(*values.values()):
            changed = record
            for column, value in zip(values, chosen, strict=True):
                changed = update(changed, column, value)
            yield changed

    def _kernel(self, record: Record, lines: Sequence[Marker | Requirement]) -> Kernel:
        """The law of what is left of a record."""
        law: Kernel = {((), (record,)): Fraction(1)}
        for line in lines:
            after: defaultdict[State, Fraction] = defaultdict(Fraction)
            for (seen, table), share in law.items():
                if isinstance(line, Marker):
                    after[(*seen, _projected(table, line.columns)), table] += share
                else:
                    for left, own in self._step(line, table).items():
                        after[seen, left] += share * own
            law = after
        return self._shown(law)

    def _step(self, requirement: Requirement, table: Table) -> dict[Table, Fraction]:
        key = (id(requirement), table)
        if key not in self._steps:
            law = step_law(requirement, table, self._cells, self._budget)
            self._steps[key] = {left: mass.probability for left, mass in law.items()}
        self._budget.spend(len(self._steps[key]), requirement.line)
        return self._steps[key]

    def _shown(self, law: Kernel) -> Kernel:
        """The law of what is seen in the end, without outputs that stand for several."""
        shown: defaultdict[State, Fraction] = defaultdict(Fraction)
        for (seen, table), share in law.items():
            shown[seen, _projected(table, self._slice.kept)] += share
        return {state: share for state, share in shown.items() if not self._is_vague(state[1])}

    def _is_vague(self, table: Table) -> bool:
        values = [pair for record in table or () for pair in zip(self._slice.kept, record, strict=True)]
        return any(self._draws.is_vague(column, value) for column, value in values)

    def _compare(self, records: Sequence[Record], kernels: Sequence[Kernel], worst: Worst) -> None:
        """The most and the least probability of each output."""
        for state in dict.fromkeys(state for kernel in kernels for state in kernel):
            shares = [kernel.get(state, Fraction(0)) for kernel in kernels]
            most, least = max(shares), min(shares)
            pair = records[shares.index(most)], records[shares.index(least)]
            worst.add(most / least if least else None, pair)


def _choices(line: Line) -> Sequence[Marker | Requirement]:
    match line:
        case Marker():
            return (line,)
        case Step(variants):
            return variants
        case _:
            assert_never(line)


def _projected(table: Table, columns: Sequence[int]) -> Table:
    return None if table is None else tuple(tuple(record[column] for column in columns) for record in table)
