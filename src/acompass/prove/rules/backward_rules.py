"""Backward rules: from a fact about the table after a requirement to facts about the table before it.

docs/prove.md, section 6, states and proves each rule. `write_rules` has those for a single write.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.language.program.aggregates import facts_about
from acompass.language.program.effects import effect_of, is_certain, reads_others, type_changes
from acompass.language.program.program import Project, Remove, Write
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram
from acompass.prove.diagrams.regions import Bound, Extent, regions_in
from acompass.prove.rules.facts import Fact
from acompass.prove.rules.laws import KnownFacts
from acompass.prove.rules.reachability import Reachability, Transition
from acompass.prove.rules.write_rules import Blocked, Branch, ChanceRules, Preimages, WriteRules

#: from a fact about the table after a requirement to facts about the table before it
Rule: TypeAlias = Callable[[Fact, Transition], list[Fact]]


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
        means = (self._before_means,) if reads_others(action) else ()
        others = (self._before_coin, self._before_idle, self._before_total)
        return (self._before_branches, *means, *others, self._at_open_keys, self._within_branches)

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

    def _before_means(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Rule of the means, for the sizes of the classes by the averaged column: a class has all records of some
        groups, or only records that are not affected."""
        column, diagrams = transition.write.column, self._diagrams
        missed = self._reachability.before_rewriting(transition, diagrams.complement(fact.where))
        affected = diagrams.intersection(transition.care, transition.affects)
        if transition.together is not None or diagrams.intersection(affected, missed) is not EMPTY:
            raise Blocked("averages only part of a class")
        if not facts_about(fact.function).counts_records or fact.groups != {column}:
            raise Blocked("only the sizes of classes by the averaged column follow from its groups")
        all_affected = replace(
            fact,
            step=transition.step,
            where=transition.affects,
            groups=frozenset(),
            allowed=self._sizes_of_groups(fact, transition),
        )
        others = diagrams.difference(fact.where, transition.affects)
        left = replace(fact, step=transition.step, where=others)
        return [each for each in (all_affected, left) if not self._laws.is_empty(each, transition.care)]

    def _sizes_of_groups(self, fact: Fact, transition: Transition) -> Diagram:
        """The numbers of affected records such that every class with a group of them is allowed: a group has as many
        records as MICROAGGREGATE says, or all."""
        kernel, column = transition.write.kernel.averaging(), transition.write.column
        assert kernel is not None
        variable, counts = self._laws.aggregates.variable(fact), self._variables.counts
        means = self._diagrams.literal(
            self._variables.column(fact.step, column), self._reachability.written_regions(transition, column)
        )
        refused_keys = self._diagrams.difference(means, fact.allowed)
        if refused_keys is EMPTY:
            return ALL
        refused, found = self._diagrams.mask_of(refused_keys, variable), 0
        for region in regions_in(counts.full):
            low = counts.extent(1 << region).low
            assert low is not None, "a class has a record"
            if not refused & counts.regions_within(Extent(Bound(min(low.rank, kernel.size)))):
                found |= 1 << region
        return self._diagrams.literal(variable, found)

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
        excluded = self._preimages.surely_before_keeping(excluded, transition)
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
                if not kernel.reads_value:
                    return self._writes.before_write(fact, transition, branch, effect.column)
                if kernel.is_function:
                    return self._writes.before_function(fact, transition, branch, effect.column, kernel)
                return self._writes.before_moving(fact, transition, branch, kernel)
            case None | Project():
                raise AssertionError("the requirement changes nothing that a fact reads")
            case _:
                assert_never(effect)
