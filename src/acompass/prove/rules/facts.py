"""Facts: statements about every class of the table at a step of the policy.

A condition becomes a conjunction of clauses; each clause is a fact or a choice of alternative facts. `Aggregates`
computes the possible values of a fact's aggregate: over a class, a union of classes, or part of a class.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.aggregates import Change, facts_about
from acompass.language.program.effects import process_in
from acompass.language.program.program import Aggregate, And, Assertion, Comparison, Condition, Not, Or, Process
from acompass.language.program.types import Kind
from acompass.language.text.tree import Function, Operator
from acompass.prove.diagrams.cuts import has_large_reference, without_references, zero_value
from acompass.prove.diagrams.decision_diagram import ALL, Diagram, Variable
from acompass.prove.diagrams.regions import ANY_COUNT, INFINITE, Bound, Extent, Mask, Regions, regions_in, sum_extent
from acompass.prove.diagrams.variables import Variables


@dataclass(frozen=True, slots=True)
class Fact:
    """EACH PROCESS function(column) WHERE where GROUP BY groups : allowed, for the table at `step`."""

    step: int
    function: Function
    column: int | None
    where: Diagram
    groups: frozenset[int]
    allowed: Diagram  # over the variables of the groups and of the aggregate's value
    largest: int = 0  # how many values SHARE OF LARGEST adds


#: a function, its column and the number of SHARE OF LARGEST, which identify an aggregate whatever its alias
Measure: TypeAlias = tuple[Function, int | None, int]

#: stands for totals of reference tables, which the key decides: any count is allowed at the same keys
_OF_KEY: Measure = (Function("COUNT"), None, 0)

#: a class must satisfy one of the facts; None if facts cannot express the condition
Alternatives: TypeAlias = tuple[Fact, ...] | None

#: the most clauses of a condition
MOST_CLAUSES = 64


@dataclass(frozen=True, slots=True)
class Literal:
    comparison: Comparison
    is_negated: bool

    @property
    def condition(self) -> Condition:
        return Not(self.comparison) if self.is_negated else self.comparison


Clause: TypeAlias = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class ClassAssertion:
    """An assertion about classes: a class satisfies it if it satisfies each of `parts`."""

    where: Diagram
    groups: frozenset[int]
    parts: tuple[Alternatives, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The parts that are a single fact."""
        return tuple(part[0] for part in self.parts if part is not None and len(part) == 1)

    @property
    def mixed_parts(self) -> tuple[tuple[Fact, ...], ...]:
        """The parts with several alternatives."""
        return tuple(part for part in self.parts if part is not None and len(part) > 1)


