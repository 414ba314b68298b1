"""Facts about counts that imply facts about sums, and the other way round (docs/prove.md, section 4)."""

from dataclasses import replace

from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import Fact
from acompass.prove.laws import Laws
from acompass.prove.regions import regions_in
from acompass.syntax.tree import Function


class SumsAndCounts:
    """Each answer is the weakest fact that, with the values of `care`, implies the given one."""

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
            keys = self._diagrams.exists(
                self._diagrams.difference(counted, fact.allowed), frozenset((variable,))
            )
            with_it = self._diagrams.intersection(self._sums(sums, region, care), keys)
            refused = self._diagrams.union(refused, with_it)
        return replace(sums, allowed=self._diagrams.complement(refused))

    def _sums(self, fact: Fact, counts: int, care: Diagram) -> Diagram:
        """The keys of the fact's records, each with the sums of so many records."""
        values = self._laws.with_values(fact, care)
        return self._laws.variables.rename(
            values,
            self._laws.variables.aggregated_values(fact.step, fact.column),
            self._laws.aggregates.variable(fact),
            lambda mask: self._laws.aggregates.sums(fact, mask, 1 << counts),
        )
