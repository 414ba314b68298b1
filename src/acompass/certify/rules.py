"""Backward rules as the checker of certificates knows them: one way through each requirement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from acompass.certify.column_types import has_one_text
from acompass.certify.constants import Json
from acompass.certify.laws import ClassLaw
from acompass.checked.effects import random_of
from acompass.checked.program import Draw, Random
from acompass.checked.types import Kind, Type
from acompass.prove.backward_rules import BackwardRules
from acompass.prove.blocked import Blocked
from acompass.prove.chance_rules import ChanceRules
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import Fact
from acompass.prove.preimages import Preimages
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.write_rules import Branch, WriteRules


@dataclass(frozen=True, slots=True)
class BranchGoal:
    """The goal that a fact leads to in a branch, and the requirement's own fact that settles it.

    Without a goal, no record is in question (`is_void`), or the values that are written decide.
    """

    goal: Fact | None
    kept: Fact | None = None
    is_void: bool = False


class _Preimages(Preimages):
    """`types` are those of the certificate, at each step."""

    def __init__(self, reachability: Reachability, types: Sequence[Sequence[Json]]):
        super().__init__(reachability)
        self._types = types

    def has_one_text(self, column: int, type_: Type) -> bool:
        steps = zip(self._variables.schemas, self._types, strict=True)
        return all(has_one_text(own[column]) for schema, own in steps if schema[column].type == type_)


class _ChanceRules(ChanceRules):
    def before_scattering(self, fact: Fact, transition: Transition, column: int, affected: Diagram) -> Fact:
        raise Blocked("chance decides which class a record joins")


class _WriteRules(WriteRules):
    def _without_written(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """The checker does not ask which columns determine others."""
        return fact


class CertifyingRules(BackwardRules):
    def __init__(self, reachability: Reachability, types: Sequence[Sequence[Json]]):
        super().__init__(reachability)
        self._law = ClassLaw(reachability.laws)
        self._preimages = _Preimages(reachability, types)
        self._chance = _ChanceRules(reachability, self._preimages)
        self._writes = _WriteRules(reachability, self._preimages, self._chance)

    def passes(self, fact: Fact) -> bool:
        """Whether the line before the fact's step changes nothing that the fact reads."""
        return self._is_irrelevant(
            self._reachability.transitions[fact.step - 1], self._laws.columns_read(fact)
        )

    def before_coin(self, fact: Fact, transition: Transition) -> Fact:
        """The fact before an action that is performed with a probability. Raises Blocked."""
        if transition.column is not None and transition.column == fact.column:
            raise Blocked("a coin decides which values of a class are rewritten")
        return self._chance.before_coin(fact, transition)

    def branch_goals(self, fact: Fact, transition: Transition) -> Iterator[BranchGoal]:
        """What is to be shown in each branch of a certain action. Raises Blocked."""
        for branch in self._branches(transition):
            earlier = self._before_action(fact, transition, branch)
            if earlier is None:
                self._refuse_fresh(fact, transition)
                yield BranchGoal(None)
            elif self._laws.is_empty(earlier, branch.care):
                yield BranchGoal(None, is_void=True)
            else:
                self._refuse_counted(fact, transition, branch)
                finer = self.finer(earlier, transition)
                kept = self.kept_by(finer, transition, branch.care) if branch.is_left_alone else None
                yield BranchGoal(finer, kept)

    def kept_by(self, fact: Fact, transition: Transition, care: Diagram) -> Fact | None:
        """Rule of the requirement's own assertion: what it says that implies the fact."""
        return next((kept for kept in transition.kept if self._law.implies(kept, fact, care)), None)

    def _refuse_fresh(self, fact: Fact, transition: Transition) -> None:
        """The checker counts values that are listed, in classes that are rewritten as a whole."""
        drawn, together = random_of(transition.requirement.action), transition.together or frozenset()
        match drawn:
            case Random():
                raise Blocked("the checker does not count drawn numbers")
            case Draw() | None:
                if not together <= fact.groups - {transition.column}:
                    raise Blocked("treats parts of a class differently")
            case _:
                assert_never(drawn)

    def _refuse_counted(self, fact: Fact, transition: Transition, branch: Branch) -> None:
        """The checker knows that numbers stay different as decimals, and nothing of other changes of type."""
        if transition.column is None or transition.column != fact.column:
            return
        before, after = (
            schema[transition.column].type
            for schema in (transition.requirement.before, transition.requirement.after)
        )
        if before != after and after.kind is not Kind.DECIMAL:
            raise Blocked("changes the type of the counted column")
        selected = self._preimages.written(fact.where, transition)
        affected = self._diagrams.intersection(branch.affected, transition.care)
        if self._diagrams.intersection(affected, selected) is not EMPTY:
            raise Blocked("rewrites the aggregated values of only part of a class")

    def finer(self, fact: Fact, transition: Transition) -> Fact:
        """Rule of the finer class: a class by `together` as well is affected as a whole or not at all."""
        together = transition.together or frozenset()
        if together <= fact.groups:
            return fact
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("treats parts of a class differently")
        return replace(fact, groups=fact.groups | together)
