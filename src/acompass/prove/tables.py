"""Small tables that a claim could fail on: blocks of records alike in most columns, as many as matter."""

import random
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from acompass.checked.program import Assertion, Process, Program, Random
from acompass.checked.types import Kind, Value
from acompass.prove.cells import Cells
from acompass.prove.levels import comparisons
from acompass.prove.origins import Origin, Origins
from acompass.prove.prover import Prover
from acompass.prove.regions import Regions, regions_in
from acompass.prove.witness import Record
from acompass.syntax.tree import Function

#: records in a block, at the most
LARGEST_BLOCK = 120
#: values of one region that a table may mix
PER_REGION = 4


class Tables:
    def __init__(self, prover: Prover, rng: random.Random):
        self._prover = prover
        self._rng = rng
        self._origins = Origins(prover.effects, rng)
        self._values = [self._values_of(column) for column in range(len(prover.program.schema))]
        self._counts = _counts(prover)
        self._draws = _draws(prover.program)

    def _values_of(self, column: int) -> list[Value]:
        schema = self._prover.program.schema
        if schema[column].type.kind is Kind.OPAQUE:
            return [0]
        regions = self._regions(column)
        usual = [value for region in regions_in(regions.full) for value in regions.values(region, 2)]
        return [*usual, *self._addends(column)]

    def _regions(self, column: int) -> Regions:
        return self._prover.levels.regions(self._prover.levels.column(0, column))

    def _addends(self, column: int) -> list[Value]:
        """Numbers that make sums of the column reach what they are compared with."""
        level = self._prover.levels.sums(0, column)
        if level is None:
            return []
        sums = self._prover.levels.regions(level)
        reached = [value for region in regions_in(sums.full) for value in sums.values(region, 2)]
        return [value for number in reached for value in (number, -number) if value]  # type: ignore[operator]

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that read more easily, the easiest first."""
        return [
            other for other in sorted(self._values[column], key=_effort) if _effort(other) < _effort(value)
        ]

    def single(self, target: Cells) -> tuple[list[Record], list[Fraction]] | None:
        """One record on its way to the target."""
        origin = self._origins.find(target)
        return None if origin is None else ([self._record(origin)], self._trace(origin, 1))

    def some(self, target: Cells) -> tuple[list[Record], list[Fraction]]:
        origin = self._origins.find(target) if self._rng.random() < 0.85 else None
        origin = origin or Origin({})
        first = self._block(self._record(origin))
        table = list(first)
        while self._rng.random() < 0.4 and len(table) < LARGEST_BLOCK:
            table += self._block(self._neighbour(target, self._rng.choice(first)))
        return table, self._trace(origin, len(table))

    def _record(self, origin: Origin) -> Record:
        levels = self._prover.levels
        chosen = {levels.column_of(level): region for level, region in origin.cell.items()}
        return tuple(
            self._rng.choice(self._inside(column, chosen[column]) if column in chosen else values)
            for column, values in enumerate(self._values)
        )

    def _inside(self, column: int, region: int) -> list[Value]:
        regions = self._regions(column)
        addends = [value for value in self._addends(column) if regions.region_of(value) == region]
        return [*regions.values(region, PER_REGION), *addends]

    def _neighbour(self, target: Cells, record: Record) -> Record:
        """Another record that goes to the target, or one like this but for a column or two."""
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
        size = self._rng.choice(self._counts)
        varying = {
            column: self._few(column, value)
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

    def _few(self, column: int, value: Value) -> list[Value]:
        """Values for a column of a block: around its own region, or from anywhere."""
        type_ = self._prover.program.schema[column].type
        if type_.kind is Kind.OPAQUE:
            return [value]
        regions = self._regions(column)
        if self._rng.random() < 0.6:
            near = regions.values(regions.region_of(value), max(self._counts))
            if len(near) > 1:
                return near[: self._rng.choice((2, len(near)))]
        return self._rng.sample(self._values[column], min(len(self._values[column]), self._rng.randint(2, 4)))

    def _trace(self, origin: Origin, size: int) -> list[Fraction]:
        if not self._draws:
            return []
        requirements = self._prover.program.requirements
        if origin.draws and self._rng.random() < 0.7:
            steps = sorted(origin.draws)
            aimed = [aimed_at(requirements[step].action, origin.draws[step]) for step in steps]
            return [rho for rho in aimed for _ in range(size)]
        return [self._rng.choice(self._draws) for _ in range(size * 2 + 4)]


def aimed_at(action: object, value: int) -> Fraction:
    """A short decimal ρ with random(lower, upper, ρ) = value."""
    assert isinstance(action, Random)
    width = action.upper - action.lower + 1
    scale = 1
    while True:
        numerator = -((action.lower - value) * scale // width)
        if numerator * width < (value - action.lower + 1) * scale and numerator < scale:
            return Fraction(numerator, scale)
        scale *= 10


def _effort(value: Value) -> tuple[bool, int, str]:
    text = str(value)
    return not text.isprintable() or not text.strip(), len(text), text


def _counts(prover: Prover) -> list[int]:
    """Sizes of blocks: small ones, and those around every number that a count is compared with."""
    assertions = (*(r.assertion for r in prover.program.requirements), *prover.claims)
    near = (count + by for assertion in assertions for count in _compared(assertion) for by in (-1, 0, 1))
    return sorted({1, 2, 3} | {size for size in near if 1 <= size <= LARGEST_BLOCK})


def _compared(assertion: Assertion) -> list[int]:
    """The numbers that an assertion compares a count with."""
    query = assertion.result
    if not isinstance(query, Process) or query.function not in (Function.COUNT, Function.COUNT_DISTINCT):
        return []
    compared = (c.value for c in comparisons(assertion.condition) if c.column == len(query.group_by))
    return [int(value) for value in compared if isinstance(value, int | Decimal)]


def _draws(program: Program) -> list[Fraction]:
    """Values of ρ that make every RANDOM draw its ends, its middle and what stands between."""
    rhos = {Fraction(0), Fraction(1, 2), Fraction(999, 1000)} if _randoms(program) else set()
    for action in _randoms(program):
        inner = {
            action.lower,
            action.lower + 1,
            (action.lower + action.upper) // 2,
            action.upper - 1,
            action.upper,
        }
        rhos.update(aimed_at(action, value) for value in inner if action.lower <= value <= action.upper)
    return sorted(rhos)


def _randoms(program: Program) -> Sequence[Random]:
    return [r.action for r in program.requirements if isinstance(r.action, Random)]