def class_assertion(variables: Variables, step: int, assertion: Assertion) -> ClassAssertion | None:
    """The assertion's query and condition as facts; None if it is about records."""
    query = process_in(assertion)
    if query is None:
        return None
    where = ALL
    if query.where is not None:
        where = variables.condition(query.where, lambda column: variables.column(step, column))
    groups = frozenset(query.group_by)
    return ClassAssertion(where, groups, _Writer(variables, step, query, where, groups).parts(assertion))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Translates the condition after PROCESS into facts about one aggregate each. Totals of a reference table are
    conditions on the key (X14)."""

    variables: Variables
    step: int
    query: Process
    where: Diagram
    groups: frozenset[int]

    def parts(self, assertion: Assertion) -> tuple[Alternatives, ...]:
        if has_large_reference(self.query) or self._has_keys_of_any_scale():
            return (None,)
        condition = without_references(self.query, assertion.condition)
        measures = self._own_measures()
        if len(measures) <= 1:
            measure = next(iter(measures), _OF_KEY)
            allowed = self.variables.condition(condition, self._variable_at(measure))
            return ((self._fact(measure, allowed),),)
        found = clauses(condition)
        return (None,) if found is None else self._several(found)

    def _own_measures(self) -> dict[Measure, None]:
        """The aggregates of the table's records, each once."""
        return dict.fromkeys(_measure(each) for each in self.query.aggregates if each.reference is None)

    def _has_keys_of_any_scale(self) -> bool:
        """Whether a reference table can have keys with more decimal places than the prover lists."""
        schema, columns = self.variables.schemas[self.step], self.query.group_by
        is_looked_up = any(aggregate.reference is not None for aggregate in self.query.aggregates)
        return is_looked_up and any(self.variables.has_any_scale(at, schema[at].type) for at in columns)

    def _several(self, found: Iterable[Clause]) -> tuple[Alternatives, ...]:
        """Combine the clauses about one aggregate into one fact. A clause about several aggregates has alternatives."""
        diagrams = self.variables.diagrams
        single: dict[Measure, Diagram] = {}
        mixed: list[Alternatives] = []
        for clause in found:
            measures = self._measures(clause)
            if len(measures) > 1:
                mixed.append(tuple(self._fact(each, self._allowed_by(clause, each)) for each in measures))
                continue
            measure = measures[0] if measures else next(iter(self._own_measures()))
            allowed = diagrams.intersection(single.get(measure, ALL), self._allowed_by(clause, measure))
            single[measure] = allowed
        return (*((self._fact(*each),) for each in single.items()), *mixed)

    def _measures(self, clause: Clause) -> list[Measure]:
        first = len(self.query.group_by)
        positions = {literal.comparison.column for literal in clause}
        compared = (each for at, each in enumerate(self.query.aggregates, first) if at in positions)
        return list(dict.fromkeys(map(_measure, compared)))

    def _allowed_by(self, clause: Clause, measure: Measure) -> Diagram:
        """The keys and values of the aggregate that satisfy the clause."""
        first = len(self.query.group_by)
        own = [at for at, each in enumerate(self.query.aggregates, first) if _measure(each) == measure]
        literals = [each for each in clause if each.comparison.column in (*range(first), *own)]
        seen = self._variable_at(measure)
        return self.variables.diagrams.union_of(
            self.variables.condition(literal.condition, seen) for literal in literals
        )

    def _variable_at(self, measure: Measure) -> Callable[[int], Variable]:
        """Maps positions in a condition, which compares no aggregate but this one, to variables."""
        keys = [self.variables.column(self.step, column) for column in self.query.group_by]
        function, column, _ = measure
        own = self.variables.aggregate(self.step, function, column)
        return lambda position: keys[position] if position < len(keys) else own

    def _fact(self, measure: Measure, allowed: Diagram) -> Fact:
        function, column, largest = measure
        return Fact(self.step, function, column, self.where, self.groups, allowed, largest)


def _measure(aggregate: Aggregate) -> Measure:
    return aggregate.function, aggregate.column, aggregate.largest


def clauses(condition: Condition, is_negated: bool = False) -> tuple[Clause, ...] | None:
    """The clauses of the condition, or of its negation; None if there are too many."""
    match condition:
        case Comparison():
            return ((Literal(condition, is_negated),),)
        case Not(operand):
            return clauses(operand, not is_negated)
        case And(operands):
            parts = [clauses(operand, is_negated) for operand in operands]
            return _disjunction(parts) if is_negated else _conjunction(parts)
        case Or(operands):
            parts = [clauses(operand, is_negated) for operand in operands]
            return _conjunction(parts) if is_negated else _disjunction(parts)
        case _:
            assert_never(condition)


def _conjunction(parts: Sequence[tuple[Clause, ...] | None]) -> tuple[Clause, ...] | None:
    found: dict[Clause, None] = {}
    for part in parts:
        if part is None:
            return None
        found |= dict.fromkeys(part)
    return tuple(found) if len(found) <= MOST_CLAUSES else None


def _disjunction(parts: Sequence[tuple[Clause, ...] | None]) -> tuple[Clause, ...] | None:
    """A clause for each way to choose one clause from every part."""
    found: tuple[Clause, ...] = ((),)
    for part in parts:
        if part is None or len(found) * len(part) > MOST_CLAUSES:
            return None
        found = tuple(dict.fromkeys(tuple(dict.fromkeys((*one, *other))) for one in found for other in part))
    return found


