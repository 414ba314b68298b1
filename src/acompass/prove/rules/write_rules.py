"""Backward rules for actions that write a column: from a fact after the write to a fact before it.

`ChanceRules` covers random outcomes: which records a coin hits (X5, WITH PROBABILITY), which class a drawn value joins.
Both use preimages: the records before a requirement that are, or may become, records of a given set after it.
"""

from typing import assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program.bands import Bands
from acompass.language.program.effects import plain_of
from acompass.language.program.label_maps import Map
from acompass.language.program.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.language.program.types import Kind, Type
from acompass.language.text.tree import Function
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.rules.facts import Fact
from acompass.prove.rules.reachability import Reachability, Transition

#: kinds in which every text denotes a single value
_OF_ONE_VALUE = (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)


class Blocked(Exception):
    """No rule leads back through the requirement; the message says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way in which a requirement can treat a class."""

    affected: Diagram
    unaffected: Diagram
    care: Diagram  # every record that such a class can have
    is_left_alone: bool  # nothing is affected, so the class satisfies the requirement's assertion


@dataclass(frozen=True, slots=True)
class _Write:
    """A column that is written in one branch, and the records of the fact's WHERE in that branch."""

    column: int
    variable: Variable  # of the column after the write
    written: Mask  # the values that are written
    rewritten: Diagram  # the affected records that the WHERE can select after the write
    others: Diagram  # the unaffected records that the WHERE selects


class Preimages:
    """The records before a requirement, which writes `column`, that can become records of a given set after it."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams

    def before_keeping(self, diagram: Diagram, transition: Transition, column: int) -> Diagram:
        """The records that are in the diagram if they keep their value, in the column's new type (D12, retyping).
        Raises Blocked if the regions are too coarse to decide."""
        return self._variables.before_conversion(diagram, transition.step, column, self._exact_preimage)

    def _exact_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        inner = self._inner_preimage(mask, before, after)
        if self._variables.preimage(mask, before, after) & ~inner:
            raise Blocked("the change of type mixes values that the condition distinguishes")
        return inner

    def surely_before_keeping(self, diagram: Diagram, transition: Transition, column: int) -> Diagram:
        """The records that are certainly in the diagram if they keep their value."""
        return self._variables.before_conversion(diagram, transition.step, column, self._inner_preimage)

    def _inner_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        return self._variables.regions(before).full & ~self._variables.preimage(~mask, before, after)

    def before_rewriting(self, diagram: Diagram, transition: Transition) -> Diagram:
        """The records that the action can turn into records of the diagram."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case Replace(column) | Random(column) | Draw(column):
                variable = self._variables.column(transition.step + 1, column)
                literal = self._diagrams.literal(variable, self._reachability.written_regions(transition))
                reached = self._diagrams.intersection(diagram, literal)
                return self._diagrams.exists(reached, frozenset((variable,)))
            case Generalize(column, map_):
                return self._variables.before_labels(diagram, transition.step, column, map_)
            case None | Reject() | Drop():
                raise AssertionError("the requirement writes nothing")
            case _:
                assert_never(plain)

    def refuse_conversion(self, fact: Fact, transition: Transition, column: int) -> None:
        """Rule of the change of type. Raises Blocked if the conversion can merge or split unchanged values."""
        before = transition.requirement.before[column].type
        after = transition.requirement.after[column].type
        if before == after:
            return
        is_counted = column == fact.column and fact.function is Function.COUNT_DISTINCT
        if column == fact.column and not is_counted:
            raise Blocked("changes the type of the aggregated column")
        if (is_counted or column in fact.groups) and not self._is_injective(column, before, after):
            raise Blocked("the change of type can merge or split the values of the column")

    def _is_injective(self, column: int, before: Type, after: Type) -> bool:
        """Whether the conversion keeps equal values equal and different values different."""
        if after.kind is Kind.TEXT:
            return self.has_one_text(column, before) and before.kind in _OF_ONE_VALUE
        return before.kind in (Kind.INTEGER, Kind.DECIMAL) and after.kind is Kind.DECIMAL

    def has_one_text(self, column: int, type_: Type) -> bool:
        """Whether equal values of the column become the same text. Decimals from a CSV file keep their spellings, `2`
        and `2.0`, unless the policy groups by them (D26, unchanged bytes); a fixed scale has one spelling. The floats
        `0.0` and `-0.0` are equal."""
        match type_.kind:
            case Kind.DECIMAL:
                is_fixed = not type_.spelled and not self._variables.has_any_scale(column, type_)
                return is_fixed or column in self._reachability.columns_of_classes
            case kind:
                return kind is not Kind.FLOAT


