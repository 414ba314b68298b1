"""The levels of a proof: one for each column in each type it goes through, then one for each aggregate's
value.

A step is a moment of the policy: step i is the table before requirement i + 1, the last step the table it
leaves.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, assert_never

from acompass.checked.program import (
    And,
    Assertion,
    Comparison,
    Condition,
    Filter,
    Not,
    Or,
    Process,
    Program,
    Random,
    Reject,
    Replace,
    Result,
)
from acompass.checked.types import Kind, Schema, Type, Value
from acompass.prove.cells import Cells, Diagrams
from acompass.prove.conversion import image
from acompass.prove.lines import counting_line, line_of
from acompass.prove.regions import Mask, Regions
from acompass.syntax.tree import Function

#: a column and how often its type has changed before
Phase: TypeAlias = tuple[int, int]
#: an aggregate's values: all counts share a level; a minimum or maximum is a value of its column
Measure: TypeAlias = tuple[str, Phase | None]

COUNTS: Measure = ("count", None)


class Levels:
    """Every comparison of the program and of the claims cuts its level."""

    def __init__(self, program: Program, claims: Sequence[Assertion]):
        self.schemas: list[Schema] = [r.before for r in program.requirements] + [program.final_schema]
        self._phases = _phases(self.schemas)
        constants = _Constants(self)
        constants.add_program(program)
        for claim in claims:
            constants.add_assertion(len(program.requirements), claim)
        self._regions: list[Regions] = []
        self._types: list[Type] = []
        self._images: dict[tuple[int, int, int], Mask] = {}
        self._columns = self._add_columns(constants)
        self._measures = self._add_measures(constants)
        self.diagrams = Diagrams([regions.full for regions in self._regions])

    def _add_columns(self, constants: "_Constants") -> dict[Phase, int]:
        levels = {}
        for column in range(len(self.schemas[0])):
            for phase, type_ in self.types_of(column):
                cuts = constants.of_column(column, phase, type_)
                levels[phase] = self._add(Regions(line_of(type_), cuts), type_)
        return levels

    def _add_measures(self, constants: "_Constants") -> dict[Measure, int]:
        levels = {COUNTS: self._add(Regions(counting_line(), [1, *constants.counts]), _INTEGER)}
        for phase, below in self._columns.items():
            if phase[0] not in constants.measured:
                continue
            levels["value", phase] = self._add(self._regions[below], self._types[below])
            if self._types[below].is_number:
                regions = Regions(
                    line_of(self._types[below]), [_zero(self._types[below]), *constants.sums[phase]]
                )
                levels["sum", phase] = self._add(regions, self._types[below])
        return levels

    def types_of(self, column: int) -> Iterator[tuple[Phase, Type]]:
        seen: set[Phase] = set()
        for step, schema in enumerate(self.schemas):
            phase = self.phase(step, column)
            if phase not in seen and schema[column].type.kind is not Kind.OPAQUE:
                seen.add(phase)
                yield phase, schema[column].type

    def _add(self, regions: Regions, type_: Type) -> int:
        self._regions.append(regions)
        self._types.append(type_)
        return len(self._regions) - 1

    def phase(self, step: int, column: int) -> Phase:
        return column, self._phases[step][column]

    def column(self, step: int, column: int) -> int:
        return self._columns[self.phase(step, column)]

    def columns(self, step: int, columns: Iterable[int]) -> frozenset[int]:
        return frozenset(self.column(step, column) for column in columns)

    def measure(self, step: int, function: Function, column: int | None) -> int:
        """The level of the aggregate's value."""
        match function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self._measures[COUNTS]
            case Function.MIN | Function.MAX:
                return self.values(step, column)
            case Function.SUM:
                assert column is not None
                return self._measures["sum", self.phase(step, column)]
            case _:
                assert_never(function)

    def values(self, step: int, column: int | None) -> int:
        """A second level for the aggregated column, below every column: what a class has of it."""
        assert column is not None
        return self._measures["value", self.phase(step, column)]

    def sums(self, step: int, column: int) -> int | None:
        """The level of the column's sums, None where nothing sums it."""
        return self._measures.get(("sum", self.phase(step, column)))

    def regions(self, level: int) -> Regions:
        return self._regions[level]

    def image(self, region: int, before: int, after: int) -> Mask:
        """Where the values of a region go when their column changes its type."""
        key = (region, before, after)
        if key not in self._images:
            source, target = self._regions[before], self._regions[after]
            self._images[key] = image(region, source, self._types[before], target, self._types[after])
        return self._images[key]

    def type(self, level: int) -> Type:
        return self._types[level]

    def column_of(self, level: int) -> int:
        return next(column for (column, _), own in self._columns.items() if own == level)

    def condition(self, condition: Condition, level_at: Callable[[int], int]) -> Cells:
        """The cells where the condition holds; `level_at` places what it sees."""
        diagrams = self.diagrams
        match condition:
            case Comparison(position, operator, value):
                level = level_at(position)
                return diagrams.literal(level, self._regions[level].compared(operator, value))
            case Not(operand):
                return diagrams.complement(self.condition(operand, level_at))
            case And(operands):
                return self._all(operands, level_at)
            case Or(operands):
                return diagrams.union(self.condition(operand, level_at) for operand in operands)
            case _:
                assert_never(condition)

    def _all(self, operands: Iterable[Condition], level_at: Callable[[int], int]) -> Cells:
        refused = (self.diagrams.complement(self.condition(operand, level_at)) for operand in operands)
        return self.diagrams.complement(self.diagrams.union(refused))

    def single(self, level: int, mask: Mask) -> bool:
        return self._regions[level].is_single(mask)