class Aggregates:
    """The possible values of an aggregate. Every result includes all possible values (docs/prove.md, section 3)."""

    def __init__(self, variables: Variables):
        self._variables = variables

    def variable(self, fact: Fact) -> Variable:
        return self._variables.aggregate(fact.step, fact.function, fact.column)

    def _regions(self, fact: Fact) -> Regions:
        return self._variables.regions(self.variable(fact))

    def _second(self, fact: Fact) -> Variable:
        return self._variables.aggregated_values(fact.step, fact.column)

    def _column_regions(self, fact: Fact) -> Regions:
        return self._variables.regions(self._second(fact))

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
            case Function.SHARE_OF_MODE:
                return self._shares_of_mode(fact, values)
            case Function.SHARE_OF_LARGEST:
                return self._shares_of_largest(fact, values)
            case _:
                assert_never(fact.function)

    def _shares_of_mode(self, fact: Fact, values: Mask) -> Mask:
        """Of d values, the most frequent one has at least the d-th part of the records."""
        shares = self._regions(fact)
        distinct = 1 if fact.column in fact.groups else self._column_regions(fact).cardinality(values)
        if distinct == INFINITE:
            return shares.satisfying(Operator.GT, 0)
        return shares.regions_within(Extent(Bound(Fraction(1, int(distinct))))) if values else 0

    def _shares_of_largest(self, fact: Fact, values: Mask) -> Mask:
        """0 if and only if all values are."""
        shares, column = self._regions(fact), self._column_regions(fact)
        is_zero = column.satisfying(Operator.EQ, zero_value(self._variables.type(self._second(fact))))
        zero = shares.satisfying(Operator.EQ, 0)
        return (zero if values & is_zero else 0) | (shares.full & ~zero if values & ~is_zero else 0)

    def _distinct_counts(self, fact: Fact, values: Mask) -> Mask:
        counts = self._regions(fact)
        distinct = 1 if fact.column in fact.groups else self._column_regions(fact).cardinality(values)
        if distinct == INFINITE:
            return counts.full
        return counts.full & ((2 << counts.region_of(int(distinct))) - 1) if distinct else 0

    def sums(self, fact: Fact, values: Mask, counts: Mask | None = None) -> Mask:
        """The sums of records with these values; `counts` bounds the number of records, if it is known."""
        regions = self._regions(fact)
        if self._is_rounded(fact) or not values:
            return regions.full if values else 0
        extent = ANY_COUNT if counts is None else self._variables.counts.extent(counts)
        return regions.regions_within(sum_extent(extent, self._column_regions(fact).extent(values)))

    def _is_rounded(self, fact: Fact) -> bool:
        """Whether the aggregate is a sum of floats: rounding depends on all addends, so no lemma applies to it."""
        return self._variables.type(self.variable(fact)).kind is Kind.FLOAT

    def is_monotonic(self, fact: Fact) -> bool:
        """Whether lower numbers in the class never raise the aggregate, and higher numbers never lower it."""
        match fact.function:
            case Function.MIN | Function.MAX:
                return self._variables.type(self.variable(fact)).is_number
            case Function.SUM:
                return not self._is_rounded(fact)
            case Function.COUNT | Function.COUNT_DISTINCT | Function.SHARE_OF_LARGEST | Function.SHARE_OF_MODE:
                return False
            case _:
                assert_never(fact.function)

    def of_merged(self, fact: Fact, allowed: Mask) -> Mask:
        """Over the union of one or more classes whose aggregates are all allowed."""
        regions = self._regions(fact)
        facts = facts_about(fact.function)
        if facts.is_value:
            return allowed
        match facts.merged:
            case Change.NOT_LOWER:
                return regions.from_lowest(allowed)
            case Change.NOT_HIGHER:
                return regions.up_to_highest(allowed)
            case Change.ANY if facts.is_share:
                return regions.up_to_highest(allowed)
            case Change.ANY:
                return self._sums_of_merged(fact, allowed)
            case _:
                assert_never(facts.merged)

    def _sums_of_merged(self, fact: Fact, allowed: Mask) -> Mask:
        assert facts_about(fact.function).adds, "no other aggregate can both rise and fall"
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
            case (
                Function.COUNT
                | Function.COUNT_DISTINCT
                | Function.SUM
                | Function.SHARE_OF_LARGEST
                | Function.SHARE_OF_MODE
            ):
                return self.of_merged(fact, one | other)
            case _:
                assert_never(fact.function)

    def of_part(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """Over part of a class by the fact's columns whose aggregate is allowed; `values` are the column's values in
        the whole class."""
        regions = self._regions(fact)
        change = facts_about(fact.function).part
        match change:
            case Change.NOT_HIGHER:
                return regions.up_to_highest(allowed)
            case Change.NOT_LOWER:
                return regions.from_lowest(allowed)
            case Change.ANY if facts_about(fact.function).is_share:
                return self._shares_of_part(fact, allowed)
            case Change.ANY:
                return self._sums_of_part(fact, allowed, values)
            case _:
                assert_never(change)

    def _shares_of_part(self, fact: Fact, allowed: Mask) -> Mask:
        """If all values are equal, so are those of a part; if all are 0, so are those of a part. Of c equal numbers,
        the n largest have the n/c-th part of the sum."""
        shares, constant = self._regions(fact), 1 if facts_about(fact.function).tells_values_apart else 0
        is_constant = shares.satisfying(Operator.EQ, constant)
        if not allowed & ~is_constant:
            return allowed
        return shares.from_lowest(allowed) if fact.column in fact.groups else shares.full

    def _sums_of_part(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        assert facts_about(fact.function).adds, "no other aggregate can both rise and fall"
        sums, column = self._regions(fact), self._column_regions(fact)
        if self._is_rounded(fact):
            return sums.full
        if not values & column.satisfying(Operator.LT, 0):
            return sums.up_to_highest(allowed) & sums.satisfying(Operator.GE, 0)
        if not values & column.satisfying(Operator.GT, 0):
            return sums.from_lowest(allowed) & sums.satisfying(Operator.LE, 0)
        return sums.full

    def values_with(self, fact: Fact, allowed: Mask, values: Mask) -> Mask:
        """The subset of `values` that a record can have in a class whose aggregate is allowed."""
        if not allowed & self.of_values(fact, values):
            return 0
        match fact.function:
            case Function.COUNT | Function.COUNT_DISTINCT | Function.SHARE_OF_LARGEST | Function.SHARE_OF_MODE:
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
        """If no value is negative, none is above the sum; if no value is positive, none is below it."""
        column, sums = self._column_regions(fact), self._regions(fact)
        if self._is_rounded(fact):
            return values
        if fact.column in fact.groups:
            return sum(1 << region for region in regions_in(values) if self.sums(fact, 1 << region) & allowed)
        possible = sums.extent(allowed & self.sums(fact, values))
        if not values & column.satisfying(Operator.LT, 0):
            return values & column.regions_within(Extent(high=possible.high))
        if not values & column.satisfying(Operator.GT, 0):
            return values & column.regions_within(Extent(low=possible.low))
        return values

    def in_terms_of(self, fact: Fact, wanted: Fact, allowed: Mask) -> Mask | None:
        """The values of the wanted aggregate over a class whose aggregate is allowed; None if no lemma relates them."""
        function = wanted.function
        if (fact.function, fact.largest) == (function, wanted.largest):
            return allowed
        if facts_about(fact.function).never_above is function or 0 < fact.largest < wanted.largest:
            return self._regions(fact).from_lowest(allowed)
        if facts_about(function).never_above is fact.function or 0 < wanted.largest < fact.largest:
            return self._regions(fact).up_to_highest(allowed)
        if facts_about(fact.function).is_share and _is_counted_with(wanted, fact):
            return self._counts_with_share(fact, wanted, allowed)
        if facts_about(function).is_share and _is_counted_with(fact, wanted):
            return self._shares_with_count(fact, wanted, allowed)
        return None

    def _counts_with_share(self, share: Fact, count: Fact, allowed: Mask) -> Mask:
        """The n largest values of c have at least the n/c-th part of the sum, or all if there are only n, or nothing if
        all are 0. The most frequent of d values has at least the d-th part of the records."""
        shares, counts = self._regions(share), self._regions(count)
        zero = shares.satisfying(Operator.EQ, 0)
        if facts_about(share.function).tells_values_apart:
            allowed &= ~zero
        high = shares.extent(allowed).high if allowed else None
        if high is None or allowed & zero or high == Bound(1):
            return counts.full if allowed else 0
        least = Fraction(max(share.largest, 1)) / high.rank
        return counts.regions_within(Extent(Bound(math.floor(least) + 1 if high.is_open else math.ceil(least))))

    def _shares_with_count(self, count: Fact, share: Fact, allowed: Mask) -> Mask:
        shares = self._regions(share)
        most = self._regions(count).extent(allowed).high if allowed else None
        if most is None:
            return shares.full if allowed else 0
        least = min(Fraction(max(share.largest, 1)) / most.rank, Fraction(1))
        return shares.regions_within(Extent(Bound(least))) | shares.satisfying(Operator.EQ, 0)


def _is_counted_with(count: Fact, share: Fact) -> bool:
    """Whether a lemma relates the count to the share: COUNT to any, COUNT DISTINCT to the most frequent value's."""
    facts = facts_about(count.function)
    return facts.counts_records or (facts.counts_distinct and facts_about(share.function).tells_values_apart)
