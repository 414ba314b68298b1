"""The law of the classes: what known facts say of the classes of a wanted fact (docs/prove.md, section 4)."""

from collections.abc import Callable, Sequence

from acompass.prove.decision_diagram import ALL, Diagram
from acompass.prove.facts import Fact
from acompass.prove.laws import Laws
from acompass.prove.regions import Mask


class KnownFacts:
    """`care` includes every record that the table in question can have."""

    def __init__(self, laws: Laws):
        self._laws = laws
        self._diagrams = laws.diagrams

    def unsettled(self, wanted: Fact, known: Sequence[Fact], care: Diagram) -> Diagram:
        """Law of the keys: those at which the values and the known facts leave the wanted fact open."""
        possible = self._laws.possible(wanted, care)
        for fact in known:
            possible = self._diagrams.intersection(possible, self.implied(fact, wanted, care))
        refused = self._diagrams.difference(possible, wanted.allowed)
        return self._diagrams.project(refused, self._laws.key_variables(wanted))

    def implied(self, known: Fact, wanted: Fact, care: Diagram) -> Diagram:
        """Law of the classes: the wanted keys and the aggregates that the known fact allows them. A wanted
        class consists of known classes, or of parts of them, unless the known WHERE misses a record."""
        assert known.step == wanted.step
        diagrams = self._diagrams
        aggregates = self._laws.in_terms_of(known, wanted)
        records = self._covered(known, wanted, care)
        if aggregates is None:
            return ALL
        known_keys, keys = self._laws.key_variables(known), self._laws.key_variables(wanted)
        by_class = self._with_parts(known, wanted, aggregates, records, care)
        occurring = diagrams.intersection(by_class, diagrams.project(records, known_keys | keys))
        found = diagrams.exists(occurring, known_keys - keys)
        if not self._laws.are_determined(known.groups, wanted, records):
            found = self._laws.changed(wanted, found, lambda mask: self._merged(wanted, mask))
        return diagrams.union(found, diagrams.complement(diagrams.project(records, keys)))

    def _merged(self, wanted: Fact, mask: Mask) -> Mask:
        return self._laws.aggregates.of_merged(wanted, mask)

    def _covered(self, known: Fact, wanted: Fact, care: Diagram) -> Diagram:
        """The records of the wanted classes that the known WHERE selects as a whole."""
        records = self._diagrams.intersection(care, wanted.where)
        missed = self._diagrams.difference(records, known.where)
        keys = self._diagrams.project(missed, self._laws.key_variables(wanted))
        return self._diagrams.difference(records, keys)

    def _with_parts(
        self, known: Fact, wanted: Fact, aggregates: Diagram, records: Diagram, care: Diagram
    ) -> Diagram:
        """The aggregates of the known classes, and of their parts where a wanted class may have a part."""
        cut = self._cut(known, wanted, records, care)
        found = self._diagrams.difference(aggregates, cut)
        for keys, values in self._laws.keys_by_sign(known, care):
            part = self._diagrams.intersection(aggregates, self._diagrams.intersection(cut, keys))
            part = self._laws.changed(wanted, part, self._of_part(wanted, values))
            found = self._diagrams.union(found, part)
        return found

    def _of_part(self, wanted: Fact, values: Mask) -> Callable[[Mask], Mask]:
        return lambda mask: self._laws.aggregates.of_part(wanted, mask, values)

    def _cut(self, known: Fact, wanted: Fact, records: Diagram, care: Diagram) -> Diagram:
        """The known keys of which some records are in a wanted class and others may not be."""
        known_records = self._diagrams.intersection(care, known.where)
        if not self._laws.are_determined(wanted.groups, known, known_records):
            return ALL
        keys = self._laws.key_variables(known)
        outside = self._diagrams.difference(known_records, records)
        outside = self._diagrams.intersection(outside, self._laws.attaining(known))
        return self._diagrams.intersection(
            self._diagrams.project(records, keys), self._diagrams.project(outside, keys)
        )
