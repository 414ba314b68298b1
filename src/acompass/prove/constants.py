"""The constants that cut the values of each column and aggregate into regions."""

import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Protocol, TypeAlias, assert_never

from acompass.checked.effects import columns_aggregated, comparisons, generalize_of, plain_of
from acompass.checked.program import (
    Aggregate,
    Assertion,
    Condition,
    Draw,
    Drop,
    Filter,
    Generalize,
    Process,
    Program,
    Random,
    Reject,
    Replace,
    Result,
)
from acompass.checked.types import Kind, Type, Value
from acompass.prove.label_cuts import cuts_before, label_cuts
from acompass.syntax.tree import Function

#: a column, and how many times its type has changed
ColumnVersion: TypeAlias = tuple[int, int]

#: bands are told apart up to numbers of this size
#: the most numbers of a RANDOM whose texts are told apart
_FEW_DRAWN = 8
_LARGE = 10**15
_EXACT = (Kind.INTEGER, Kind.DECIMAL)


class Versions(Protocol):
    def version(self, step: int, column: int) -> ColumnVersion: ...

    def versions_of(self, column: int) -> Iterator[tuple[ColumnVersion, Type]]: ...


def zero_of(type_: Type) -> Value:
    return 0.0 if type_.kind is Kind.FLOAT else 0


class Constants:
    """The constants that each variable is compared with."""

    def __init__(self, variables: Versions):
        self._variables = variables
        self._columns: defaultdict[ColumnVersion, list[Value]] = defaultdict(list)
        self.sums: defaultdict[ColumnVersion, list[Value]] = defaultdict(list)
        self.counts: list[Value] = []
        self.aggregated: set[int] = set()

    def of_column(self, column: int, version: ColumnVersion, type_: Type) -> list[Value]:
        """Exact numbers keep their order when their type changes, so all exact versions share their cuts."""
        zero = [zero_of(type_)] if column in self.aggregated and type_.is_number else []
        if type_.kind not in _EXACT:
            return [*self._columns[version], *zero]
        alike = [own for own, its_type in self._variables.versions_of(column) if its_type.kind in _EXACT]
        return [value for own in alike for value in self._columns[own]] + zero

    def add_program(self, program: Program) -> None:
        for step, requirement in enumerate(program.requirements):
            self.add_assertion(step, requirement.assertion)
            plain = plain_of(requirement.action)
            match plain:
                case Replace(column, value):
                    self._columns[self._variables.version(step + 1, column)].append(value)
                case Draw(column, balls):
                    self._columns[self._variables.version(step + 1, column)] += [b.value for b in balls]
                case Random(column, lower, upper):
                    type_ = requirement.after[column].type
                    drawn = self._columns[self._variables.version(step + 1, column)]
                    drawn += _few_drawn(lower, upper) if type_.kind is Kind.TEXT else [lower, upper]
                case Reject() | Generalize() | Drop() | None:
                    pass
                case _:
                    assert_never(plain)

    def add_maps(self, program: Program) -> None:
        """Labels, and the values at which labels change. The last map is first: its cuts may be labels."""
        maps = [
            (step, action)
            for step, requirement in enumerate(program.requirements)
            if (action := generalize_of(requirement.action)) is not None
        ]
        for step, action in maps:
            self._columns[self._variables.version(step + 1, action.column)] += label_cuts(
                action.map, self._numbers(action.column)
            )
        for step, action in reversed(maps):
            type_ = program.requirements[step].before[action.column].type
            labels = self._columns[self._variables.version(step + 1, action.column)]
            cuts = cuts_before(action.map, type_, [str(label) for label in labels])
            self._columns[self._variables.version(step, action.column)] += cuts

    def _numbers(self, column: int) -> list[int]:
        """The numbers that a column is compared with in any of its types, rounded."""
        versions = (version for version, type_ in self._variables.versions_of(column) if type_.is_number)
        constants = (value for version in versions for value in self._columns[version])
        numbers = (Decimal(value) for value in constants if isinstance(value, int | float | Decimal))
        return [math.floor(number) for number in numbers if abs(number) < _LARGE]

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
            self._columns[self._variables.version(step, comparison.column)].append(comparison.value)

    def _add_process(self, step: int, query: Process, condition: Condition) -> None:
        if query.where is not None:
            self._add_condition(step, query.where)
        self.aggregated |= columns_aggregated(query)
        for comparison in comparisons(condition):
            self._seen_at(step, query, comparison.column).append(comparison.value)

    def _seen_at(self, step: int, query: Process, position: int) -> list[Value]:
        """The constants of the variable at a position that the condition after PROCESS sees (D15)."""
        if position < len(query.group_by):
            return self._columns[self._variables.version(step, query.group_by[position])]
        return self._of_aggregate(step, query.aggregates[position - len(query.group_by)])

    def _of_aggregate(self, step: int, aggregate: Aggregate) -> list[Value]:
        match aggregate.function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self.counts
            case Function.SUM:
                assert aggregate.column is not None
                return self.sums[self._variables.version(step, aggregate.column)]
            case Function.MIN | Function.MAX:
                assert aggregate.column is not None
                return self._columns[self._variables.version(step, aggregate.column)]
            case _:
                assert_never(aggregate.function)


def _few_drawn(lower: int, upper: int) -> list[Value]:
    """The texts that RANDOM writes, if they are few: then a map has one label for each."""
    return [str(number) for number in range(lower, upper + 1)] if upper - lower < _FEW_DRAWN else []
