"""The possible values of an aggregate: over a class with given values, a union of classes, part of a class.

Each answer is a mask that includes every possible value. The lemmas are proved in docs/prove.md, section 3.
"""

from typing import assert_never

from acompass.checked.types import Kind
from acompass.prove.decision_diagram import Variable
from acompass.prove.extents import ANY_COUNT, Extent, sum_extent
from acompass.prove.facts import Fact
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.prove.value_order import INFINITE
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function, Operator

#: pairs of functions of which the first is never above the second, over the same class and column
_NEVER_ABOVE = ((Function.COUNT_DISTINCT, Function.COUNT), (Function.MIN, Function.MAX))


class Aggregates:
    def __init__(self, variables: Variables):
        self._variables = variables

    def variable(self, fact: Fact) -> Variable:
        return self._variables.aggregate(fact.step, fact.function, fact.column)

    def _regions(self, fact: Fact) -> Regions:
        return self._variables.regions(self.variable(fact))

    def _column_regions(self, fact: Fact) -> Regions:
        return self._variables.regions(self._variables.aggregated_values(fact.step, fact.column))

    def of_values(self, fact: Fact, values: Mask) -> Mask:
        """Over a class whose records have these values in the aggregated column."""
        match fact.function:
            case Function.COUNT:
                return self._regions(fact).full
            case Function.COUNT_DISTINCT:
                return self._distinct_counts(fact, values)
            case Function.MIN | Function.MAX:
                return values
            case Function.SUM:
                return self.sums(fact, values)
            case _:
                assert_never(fact.function)

    def _distinct_counts(self, fact: Fact, values: Mask) -> Mask:
        counts = self._regions(fact)
        distinct = 1 if fact.column in fact.groups else self._column_regions(fact).cardinality(values)
        if distinct == INFINITE:
            return counts.full
        return counts.full & ((2 << counts.region_of(int(distinct))) - 1) if distinct else 0

    def sums(self, fact: Fact, values: Mask, counts: Mask | None = None) -> Mask:
        """The sums of records with these values; `counts` are those of records, if they are known."""
        regions = self._regions(fact)
        if self._is_rounded(fact) or not values:
            return regions.full if values else 0
        extent = ANY_COUNT if counts is None else self._variables.counts.extent(counts)
        return regions.reached_by(sum_extent(extent, self._column_regions(fact).extent(values)))

    def _is_rounded(self, fact: Fact) -> bool:
        """A sum of floats depends on the other addends, so no lemma applies to it."""
        return self._variables.type(self.variable(fact)).kind is Kind.FLOAT

    def is_monotonic(self, fact: Fact) -> bool:
        """Whether the aggregate cannot rise if numbers of the class fall, nor fall if they rise."""
        match fact.function:
            case Function.MIN | Function.MAX:
                return self._variables.type(self.variable(fact)).is_number
            case Function.SUM:
                return not self._is_rounded(fact)
            case Function.COUNT | Function.COUNT_DISTINCT:
                return False
            case _:
                assert_never(fact.function)

    def of_merged(self, fact: Fact, allowed: Mask) -> Mask:
        """Over the union of one or more classes whose aggregates are all allowed."""
        regions = self._regions(fact)
        match fact.function:
            case Function.MIN | Function.MAX:
                return allowed
            case Function.COUNT | Function.COUNT_DISTINCT:
                return regions.from_lowest(allowed)
            case Function.SUM:
                return self._sums_of_merged(fact, allowed)
            case _:
                assert_never(fact.function)

    def _sums_of_merged(self, fact: Fact, allowed: Mask) -> Mask:
        sums = self._regions(fact)
        if self._is_rounded(fact):
            return sums.full if allowed else 0
        if not allowed & sums.satisfying(Operator.LT, 0):
            return sums.from_lowest(allowed)
        if not allowed & sums.satisfying(Operator.GT, 0):
            return sums.up_to_highest(allowed)
        return sums.full

    def of_both(self, fact: Fact, one: Mask, other: Mask) -> Mask:
        """Over the union of a class whose aggregate is in `one` and a class whose aggregate is in `other`."""
        regions = self._regions(fact)
        match fact.function:
            case Function.MAX:
                return (one | other) & regions.from_lowest(one) & regions.from_lowest(other)
            case Function.MIN:
                return (one | other) & regions.up_to_highest(one) & regions.up_to_highest(other)
            case Function.COUNT | Function.COUNT_DISTINCT | Function.SUM:
                return self.of_merged(fact, one | other)
            case _:
                assert_never(fact.function)

    def of_part(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Over part of a class whose aggregate is allowed; `values` are those of the column in the class."""
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
        sums, column = self._regions(fact), self._column_regions(fact)
        if self._is_rounded(fact):
            return sums.full
        if not values & column.satisfying(Operator.LT, 0):
            return sums.up_to_highest(allowed) & sums.satisfying(Operator.GE, 0)
        if not values & column.satisfying(Operator.GT, 0):
            return sums.from_lowest(allowed) & sums.satisfying(Operator.LE, 0)
        return sums.full

    def values_with(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Those of `values` that a record can have in a class whose aggregate is allowed."""
        if not allowed & self.of_values(fact, values):
            return 0
        match fact.function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return values
            case Function.SUM:
                return self._addends(fact, allowed, values)
            case Function.MIN | Function.MAX if fact.column in fact.groups:
                return values & allowed
            case Function.MIN:
                return self._column_regions(fact).from_lowest(allowed & values)
            case Function.MAX:
                return self._column_regions(fact).up_to_highest(allowed & values)
            case _:
                assert_never(fact.function)

    def _addends(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Where none of the values is negative, none is above the sum; where none is positive, none below."""
        column, sums = self._column_regions(fact), self._regions(fact)
        if self._is_rounded(fact):
            return values
        if fact.column in fact.groups:
            return sum(1 << region for region in regions_in(values) if self.sums(fact, 1 << region) & allowed)
        possible = sums.extent(allowed & self.sums(fact, values))
        if not values & column.satisfying(Operator.LT, 0):
            return values & column.reached_by(Extent(high=possible.high))
        if not values & column.satisfying(Operator.GT, 0):
            return values & column.reached_by(Extent(low=possible.low))
        return values

    def in_terms_of(self, fact: Fact, function: Function, allowed: Mask) -> Mask | None:
        """The values of another function over a class whose aggregate is allowed; None without a lemma."""
        if fact.function is function:
            return allowed
        if (fact.function, function) in _NEVER_ABOVE:
            return self._regions(fact).from_lowest(allowed)
        if (function, fact.function) in _NEVER_ABOVE:
            return self._regions(fact).up_to_highest(allowed)
        return None