_INTEGER = Type(Kind.INTEGER)
_EXACT = (Kind.INTEGER, Kind.DECIMAL)


def _zero(type_: Type) -> Value:
    return 0.0 if type_.kind is Kind.FLOAT else 0


def _phases(schemas: Sequence[Schema]) -> list[tuple[int, ...]]:
    phases = [tuple(0 for _ in schemas[0])]
    for before, after in pairwise(schemas):
        changes = (old.type != new.type for old, new in zip(before, after, strict=True))
        phases.append(tuple(phase + change for phase, change in zip(phases[-1], changes, strict=True)))
    return phases


class _Constants:
    """What each level is compared with."""

    def __init__(self, levels: Levels):
        self._levels = levels
        self._columns: defaultdict[Phase, list[Value]] = defaultdict(list)
        self.sums: defaultdict[Phase, list[Value]] = defaultdict(list)
        self.counts: list[Value] = []
        self.measured: set[int] = set()

    def of_column(self, column: int, phase: Phase, type_: Type) -> list[Value]:
        """Exact numbers keep their order when their type changes, so they share their cuts."""
        zero = [_zero(type_)] if column in self.measured and type_.is_number else []
        if type_.kind not in _EXACT:
            return [*self._columns[phase], *zero]
        alike = [own for own, its_type in self._levels.types_of(column) if its_type.kind in _EXACT]
        return [value for own in alike for value in self._columns[own]] + zero

    def add_program(self, program: Program) -> None:
        for step, requirement in enumerate(program.requirements):
            self.add_assertion(step, requirement.assertion)
            match requirement.action:
                case Replace(column, value):
                    self._columns[self._levels.phase(step + 1, column)].append(value)
                case Random(column, lower, upper):
                    if requirement.after[column].type.kind is not Kind.TEXT:
                        self._columns[self._levels.phase(step + 1, column)] += [lower, upper]
                case Reject() | None:
                    pass
                case _:
                    assert_never(requirement.action)

    def add_assertion(self, step: int, assertion: Assertion) -> None:
        match assertion.result:
            case Result():
                self._add_condition(step, assertion.condition)
            case Filter(condition):
                self._add_condition(step, condition)
                self._add_condition(step, assertion.condition)
            case Process() as query:
                self._add_process(step, query, assertion.condition)
            case _:
                assert_never(assertion.result)

    def _add_condition(self, step: int, condition: Condition) -> None:
        for comparison in comparisons(condition):
            self._columns[self._levels.phase(step, comparison.column)].append(comparison.value)

    def _add_process(self, step: int, query: Process, condition: Condition) -> None:
        if query.where is not None:
            self._add_condition(step, query.where)
        if query.column is not None:
            self.measured.add(query.column)
        for comparison in comparisons(condition):
            self._place(step, query, comparison.column).append(comparison.value)

    def _place(self, step: int, query: Process, position: int) -> list[Value]:
        if position < len(query.group_by):
            return self._columns[self._levels.phase(step, query.group_by[position])]
        match query.function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self.counts
            case Function.SUM:
                assert query.column is not None
                return self.sums[self._levels.phase(step, query.column)]
            case Function.MIN | Function.MAX:
                assert query.column is not None
                return self._columns[self._levels.phase(step, query.column)]
            case _:
                assert_never(query.function)


def comparisons(condition: Condition) -> Iterator[Comparison]:
    pending = [condition]
    while pending:
        match pending.pop():
            case Comparison() as comparison:
                yield comparison
            case Not(operand):
                pending.append(operand)
            case And(operands) | Or(operands):
                pending.extend(operands)
