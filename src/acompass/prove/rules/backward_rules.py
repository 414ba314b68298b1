"""Backward rules: from a fact about the table after a requirement to facts about the table before it.

docs/prove.md, section 6, states and proves each rule. `ChanceRules` covers random outcomes: which records a coin hits
(X5, WITH PROBABILITY), which class a drawn value joins.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import counts_distinct
from acompass.language.program.effects import effect_of, is_certain, removes_records, type_changes
from acompass.language.program.kernels import Map
from acompass.language.program.program import Project, Remove, Write
from acompass.language.program.types import Kind, Type
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.rules.facts import Fact
from acompass.prove.rules.laws import KnownFacts
from acompass.prove.rules.reachability import Reachability, Transition

#: from a fact about the table after a requirement to facts about the table before it
Rule: TypeAlias = Callable[[Fact, Transition], list[Fact]]
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


class BackwardRules:
    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._laws = reachability.laws
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._preimages = Preimages(reachability)
        self._known = KnownFacts(reachability.laws)
        self._chance = ChanceRules(reachability, self._preimages)
        self._writes = WriteRules(reachability, self._preimages, self._chance)

    def carry_back(self, fact: Fact) -> Fact:
        """Rule of the irrelevant column: the same fact, before all lines that change nothing that it reads."""
        step = fact.step
        columns = self._laws.columns_read(fact)
        while step > 0 and self._is_irrelevant(self._reachability.transitions[step - 1], columns):
            step -= 1
        return replace(fact, step=step)

    def _is_irrelevant(self, transition: Transition, columns: frozenset[int]) -> bool:
        effect = effect_of(transition.requirement.action)
        match effect:
            case None:
                return not transition.is_known
            case Remove():
                return transition.may is EMPTY
            case Write(written):
                return columns.isdisjoint(written)
            case Project():
                return True
            case _:
                assert_never(effect)

    def rules(self, transition: Transition) -> tuple[Rule, ...]:
        """The rules that lead back through the requirement, most precise first. Each returns facts at the transition's
        step that together imply a fact at the next step, or raises Blocked."""
        action = transition.requirement.action
        if action is None:
            return (self._before_check,)
        if not is_certain(action):
            return (self._before_coin, self._before_idle, self._at_open_keys)
        others = (self._before_coin, self._before_idle, self._before_total)
        return (self._before_branches, *others, self._at_open_keys, self._within_branches)

    def _before_branches(self, fact: Fact, transition: Transition) -> list[Fact]:
        return self._before(fact, transition, list(self._branches(transition)))

    def _at_open_keys(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Law of the keys: trace the fact back only for the keys at which it does not follow from the values."""
        care = self._reachability.care[fact.step]
        keys = self._known.unsettled_keys(fact, (), care)
        settled = self._diagrams.difference(self._diagrams.intersection(care, fact.where), keys)
        if settled is EMPTY:
            raise Blocked("the values settle no key")
        first, *_ = self.rules(transition)
        return first(replace(fact, where=self._diagrams.intersection(fact.where, keys)), transition)

    def _within_branches(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Rule of the branch's records: an unaffected class contains no record that must be affected."""
        affected = self._diagrams.difference(transition.care, self._unaffected_records(transition))
        if transition.together is None or affected is EMPTY:
            raise Blocked("any record can be left alone")
        return self._before(fact, transition, list(self._branches(transition)), affected)

    def _before_total(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Rule of the total requirement: all of its WHERE is affected if all classes violate one of its facts."""
        if not transition.kept or transition.together is None:
            raise Blocked("no fact says that it affects everything")
        _, affected = self._branches(transition)
        own = transition.kept[0]
        violated = replace(own, allowed=self._diagrams.complement(own.allowed))
        return [violated, *self._before(fact, transition, [affected])]

    def _before(
        self, fact: Fact, transition: Transition, branches: Sequence[Branch], left_out: Diagram = EMPTY
    ) -> list[Fact]:
        """The facts before each branch. Those of the unaffected branch do not cover the records in `left_out`."""
        traced = [(branch, self._before_action(fact, transition, branch)) for branch in branches]
        selectable = self._selectable(transition, [earlier for _, earlier in traced])
        wanted = []
        for branch, earlier in traced:
            if earlier is None or self._laws.is_empty(earlier, branch.care):
                continue
            finer = self._refine(earlier, transition, selectable)
            if branch.is_left_alone:
                finer = replace(finer, where=self._diagrams.difference(finer.where, left_out))
                wanted += self._open_facts(finer, transition, branch.care)
            else:
                wanted.append(finer)
        return wanted

    def _before_coin(self, fact: Fact, transition: Transition) -> list[Fact]:
        """The rules of the coin hold whichever records are hit, so they also hold for an action without a coin."""
        return [self._chance.before_coin(fact, transition)]

    def _before_idle(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Rule of the idle requirement: nothing is affected if its assertion holds before."""
        if not transition.kept_is_all or type_changes(transition.requirement):
            raise Blocked("no facts say that it affects nothing")
        return [*transition.kept, replace(fact, step=transition.step)]

    def _before_check(self, after: Fact, transition: Transition) -> list[Fact]:
        """Rule of the check: nothing is written unless it holds. A check that is not known to hold is irrelevant."""
        fact = replace(after, step=transition.step)
        return self._open_facts(fact, transition, self._reachability.care[transition.step])

    def _open_facts(self, fact: Fact, transition: Transition, care: Diagram) -> list[Fact]:
        """Rule of the requirement's own assertion: the part of the fact that it does not imply."""
        keys = self._known.unsettled_keys(fact, transition.kept, care)
        if keys is EMPTY:
            return []
        if keys is not self._known.unsettled_keys(fact, (), care):
            fact = replace(fact, where=self._diagrams.intersection(fact.where, keys))
        return [self._outside_scope(fact, transition, care)]

    def _outside_scope(self, fact: Fact, transition: Transition, care: Diagram) -> Fact:
        """Rule of the two halves: the fact for the records outside the requirement's WHERE, if the assertion implies it
        for those inside and unions keep it."""
        inside = replace(fact, where=self._diagrams.intersection(fact.where, transition.scope))
        is_implied = self._known.unsettled_keys(inside, transition.kept, care) is EMPTY
        if not is_implied or not self._laws.is_kept_by_merging(fact):
            return fact
        return replace(fact, where=self._diagrams.difference(fact.where, transition.scope))

    def _branches(self, transition: Transition) -> Iterator[Branch]:
        diagrams, care = self._diagrams, transition.care
        if transition.together is None:
            yield Branch(transition.affects, diagrams.complement(transition.affects), care, False)
            return
        yield Branch(EMPTY, ALL, self._unaffected_records(transition), True)
        yield Branch(transition.affects, diagrams.complement(transition.scope), care, False)

    def _unaffected_records(self, transition: Transition) -> Diagram:
        """The records that the requirement can leave alone and that no later check excludes unchanged."""
        excluded = self._reachability.excluded[transition.step + 1]
        if transition.column is not None:
            excluded = self._preimages.surely_before_keeping(excluded, transition, transition.column)
        return self._diagrams.difference(self._reachability.untouched_records(transition), excluded)

    def _selectable(self, transition: Transition, traced: Sequence[Fact | None]) -> Diagram:
        """The records that the WHERE can select after the requirement, affected or not."""
        wheres = [ALL if earlier is None else earlier.where for earlier in traced]
        return self._diagrams.intersection(transition.care, self._diagrams.union_of(wheres))

    def _refine(self, fact: Fact, transition: Transition, records: Diagram) -> Fact:
        """Rule of the finer class: a class that is also grouped by `together` is affected as a whole or not at all."""
        together = transition.together or frozenset()
        if self._laws.are_determined(together, fact, records):
            return fact
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("treats parts of a class differently")
        return replace(fact, groups=fact.groups | together)

    def _before_action(self, fact: Fact, transition: Transition, branch: Branch) -> Fact | None:
        """The fact before the action; None if the fact holds for any table before it."""
        effect = effect_of(transition.requirement.action)
        match effect:
            case Remove():
                where = self._diagrams.intersection(fact.where, branch.unaffected)
                return replace(fact, step=transition.step, where=where)
            case Write(_, kernel):
                column, map_ = effect.column, kernel.label_map()
                if map_ is not None:
                    return self._writes.before_labels(fact, transition, branch, column, map_)
                assert not kernel.reads_value, "no rule for a value that depends on the one before"
                return self._writes.before_write(fact, transition, branch, column)
            case None | Project():
                raise AssertionError("the requirement changes nothing that a fact reads")
            case _:
                assert_never(effect)


@dataclass(frozen=True, slots=True)
class _Write:
    """A column that is written in one branch, and the records of the fact's WHERE in that branch."""

    column: int
    variable: Variable  # of the column after the write
    written: Mask  # the values that are written
    rewritten: Diagram  # the affected records that the WHERE can select after the write
    others: Diagram  # the unaffected records that the WHERE selects


class Preimages:
    """The records before a requirement, which writes `column`, that are in a given set after it if they keep their
    value. `Reachability.before_rewriting` has those that it can rewrite into the set."""

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

    def refuse_conversion(self, fact: Fact, transition: Transition, column: int) -> None:
        """Rule of the change of type. Raises Blocked if the conversion can merge or split unchanged values."""
        before = transition.requirement.before[column].type
        after = transition.requirement.after[column].type
        if before == after:
            return
        is_counted = column == fact.column and counts_distinct(fact.function)
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
        if transition.column is not None:
            return self._before_coin_write(fact, transition, transition.column)
        assert removes_records(transition.requirement.action), "no coin is tossed for it"
        earlier = replace(fact, step=transition.step)
        return self._require_kept_without(earlier, transition, transition.affects)

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
        comes = diagrams.intersection(transition.affects, self._reachability.before_rewriting(transition, fact.where))
        earlier = replace(fact, step=transition.step, where=diagrams.union(stays, comes))
        leaves = diagrams.intersection(transition.affects, self._leaving(fact, transition))
        lost = diagrams.union(leaves, diagrams.difference(comes, stays))
        return self._require_kept_without(earlier, transition, lost)

    def _leaving(self, fact: Fact, transition: Transition) -> Diagram:
        """The records that the WHERE can miss once they are hit."""
        return self._reachability.before_rewriting(transition, self._diagrams.complement(fact.where))

    def _revalue(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for the aggregated column: part of an earlier class, and records that were hit."""
        diagrams, aggregates = self._diagrams, self._laws.aggregates
        stays = self._preimages.before_keeping(fact.where, transition, column)
        earlier = replace(fact, step=transition.step, where=stays)
        affected = diagrams.intersection(transition.affects, transition.care)
        hit = diagrams.intersection(affected, self._reachability.before_rewriting(transition, fact.where))
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
        selected = self._reachability.before_rewriting(transition, fact.where)
        rewritten = self._diagrams.intersection(branch.affected, selected)
        where_before = self._preimages.before_keeping(fact.where, transition, column)
        others = self._diagrams.intersection(branch.unaffected, where_before)
        write = _Write(column, variable, written, rewritten, others)
        earlier = replace(fact, step=transition.step, where=self._diagrams.union(rewritten, others))
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            return self._regroup(fact, earlier, transition, write)
        missed = self._reachability.before_rewriting(transition, self._diagrams.complement(fact.where))
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
        """Law of the determined column, for classes also grouped by the columns that decide what is written."""
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

    def before_labels(self, fact: Fact, transition: Transition, branch: Branch, column: int, map_: Map) -> Fact | None:
        """Rules of the WHERE, the merge and the new value, for labels, which depend only on the value."""
        diagrams, before_rewriting = self._diagrams, self._reachability.before_rewriting
        rewritten = diagrams.intersection(branch.affected, before_rewriting(transition, fact.where))
        others = self._others(fact, transition, branch, column)
        where = diagrams.union(rewritten, others)
        earlier = replace(fact, step=transition.step, where=where)
        missed = before_rewriting(transition, diagrams.complement(fact.where))
        uncertain = diagrams.intersection(diagrams.intersection(rewritten, missed), transition.care)
        reads_labels = column in fact.groups or column == fact.column
        if uncertain is not EMPTY and (reads_labels or not self._laws.is_kept_by_parts(earlier, transition.care)):
            raise Blocked("the label decides which records are counted, and regions are too coarse to tell")
        if not reads_labels:
            return earlier
        write = self._label_write(transition, column, rewritten, others)
        self._refuse_labels(fact, transition, write, map_)
        if column in fact.groups:
            return self._join_labels(fact, earlier, transition, write)
        return self._relabel(fact, earlier, transition, write)

    def _others(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Diagram:
        """The unaffected records that the WHERE selects; none with ALWAYS."""
        if self._diagrams.intersection(branch.unaffected, branch.care) is EMPTY:
            return EMPTY
        selected = self._preimages.before_keeping(fact.where, transition, column)
        return self._diagrams.intersection(branch.unaffected, selected)

    def _label_write(self, transition: Transition, column: int, rewritten: Diagram, others: Diagram) -> _Write:
        variable = self._variables.column(transition.step + 1, column)
        affected = self._diagrams.intersection(rewritten, transition.care)
        labelled = self._reachability.rewrite(transition, affected)
        written = self._diagrams.mask_of(labelled, variable)
        return _Write(column, variable, written, rewritten, others)

    def _refuse_labels(self, fact: Fact, transition: Transition, write: _Write, map_: Map) -> None:
        """Equal values must get equal labels, and unchanged values must not merge or split."""
        before = transition.requirement.before[write.column].type
        if not self._labels_equal_values_alike(map_, write.column, before):
            raise Blocked("the change of type can split the values of the column")
        if self._diagrams.intersection(write.others, transition.care) is not EMPTY:
            self._preimages.refuse_conversion(fact, transition, write.column)

    def _labels_equal_values_alike(self, map_: Map, column: int, before: Type) -> bool:
        """Whether equal values get equal labels. BANDS reads every text of a number as that number."""
        return map_.of_numbers or self._preimages.has_one_text(column, before)

    def _join_labels(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of their label."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        allowed = self._preimages.before_keeping(fact.allowed, transition, write.column) if has_others else EMPTY
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        refused = self._reachability.before_rewriting(transition, self._diagrams.complement(fact.allowed))
        joined = self._diagrams.difference(rewritten_keys, refused)
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def _relabel(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value. Mapping a whole class never adds distinct values."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        if counts_distinct(fact.function) and not has_others and self._laws.is_kept_by_fewer(fact):
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
