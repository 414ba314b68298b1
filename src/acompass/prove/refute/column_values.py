"""Values of each column to build tables from: some from every region, and some that the column's first map labels."""

import datetime
import math
import random
import re
from collections.abc import Container, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import assert_never

from acompass.language.program.bands import Bands
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix
from acompass.language.program.program import Program
from acompass.language.program.types import EXACT, Kind, Type, Value, to_text
from acompass.prove.diagrams.cuts import maps_by_step
from acompass.prove.diagrams.regions import Regions, regions_in
from acompass.prove.refute.replay import is_loadable
from acompass.prove.search.prover import Prover

#: the most values of one region to choose from
PER_REGION = 4
#: how often a block starts with another value than the first, so that blocks differ
SHIFTED = 0.5
#: how many bands, and how many rows of a hierarchy, have examples
_FEW = 4

_YEAR = re.compile("[0-9]{4}")
_DAYS = ("2000-01-01", "2000-01-02", "2000-02-01", "2000-05-01", "2001-01-01", "2012-01-01")


class ColumnValues:
    """`most` is the largest number of distinct values that a column may need; `dated` are the text columns with
    dates."""

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
        """Some values of a region, or any values if no table can contain a value of the region."""
        regions = self._regions(column)
        near = (*self._examples(column), *self._days(column, region), *self._addends(column), *self._infinite(column))
        inside = [value for value in near if regions.region_of(value) == region]
        return self._usable(column, [*regions.values(region, PER_REGION), *inside]) or self._all[column]

    def similar(self, column: int, value: Value) -> Sequence[Value]:
        """As many values of the value's region as a block may need."""
        if not self._is_named(column):
            return [value]
        regions = self._regions(column)
        region = regions.region_of(value)
        if (column, region) not in self._similar:
            values = self._usable(column, regions.values(region, self._most))
            self._similar[column, region] = values or [value]
        found = self._similar[column, region]
        # the number of values depends on k, but the use of the random generator must not
        start = int(self._rng.random() * len(found)) if self._rng.random() < SHIFTED else 0
        return found[start:] + found[:start]

    def different(self, column: int) -> list[Value]:
        """Some values of any regions."""
        values = self._all[column]
        return self._rng.sample(values, min(len(values), self._rng.randint(2, 4)))

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that are easier to read, simplest first."""
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
        """Values for which the first map of the column has labels."""
        type_ = self._prover.program.schema[column].type
        return example_values(self._maps[column], type_) if column in self._maps else []

    def _infinite(self, column: int) -> list[Value]:
        """The floats with unusual texts, for a column that becomes text."""
        _, *later = self._prover.variables.versions_of(column)
        is_float = self._prover.program.schema[column].type.kind is Kind.FLOAT
        return [math.inf, -math.inf] if is_float and later else []

    def _days(self, column: int, region: int) -> list[Value]:
        """Dates as text, for a column whose first map is for dates, or that is compared with dates."""
        is_text = self._prover.program.schema[column].type.kind is Kind.TEXT
        map_ = self._maps.get(column)
        is_dated = (map_ is not None and map_.of_dates) or column in self._dated
        if not is_text or not is_dated or region % 2:
            return []
        return days_between(*self._regions(column).bounds(region))

    def _usable(self, column: int, values: list[Value]) -> list[Value]:
        """The values that a table can contain, restricted to those with a label of the column's first map if there are
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
        """Numbers that make the column's sums reach the constants they are compared with."""
        variable = self._prover.variables.sums(0, column)
        if variable is None:
            return []
        sums = self._prover.variables.regions(variable)
        reached = [value for region in regions_in(sums.full) for value in sums.values(region, 2)]
        return [value for number in reached for value in (number, -number) if value]  # type: ignore[operator]


def _first_maps(program: Program) -> dict[int, Map]:
    """The first map of each column that is generalized."""
    found: dict[int, Map] = {}
    for _, column, map_ in maps_by_step(program):
        found.setdefault(column, map_)
    return found


def _complexity(value: Value) -> tuple[bool, int, str]:
    text = str(value)
    is_infinite = isinstance(value, float) and math.isinf(value)
    return is_infinite or not text.isprintable() or not text.strip() or text == SUPPRESSED, len(text), text


def example_values(map_: Map, type_: Type) -> list[Value]:
    """Values that the map labels, for a column of the type, simplest first."""
    match map_:
        case Bands():
            return [*_numbers(map_, type_), *([SUPPRESSED] if type_.kind is Kind.TEXT else [])]
        case Dates():
            return [_day(day, type_) for day in _DAYS]
        case Prefix(length) if type_.kind is Kind.TEXT:
            return [*("a" * length + end for end in ("", "b", "c", "bc")), "b" * length + "b"]
        case Level() if type_.kind is Kind.TEXT:
            return [row[0] for row in map_.hierarchy.rows[:_FEW]]
        case Prefix() | Level():
            return []
        case _:
            assert_never(map_)


def days_between(low: str | None, high: str | None) -> list[Value]:
    """Days whose texts may lie between two texts."""
    years = [int(text[:4]) for text in (low, high) if text is not None and _YEAR.match(text)]
    near = {year + by for year in (1999, *years) for by in (0, 1, -1, 10, -10)}
    near = {year for year in near if datetime.MINYEAR <= year <= datetime.MAXYEAR}
    return [f"{year:04}-{day}" for year in sorted(near) for day in ("01-01", "01-02", "02-01", "06-15", "12-31")]


def _numbers(map_: Bands, type_: Type) -> Iterator[Value]:
    scale = type_.scale if type_.kind is Kind.DECIMAL else map_.scale
    for cut in _cuts(map_):
        number = Decimal(cut).scaleb(-map_.scale, context=EXACT)
        for near in (number, number + Decimal(1).scaleb(-scale)):
            value = _number(near, type_)
            if value is not None:
                yield value


def _cuts(map_: Bands) -> Iterator[int]:
    """The first cuts; without a lowest cut, some non-negative and some negative cuts."""
    cut: int | None = map_.cuts.first or 0
    for _ in range(_FEW):
        if cut is not None:
            yield cut
            cut = map_.cuts.above(cut)
    below = map_.cuts.at_or_below(-1) if map_.cuts.first is None else None
    for _ in range(_FEW):
        if below is not None:
            yield below
            below = map_.cuts.at_or_below(below - 1)


def _number(number: Decimal, type_: Type) -> Value | None:
    """The number as a value of the type; None if it has too many decimal places."""
    match type_.kind:
        case Kind.INTEGER:
            return int(number) if number == int(number) else None
        case Kind.DECIMAL:
            rounded = number.quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
            return rounded if rounded == number else None
        case Kind.FLOAT:
            return float(number)
        case Kind.TEXT:
            return f"{number:f}"
        case Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            assert_never(type_.kind)


def _day(day: str, type_: Type) -> Value:
    match type_.kind:
        case Kind.DATE:
            return datetime.date.fromisoformat(day)
        case Kind.TIMESTAMP:
            return datetime.datetime.fromisoformat(day)
        case _:
            return day
