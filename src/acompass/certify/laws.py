"""The laws of classes as the checker of certificates knows them: simpler than those of `prove`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from acompass.prove.decision_diagram import ALL, EMPTY, Diagram
from acompass.prove.facts import ClassAssertion, Fact
from acompass.prove.known_facts import KnownFacts
from acompass.prove.laws import Laws
from acompass.prove.regions import Mask
from acompass.syntax.tree import Function


class CertifyingLaws(Laws):
    def records_with(self, fact: Fact, allowed: Diagram, care: Diagram) -> Diagram:
        """The checker does not ask which values a column has at each key."""
        values = self.values(fact, care)

        def records_for(mask: Mask) -> Diagram:
            if fact.column is None:
                return ALL if mask else EMPTY
            with_them = self.aggregates.values_with(fact, mask, values)
            return self.diagrams.literal(self.variables.column(fact.step, fact.column), with_them)

        within = self.diagrams.substitute(allowed, self.aggregates.variable(fact), records_for)
        return self.diagrams.intersection(fact.where, within)

    def in_one_class(self, facts: Sequence[Fact], care: Diagram) -> Diagram:
        """The checker does not relate the aggregates of a class."""
        records = (self.records_with(fact, fact.allowed, care) for fact in facts)
        return reduce(self.diagrams.intersection, records, ALL)

    def kept(self, classes: ClassAssertion, care: Diagram) -> tuple[Fact, ...]:
        return classes.facts

    def is_kept_without(self, fact: Fact, lost: Diagram, care: Diagram) -> bool:
        """The checker does not ask at which keys a class can lose records."""
        records = self.diagrams.intersection(care, self.diagrams.intersection(fact.where, lost))
        return records is EMPTY or self.is_kept_by_parts(fact, care)

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


class ClassLaw(KnownFacts):
    """Law of the classes, for one known fact. Only columns with one value in all records split no class."""

    def implies(self, known: Fact, wanted: Fact, care: Diagram) -> bool:
        """Whether the wanted classes, which consist of known classes or of parts of them, are allowed."""
        assert known.step == wanted.step
        diagrams, records = self._diagrams, self._diagrams.intersection(care, wanted.where)
        aggregates = self._laws.in_terms_of(known, wanted)
        if aggregates is None or diagrams.difference(records, known.where) is not EMPTY:
            return False
        single = self._single_columns(known, care)
        is_union = self._is_union(known, wanted, care, single)
        is_part = known.groups <= wanted.groups | single
        if not _are_comparable(known, wanted, is_union, is_part):
            return False
        if not is_union:
            part = self._of_part(wanted, self._laws.values(known, care))
            aggregates = self._laws.changed(wanted, aggregates, part)
        known_keys, keys = self._laws.key_variables(known), self._laws.key_variables(wanted)
        occurring = diagrams.intersection(aggregates, diagrams.project(records, known_keys))
        found = diagrams.exists(occurring, known_keys - keys)
        if not is_part:
            found = self._laws.changed(wanted, found, lambda mask: self._merged(wanted, mask))
        possible = diagrams.intersection(found, diagrams.project(records, keys))
        return diagrams.difference(possible, wanted.allowed) is EMPTY

    def _is_union(self, known: Fact, wanted: Fact, care: Diagram, single: frozenset[int]) -> bool:
        """Whether a wanted class contains every known class that it shares a record with."""
        records = self._diagrams.intersection(care, known.where)
        return wanted.groups <= known.groups | single and self._laws.is_decided_by(
            self._laws.key_variables(known), wanted.where, records
        )

    def _single_columns(self, fact: Fact, care: Diagram) -> frozenset[int]:
        variables, records = self._laws.variables, self._diagrams.intersection(care, fact.where)
        return frozenset(
            variables.column_of(variable)
            for variable in self._diagrams.support(records)
            if variables.is_single(variable, self._diagrams.mask_of(records, variable))
        )


def _are_comparable(known: Fact, wanted: Fact, is_union: bool, is_part: bool) -> bool:
    """Whether one of two counts is at most the other: that of a class is at most that of a union, and the
    number of distinct values at most that of records."""
    if known.function is wanted.function:
        return is_union or is_part
    return is_union if wanted.function is Function.COUNT else is_part
