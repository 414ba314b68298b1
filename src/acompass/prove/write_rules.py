"""Backward rules for actions that write a column: from a fact after the write to a fact before it.

Each rule is one function, under the name that it has in docs/prove.md, section 6.
"""

from dataclasses import dataclass, replace

from acompass.checked.maps.bands import Bands
from acompass.checked.maps.map import Map
from acompass.checked.program import Generalize
from acompass.checked.types import Type
from acompass.prove.blocked import Blocked
from acompass.prove.chance_rules import ChanceRules
from acompass.prove.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.facts import Fact
from acompass.prove.preimages import Preimages
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.regions import Mask
from acompass.syntax.tree import Function


@dataclass(frozen=True, slots=True)
class Branch:
    """One way in which a requirement can treat a class: which records it affects, and which it leaves alone.

    `care` has every record that such a class can have. A class that is left alone satisfies the requirement's
    assertion.
    """

    affected: Diagram
    unaffected: Diagram
    care: Diagram
    is_left_alone: bool


@dataclass(frozen=True, slots=True)
class _Write:
    """A column that is written in one branch, and the records of the fact's WHERE in that branch.

    `rewritten` are the affected records that the WHERE can select after the write, `others` the unaffected
    records that it selects, and `written` the values that are written into `variable`.
    """

    column: int
    variable: Variable
    written: Mask
    rewritten: Diagram
    others: Diagram


