"""Backward rules: from a fact about the table after a requirement to facts about the table before it.

Together, the facts before imply the fact after. Each rule is one function, under the name that it has in
docs/prove.md, section 6.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from acompass.checked.effects import is_certain, plain_of
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.map import Map
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.checked.types import Type
from acompass.prove.blocked import Blocked
from acompass.prove.chance_rules import ChanceRules
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram, Variable
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
class BranchGoal:
    """The goal that a fact leads to in a branch, and the requirement's own fact that settles it.

    Without a goal, no record is in question (`is_void`), or the values that are written decide.
    """

    branch: Branch
    goal: Fact | None
    kept: Fact | None = None
    is_void: bool = False


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


class BackwardRules:
    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._laws = reachability.laws
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._preimages = Preimages(reachability)
        self._chance = ChanceRules(reachability, self._preimages)

    def carried_back(self, fact: Fact) -> Fact:
        """Rule of the irrelevant column: the same fact, before all lines that do not change what it reads."""
        step = fact.step
        columns = self._columns(fact)
        while step > 0 and self._is_irrelevant(self._reachability.transitions[step - 1], columns):
            step -= 1
        return replace(fact, step=step)

    def passes(self, fact: Fact) -> bool:
        """Whether the line before the fact's step changes nothing that the fact reads."""
        return self._is_irrelevant(self._reachability.transitions[fact.step - 1], self._columns(fact))

    def _columns(self, fact: Fact) -> frozenset[int]:
        selecting = (self._variables.column_of(variable) for variable in self._diagrams.support(fact.where))
        aggregated = () if fact.column is None else (fact.column,)
        return fact.groups.union(selecting, aggregated)

    def _is_irrelevant(self, transition: Transition, columns: frozenset[int]) -> bool:
        plain = plain_of(transition.requirement.action)
        match plain:
            case None:
                return not transition.is_known or not transition.kept
            case Reject():
                return transition.may is EMPTY
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                return column not in columns
            case Drop():
                return True
            case _:
                assert_never(plain)

    def before(self, fact: Fact, transition: Transition) -> list[Fact]:
        """Facts at the transition's step that together imply `fact` at the next step. Raises Blocked."""
        if transition.requirement.action is None:
            same = replace(fact, step=transition.step)
            return [] if self._is_checked(same, transition) else [same]
        if not is_certain(transition.requirement.action):
            return [self._chance.before_coin(fact, transition)]
        return [each.goal for each in self.branch_goals(fact, transition) if each.goal and not each.kept]

    def branch_goals(self, fact: Fact, transition: Transition) -> Iterator[BranchGoal]:
        """What is to be shown in each branch of a certain action. Raises Blocked."""
        for branch in self._branches(transition):
            earlier = self._before_action(fact, transition, branch)
            if earlier is None or self._laws.is_empty(earlier, branch.care):
                yield BranchGoal(branch, None, is_void=earlier is not None)
                continue
            finer = self._refined(earlier, transition)
            kept = self.kept_by(finer, transition, branch.care) if branch.is_left_alone else None
            yield BranchGoal(branch, finer, kept)

    def _is_checked(self, fact: Fact, transition: Transition) -> bool:
        """Rule of the check: nothing is written unless its assertion holds."""
        care = self._reachability.care[transition.step]
        return transition.is_known and self._is_kept(fact, transition, care)

    def _is_kept(self, fact: Fact, transition: Transition, care: Diagram) -> bool:
        return self.kept_by(fact, transition, care) is not None

    def kept_by(self, fact: Fact, transition: Transition, care: Diagram) -> Fact | None:
        """Rule of the requirement's own assertion: what it says that implies the fact."""
        return next((kept for kept in transition.kept if self._laws.implies(kept, fact, care)), None)

    def _branches(self, transition: Transition) -> Iterator[Branch]:
        diagrams, care = self._diagrams, transition.care
        if transition.together is None:
            yield Branch(transition.affects, diagrams.complement(transition.affects), care, False)
            return
        yield Branch(EMPTY, ALL, diagrams.difference(care, transition.must), True)
        yield Branch(transition.affects, diagrams.complement(transition.scope), care, False)

    def _refined(self, fact: Fact, transition: Transition) -> Fact:
        """Rule of the finer class: a class by `together` as well is affected as a whole or not at all."""
        together = transition.together or frozenset()
        if together <= fact.groups:
            return fact
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("treats parts of a class differently")
        return replace(fact, groups=fact.groups | together)

    def _before_action(self, fact: Fact, transition: Transition, branch: Branch) -> Fact | None:
        """The fact before the action; None where the fact holds whatever the table before was."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case Reject():
                where = self._diagrams.intersection(fact.where, branch.unaffected)
                return replace(fact, step=transition.step, where=where)
            case Replace(column) | Random(column) | Draw(column):
                return self._before_write(fact, transition, branch, column)
            case Generalize():
                return self._before_labels(fact, transition, branch, plain)
            case None | Drop():
                raise AssertionError("the requirement changes nothing that a fact reads")
            case _:
                assert_never(plain)

    def _before_write(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Fact | None:
        """Rule of the WHERE."""
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
            return self._revalued(fact, earlier, transition, write)
        return earlier

    def _refuse_random_selection(self, earlier: Fact, uncertain: Diagram, care: Diagram) -> None:
        """Rule of the part: if a draw decides which records are selected, parts must keep the fact."""
        if self._diagrams.intersection(uncertain, care) is EMPTY:
            return
        if not self._laws.is_kept_by_parts(earlier, care):
            raise Blocked("the drawn value decides which records are counted")

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

    def _before_labels(
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
        if fact.function is Function.COUNT_DISTINCT or not self._laws.is_kept_by_merging(fact):
            raise Blocked("rewrites the aggregated values of only part of a class")
        return replace(earlier, where=write.others)
