"""Tables on which a claim could fail: blocks of similar records, in sizes that matter to the policy.

`ColumnValues` has values of each column: some from every region, and some that the column's first map labels. Sizes are
relative to the numbers that counts are compared with. `SmallCounts` replaces these by smaller ones, so that a search
costs the same for every k. It keeps their order and the small distances between them: 1,999 and 2,000 become 8 and 9.
"""

import datetime
import math
import random
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.aggregates import facts_about
from acompass.language.program.bands import Bands
from acompass.language.program.effects import comparisons, kernel_of, process_in, write_of
from acompass.language.program.kernels import Kernel, Map
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix, is_iso_date
from acompass.language.program.program import (
    And,
    Assertion,
    Comparison,
    Condition,
    Not,
    Or,
    Process,
    Program,
    Requirement,
)
from acompass.language.program.types import EXACT, Kind, Type, Value, to_text
from acompass.language.text.tree import Function
from acompass.prove.diagrams.cuts import maps_by_step
from acompass.prove.diagrams.regions import Regions, regions_in
from acompass.prove.refute.replay import Chances, LoadableTables, RandomChances, Record, is_loadable
from acompass.prove.search.origins import Origin, Origins, Target
from acompass.prove.search.prover import Prover

#: the most records of a counterexample
MOST_RECORDS = 10_000
#: the most blocks of a table
MOST_BLOCKS = 12
#: how often the records of a block have copies
COPIED = 0.15
#: the greatest distance between consecutive numbers that `SmallCounts` keeps
WIDEST = 8
#: the most values of one region to choose from
PER_REGION = 4
#: how often a block starts with another value than the first, so that blocks differ
SHIFTED = 0.5
#: the most records of a class that makes a share small
MOST_SHARED = 50
#: how many bands, and how many rows of a hierarchy, have examples
_FEW = 4

_YEAR = re.compile("[0-9]{4}")
_DAYS = ("2000-01-01", "2000-01-02", "2000-02-01", "2000-05-01", "2001-01-01", "2012-01-01")

SHARES = tuple(function for function in Function if facts_about(function).is_share)
COUNTS = tuple(function for function in Function if facts_about(function).is_count)


@dataclass(frozen=True, slots=True)
class Size:
    """A size relative to a number that counts are compared with, so that it fits small and real numbers alike."""

    by: int
    count: int = 0  # 0 if the size is `by` itself

    @property
    def real(self) -> int:
        return self.count + self.by


#: a size as a number, real or small
Sizing: TypeAlias = Callable[[Size], int]


def real_size(size: Size) -> int:
    return size.real


@dataclass(frozen=True, slots=True)
class Variation:
    """The values of a column within a block, which repeat."""

    values: Sequence[Value]
    used: Size  # how many of the values are used

    def value(self, at: int, sizing: Sizing) -> Value:
        return self.values[at % min(len(self.values), sizing(self.used))]


ONE = Size(1)


