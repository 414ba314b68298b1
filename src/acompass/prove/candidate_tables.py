"""Small tables on which a claim could fail: blocks of similar records, in sizes that matter to the policy."""

import random
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

from acompass.checked.convert import to_text
from acompass.checked.effects import comparisons, generalize_of, process_in
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.program import Assertion, Program
from acompass.checked.types import Kind, Value
from acompass.prove.chances import Chances, RandomChances
from acompass.prove.decision_diagram import Diagram
from acompass.prove.example_values import days_between, example_values
from acompass.prove.origins import Origin, Origins
from acompass.prove.prover import Prover
from acompass.prove.regions import Regions, regions_in
from acompass.prove.witness import Record
from acompass.syntax.tree import Function

#: the most records in a block
LARGEST_BLOCK = 120
#: the most values of one region to choose from
PER_REGION = 4


#: a table, and what the coins and the draws show
Candidate: TypeAlias = tuple[list[Record], Chances]


class CandidateTables:
    def __init__(self, prover: Prover, rng: random.Random):
        self._prover = prover
        self._rng = rng
        self._origins = Origins(prover.reachability, rng)
        self._maps = _first_maps(prover.program)
        self._values = [self._values_of(column) for column in range(len(prover.program.schema))]
        self._sizes = _block_sizes(prover)
        self._chances = RandomChances(prover.program, rng)

    def _values_of(self, column: int) -> list[Value]:
        schema = self._prover.program.schema
        if schema[column].type.kind in (Kind.OPAQUE, Kind.DROPPED):
            return [0]
        regions = self._regions(column)
        usual = [value for region in regions_in(regions.full) for value in regions.values(region, 2)]
        return self._labelled(column, [*self._examples(column), *usual, *self._addends(column)])

    def _examples(self, column: int) -> list[Value]:
        """Values that the first map of the column has labels for."""
        type_ = self._prover.program.schema[column].type
        return example_values(self._maps[column], type_) if column in self._maps else []

    def _days(self, column: int, region: int) -> list[Value]:
        """Days in text, for a column whose first map is about dates."""
        is_text = self._prover.program.schema[column].type.kind is Kind.TEXT
        match self._maps.get(column):
            case Dates() if is_text and not region % 2:
                return days_between(*self._regions(column).bounds(region))
            case _:
                return []

    def _labelled(self, column: int, values: list[Value]) -> list[Value]:
        """The values that the first map of the column has labels for, if there are any."""
        if column not in self._maps:
            return values
        label, type_ = self._maps[column].label, self._prover.program.schema[column].type
        return [value for value in values if label(to_text(value, type_)) is not None] or values

    def _regions(self, column: int) -> Regions:
        return self._prover.variables.regions(self._prover.variables.column(0, column))

    def _addends(self, column: int) -> list[Value]:
        """Numbers with which sums of the column reach the constants they are compared with."""
        variable = self._prover.variables.sums(0, column)
        if variable is None:
            return []
        sums = self._prover.variables.regions(variable)
        reached = [value for region in regions_in(sums.full) for value in sums.values(region, 2)]
        return [value for number in reached for value in (number, -number) if value]  # type: ignore[operator]

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that are easier to read, the easiest first."""
        limit = _complexity(value)
        return [
            other for other in sorted(self._values[column], key=_complexity) if _complexity(other) < limit
        ]

    @property
    def largest_size(self) -> int:
        """So many equal records pass the lines that demand large classes."""
        return self._sizes[-1]

    def single(self, target: Diagram) -> Candidate | None:
        """A table of one record that can end in the target; None where no record can."""
        origin = self._origins.find(target)
        return None if origin is None else ([self._record(origin)], self._chances.toward(origin, aimed=1))

    def some(self, target: Diagram) -> Candidate:
        """A table of one or more blocks, most of them of records that can end in the target."""
        origin = self._origins.find(target) if self._rng.random() < 0.85 else None
        origin = origin or Origin({})
        first = self._block(self._record(origin))
        table = list(first)
        while self._rng.random() < 0.4 and len(table) < LARGEST_BLOCK:
            table += self._block(self._neighbour(target, self._rng.choice(first)))
        return table, self._chances.toward(origin)

    def _record(self, origin: Origin) -> Record:
        variables = self._prover.variables
        chosen = {variables.column_of(variable): region for variable, region in origin.cell.items()}
        return tuple(
            self._rng.choice(self._values_in(column, chosen[column]) if column in chosen else values)
            for column, values in enumerate(self._values)
        )

    def _values_in(self, column: int, region: int) -> list[Value]:
        regions = self._regions(column)
        near = (*self._examples(column), *self._days(column, region), *self._addends(column))
        inside = [value for value in near if regions.region_of(value) == region]
        return self._labelled(column, [*regions.values(region, PER_REGION), *inside])

    def _neighbour(self, target: Diagram, record: Record) -> Record:
        """A mix of the record with another one, which may be one that can end in the target."""
        if self._rng.random() < 0.4:
            origin = self._origins.find(target)
            if origin is not None:
                return self._mixed(self._record(origin), record, 0.5)
        return self._mixed(self._record(Origin({})), record, 0.7)

    def _mixed(self, other: Record, record: Record, kept: float) -> Record:
        return tuple(
            old if self._rng.random() < kept else new for old, new in zip(record, other, strict=True)
        )

    def _block(self, base: Record) -> list[Record]:
        size = self._rng.choice(self._sizes)
        varying = {
            column: self._variations(column, value)
            for column, value in enumerate(base)
            if size > 1 and self._rng.random() < 0.35
        }
        return [
            tuple(
                varying[column][at % len(varying[column])] if column in varying else value
                for column, value in enumerate(base)
            )
            for at in range(size)
        ]

    def _variations(self, column: int, value: Value) -> list[Value]:
        """Values for a column that varies within a block: from the value's own region, or from any."""
        type_ = self._prover.program.schema[column].type
        if type_.kind in (Kind.OPAQUE, Kind.DROPPED):
            return [value]
        regions = self._regions(column)
        if self._rng.random() < 0.6:
            near = self._labelled(column, regions.values(regions.region_of(value), max(self._sizes)))
            if len(near) > 1:
                return near[: self._rng.choice((2, len(near)))]
        return self._rng.sample(self._values[column], min(len(self._values[column]), self._rng.randint(2, 4)))


