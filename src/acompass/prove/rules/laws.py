"""The laws that derive facts from the possible records and from other facts (docs/prove.md, section 4).

Throughout, `care` includes every record that the table can contain.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce

from acompass.dataclasses import replace
from acompass.language.program.aggregates import facts_about
from acompass.language.text.tree import Function, Operator
from acompass.prove.diagrams.cuts import zero_value
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask, is_at_most, regions_in
from acompass.prove.diagrams.variables import Variables
from acompass.prove.rules.facts import Aggregates, Alternatives, ClassAssertion, Fact


class Laws:
    def __init__(self, variables: Variables):
        self.variables = variables
        self.diagrams = variables.diagrams
        self.aggregates = Aggregates(variables)

    def key_variables(self, fact: Fact) -> frozenset[Variable]:
        return self.variables.columns(fact.step, fact.groups)

    def columns_read(self, fact: Fact) -> frozenset[int]:
        """The columns that determine the classes and their aggregates."""
        selecting = (self.variables.column_of(variable) for variable in self.diagrams.support(fact.where))
        aggregated = () if fact.column is None else (fact.column,)
        return fact.groups.union(selecting, aggregated)

    def is_empty(self, fact: Fact, care: Diagram) -> bool:
        """Law of the empty class: the fact has no classes."""
        return self.diagrams.intersection(care, fact.where) is EMPTY

    def follows(self, fact: Fact, care: Diagram) -> bool:
        """Law of the values: every possible aggregate of a class is allowed."""
        return self.diagrams.difference(self.possible(fact, care), fact.allowed) is EMPTY

    def possible(self, fact: Fact, care: Diagram) -> Diagram:
        """The keys of the fact's records, each with the possible values of the aggregate."""
        aggregate = self.aggregates.variable(fact)
        if fact.column is None:
            records = self.diagrams.intersection(care, fact.where)
            by_key = self.diagrams.project(records, self.key_variables(fact))
            return self.diagrams.intersection(by_key, self.diagrams.literal(aggregate, -1))
        values = self.variables.aggregated_values(fact.step, fact.column)
        return self.variables.rename(
            self.with_values(fact, care), values, aggregate, lambda mask: self.aggregates.of_values(fact, mask)
        )

    def with_values(self, fact: Fact, care: Diagram) -> Diagram:
        """The keys of the fact's records, each with the values of the aggregated column, in its second variable."""
        assert fact.column is not None
        records, keys = self.diagrams.intersection(care, fact.where), self.key_variables(fact)
        column = self.variables.column(fact.step, fact.column)
        values = self.variables.aggregated_values(fact.step, fact.column)
        kept = self.diagrams.project(records, keys | {column})
        if column not in keys:
            return self.variables.rename(kept, column, values, lambda mask: mask)
        return self.diagrams.substitute(kept, column, lambda mask: self._equal(mask, column, values))

    def _equal(self, mask: Mask, one: Variable, other: Variable) -> Diagram:
        """The cells in which both variables have the same region of the mask."""
        literal = self.diagrams.literal
        return self.diagrams.union_of(
            self.diagrams.intersection(literal(one, 1 << region), literal(other, 1 << region))
            for region in regions_in(mask)
        )

    def values(self, fact: Fact, care: Diagram) -> Mask:
        """The aggregated column's values in the fact's classes."""
        if fact.column is None:
            return 0
        records = self.diagrams.intersection(care, fact.where)
        return self.diagrams.mask_of(records, self.variables.column(fact.step, fact.column))

    def records_with(self, fact: Fact, allowed: Diagram, care: Diagram) -> Diagram:
        """The records that can be in a class whose key and aggregate are in `allowed`."""
        aggregate = self.aggregates.variable(fact)
        if fact.column is None:
            within = self.diagrams.exists(allowed, frozenset((aggregate,)))
            return self.diagrams.intersection(fact.where, within)
        by_key = self.with_values(fact, care)
        values = self.variables.aggregated_values(fact.step, fact.column)
        column = self.variables.column(fact.step, fact.column)

        def records_for(mask: Mask) -> Diagram:
            return self.variables.rename(
                by_key, values, column, lambda own: self.aggregates.values_with(fact, mask, own)
            )

        return self.diagrams.intersection(fact.where, self.diagrams.substitute(allowed, aggregate, records_for))

    def in_terms_of(self, known: Fact, wanted: Fact) -> Diagram | None:
        """The values of the wanted aggregate that the known fact allows its classes; None if they are unrelated. COUNT,
        which reads no column, bounds COUNT DISTINCT and the shares of any column."""
        if known.column != wanted.column and None not in (known.column, wanted.column):
            return None
        if self.aggregates.in_terms_of(known, wanted, 0) is None:
            return None

        def change(mask: Mask) -> Mask:
            implied = self.aggregates.in_terms_of(known, wanted, mask)
            assert implied is not None
            return implied

        return self.variables.rename(
            known.allowed, self.aggregates.variable(known), self.aggregates.variable(wanted), change
        )

    def in_one_class(self, facts: Sequence[Fact], care: Diagram) -> Diagram:
        """Law of the related aggregates: the records that can be in a class that satisfies all the facts, which are
        about the same classes."""
        found = ALL
        for fact in facts:
            implied = (self.in_terms_of(other, fact) for other in facts)
            allowed = reduce(self.diagrams.intersection, (each for each in implied if each is not None))
            found = self.diagrams.intersection(found, self.records_with(fact, allowed, care))
        return found

    def can_satisfy(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies the assertion."""
        found = self.diagrams.intersection(classes.where, self.in_one_class(classes.facts, care))
        for part in classes.mixed_parts:
            one_of = self.diagrams.union_of(self._with_alternative(classes, fact, care) for fact in part)
            found = self.diagrams.intersection(found, one_of)
        return found

    def _with_alternative(self, classes: ClassAssertion, fact: Fact, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies the assertion by satisfying this alternative."""
        records = self.diagrams.intersection(care, classes.where)
        return self.diagrams.intersection(records, self.in_one_class((*classes.facts, fact), care))

    def kept_facts(self, classes: ClassAssertion, care: Diagram) -> tuple[Fact, ...]:
        """The facts of every class that satisfies the assertion; an alternative if no class can satisfy another."""
        found = list(classes.facts)
        for part in classes.mixed_parts:
            possible = [f for f in part if self._with_alternative(classes, f, care) is not EMPTY]
            found += possible if len(possible) == 1 else []
        return tuple(found)

    def witnesses(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """Records such that every class that satisfies the assertion contains at least one of them."""
        found = self.diagrams.intersection(care, self.can_satisfy(classes, care))
        own = next((self.attaining(fact) for fact in classes.facts if self.attaining(fact) is not ALL), ALL)
        return self.diagrams.intersection(found, own)

    def can_violate(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records that can be in a class that violates the assertion."""
        violating = self.diagrams.union_of(self.can_refuse(part, care) for part in classes.parts)
        return self.diagrams.intersection(classes.where, violating)

    def can_refuse(self, part: Alternatives, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies none of the alternatives."""
        refused = [replace(fact, allowed=self.diagrams.complement(fact.allowed)) for fact in part or ()]
        return self.in_one_class(refused, care)

    def map_aggregates(self, fact: Fact, allowed: Diagram, change: Callable[[Mask], Mask]) -> Diagram:
        """`allowed` with `change` applied to the aggregate's values."""
        aggregate = self.aggregates.variable(fact)
        return self.variables.rename(allowed, aggregate, aggregate, change)

    def is_kept_by_merging(self, fact: Fact) -> bool:
        """Law of the union: a union of allowed classes that get the same key is allowed."""
        return self._is_closed(fact, lambda mask: self.aggregates.of_merged(fact, mask))

    def is_kept_by_parts(self, fact: Fact, care: Diagram) -> bool:
        """Law of the part: every part of an allowed class is allowed."""
        return all(self._is_kept_by_parts(fact, keys, values) for keys, values in self.keys_by_sign(fact, care))

    def _is_kept_by_parts(self, fact: Fact, keys: Diagram, values: Mask) -> bool:
        allowed = self.diagrams.intersection(fact.allowed, keys)
        parts = self.map_aggregates(fact, allowed, lambda mask: self.aggregates.of_part(fact, mask, values))
        return self.diagrams.difference(parts, fact.allowed) is EMPTY

    def keys_by_sign(self, fact: Fact, care: Diagram) -> Iterator[tuple[Diagram, Mask]]:
        """Keys with the values of their classes. For a SUM, keys with negative numbers are separate."""
        values = self.values(fact, care)
        if not facts_about(fact.function).adds or fact.column is None:
            yield ALL, values
            return
        column = self.variables.column(fact.step, fact.column)
        negative = self.variables.regions(column).satisfying(Operator.LT, zero_value(self.variables.type(column)))
        records = self.diagrams.intersection(care, fact.where)
        below = self.diagrams.intersection(records, self.diagrams.literal(column, negative))
        keys = self.diagrams.project(below, self.key_variables(fact))
        yield keys, self.diagrams.mask_of(self.diagrams.intersection(records, keys), column)
        yield self.diagrams.complement(keys), values & ~negative

    def is_kept_without(self, fact: Fact, lost: Diagram, care: Diagram) -> bool:
        """Law of the part, for classes that can lose any of the records in `lost`; the other classes stay whole."""
        records = self.diagrams.intersection(care, self.diagrams.intersection(fact.where, lost))
        keys = self.diagrams.project(
            self.diagrams.intersection(records, self.attaining(fact)), self.key_variables(fact)
        )
        return self.is_kept_by_parts(replace(fact, allowed=self.diagrams.intersection(fact.allowed, keys)), care)

    def attaining(self, fact: Fact) -> Diagram:
        """The records whose removal can change an allowed aggregate. For MIN and MAX, these are the records whose own
        value is allowed at their key: if all of them stay, so does the one with the minimum or the maximum."""
        if fact.column is None or not facts_about(fact.function).is_value:
            return ALL
        aggregate, own = self.aggregates.variable(fact), self.variables.column(fact.step, fact.column)
        return self.variables.rename(fact.allowed, aggregate, own, lambda mask: mask)

    def is_kept_with(self, fact: Fact, keys: Diagram, new: Mask, care: Diagram) -> bool:
        """Law of the mixed class: at these keys, records with an aggregate in `new` are allowed, alone or with part of
        an allowed class."""
        values = self.values(fact, care)

        def add_new_records(mask: Mask) -> Mask:
            part = self.aggregates.of_part(fact, mask, values)
            return self.aggregates.of_both(fact, part, new)

        allowed = self.map_aggregates(fact, self.diagrams.intersection(fact.allowed, keys), add_new_records)
        alone = self.diagrams.intersection(keys, self.diagrams.literal(self.aggregates.variable(fact), new))
        return self.diagrams.difference(self.diagrams.union(allowed, alone), fact.allowed) is EMPTY

    def follows_with(self, fact: Fact, witness: Diagram, care: Diagram) -> bool:
        """Law of the witness: every class that contains one of these records is allowed."""
        if fact.column is None:
            return False
        column = self.variables.column(fact.step, fact.column)
        own = self.aggregates.of_values(fact, self.diagrams.mask_of(witness, column))
        others = self.aggregates.of_values(fact, self.values(fact, care))
        mixed = self.aggregates.of_both(fact, own, others)
        keys = self.diagrams.project(witness, self.key_variables(fact))
        possible = self.diagrams.literal(self.aggregates.variable(fact), own | mixed)
        return self.diagrams.difference(self.diagrams.intersection(keys, possible), fact.allowed) is EMPTY

    def is_kept_by_fewer(self, fact: Fact) -> bool:
        """Whether a class that is allowed with a count is also allowed with every smaller count."""
        return self._is_closed(fact, self.variables.regions(self.aggregates.variable(fact)).up_to_highest)

    def is_kept_by_more(self, fact: Fact) -> bool:
        """Whether a class that is allowed with an aggregate is also allowed with every higher one."""
        return self._is_closed(fact, self.variables.regions(self.aggregates.variable(fact)).from_lowest)

    def halves(self, fact: Fact) -> tuple[Fact, Fact] | None:
        """Law of the two bounds: a fact with lower bounds and a fact with upper bounds that together are equivalent to
        the fact; None if they would not be simpler."""
        regions = self.variables.regions(self.aggregates.variable(fact))
        above = self.map_aggregates(fact, fact.allowed, regions.from_lowest)
        below = self.map_aggregates(fact, fact.allowed, regions.up_to_highest)
        is_simpler = fact.allowed not in (above, below)
        if not is_simpler or self.diagrams.intersection(above, below) is not fact.allowed:
            return None
        return replace(fact, allowed=above), replace(fact, allowed=below)

    def is_kept_by_moving(self, fact: Fact, old: Mask, new: Mask) -> bool:
        """Whether a class stays allowed if some of its values in `old` become values in `new`."""
        if fact.column is None or not self.aggregates.is_monotonic(fact):
            return False
        column = self.variables.column(fact.step, fact.column)
        before, after = (self.variables.regions(column).extent(mask) for mask in (old, new))
        if is_at_most(after.high, before.low):
            return self.is_kept_by_falling(fact)
        return is_at_most(before.high, after.low) and self.is_kept_by_rising(fact)

    def is_kept_by_falling(self, fact: Fact) -> bool:
        """Whether a class stays allowed if some of its numbers become lower and none higher."""
        regions = self.variables.regions(self.aggregates.variable(fact))
        return self.aggregates.is_monotonic(fact) and self._is_closed(fact, regions.up_to_highest)

    def is_kept_by_rising(self, fact: Fact) -> bool:
        """Whether a class stays allowed if some of its numbers become higher and none lower."""
        regions = self.variables.regions(self.aggregates.variable(fact))
        return self.aggregates.is_monotonic(fact) and self._is_closed(fact, regions.from_lowest)

    def _is_closed(self, fact: Fact, change: Callable[[Mask], Mask]) -> bool:
        return self.diagrams.difference(self.map_aggregates(fact, fact.allowed, change), fact.allowed) is EMPTY

    def is_decided_by(self, keys: frozenset[Variable], cells: Diagram, care: Diagram) -> bool:
        """Whether records of `care` with the same key are all inside or all outside `cells`."""
        inside = self.diagrams.project(self.diagrams.intersection(care, cells), keys)
        outside = self.diagrams.project(self.diagrams.difference(care, cells), keys)
        return self.diagrams.intersection(inside, outside) is EMPTY

    def are_determined(self, columns: frozenset[int], fact: Fact, records: Diagram) -> bool:
        """Whether records with the same key have the same values in all the columns."""
        return all(self.is_determined(column, fact.groups, fact.step, records) for column in columns)

    def is_determined(self, column: int, by: frozenset[int], step: int, records: Diagram) -> bool:
        """Whether records with the same values in the columns `by` have the same value in the column."""
        if column in by:
            return True
        variable = self.variables.column(step, column)
        mask = self.diagrams.mask_of(records, variable)
        if not self.variables.regions(variable).are_single(mask):
            return False
        cells = self.diagrams.project(records, self.variables.columns(step, by) | {variable})
        seen = EMPTY
        for region in regions_in(mask):
            within = self.diagrams.intersection(cells, self.diagrams.literal(variable, 1 << region))
            others = self.diagrams.exists(within, frozenset((variable,)))
            if self.diagrams.intersection(seen, others) is not EMPTY:
                return False
            seen = self.diagrams.union(seen, others)
        return True

    def without_determined(self, fact: Fact, care: Diagram, columns: Iterable[int]) -> Fact:
        """Law of the determined column: remove from the key each of the columns that the rest of the key determines,
        which therefore splits no class."""
        records = self.diagrams.intersection(care, fact.where)
        for column in columns:
            others = fact.groups - {column}
            if column in fact.groups and self.is_determined(column, others, fact.step, records):
                fact = replace(fact, groups=others, allowed=self._allowed_without(fact, column, records))
        return fact

    def _allowed_without(self, fact: Fact, column: int, records: Diagram) -> Diagram:
        """The aggregates that are allowed at a key without the column, given the column's only value at that key."""
        variable = self.variables.column(fact.step, column)
        if variable not in self.diagrams.support(fact.allowed):
            return fact.allowed
        mask = self.diagrams.mask_of(records, variable)
        is_same = self.variables.is_single(variable, mask)
        keys = self.key_variables(fact)
        occurring = self.diagrams.literal(variable, mask) if is_same else self.diagrams.project(records, keys)
        refused = self.diagrams.difference(occurring, fact.allowed)
        return self.diagrams.complement(self.diagrams.exists(refused, frozenset((variable,))))


class KnownFacts:
    """Laws that derive a wanted fact from known facts."""

    def __init__(self, laws: Laws):
        self._laws = laws
        self._diagrams = laws.diagrams

    def unsettled_keys(self, wanted: Fact, known: Sequence[Fact], care: Diagram) -> Diagram:
        """Law of the keys: the keys at which neither the values nor the known facts settle the wanted fact."""
        possible = self._laws.possible(wanted, care)
        for fact in known:
            possible = self._diagrams.intersection(possible, self.implied_aggregates(fact, wanted, care))
        refused = self._diagrams.difference(possible, wanted.allowed)
        return self._diagrams.project(refused, self._laws.key_variables(wanted))

    def implied_aggregates(self, known: Fact, wanted: Fact, care: Diagram) -> Diagram:
        """Law of the classes: the wanted keys, each with the aggregates that the known fact allows. A wanted class
        consists of known classes, or of parts of them, unless the known WHERE misses a record."""
        assert known.step == wanted.step
        diagrams = self._diagrams
        aggregates = self._laws.in_terms_of(known, wanted)
        records = self._covered_records(known, wanted, care)
        if aggregates is None:
            return ALL
        known_keys, keys = self._laws.key_variables(known), self._laws.key_variables(wanted)
        by_class = self._with_parts(known, wanted, aggregates, records, care)
        occurring = diagrams.intersection(by_class, diagrams.project(records, known_keys | keys))
        found = diagrams.exists(occurring, known_keys - keys)
        if not self._laws.are_determined(known.groups, wanted, records):
            found = self._laws.map_aggregates(wanted, found, lambda mask: self._laws.aggregates.of_merged(wanted, mask))
        return diagrams.union(found, diagrams.complement(diagrams.project(records, keys)))

    def _covered_records(self, known: Fact, wanted: Fact, care: Diagram) -> Diagram:
        """The records of the wanted classes that the known WHERE selects entirely."""
        records = self._diagrams.intersection(care, wanted.where)
        missed = self._diagrams.difference(records, known.where)
        keys = self._diagrams.project(missed, self._laws.key_variables(wanted))
        return self._diagrams.difference(records, keys)

    def _with_parts(self, known: Fact, wanted: Fact, aggregates: Diagram, records: Diagram, care: Diagram) -> Diagram:
        """The aggregates of the known classes, or of their parts if a wanted class may contain only a part."""
        cut = self._cut_keys(known, wanted, records, care)
        found = self._diagrams.difference(aggregates, cut)
        for keys, values in self._laws.keys_by_sign(known, care):
            part = self._diagrams.intersection(aggregates, self._diagrams.intersection(cut, keys))
            part = self._laws.map_aggregates(wanted, part, self._of_part(known, wanted, values))
            found = self._diagrams.union(found, part)
        return found

    def _of_part(self, known: Fact, wanted: Fact, values: Mask) -> Callable[[Mask], Mask]:
        whole = replace(wanted, groups=known.groups)
        return lambda mask: self._laws.aggregates.of_part(whole, mask, values)

    def _cut_keys(self, known: Fact, wanted: Fact, records: Diagram, care: Diagram) -> Diagram:
        """The known keys that have some records in a wanted class and possibly others outside."""
        known_records = self._diagrams.intersection(care, known.where)
        if not self._laws.are_determined(wanted.groups, known, known_records):
            return ALL
        keys = self._laws.key_variables(known)
        outside = self._diagrams.difference(known_records, records)
        outside = self._diagrams.intersection(outside, self._laws.attaining(known))
        return self._diagrams.intersection(self._diagrams.project(records, keys), self._diagrams.project(outside, keys))


class SumsAndCounts:
    """Finds the weakest fact about counts or sums that, with the values of `care`, implies a given fact."""

    def __init__(self, laws: Laws):
        self._laws = laws
        self._diagrams = laws.diagrams

    def counts_for(self, fact: Fact, care: Diagram) -> Fact:
        """Law of the sum by its count: the counts with which every sum is allowed."""
        counts = replace(fact, function=Function.COUNT, column=None)
        variable, allowed = self._laws.aggregates.variable(counts), EMPTY
        for region in regions_in(self._diagrams.full[variable]):
            refused = self._diagrams.difference(self._sums(fact, region, care), fact.allowed)
            keys = self._diagrams.project(refused, self._laws.key_variables(fact))
            fitting = self._diagrams.difference(self._diagrams.literal(variable, 1 << region), keys)
            allowed = self._diagrams.union(allowed, fitting)
        return replace(counts, allowed=allowed)

    def sums_for(self, fact: Fact, column: int, care: Diagram) -> Fact:
        """Law of the count by a sum: the sums that no refused count can have."""
        sums = replace(fact, function=Function.SUM, column=column)
        variable, refused = self._laws.aggregates.variable(fact), EMPTY
        for region in regions_in(self._diagrams.full[variable]):
            counted = self._diagrams.literal(variable, 1 << region)
            keys = self._diagrams.exists(self._diagrams.difference(counted, fact.allowed), frozenset((variable,)))
            with_it = self._diagrams.intersection(self._sums(sums, region, care), keys)
            refused = self._diagrams.union(refused, with_it)
        return replace(sums, allowed=self._diagrams.complement(refused))

    def _sums(self, fact: Fact, counts: int, care: Diagram) -> Diagram:
        """The keys of the fact's records, each with the possible sums of a number of records in the region `counts`."""
        values = self._laws.with_values(fact, care)
        return self._laws.variables.rename(
            values,
            self._laws.variables.aggregated_values(fact.step, fact.column),
            self._laws.aggregates.variable(fact),
            lambda mask: self._laws.aggregates.sums(fact, mask, 1 << counts),
        )