@dataclass(frozen=True, slots=True)
class Block:
    base: Record
    size: Size = ONE  # the number of records
    varying: Mapping[int, Variation] = field(default_factory=dict)  # the columns in which records differ from `base`
    copies: Size = ONE  # of each record

    def records(self, sizing: Sizing) -> list[Record]:
        different = [self._record(at, sizing) for at in range(sizing(self.size))]
        return [record for record in different for _ in range(sizing(self.copies))]

    def count(self, sizing: Sizing) -> int:
        return sizing(self.size) * sizing(self.copies)

    def _record(self, at: int, sizing: Sizing) -> Record:
        if not self.varying:
            return self.base
        return tuple(
            self.varying[column].value(at, sizing) if column in self.varying else value
            for column, value in enumerate(self.base)
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table, with the outcomes of its coins and draws."""

    blocks: tuple[Block, ...]
    chances: Chances

    @property
    def size(self) -> int:
        return sum(block.count(real_size) for block in self.blocks)


class CandidateTables:
    """Random tables for one prover's policy and claims."""

    def __init__(self, prover: Prover, rng: random.Random):
        self._prover = prover
        self._rng = rng
        self._origins = Origins(prover.reachability, rng)
        self.loadable = LoadableTables(prover.program)
        assertions = (*(requirement.assertion for requirement in prover.program.requirements), *prover.claims)
        self.counts = SmallCounts(assertions, group_sizes(prover.program))
        self._sizes = [*self.counts.sizes, *(Size(size) for size in share_sizes(assertions))]
        largest = max(size.real for size in self._sizes)
        self._values = ColumnValues(prover, self.loadable.dated, rng, min(2 * largest, MOST_RECORDS))
        self._chances = RandomChances(prover.program, rng)

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that are easier to read, simplest first."""
        return self._values.simpler(column, value)

    def single_record(self, target: Target) -> Candidate | None:
        """A table of one record that can end in the target; None if no origin is found."""
        origin = self._origins.find(target)
        if origin is None:
            return None
        return Candidate((Block(self._record(origin)),), self._chances.toward(origin, aimed=1))

    def repeat(self, single: Candidate) -> Candidate:
        """Repeat the record often enough to survive lines that require large classes."""
        (block,) = single.blocks
        return replace(single, blocks=(replace(block, size=max(self._sizes, key=real_size)),))

    def random_table(self, target: Target) -> Candidate:
        """A table of one or more blocks, most of them of records that can end in the target."""
        origin = self._origins.find(target) if self._rng.random() < 0.85 else None
        origin = origin or Origin({})
        first = self._block(self._record(origin))
        blocks = [first]
        while self._rng.random() < 0.4 and len(blocks) < MOST_BLOCKS:
            blocks.append(self._block(self._neighbor(target, first.base)))
        return Candidate(tuple(blocks), self._chances.toward(origin))

    def vary(self, candidate: Candidate, target: Target) -> Candidate:
        """A table that differs slightly from the candidate."""
        if self._rng.random() < 0.2:
            return replace(candidate, chances=self._chances.toward(Origin({})))
        at = self._rng.randrange(len(candidate.blocks))
        before, block, after = candidate.blocks[:at], candidate.blocks[at], candidate.blocks[at + 1 :]
        added = self._block(self._neighbor(target, block.base))
        changed = (
            (),
            (replace(block, size=self._rng.choice(self._sizes)),),
            (replace(block, base=added.base),),
            (self._block(block.base),),
            (block, added),
            (block, self._twin(block)),
        )
        blocks = (*before, *self._rng.choice(changed), *after)
        return replace(candidate, blocks=blocks[:MOST_BLOCKS] or candidate.blocks)

    def _twin(self, block: Block) -> Block:
        """A block of the same shape, with other values from the same regions."""
        base = tuple(
            self._values.similar(column, value)[0] if self._rng.random() < 0.5 else value
            for column, value in enumerate(block.base)
        )
        varying = {
            column: replace(variation, values=self._values.similar(column, variation.values[0]))
            for column, variation in block.varying.items()
        }
        return replace(block, base=base, varying=varying)

    def with_smaller_block(self, candidate: Candidate, at: int) -> Iterator[Candidate]:
        """The table without a block, then with smaller sizes of the block, smallest first."""
        before, block, after = candidate.blocks[:at], candidate.blocks[at], candidate.blocks[at + 1 :]
        yield replace(candidate, blocks=(*before, *after))
        for size in sorted(self._sizes, key=real_size):
            if size.real < block.size.real:
                yield replace(candidate, blocks=(*before, replace(block, size=size), *after))
            if size.real < block.copies.real:
                yield replace(candidate, blocks=(*before, replace(block, copies=size), *after))

    def _record(self, origin: Origin) -> Record:
        variables = self._prover.variables
        chosen = {variables.column_of(variable): region for variable, region in origin.cell.items()}
        return tuple(
            self._rng.choice(
                self._values.inside(column, chosen[column]) if column in chosen else self._values.any(column)
            )
            for column in range(len(self._prover.program.schema))
        )

    def _neighbor(self, target: Target, record: Record) -> Record:
        """A mix of the record with another one, which may be able to end in the target."""
        if self._rng.random() < 0.4:
            origin = self._origins.find(target)
            if origin is not None:
                return self._mix(self._record(origin), record, 0.5)
        return self._mix(self._record(Origin({})), record, 0.7)

    def _mix(self, other: Record, record: Record, kept: float) -> Record:
        return tuple(old if self._rng.random() < kept else new for old, new in zip(record, other, strict=True))

    def _block(self, base: Record) -> Block:
        size = self._rng.choice(self._sizes)
        copies = self._rng.choice(self._sizes) if self._rng.random() < COPIED else ONE
        varying = {
            column: self._variation(column, value)
            for column, value in enumerate(base)
            if size.real > 1 and self._rng.random() < 0.35
        }
        return Block(base, size, varying, copies)

    def _variation(self, column: int, value: Value) -> Variation:
        """Values for a column that varies within a block: from the value's own region, or from any region."""
        if self._rng.random() < 0.6:
            near = self._values.similar(column, value)
            if len(near) > 1:
                used = self._rng.choice((Size(2), self._sizes[-1], self._rng.choice(self._sizes)))
                return Variation(near, used)
        values = self._values.different(column)
        return Variation(values, Size(len(values)))


def block_records(blocks: Iterable[Block], sizing: Sizing) -> list[Record]:
    return [record for block in blocks for record in block.records(sizing)]


class SmallCounts:
    """`groups` are the sizes of MICROAGGREGATE."""

    def __init__(self, assertions: Iterable[Assertion], groups: Iterable[int] = ()):
        compared = (count for each in assertions for count in compared_counts(each))
        counts = sorted({count for count in (*compared, *groups) if count > 0})
        self._small = {0: 0}
        for before, count in zip((0, *counts), counts, strict=False):
            self._small[count] = self._small[before] + min(count - before, WIDEST)

    @property
    def are_real(self) -> bool:
        """Whether no number is changed."""
        return all(count == small for count, small in self._small.items())

    @property
    def sizes(self) -> list[Size]:
        """Small sizes, and sizes around every number that a count is compared with."""
        near = (Size(by, count) for count in self._small for by in (-1, 0, 1))
        return [ONE, Size(2), Size(3), *(size for size in near if size.count and size.real > 0)]

    def small_size(self, size: Size) -> int:
        return self._small[size.count] + size.by

    def program(self, program: Program) -> Program:
        """The program with small numbers."""
        return replace(program, requirements=tuple(map(self._requirement, program.requirements)))

    def _requirement(self, requirement: Requirement) -> Requirement:
        changed = replace(requirement, assertion=self.assertion(requirement.assertion))
        action, write = requirement.action, write_of(requirement.action)
        averaging = None if write is None else write.kernel.averaging()
        if action is None or write is None or averaging is None:
            return changed
        kernel = replace(averaging, size=self._small[averaging.size])
        return replace(changed, action=replace(action, effect=replace(write, kernel=kernel)))

    def assertion(self, assertion: Assertion) -> Assertion:
        query = process_in(assertion)
        if query is None:
            return assertion
        return replace(assertion, condition=self._condition(assertion.condition, _positions(query, COUNTS)))

    def _condition(self, condition: Condition, positions: Sequence[int]) -> Condition:
        match condition:
            case Comparison(column, _, value):
                return replace(condition, value=self._number(value)) if column in positions else condition
            case Not(operand):
                return Not(self._condition(operand, positions))
            case And(operands):
                return And(tuple(self._condition(operand, positions) for operand in operands))
            case Or(operands):
                return Or(tuple(self._condition(operand, positions) for operand in operands))
            case _:
                assert_never(condition)

    def _number(self, value: Value) -> Value:
        assert isinstance(value, int | Decimal)
        return value - int(value) + self._small[int(value)] if value >= 1 else value


def group_sizes(program: Program) -> Iterator[int]:
    for kernel in filter(None, (kernel_of(requirement.action) for requirement in program.requirements)):
        averaging = kernel.averaging()
        if averaging is not None:
            yield averaging.size


def share_sizes(assertions: Iterable[Assertion]) -> list[int]:
    """Sizes of classes in which equal values have about the shares that assertions compare with; small ones only."""
    found: set[int] = set()
    for query, condition in ((process_in(each), each.condition) for each in assertions):
        positions = [] if query is None else _positions(query, SHARES)
        largest = max((aggregate.largest for aggregate in query.aggregates), default=0) if query is not None else 0
        shares = (each.value for each in comparisons(condition) if each.column in positions)
        for share in shares:
            assert isinstance(share, int | Decimal)
            around = math.floor(max(largest, 1) / share) if share > 0 else 0
            found.update(size for size in (around, around + 1, largest + 1) if 1 < size <= MOST_SHARED)
    return sorted(found)


def compared_counts(assertion: Assertion, functions: Sequence[Function] = COUNTS) -> list[int]:
    """The numbers that an assertion compares counts with."""
    query = process_in(assertion)
    if query is None:
        return []
    positions = _positions(query, functions)
    compared = (c.value for c in comparisons(assertion.condition) if c.column in positions)
    return [int(value) for value in compared if isinstance(value, int | Decimal)]


def _positions(query: Process, functions: Sequence[Function]) -> list[int]:
    """The positions of the aggregates with these functions in the condition."""
    aggregates = enumerate(query.aggregates, len(query.group_by))
    return [at for at, aggregate in aggregates if aggregate.function in functions]


class ColumnValues:
    """`most` is the largest number of distinct values that a column needs; `dated` are text columns with dates."""

    def __init__(self, prover: Prover, dated: Container[int], rng: random.Random, most: int):
        self._prover = prover
        self._dated = dated
        self._rng = rng
        self._most = most
        self._maps = _first_maps(prover.program)
        self._first_kernels = _first_kernels(prover.program)
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
        """Values for which the first map of the column has labels, or that its first line shifts or rounds."""
        type_ = self._prover.program.schema[column].type
        kernel = self._first_kernels.get(column)
        if self._is_shifted(column):
            return _days(type_)
        rounding = None if kernel is None else kernel.rounding()
        if rounding is not None:
            near = (_number(rounding.step * multiple, type_) for multiple in (1, 2, -1))
            return [value for value in near if value is not None]
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
        is_dated = (map_ is not None and map_.of_dates) or column in self._dated or self._is_shifted(column)
        if not is_text or not is_dated or region % 2:
            return []
        return days_between(*self._regions(column).bounds(region))

    def _is_shifted(self, column: int) -> bool:
        kernel = self._first_kernels.get(column)
        return kernel is not None and kernel.by is not None

    def _usable(self, column: int, values: list[Value]) -> list[Value]:
        """The values that a table can contain, only those with a label of the column's first map if there are any."""
        type_ = self._prover.program.schema[column].type
        values = [value for value in values if is_loadable(value, type_)]
        if self._is_shifted(column) and type_.kind is Kind.TEXT:
            return [value for value in values if is_iso_date(str(value))] or values
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


def _first_kernels(program: Program) -> dict[int, Kernel]:
    """What is written first into each column."""
    found: dict[int, Kernel] = {}
    for write in filter(None, (write_of(requirement.action) for requirement in program.requirements)):
        for column in write.columns:
            found.setdefault(column, write.kernel)
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
            return _days(type_)
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
        case Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            assert_never(type_.kind)


def _days(type_: Type) -> list[Value]:
    """Days in a column of the type; none if it has no dates before an earlier line writes them."""
    match type_.kind:
        case Kind.DATE:
            return [datetime.date.fromisoformat(day) for day in _DAYS]
        case Kind.TIMESTAMP:
            return [datetime.datetime.fromisoformat(day) for day in _DAYS]
        case Kind.TEXT:
            return list(_DAYS)
        case _:
            return []