def _first_maps(program: Program) -> dict[int, Map]:
    """The first map of each column that is generalized."""
    found: dict[int, Map] = {}
    for requirement in program.requirements:
        action = generalize_of(requirement.action)
        if action is not None:
            found.setdefault(action.column, action.map)
    return found


def _complexity(value: Value) -> tuple[bool, int, str]:
    text = str(value)
    return not text.isprintable() or not text.strip() or text == SUPPRESSED, len(text), text


def _block_sizes(prover: Prover) -> list[int]:
    """Small sizes, and sizes around every number that a count is compared with."""
    assertions = (*(r.assertion for r in prover.program.requirements), *prover.claims)
    near = (
        count + by for assertion in assertions for count in compared_counts(assertion) for by in (-1, 0, 1)
    )
    return sorted({1, 2, 3} | {size for size in near if 1 <= size <= LARGEST_BLOCK})


def compared_counts(
    assertion: Assertion, functions: Sequence[Function] = (Function.COUNT, Function.COUNT_DISTINCT)
) -> list[int]:
    """The numbers that an assertion compares a count with."""
    query = process_in(assertion)
    if query is None:
        return []
    positions = [
        at
        for at, aggregate in enumerate(query.aggregates, len(query.group_by))
        if aggregate.function in functions
    ]
    compared = (c.value for c in comparisons(assertion.condition) if c.column in positions)
    return [int(value) for value in compared if isinstance(value, int | Decimal)]