class ChanceRules:
    """Rules for random outcomes. A coin may miss every record, so the fact must hold before it; the rules require
    whatever keeps it true, whichever records are hit."""

    def __init__(self, reachability: Reachability, preimages: Preimages):
        self._reachability = reachability
        self._preimages = preimages
        self._laws = reachability.laws
        self._diagrams = reachability.laws.diagrams

    def before_coin(self, fact: Fact, transition: Transition) -> Fact:
        """The fact before an action WITH PROBABILITY. Raises Blocked."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case Reject():
                earlier = replace(fact, step=transition.step)
                return self._require_kept_without(earlier, transition, transition.affects)
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                return self._before_coin_write(fact, transition, column)
            case None | Drop():
                raise AssertionError("no coin is tossed for it")
            case _:
                assert_never(plain)

    def _before_coin_write(self, fact: Fact, transition: Transition, column: int) -> Fact:
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            earlier = self.before_scattering(fact, transition, column, transition.affects)
            return self._require_kept_without(earlier, transition, transition.affects)
        if column == fact.column:
            return self._revalue(fact, transition, column)
        return self._reselect(fact, transition, column)

    def _require_kept_without(self, fact: Fact, transition: Transition, lost: Diagram) -> Fact:
        """Rule of the coin: the fact must survive if a class loses any of the records in `lost`."""
        if not self._laws.is_kept_without(fact, lost, transition.care):
            raise Blocked("a coin decides which records of a class are left")
        return fact

    def _reselect(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for a WHERE: the class is part of the class of all records that it could select."""
        diagrams = self._diagrams
        stays = self._preimages.before_keeping(fact.where, transition, column)
        comes = diagrams.intersection(transition.affects, self._preimages.before_rewriting(fact.where, transition))
        earlier = replace(fact, step=transition.step, where=diagrams.union(stays, comes))
        leaves = diagrams.intersection(transition.affects, self._leaving(fact, transition))
        lost = diagrams.union(leaves, diagrams.difference(comes, stays))
        return self._require_kept_without(earlier, transition, lost)

    def _leaving(self, fact: Fact, transition: Transition) -> Diagram:
        """The records that the WHERE can miss once they are hit."""
        return self._preimages.before_rewriting(self._diagrams.complement(fact.where), transition)

    def _revalue(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for the aggregated column: the class consists of part of an earlier class and of records
        that were hit."""
        diagrams, aggregates = self._diagrams, self._laws.aggregates
        stays = self._preimages.before_keeping(fact.where, transition, column)
        earlier = replace(fact, step=transition.step, where=stays)
        affected = diagrams.intersection(transition.affects, transition.care)
        hit = diagrams.intersection(affected, self._preimages.before_rewriting(fact.where, transition))
        if hit is not EMPTY:
            new = aggregates.of_values(fact, self._reachability.written_regions(transition))
            keys = diagrams.project(hit, self._laws.key_variables(earlier))
            if not self._laws.is_kept_with(earlier, keys, new, transition.care):
                raise Blocked("a coin decides which values of a class are rewritten")
        return self._require_kept_without(
            earlier, transition, diagrams.intersection(affected, self._leaving(fact, transition))
        )

    def before_scattering(self, fact: Fact, transition: Transition, column: int, affected: Diagram) -> Fact:
        """Rule of the scattered class: at the keys that rewritten records can get, every aggregate is allowed; at other
        keys, a class has only records that are not rewritten."""
        diagrams = self._diagrams
        rewritten = self._reachability.rewrite(transition, diagrams.intersection(affected, transition.care))
        landing = diagrams.project(diagrams.intersection(rewritten, fact.where), self._laws.key_variables(fact))
        landed = replace(fact, where=diagrams.intersection(fact.where, landing))
        if not self._laws.follows(landed, self._reachability.care[fact.step]):
            raise Blocked("chance decides which class a record joins")
        elsewhere = diagrams.difference(fact.where, landing)
        return replace(
            fact,
            step=transition.step,
            where=self._preimages.before_keeping(elsewhere, transition, column),
            allowed=self._preimages.before_keeping(fact.allowed, transition, column),
        )


class WriteRules:
    """Rules for certain writes. Each returns None if the fact holds for any table before the write."""

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
        written = self._reachability.written_regions(transition)
        selected = self._preimages.before_rewriting(fact.where, transition)
        rewritten = self._diagrams.intersection(branch.affected, selected)
        where_before = self._preimages.before_keeping(fact.where, transition, column)
        others = self._diagrams.intersection(branch.unaffected, where_before)
        write = _Write(column, variable, written, rewritten, others)
        earlier = replace(fact, step=transition.step, where=self._diagrams.union(rewritten, others))
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            return self._regroup(fact, earlier, transition, write)
        missed = self._preimages.before_rewriting(self._diagrams.complement(fact.where), transition)
        self._refuse_random_selection(earlier, self._diagrams.intersection(rewritten, missed), transition.care)
        if column == fact.column:
            return self._move(fact, earlier, transition, write)
        return earlier

    def _refuse_random_selection(self, earlier: Fact, uncertain: Diagram, care: Diagram) -> None:
        """Rule of the part: if a draw decides which records are selected, parts must keep the fact."""
        if self._diagrams.intersection(uncertain, care) is EMPTY:
            return
        if not self._laws.is_kept_by_parts(earlier, care):
            raise Blocked("the drawn value decides which records are counted")

    def _without_written(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Law of the determined column, for classes that are also grouped by the columns that decide what is
        written."""
        if column not in fact.groups or not self._laws.is_kept_by_merging(fact):
            return fact
        readers = map(self._variables.column_of, self._diagrams.support(transition.affects))
        finer = replace(fact, groups=fact.groups.union(readers))
        found = self._laws.without_determined(finer, self._reachability.care[fact.step], (column,))
        return fact if column in found.groups else found

    def _regroup(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of the written value."""
        allowed = self._preimages.before_keeping(fact.allowed, transition, write.column)
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

    def _rewritten_keys(self, earlier: Fact, transition: Transition, write: _Write) -> tuple[frozenset[int], Diagram]:
        """Additional columns to group by, so that classes are rewritten as a whole, and the rewritten keys."""
        records = self._diagrams.intersection(transition.care, earlier.where)
        keys = self._laws.key_variables(earlier)
        if self._laws.is_decided_by(keys, write.rewritten, records):
            rewritten = self._diagrams.intersection(records, write.rewritten)
            return frozenset(), self._diagrams.project(rewritten, keys)
        readers = map(self._variables.column_of, self._diagrams.support(write.rewritten))
        return frozenset(readers), write.rewritten

    def _allowed_at_written(self, fact: Fact, write: _Write) -> Diagram:
        """The aggregates that the fact allows at a key with the written value."""
        literal = self._diagrams.literal(write.variable, write.written)
        at_written = self._diagrams.intersection(fact.allowed, literal)
        return self._diagrams.exists(at_written, frozenset((write.variable,)))

    def before_labels(self, fact: Fact, transition: Transition, branch: Branch, action: Generalize) -> Fact | None:
        """Rules of the WHERE, the merge and the new value, for labels, which depend only on the value."""
        column, diagrams = action.column, self._diagrams
        rewritten = diagrams.intersection(branch.affected, self._preimages.before_rewriting(fact.where, transition))
        others = self._others(fact, transition, branch, column)
        where = diagrams.union(rewritten, others)
        earlier = replace(fact, step=transition.step, where=where)
        missed = self._preimages.before_rewriting(diagrams.complement(fact.where), transition)
        uncertain = diagrams.intersection(diagrams.intersection(rewritten, missed), transition.care)
        reads_labels = column in fact.groups or column == fact.column
        if uncertain is not EMPTY and (reads_labels or not self._laws.is_kept_by_parts(earlier, transition.care)):
            raise Blocked("the label decides which records are counted, and regions are too coarse to tell")
        if not reads_labels:
            return earlier
        write = self._label_write(transition, action, rewritten, others)
        self._refuse_labels(fact, transition, write, action.map)
        if column in fact.groups:
            return self._join_labels(fact, earlier, transition, write, action)
        return self._relabel(fact, earlier, transition, write)

    def _others(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Diagram:
        """The unaffected records that the WHERE selects; none with ALWAYS."""
        if self._diagrams.intersection(branch.unaffected, branch.care) is EMPTY:
            return EMPTY
        selected = self._preimages.before_keeping(fact.where, transition, column)
        return self._diagrams.intersection(branch.unaffected, selected)

    def _label_write(self, transition: Transition, action: Generalize, rewritten: Diagram, others: Diagram) -> _Write:
        variable = self._variables.column(transition.step + 1, action.column)
        affected = self._diagrams.intersection(rewritten, transition.care)
        labelled = self._reachability.rewrite(transition, affected)
        written = self._diagrams.mask_of(labelled, variable)
        return _Write(action.column, variable, written, rewritten, others)

    def _refuse_labels(self, fact: Fact, transition: Transition, write: _Write, map_: Map) -> None:
        """Equal values must get equal labels, and unchanged values must not merge or split."""
        before = transition.requirement.before[write.column].type
        if not self._labels_equal_values_alike(map_, write.column, before):
            raise Blocked("the change of type can split the values of the column")
        if self._diagrams.intersection(write.others, transition.care) is not EMPTY:
            self._preimages.refuse_conversion(fact, transition, write.column)

    def _labels_equal_values_alike(self, map_: Map, column: int, before: Type) -> bool:
        """Whether equal values get equal labels. BANDS reads every text of a number as that number."""
        match map_:
            case Bands():
                return True
            case _:
                return self._preimages.has_one_text(column, before)

    def _join_labels(
        self, fact: Fact, earlier: Fact, transition: Transition, write: _Write, action: Generalize
    ) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of their label."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        allowed = self._preimages.before_keeping(fact.allowed, transition, write.column) if has_others else EMPTY
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        refused = self._preimages.before_rewriting(self._diagrams.complement(fact.allowed), transition)
        joined = self._diagrams.difference(rewritten_keys, refused)
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def _relabel(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value. Mapping a whole class never adds distinct values."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        is_counted = fact.function is Function.COUNT_DISTINCT
        if is_counted and not has_others and self._laws.is_kept_by_fewer(fact):
            return earlier
        return self._revalue(fact, earlier, transition, write)

    def _move(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the moved value: no written value is above the value it replaces, and the fact allows all lower
        aggregates, or the other way around. The rule of the new value is tried first."""
        try:
            return self._revalue(fact, earlier, transition, write)
        except Blocked:
            rewritten = replace(earlier, where=write.rewritten)
            old = self._laws.values(rewritten, transition.care)
            if not self._laws.is_kept_by_moving(fact, old, write.written):
                raise
            return earlier

    def _revalue(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value: the rewritten records alone are allowed, and so are the other records alone."""
        rewritten = self._diagrams.intersection(write.rewritten, transition.care)
        if rewritten is EMPTY:
            return earlier
        aggregates = self._laws.aggregates
        possible = self._diagrams.literal(aggregates.variable(fact), aggregates.of_values(fact, write.written))
        keys = self._diagrams.project(rewritten, self._laws.key_variables(earlier))
        keyed = self._diagrams.intersection(keys, possible)
        if self._diagrams.difference(keyed, fact.allowed) is not EMPTY:
            raise Blocked("writes a value that the claim does not allow")
        if self._diagrams.intersection(write.others, transition.care) is EMPTY:
            return None
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("rewrites the aggregated values of only part of a class")
        return replace(earlier, where=write.others)
