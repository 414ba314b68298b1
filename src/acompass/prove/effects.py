"""What a requirement does to which records, whatever the table (docs/prove.md, section 5)."""

from dataclasses import dataclass
from typing import assert_never

from acompass.checked.program import (
    Action,
    Assertion,
    Filter,
    Process,
    Program,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
)
from acompass.prove.cells import ALL, NONE, Cells
from acompass.prove.conversion import drawn
from acompass.prove.facts import Fact, fact_of
from acompass.prove.laws import Laws
from acompass.prove.levels import Levels
from acompass.prove.regions import Mask, regions_in


@dataclass(frozen=True, slots=True)
class Effect:
    """A requirement on the table at `step`.

    `may` are the records that some table has affected, `must` those that every table has. Where they differ,
    the records of `scope` are affected by whole classes of `together` (no columns: the table is one class),
    and the classes that are not affected satisfy `kept`.
    """

    step: int
    requirement: Requirement
    scope: Cells
    may: Cells
    must: Cells
    together: frozenset[int] | None
    kept: Fact | None
    care: Cells


def record_condition(levels: Levels, step: int, assertion: Assertion) -> tuple[Cells, Cells]:
    """Of an assertion about records: those it speaks of, and those that satisfy its condition."""

    def level_at(column: int) -> int:
        return levels.column(step, column)

    condition = levels.condition(assertion.condition, level_at)
    match assertion.result:
        case Result():
            return ALL, condition
        case Filter(filter_):
            return levels.condition(filter_, level_at), condition
        case Process():
            raise AssertionError("an aggregate's condition is about classes")
        case _:
            assert_never(assertion.result)


class Effects:
    """Works out the effects of a program one after the other, and what a record can be at every step."""

    def __init__(self, program: Program, levels: Levels):
        self.laws = Laws(levels)
        self._levels = levels
        self._diagrams = levels.diagrams
        self.reach: list[Cells] = [ALL]
        self.effects: list[Effect] = []
        self._written: dict[int, Mask] = {}
        for step, requirement in enumerate(program.requirements):
            effect = self._effect(step, requirement)
            self.effects.append(effect)
            self.reach.append(self._after(effect))

    def _effect(self, step: int, requirement: Requirement) -> Effect:
        care = self.reach[step]
        assertion = requirement.assertion
        match assertion.quantifier:
            case Quantifier.SOME:
                return self._some(step, requirement, care)
            case Quantifier.EACH if isinstance(assertion.result, Process):
                return self._each_class(step, requirement, care)
            case Quantifier.EACH:
                scope, condition = record_condition(self._levels, step, assertion)
                affected = self._diagrams.both(care, self._diagrams.minus(scope, condition))
                return Effect(step, requirement, scope, affected, affected, None, None, care)
            case _:
                assert_never(assertion.quantifier)

    def _each_class(self, step: int, requirement: Requirement, care: Cells) -> Effect:
        fact = fact_of(self._levels, step, requirement.assertion)
        in_scope = self._diagrams.both(care, fact.where)
        refused = self._diagrams.complement(fact.allowed)
        may = self._diagrams.both(in_scope, self.laws.records_with(fact, refused, care))
        must = self._diagrams.minus(in_scope, self.laws.records_with(fact, fact.allowed, care))
        together = None if may is must else fact.groups
        return Effect(step, requirement, fact.where, may, must, together, fact, care)

    def _some(self, step: int, requirement: Requirement, care: Cells) -> Effect:
        """Violated, it affects all (D17): then no record was what it asked for."""
        may, is_hopeless = self._violating_tables(step, requirement.assertion, care)
        if is_hopeless or may is NONE:
            return Effect(step, requirement, ALL, may, may, None, None, care)
        return Effect(step, requirement, ALL, may, NONE, frozenset(), None, care)

    def _violating_tables(self, step: int, assertion: Assertion, care: Cells) -> tuple[Cells, bool]:
        """The records of the tables that violate it, and whether every table with a record does."""
        if isinstance(assertion.result, Process):
            fact = fact_of(self._levels, step, assertion)
            refused = self._diagrams.complement(fact.allowed)
            in_violating = self.laws.records_with(fact, refused, care)
            outside = self._diagrams.complement(fact.where)
            may = self._diagrams.both(care, self._diagrams.either(outside, in_violating))
            wished = self._diagrams.both(care, self.laws.records_with(fact, fact.allowed, care))
            return may, wished is NONE
        scope, condition = record_condition(self._levels, step, assertion)
        wished = self._diagrams.both(scope, condition)
        return self._diagrams.minus(care, wished), self._diagrams.both(care, wished) is NONE

    def _after(self, effect: Effect) -> Cells:
        """What a record can be once the requirement has been performed."""
        action = effect.requirement.action
        if action is None:
            return effect.care
        untouched = self.converted(effect.step, action, self._diagrams.minus(effect.care, effect.must))
        if isinstance(action, Reject):
            return untouched
        touched = self.converted(effect.step, action, effect.may)
        level = self._levels.column(effect.step + 1, action.column)
        written = self._diagrams.assigned(touched, level, self.written(effect.step, action))
        return self._diagrams.either(untouched, written)

    def converted(self, step: int, action: Action, cells: Cells) -> Cells:
        """The same records with the action's column in the type it has afterwards (D12)."""
        if isinstance(action, Reject):
            return cells
        before = self._levels.column(step, action.column)
        after = self._levels.column(step + 1, action.column)
        if before == after:
            return cells

        def change(mask: Mask) -> Cells:
            reached = 0
            for region in regions_in(mask):
                reached |= self._levels.image(region, before, after)
            return self._diagrams.literal(after, reached)

        return self._diagrams.relevel(cells, before, change)

    def written(self, step: int, action: Replace | Random) -> Mask:
        """What the action can write, in the regions of the step after it."""
        if step not in self._written:
            self._written[step] = self._what_is_written(step, action)
        return self._written[step]

    def _what_is_written(self, step: int, action: Replace | Random) -> Mask:
        level = self._levels.column(step + 1, action.column)
        regions = self._levels.regions(level)
        match action:
            case Replace(_, value):
                return 1 << regions.region_of(value)
            case Random(_, lower, upper):
                return drawn(lower, upper, regions, self._levels.type(level))
            case _:
                assert_never(action)
