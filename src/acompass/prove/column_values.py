"""Values of each column to build tables from: some of every region, with labels where a map needs them."""

import math
import random
from collections.abc import Container, Sequence
from itertools import chain

from acompass.checked.convert import to_text
from acompass.checked.effects import generalize_of
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.program import Program
from acompass.checked.types import Kind, Value
from acompass.prove.example_values import days_between, example_values
from acompass.prove.loadable import is_loadable
from acompass.prove.prover import Prover
from acompass.prove.regions import Regions, regions_in

#: the most values of one region to choose from
PER_REGION = 4
#: how often the values of a block are not the usual ones, so that blocks differ
SHIFTED = 0.5


class ColumnValues:
    """`most` is how many different values may be needed in one column. The columns `dated` are text in
    which there are dates."""

    def __init__(self, prover: Prover, dated: Container[int], rng: random.Random, most: int):
        self._prover = prover
        self._dated = dated
        self._rng = rng
        self._most = most
        self._maps = _first_maps(prover.program)
        self._all = [self._usual(column) for column in range(len(prover.program.schema))]
        self._similar: dict[tuple[int, int], list[Value]] = {}

    def any(self, column: int) -> list[Value]:
        return self._all[column]

    def inside(self, column: int, region: int) -> list[Value]:
        """A few values of a region, or any values if no table has one of the region."""
        regions = self._regions(column)
        near = (
            *self._examples(column),
            *self._days(column, region),
            *self._addends(column),
            *self._infinite(column),
        )
        inside = [value for value in near if regions.region_of(value) == region]
        return self._usable(column, [*regions.values(region, PER_REGION), *inside]) or self._all[column]

    def similar(self, column: int, value: Value) -> Sequence[Value]:
        """As many values of the value's region as some blocks may need."""
        if not self._is_named(column):
            return [value]
        regions = self._regions(column)
        region = regions.region_of(value)
        if (column, region) not in self._similar:
            values = self._usable(column, regions.values(region, self._most))
            self._similar[column, region] = values or [value]
        found = self._similar[column, region]
        # the number of values depends on k, what is drawn from the generator must not
        start = int(self._rng.random() * len(found)) if self._rng.random() < SHIFTED else 0
        return found[start:] + found[:start]

    def different(self, column: int) -> list[Value]:
        """A few values of any regions."""
        values = self._all[column]
        return self._rng.sample(values, min(len(values), self._rng.randint(2, 4)))

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that are easier to read, the easiest first."""
        limit = _complexity(value)
        return [other for other in sorted(self._all[column], key=_complexity) if _complexity(other) < limit]

    def _is_named(self, column: int) -> bool:
        return self._prover.program.schema[column].type.kind not in (Kind.OPAQUE, Kind.DROPPED)

    def _usual(self, column: int) -> list[Value]:
        if not self._is_named(column):
            return [0]
        regions = self._regions(column)
        usual = chain.from_iterable(regions.values(region, 2) for region in regions_in(regions.full))
        usual = chain(self._examples(column), usual, self._addends(column), self._infinite(column))
        return self._usable(column, list(usual))

    def _examples(self, column: int) -> list[Value]:
        """Values that the first map of the column has labels for."""
        type_ = self._prover.program.schema[column].type
        return example_values(self._maps[column], type_) if column in self._maps else []

    def _infinite(self, column: int) -> list[Value]:
        """Floats whose texts are unlike those of others, for a column that becomes text."""
        _, *later = self._prover.variables.versions_of(column)
        is_float = self._prover.program.schema[column].type.kind is Kind.FLOAT
        return [math.inf, -math.inf] if is_float and later else []

    def _days(self, column: int, region: int) -> list[Value]:
        """Days in text, for a column whose first map is about dates, or that is compared with dates."""
        is_text = self._prover.program.schema[column].type.kind is Kind.TEXT
        is_dated = isinstance(self._maps.get(column), Dates) or column in self._dated
        if not is_text or not is_dated or region % 2:
            return []
        return days_between(*self._regions(column).bounds(region))

    def _usable(self, column: int, values: list[Value]) -> list[Value]:
        """The values that a table can have and that the first map of the column has labels for, if there are
        any."""
        type_ = self._prover.program.schema[column].type
        values = [value for value in values if is_loadable(value, type_)]
        if column not in self._maps:
            return values
        label = self._maps[column].label
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
    is_infinite = isinstance(value, float) and math.isinf(value)
    return is_infinite or not text.isprintable() or not text.strip() or text == SUPPRESSED, len(text), text
