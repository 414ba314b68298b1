"""What an aggregate's value can be: of a class with given values, of classes merged, of a part of a class.

Each answer is a mask that leaves no possible value out. The lemmas are proved in docs/prove.md, section
3.
"""

from typing import assert_never

from acompass.checked.types import Kind
from acompass.prove.facts import Fact
from acompass.prove.levels import Levels
from acompass.prove.lines import INFINITE
from acompass.prove.regions import Mask, Regions
from acompass.syntax.tree import Function, Operator


class Aggregates:
    def __init__(self, levels: Levels):
        self._levels = levels

    def level(self, fact: Fact) -> int:
        return self._levels.measure(fact.step, fact.function, fact.column)

    def _regions(self, fact: Fact) -> Regions:
        return self._levels.regions(self.level(fact))

    def _values(self, fact: Fact) -> Regions:
        return self._levels.regions(self._levels.values(fact.step, fact.column))

    def of_values(self, fact: Fact, values: Mask) -> Mask:
        """Of a class whose records have these values in the aggregated column."""
        match fact.function:
            case Function.COUNT:
                return self._regions(fact).full
            case Function.COUNT_DISTINCT:
                return self._counts_up_to(fact, values)
            case Function.MIN | Function.MAX:
                return values
            case Function.SUM:
                return self._sums(fact, values)
            case _:
                assert_never(fact.function)

    def _counts_up_to(self, fact: Fact, values: Mask) -> Mask:
        counts = self._regions(fact)
        distinct = 1 if fact.column in fact.groups else self._values(fact).cardinality(values)
        if distinct == INFINITE:
            return counts.full
        return counts.full & ((2 << counts.region_of(int(distinct))) - 1) if distinct else 0

    def _sums(self, fact: Fact, values: Mask) -> Mask:
        """At least the least value where none is negative, at most the greatest where none is positive."""
        sums, column = self._regions(fact), self._values(fact)
        if not values or self._is_rounded(fact):
            return sums.full
        if not values & column.compared(Operator.LT, 0):
            least = column.lower_place((values & -values).bit_length() - 1)
            return sums.full & ~((1 << sums.region_at(least)) - 1)
        if not values & column.compared(Operator.GT, 0):
            greatest = column.upper_place(values.bit_length() - 1)
            return sums.full & ((2 << sums.region_at(greatest)) - 1)
        return sums.full

    def _is_rounded(self, fact: Fact) -> bool:
        """Sums of floats depend on what else is summed, so nothing is said of them."""
        return self._levels.type(self.level(fact)).kind is Kind.FLOAT

    def of_merged(self, fact: Fact, allowed: Mask) -> Mask:
        """Of the union of one or more classes whose values are all allowed."""
        regions = self._regions(fact)
        match fact.function:
            case Function.MIN | Function.MAX:
                return allowed
            case Function.COUNT | Function.COUNT_DISTINCT:
                return regions.from_lowest(allowed)
            case Function.SUM:
                if self._is_rounded(fact):
                    return regions.full if allowed else 0
                if not allowed & regions.compared(Operator.LT, 0):
                    return regions.from_lowest(allowed)
                if not allowed & regions.compared(Operator.GT, 0):
                    return regions.up_to_highest(allowed)
                return regions.full
            case _:
                assert_never(fact.function)

    def of_part(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Of a part of a class whose value is allowed, where the column has these values."""
        regions = self._regions(fact)
        match fact.function:
            case Function.COUNT | Function.COUNT_DISTINCT | Function.MAX:
                return regions.up_to_highest(allowed)
            case Function.MIN:
                return regions.from_lowest(allowed)
            case Function.SUM:
                return self._sums_of_part(fact, allowed, values)
            case _:
                assert_never(fact.function)

    def _sums_of_part(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        sums, column = self._regions(fact), self._values(fact)
        if self._is_rounded(fact):
            return sums.full
        if not values & column.compared(Operator.LT, 0):
            return sums.up_to_highest(allowed) & sums.compared(Operator.GE, 0)
        if not values & column.compared(Operator.GT, 0):
            return sums.from_lowest(allowed) & sums.compared(Operator.LE, 0)
        return sums.full

    def values_with(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Of `values`, those that a record can have in a class whose aggregate is allowed."""
        if not allowed & self.of_values(fact, values):
            return 0
        match fact.function:
            case Function.COUNT | Function.COUNT_DISTINCT | Function.SUM:
                return values
            case Function.MIN | Function.MAX if fact.column in fact.groups:
                return values & allowed
            case Function.MIN:
                return self._values(fact).from_lowest(allowed & values)
            case Function.MAX:
                return self._values(fact).up_to_highest(allowed & values)
            case _:
                assert_never(fact.function)

    def in_terms_of(self, fact: Fact, function: Function, allowed: Mask) -> Mask | None:
        """What an allowed value of the fact's function says of another function of the same class."""
        regions = self._regions(fact)
        match fact.function, function:
            case (one, other) if one is other:
                return allowed
            case (Function.COUNT_DISTINCT, Function.COUNT) | (Function.MIN, Function.MAX):
                return regions.from_lowest(allowed)
            case (Function.COUNT, Function.COUNT_DISTINCT) | (Function.MAX, Function.MIN):
                return regions.up_to_highest(allowed)
            case _:
                return None