class WriteRules:
    """Each answer is None where the fact holds whatever the table before was."""

    def __init__(self, reachability: Reachability, preimages: Preimages, chance: ChanceRules):
        self._reachability = reachability
        self._laws = reachability.laws
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._preimages = preimages
        self._chance = chance

    def before_write(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Fact | None:
        """Rule of the WHERE."""
        fact = self._without_written(fact, transition, column)
        variable = self._variables.column(transition.step + 1, column)
        written = self._reachability.written(transition)
        selected = self._preimages.written(fact.where, transition)
        rewritten = self._diagrams.intersection(branch.affected, selected)
        where_before = self._preimages.unwritten(fact.where, transition, column)
        others = self._diagrams.intersection(branch.unaffected, where_before)
        write = _Write(column, variable, written, rewritten, others)
        earlier = replace(fact, step=transition.step, where=self._diagrams.union(rewritten, others))
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            return self._regrouped(fact, earlier, transition, write)
        missed = self._preimages.written(self._diagrams.complement(fact.where), transition)
        self._refuse_random_selection(
            earlier, self._diagrams.intersection(rewritten, missed), transition.care
        )
        if column == fact.column:
            return self._moved(fact, earlier, transition, write)
        return earlier

    def _refuse_random_selection(self, earlier: Fact, uncertain: Diagram, care: Diagram) -> None:
        """Rule of the part: if a draw decides which records are selected, parts must keep the fact."""
        if self._diagrams.intersection(uncertain, care) is EMPTY:
            return
        if not self._laws.is_kept_by_parts(earlier, care):
            raise Blocked("the drawn value decides which records are counted")

    def _without_written(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Law of the determined column, for classes by the columns as well that decide what is written."""
        if column not in fact.groups or not self._laws.is_kept_by_merging(fact):
            return fact
        readers = map(self._variables.column_of, self._diagrams.support(transition.affects))
        finer = replace(fact, groups=fact.groups.union(readers))
        found = self._laws.without_determined(finer, self._reachability.care[fact.step], (column,))
        return fact if column in found.groups else found

    def _regrouped(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of the written value."""
        allowed = self._preimages.unwritten(fact.allowed, transition, write.column)
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        if not self._variables.is_single(write.variable, write.written):
            scattered = self._chance.before_scattering(fact, transition, write.column, write.rewritten)
            return replace(scattered, where=self._diagrams.intersection(scattered.where, write.others))
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        joined = self._diagrams.intersection(rewritten_keys, self._allowed_at_written(fact, write))
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def _refuse_merge(self, fact: Fact, write: _Write) -> None:
        if write.column == fact.column:
            raise Blocked("writes a column that is both grouped and aggregated")
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("can merge classes")

    def _rewritten_keys(
        self, earlier: Fact, transition: Transition, write: _Write
    ) -> tuple[frozenset[int], Diagram]:
        """Columns to group by as well, so that classes are rewritten as a whole, and the rewritten keys."""
        records = self._diagrams.intersection(transition.care, earlier.where)
        keys = self._laws.key_variables(earlier)
        if self._laws.is_decided_by(keys, write.rewritten, records):
            rewritten = self._diagrams.intersection(records, write.rewritten)
            return frozenset(), self._diagrams.project(rewritten, keys)
        readers = map(self._variables.column_of, self._diagrams.support(write.rewritten))
        return frozenset(readers), write.rewritten

    def _allowed_at_written(self, fact: Fact, write: _Write) -> Diagram:
        """What the fact allows a class whose key has the written value."""
        literal = self._diagrams.literal(write.variable, write.written)
        at_written = self._diagrams.intersection(fact.allowed, literal)
        return self._diagrams.exists(at_written, frozenset((write.variable,)))

    def before_labels(
        self, fact: Fact, transition: Transition, branch: Branch, action: Generalize
    ) -> Fact | None:
        """Rules of the WHERE, the merge and the new value, for labels: they depend on the value alone."""
        column, diagrams = action.column, self._diagrams
        rewritten = diagrams.intersection(branch.affected, self._preimages.written(fact.where, transition))
        others = self._others(fact, transition, branch, column)
        where = diagrams.union(rewritten, others)
        earlier = replace(fact, step=transition.step, where=where)
        missed = self._preimages.written(diagrams.complement(fact.where), transition)
        uncertain = diagrams.intersection(diagrams.intersection(rewritten, missed), transition.care)
        reads_labels = column in fact.groups or column == fact.column
        if uncertain is not EMPTY and (
            reads_labels or not self._laws.is_kept_by_parts(earlier, transition.care)
        ):
            raise Blocked("the label decides which records are counted, and regions are too coarse to tell")
        if not reads_labels:
            return earlier
        write = self._labelling(transition, action, rewritten, others)
        self._refuse_labels(fact, transition, write, action.map)
        if column in fact.groups:
            return self._joined(fact, earlier, transition, write, action)
        return self._relabelled(fact, earlier, transition, write)

    def _others(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Diagram:
        """The unaffected records that the WHERE selects. With ALWAYS there are none."""
        if self._diagrams.intersection(branch.unaffected, branch.care) is EMPTY:
            return EMPTY
        selected = self._preimages.unwritten(fact.where, transition, column)
        return self._diagrams.intersection(branch.unaffected, selected)

    def _labelling(
        self, transition: Transition, action: Generalize, rewritten: Diagram, others: Diagram
    ) -> _Write:
        variable = self._variables.column(transition.step + 1, action.column)
        affected = self._diagrams.intersection(rewritten, transition.care)
        labelled = self._reachability.rewrite(transition, affected)
        written = self._diagrams.mask_of(labelled, variable)
        return _Write(action.column, variable, written, rewritten, others)

    def _refuse_labels(self, fact: Fact, transition: Transition, write: _Write, map_: Map) -> None:
        """Equal values must get equal labels; the values that stay must remain as different as they were."""
        before = transition.requirement.before[write.column].type
        if not self._labels_equal_values_alike(map_, write.column, before):
            raise Blocked("the change of type can split the values of the column")
        if self._diagrams.intersection(write.others, transition.care) is not EMPTY:
            self._preimages.refuse_conversion(fact, transition, write.column)

    def _labels_equal_values_alike(self, map_: Map, column: int, before: Type) -> bool:
        """Bands read all texts of a number as that number."""
        match map_:
            case Bands():
                return True
            case _:
                return self._preimages.has_one_text(column, before)

    def _joined(
        self, fact: Fact, earlier: Fact, transition: Transition, write: _Write, action: Generalize
    ) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of their label."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        allowed = self._preimages.unwritten(fact.allowed, transition, write.column) if has_others else EMPTY
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        refused = self._preimages.written(self._diagrams.complement(fact.allowed), transition)
        joined = self._diagrams.difference(rewritten_keys, refused)
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def _relabelled(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value. A map of a whole class leaves at most as many different values."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        is_counted = fact.function is Function.COUNT_DISTINCT
        if is_counted and not has_others and self._laws.is_kept_by_fewer(fact):
            return earlier
        return self._revalued(fact, earlier, transition, write)

    def _moved(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the moved value: no value is written that is above the old one, and the fact allows all
        lower aggregates; or the other way round. The rule of the new value comes first."""
        try:
            return self._revalued(fact, earlier, transition, write)
        except Blocked:
            rewritten = replace(earlier, where=write.rewritten)
            old = self._laws.values(rewritten, transition.care)
            if not self._laws.is_kept_by_moving(fact, old, write.written):
                raise
            return earlier

    def _revalued(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value: the rewritten records alone are allowed, and so are the others alone."""
        rewritten = self._diagrams.intersection(write.rewritten, transition.care)
        if rewritten is EMPTY:
            return earlier
        aggregates = self._laws.aggregates
        possible = self._diagrams.literal(
            aggregates.variable(fact), aggregates.of_values(fact, write.written)
        )
        keys = self._diagrams.project(rewritten, self._laws.key_variables(earlier))
        keyed = self._diagrams.intersection(keys, possible)
        if self._diagrams.difference(keyed, fact.allowed) is not EMPTY:
            raise Blocked("writes a value that the claim does not allow")
        if self._diagrams.intersection(write.others, transition.care) is EMPTY:
            return None
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("rewrites the aggregated values of only part of a class")
        return replace(earlier, where=write.others)
