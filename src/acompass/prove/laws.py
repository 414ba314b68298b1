"""The laws that derive facts from the possible records and from other facts (docs/prove.md, section 4).

`care` is the care set: it includes every record that the table in question can have.
"""

from collections.abc import Callable
from dataclasses import replace

from acompass.prove.aggregates import Aggregates
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.facts import Alternatives, ClassAssertion, Fact
from acompass.prove.regions import Mask, regions_in
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function


class Laws:
    def __init__(self, variables: Variables):
        self.variables = variables
        self.diagrams = variables.diagrams
        self.aggregates = Aggregates(variables)

    def key_variables(self, fact: Fact) -> frozenset[Variable]:
        return self.variables.columns(fact.step, fact.groups)

    def is_empty(self, fact: Fact, care: Diagram) -> bool:
        """Law of the empty class: the fact's classes can have no record."""
        return self.diagrams.intersection(care, fact.where) is EMPTY

    def follows(self, fact: Fact, care: Diagram) -> bool:
        """Law of the values: every aggregate that a class of such records can have is allowed."""
        possible = self._possible(fact, self.diagrams.intersection(care, fact.where))
        return self.diagrams.difference(possible, fact.allowed) is EMPTY

    def _possible(self, fact: Fact, records: Diagram) -> Diagram:
        """The keys of the records, each with the aggregate's possible values."""
        aggregate = self.aggregates.variable(fact)
        keys = self.key_variables(fact)
        if fact.column is None:
            by_key = self.diagrams.project(records, keys)
            return self.diagrams.intersection(by_key, self.diagrams.literal(aggregate, -1))
        values = self.variables.aggregated_values(fact.step, fact.column)
        by_key = self._with_values(fact, records, keys, values)
        return self.variables.rename(
            by_key, values, aggregate, lambda mask: self.aggregates.of_values(fact, mask)
        )

    def _with_values(
        self, fact: Fact, records: Diagram, keys: frozenset[Variable], values: Variable
    ) -> Diagram:
        """The keys of the records, each with the aggregated column's values in the variable `values`."""
        assert fact.column is not None
        column = self.variables.column(fact.step, fact.column)
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
        values = self.values(fact, care)

        def records_for(mask: Mask) -> Diagram:
            if fact.column is None:
                return ALL if mask else EMPTY
            with_them = self.aggregates.values_with(fact, mask, values)
            return self.diagrams.literal(self.variables.column(fact.step, fact.column), with_them)

        within = self.diagrams.substitute(allowed, self.aggregates.variable(fact), records_for)
        return self.diagrams.intersection(fact.where, within)

    def can_satisfy(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records that can be in a class that satisfies the assertion."""
        found = classes.where
        for part in classes.parts:
            found = self.diagrams.intersection(found, self._can_satisfy(part, care))
        return found

    def _can_satisfy(self, part: Alternatives, care: Diagram) -> Diagram:
        if part is None:
            return ALL
        return self.diagrams.union_of(self.records_with(fact, fact.allowed, care) for fact in part)

    def can_violate(self, classes: ClassAssertion, care: Diagram) -> Diagram:
        """The records that can be in a class that violates the assertion."""
        violating = self.diagrams.union_of(self._can_violate(part, care) for part in classes.parts)
        return self.diagrams.intersection(classes.where, violating)

    def _can_violate(self, part: Alternatives, care: Diagram) -> Diagram:
        """A class violates all alternatives or none."""
        found = ALL
        for fact in part or ():
            refused = self.diagrams.complement(fact.allowed)
            found = self.diagrams.intersection(found, self.records_with(fact, refused, care))
        return found

    def _changed(self, fact: Fact, allowed: Diagram, change: Callable[[Mask], Mask]) -> Diagram:
        """`allowed` with `change` applied to the aggregate's values."""
        aggregate = self.aggregates.variable(fact)
        return self.variables.rename(allowed, aggregate, aggregate, change)

    def is_kept_by_merging(self, fact: Fact) -> bool:
        """Law of the union: a union of allowed classes that get the same key is allowed."""
        merged = self._changed(fact, fact.allowed, lambda mask: self.aggregates.of_merged(fact, mask))
        return self.diagrams.difference(merged, fact.allowed) is EMPTY

    def is_kept_by_parts(self, fact: Fact, care: Diagram) -> bool:
        """Law of the part: every part of an allowed class is allowed."""
        values = self.values(fact, care)
        parts = self._changed(fact, fact.allowed, lambda mask: self.aggregates.of_part(fact, mask, values))
        return self.diagrams.difference(parts, fact.allowed) is EMPTY

    def is_kept_without(self, fact: Fact, lost: Diagram, care: Diagram) -> bool:
        """Law of the part, for classes that can lose any of the records in `lost`: others stay whole."""
        records = self.diagrams.intersection(care, self.diagrams.intersection(fact.where, lost))
        keys = self.diagrams.project(records, self.key_variables(fact))
        return self.is_kept_by_parts(
            replace(fact, allowed=self.diagrams.intersection(fact.allowed, keys)), care
        )

    def is_kept_with(self, fact: Fact, keys: Diagram, new: Mask, care: Diagram) -> bool:
        """Law of the mixed class: at these keys, records whose aggregate is in `new` are allowed, alone and
        together with part of an allowed class."""
        values = self.values(fact, care)

        def mixed(mask: Mask) -> Mask:
            part = self.aggregates.of_part(fact, mask, values)
            return self.aggregates.of_both(fact, part, new)

        allowed = self._changed(fact, self.diagrams.intersection(fact.allowed, keys), mixed)
        alone = self.diagrams.intersection(keys, self.diagrams.literal(self.aggregates.variable(fact), new))
        return self.diagrams.difference(self.diagrams.union(allowed, alone), fact.allowed) is EMPTY

    def is_kept_by_fewer(self, fact: Fact) -> bool:
        """Whether a class that is allowed with a count is allowed with every smaller one."""
        counts = self.variables.regions(self.aggregates.variable(fact))
        fewer = self._changed(fact, fact.allowed, counts.up_to_highest)
        return self.diagrams.difference(fewer, fact.allowed) is EMPTY

    def is_decided_by(self, keys: frozenset[Variable], cells: Diagram, care: Diagram) -> bool:
        """Whether records of `care` with the same key are all inside `cells` or all outside."""
        inside = self.diagrams.project(self.diagrams.intersection(care, cells), keys)
        outside = self.diagrams.project(self.diagrams.difference(care, cells), keys)
        return self.diagrams.intersection(inside, outside) is EMPTY

    def _single_columns(self, fact: Fact, care: Diagram) -> frozenset[int]:
        """The columns that have the same value in all records of the fact, and so split no class."""
        records = self.diagrams.intersection(care, fact.where)
        return frozenset(
            self.variables.column_of(variable)
            for variable in self.diagrams.support(records)
            if self.variables.is_single(variable, self.diagrams.mask_of(records, variable))
        )

    def without_single(self, fact: Fact, care: Diagram) -> Fact:
        """Law of the single value: the same fact without the groups that split no class."""
        records = self.diagrams.intersection(care, fact.where)
        for column in fact.groups:
            variable = self.variables.column(fact.step, column)
            mask = self.diagrams.mask_of(records, variable)
            if self.variables.is_single(variable, mask):
                fixed = self.diagrams.intersection(fact.allowed, self.diagrams.literal(variable, mask))
                allowed = self.diagrams.exists(fixed, frozenset((variable,)))
                fact = replace(fact, groups=fact.groups - {column}, allowed=allowed)
        return fact

    def implies(self, known: Fact, wanted: Fact, care: Diagram) -> bool:
        """Law of the classes: the wanted classes consist of known classes, or of parts of them."""
        assert known.step == wanted.step
        records = self.diagrams.intersection(care, wanted.where)
        if self.diagrams.difference(records, known.where) is not EMPTY:
            return False
        known_aggregates = self._in_terms(known, wanted)
        if known_aggregates is None:
            return False
        single = self._single_columns(known, care)
        if not self._are_whole(known, wanted, care, single):
            values = self.values(known, care)
            known_aggregates = self._changed(
                wanted, known_aggregates, lambda mask: self.aggregates.of_part(wanted, mask, values)
            )
        known_keys = self.key_variables(known)
        occurring = self.diagrams.intersection(known_aggregates, self.diagrams.project(records, known_keys))
        aggregates = self.diagrams.exists(occurring, known_keys - self.key_variables(wanted))
        if not known.groups <= wanted.groups | single:
            aggregates = self._changed(
                wanted, aggregates, lambda mask: self.aggregates.of_merged(wanted, mask)
            )
        wanted_keys = self.diagrams.project(records, self.key_variables(wanted))
        possible = self.diagrams.intersection(aggregates, wanted_keys)
        return self.diagrams.difference(possible, wanted.allowed) is EMPTY

    def _are_whole(self, known: Fact, wanted: Fact, care: Diagram, single: frozenset[int]) -> bool:
        """Whether a wanted class contains every known class that it shares a record with."""
        known_records = self.diagrams.intersection(care, known.where)
        return wanted.groups <= known.groups | single and self.is_decided_by(
            self.key_variables(known), wanted.where, known_records
        )

    def _in_terms(self, known: Fact, wanted: Fact) -> Diagram | None:
        """What the known fact says of the wanted aggregate; None where it says nothing."""
        if known.column != wanted.column and not _are_counts(known, wanted):
            return None
        if known.function is wanted.function:
            return known.allowed
        if self.aggregates.in_terms_of(known, wanted.function, 0) is None:
            return None

        def change(mask: Mask) -> Mask:
            implied = self.aggregates.in_terms_of(known, wanted.function, mask)
            assert implied is not None
            return implied

        return self._changed(known, known.allowed, change)


def _are_counts(known: Fact, wanted: Fact) -> bool:
    """A class has at least as many records as distinct values of any column."""
    return {known.function, wanted.function} == {Function.COUNT, Function.COUNT_DISTINCT}
