"""The laws that derive facts from the possible records and from other facts (docs/prove.md, section 4).

`care` is the care set: it includes every record that the table in question can have.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce

from acompass.prove.aggregates import Aggregates
from acompass.prove.constants import zero_of
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.extents import is_at_most
from acompass.prove.facts import Alternatives, ClassAssertion, Fact
from acompass.prove.regions import Mask, regions_in
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function, Operator


class Laws:
    def __init__(self, variables: Variables):
        self.variables = variables
        self.diagrams = variables.diagrams
        self.aggregates = Aggregates(variables)

    def key_variables(self, fact: Fact) -> frozenset[Variable]:
        return self.variables.columns(fact.step, fact.groups)

    def columns_read(self, fact: Fact) -> frozenset[int]:
        """The columns that decide which classes there are, and their aggregates."""
        selecting = (self.variables.column_of(variable) for variable in self.diagrams.support(fact.where))
        aggregated = () if fact.column is None else (fact.column,)
        return fact.groups.union(selecting, aggregated)

    def is_empty(self, fact: Fact, care: Diagram) -> bool:
        """Law of the empty class: the fact's classes can have no record."""
        return self.diagrams.intersection(care, fact.where) is EMPTY

    def follows(self, fact: Fact, care: Diagram) -> bool:
        """Law of the values: every aggregate that a class of such records can have is allowed."""
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
            self.with_values(fact, care),
            values,
            aggregate,
            lambda mask: self.aggregates.of_values(fact, mask),
        )

    def with_values(self, fact: Fact, care: Diagram) -> Diagram:
        """The keys of the fact's records, each with the aggregated column's values in its second variable."""
        assert fact.column is not None
        records, keys = self.diagrams.intersection(care, fact.where), self.key_variables(fact)
        column = self.variables.column(fact.step, fact.column)
        values = self.variables.aggregated_values(fact.step, fact.column)
        kept = self.diagrams.project(records, keys | {column})
        if column not in keys:
            return self.variables.rename(kept, column, values, lambda mask: mask)
        return self.diagrams.substitute(kept, column, lambda mask: self._equal(mask, column, values))

    def _equal(self, mask: Mask, one: Variable, other: Variable) -> Diagram:
        """Both variables have the same region of the mask."""
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

        return self.diagrams.intersection(
            fact.where, self.diagrams.substitute(allowed, aggregate, records_for)
        )

    def in_terms_of(self, known: Fact, wanted: Fact) -> Diagram | None:
        """What the known fact says of the wanted aggregate of its classes; None where it says nothing."""
        if known.column != wanted.column and not _are_counts(known, wanted):
            return None
        if self.aggregates.in_terms_of(known, wanted.function, 0) is None:
            return None

        def change(mask: Mask) -> Mask:
            implied = self.aggregates.in_terms_of(known, wanted.function, mask)
            assert implied is not None
            return implied

        return self.changed(known, known.allowed, change)

    def in_one_class(self, facts: Sequence[Fact], care: Diagram) -> Diagram:
        """Law of the related aggregates: the records that can be in a class that satisfies all of the facts,
        which are about the same classes."""
        found = ALL
        for fact in facts:
            implied = (self.in_terms_of(other, fact) for other in facts)
            allowed = reduce(self.diagrams.intersection, (each for each in implied if each is not None))
            found = self.diagrams.intersection(found, self.records_with(fact, allowed, care))
        return found

    def can_satisfy(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies the assertion."""
        found = self.diagrams.intersection(classes.where, self.in_one_class(classes.facts, care))
        for part in classes.mixed:
            one_of = self.diagrams.union_of(self._with_alternative(classes, fact, care) for fact in part)
            found = self.diagrams.intersection(found, one_of)
        return found

    def _with_alternative(self, classes: ClassAssertion, fact: Fact, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies the assertion by this one of the alternatives."""
        records = self.diagrams.intersection(care, classes.where)
        return self.diagrams.intersection(records, self.in_one_class((*classes.facts, fact), care))

    def kept(self, classes: ClassAssertion, care: Diagram) -> tuple[Fact, ...]:
        """The facts that the classes that satisfy the assertion satisfy: an alternative if no class can
        satisfy another."""
        found = list(classes.facts)
        for part in classes.mixed:
            possible = [f for f in part if self._with_alternative(classes, f, care) is not EMPTY]
            found += possible if len(possible) == 1 else []
        return tuple(found)

    def witnesses(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records of which a class that satisfies the assertion has at least one."""
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

    def changed(self, fact: Fact, allowed: Diagram, change: Callable[[Mask], Mask]) -> Diagram:
        """`allowed` with `change` applied to the aggregate's values."""
        aggregate = self.aggregates.variable(fact)
        return self.variables.rename(allowed, aggregate, aggregate, change)

    def is_kept_by_merging(self, fact: Fact) -> bool:
        """Law of the union: a union of allowed classes that get the same key is allowed."""
        return self._is_closed(fact, lambda mask: self.aggregates.of_merged(fact, mask))

    def is_kept_by_parts(self, fact: Fact, care: Diagram) -> bool:
        """Law of the part: every part of an allowed class is allowed."""
        return all(
            self._is_kept_by_parts(fact, keys, values) for keys, values in self.keys_by_sign(fact, care)
        )

    def _is_kept_by_parts(self, fact: Fact, keys: Diagram, values: Mask) -> bool:
        allowed = self.diagrams.intersection(fact.allowed, keys)
        parts = self.changed(fact, allowed, lambda mask: self.aggregates.of_part(fact, mask, values))
        return self.diagrams.difference(parts, fact.allowed) is EMPTY

    def keys_by_sign(self, fact: Fact, care: Diagram) -> Iterator[tuple[Diagram, Mask]]:
        """The keys with the values of their classes; for a SUM, keys with negative numbers are separate."""
        values = self.values(fact, care)
        if fact.function is not Function.SUM or fact.column is None:
            yield ALL, values
            return
        column = self.variables.column(fact.step, fact.column)
        negative = self.variables.regions(column).satisfying(
            Operator.LT, zero_of(self.variables.type(column))
        )
        records = self.diagrams.intersection(care, fact.where)
        below = self.diagrams.intersection(records, self.diagrams.literal(column, negative))
        keys = self.diagrams.project(below, self.key_variables(fact))
        yield keys, self.diagrams.mask_of(self.diagrams.intersection(records, keys), column)
        yield self.diagrams.complement(keys), values & ~negative

    def is_kept_without(self, fact: Fact, lost: Diagram, care: Diagram) -> bool:
        """Law of the part, for classes that can lose any of the records in `lost`: others stay whole."""
        records = self.diagrams.intersection(care, self.diagrams.intersection(fact.where, lost))
        keys = self.diagrams.project(
            self.diagrams.intersection(records, self.attaining(fact)), self.key_variables(fact)
        )
        return self.is_kept_by_parts(
            replace(fact, allowed=self.diagrams.intersection(fact.allowed, keys)), care
        )

    def attaining(self, fact: Fact) -> Diagram:
        """The records whose loss can change an allowed aggregate: for MIN and MAX, those whose own value is
        allowed at their key. If all of these stay, so does the one that has the minimum or the maximum."""
        if fact.column is None or fact.function not in (Function.MIN, Function.MAX):
            return ALL
        aggregate, own = self.aggregates.variable(fact), self.variables.column(fact.step, fact.column)
        return self.variables.rename(fact.allowed, aggregate, own, lambda mask: mask)

    def is_kept_with(self, fact: Fact, keys: Diagram, new: Mask, care: Diagram) -> bool:
        """Law of the mixed class: at these keys, records whose aggregate is in `new` are allowed, alone and
        together with part of an allowed class."""
        values = self.values(fact, care)

        def mixed(mask: Mask) -> Mask:
            part = self.aggregates.of_part(fact, mask, values)
            return self.aggregates.of_both(fact, part, new)

        allowed = self.changed(fact, self.diagrams.intersection(fact.allowed, keys), mixed)
        alone = self.diagrams.intersection(keys, self.diagrams.literal(self.aggregates.variable(fact), new))
        return self.diagrams.difference(self.diagrams.union(allowed, alone), fact.allowed) is EMPTY

    def follows_with(self, fact: Fact, witness: Diagram, care: Diagram) -> bool:
        """Law of the witness: every class that has one of these records is allowed."""
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
        """Whether a class that is allowed with a count is allowed with every smaller one."""
        return self._is_closed(fact, self.variables.regions(self.aggregates.variable(fact)).up_to_highest)

    def halves(self, fact: Fact) -> tuple[Fact, Fact] | None:
        """Law of the two bounds: a fact with lower bounds and a fact with upper bounds that together are the
        same as the fact; None where they would not be simpler."""
        regions = self.variables.regions(self.aggregates.variable(fact))
        above = self.changed(fact, fact.allowed, regions.from_lowest)
        below = self.changed(fact, fact.allowed, regions.up_to_highest)
        is_simpler = fact.allowed not in (above, below)
        if not is_simpler or self.diagrams.intersection(above, below) is not fact.allowed:
            return None
        return replace(fact, allowed=above), replace(fact, allowed=below)

    def is_kept_by_moving(self, fact: Fact, old: Mask, new: Mask) -> bool:
        """Whether a class stays allowed if some of its values, all in `old`, become values of `new`."""
        if fact.column is None or not self.aggregates.is_monotonic(fact):
            return False
        column = self.variables.column(fact.step, fact.column)
        before, after = (self.variables.regions(column).extent(mask) for mask in (old, new))
        regions = self.variables.regions(self.aggregates.variable(fact))
        if is_at_most(after.high, before.low):
            return self._is_closed(fact, regions.up_to_highest)
        return is_at_most(before.high, after.low) and self._is_closed(fact, regions.from_lowest)

    def _is_closed(self, fact: Fact, change: Callable[[Mask], Mask]) -> bool:
        return self.diagrams.difference(self.changed(fact, fact.allowed, change), fact.allowed) is EMPTY

    def is_decided_by(self, keys: frozenset[Variable], cells: Diagram, care: Diagram) -> bool:
        """Whether records of `care` with the same key are all inside `cells` or all outside."""
        inside = self.diagrams.project(self.diagrams.intersection(care, cells), keys)
        outside = self.diagrams.project(self.diagrams.difference(care, cells), keys)
        return self.diagrams.intersection(inside, outside) is EMPTY

    def are_determined(self, columns: frozenset[int], fact: Fact, records: Diagram) -> bool:
        """Whether records with the same key have the same values in all of the columns."""
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
        """Law of the determined column: the same fact without those of the columns, in turn, that split no
        class, because the others in the key determine them."""
        records = self.diagrams.intersection(care, fact.where)
        for column in columns:
            others = fact.groups - {column}
            if column in fact.groups and self.is_determined(column, others, fact.step, records):
                fact = replace(fact, groups=others, allowed=self._allowed_without(fact, column, records))
        return fact

    def _allowed_without(self, fact: Fact, column: int, records: Diagram) -> Diagram:
        """What is allowed at a key without the column, whose value there is the one that occurs."""
        variable = self.variables.column(fact.step, column)
        if variable not in self.diagrams.support(fact.allowed):
            return fact.allowed
        mask = self.diagrams.mask_of(records, variable)
        is_same = self.variables.is_single(variable, mask)
        keys = self.key_variables(fact)
        occurring = self.diagrams.literal(variable, mask) if is_same else self.diagrams.project(records, keys)
        refused = self.diagrams.difference(occurring, fact.allowed)
        return self.diagrams.complement(self.diagrams.exists(refused, frozenset((variable,))))


def _are_counts(known: Fact, wanted: Fact) -> bool:
    """A class has at least as many records as distinct values of any column."""
    return {known.function, wanted.function} == {Function.COUNT, Function.COUNT_DISTINCT}
