"""From a fact about the table after a requirement to facts about the table before it that make it so.

One rule a function, with its name in docs/prove.md, section 6.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acompass.checked.program import Random, Reject, Replace
from acompass.checked.types import Kind, Type
from acompass.prove.cells import ALL, NONE, Cells
from acompass.prove.effects import Effect, Effects
from acompass.prove.facts import Fact
from acompass.prove.regions import Mask, regions_in
from acompass.syntax.tree import Function


class Blocked(Exception):
    """The rules find nothing before the requirement that would be enough; says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way a requirement can treat a class: `moved` are the records it affects, `left` those it does not.

    `care` is what the records of such a class can be. A class that it leaves alone satisfies its assertion.
    """

    moved: Cells
    left: Cells
    care: Cells
    is_untouched: bool


class Backward:
    def __init__(self, effects: Effects):
        self._effects = effects
        self._laws = effects.laws
        self._levels = effects.laws.levels
        self._diagrams = effects.laws.diagrams

    def carried(self, fact: Fact) -> Fact:
        """Rule of the column that does not matter: the same fact before every line that writes only such."""
        step = fact.step
        columns = self._columns(fact)
        while step > 0 and self._is_irrelevant(self._effects.effects[step - 1], columns):
            step -= 1
        return replace(fact, step=step)

    def _columns(self, fact: Fact) -> frozenset[int]:
        read = (self._levels.column_of(level) for level in self._diagrams.support(fact.where))
        measured = () if fact.column is None else (fact.column,)
        return fact.groups.union(read, measured)

    def _is_irrelevant(self, effect: Effect, columns: frozenset[int]) -> bool:
        action = effect.requirement.action
        if action is None or isinstance(action, Reject):
            return action is None or effect.may is NONE
        return action.column not in columns

    def before(self, fact: Fact, effect: Effect) -> list[Fact]:
        """Facts at the effect's step that together imply `fact` at the next. Raises Blocked."""
        action = effect.requirement.action
        if action is None:
            return [replace(fact, step=effect.step)]
        wanted = []
        for branch in self._branches(effect):
            earlier = self._undone(fact, effect, branch)
            if earlier is None or self._laws.is_empty(earlier, branch.care):
                continue
            together = effect.together or frozenset()
            finer = self._refined(earlier, together, effect)
            if branch.is_untouched and effect.kept and self._laws.implies(effect.kept, finer, branch.care):
                continue
            wanted.append(finer)
        return wanted

    def _branches(self, effect: Effect) -> Iterator[Branch]:
        diagrams = self._diagrams
        if effect.together is None:
            yield Branch(effect.may, diagrams.complement(effect.may), effect.care, False)
            return
        yield Branch(NONE, ALL, diagrams.minus(effect.care, effect.must), True)
        yield Branch(effect.may, diagrams.complement(effect.scope), effect.care, False)

    def _refined(self, fact: Fact, together: frozenset[int], effect: Effect) -> Fact:
        """Rule of the finer class: on classes by `together` as well, all records are affected or none."""
        if together <= fact.groups:
            return fact
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("it treats parts of a class differently")
        return replace(fact, groups=fact.groups | together)

    def _undone(self, fact: Fact, effect: Effect, branch: Branch) -> Fact | None:
        """The fact before the action; None where it holds whatever was before."""
        action = effect.requirement.action
        match action:
            case Reject():
                where = self._diagrams.both(fact.where, branch.left)
                return replace(fact, step=effect.step, where=where)
            case Replace() | Random():
                return self._unwritten(fact, effect, branch, action)
            case None:
                raise AssertionError("nothing to undo")

    def _unwritten(self, fact: Fact, effect: Effect, branch: Branch, action: Replace | Random) -> Fact | None:
        level = self._levels.column(effect.step + 1, action.column)
        written = self._effects.written(effect.step, action)
        taken, missed = self._taken(fact.where, level, written)
        moved = self._diagrams.both(branch.moved, taken)
        left = self._diagrams.both(branch.left, self._pulled(fact.where, effect, action))
        earlier = replace(fact, step=effect.step, where=self._diagrams.either(moved, left))
        self._refuse_retyped(fact, effect, action)
        self._refuse_doubt(earlier, self._diagrams.both(moved, missed), effect)
        if action.column in fact.groups:
            return self._regrouped(fact, earlier, effect, action, moved, level, written)
        if action.column == fact.column:
            return self._revalued(fact, earlier, effect, moved, left, written)
        return earlier

    def _taken(self, where: Cells, level: int, written: Mask) -> tuple[Cells, Cells]:
        """The records that the WHERE can take, and can leave, once their column has been written."""
        just = frozenset((level,))
        literal = self._diagrams.literal(level, written)
        some = self._diagrams.some(self._diagrams.both(where, literal), just)
        return some, self._diagrams.some(self._diagrams.minus(literal, where), just)

    def _refuse_doubt(self, earlier: Fact, doubtful: Cells, effect: Effect) -> None:
        """Rule of the part: where a draw decides who is counted, only what parts keep is kept."""
        if self._diagrams.both(doubtful, effect.care) is NONE:
            return
        if not self._laws.is_kept_by_parts(earlier, effect.care):
            raise Blocked("the value it draws decides which records are counted")

    def _pulled(self, cells: Cells, effect: Effect, action: Replace | Random) -> Cells:
        """What a set after the column's change of type is before it (D12)."""
        before = self._levels.column(effect.step, action.column)
        after = self._levels.column(effect.step + 1, action.column)
        if before == after or after not in self._diagrams.support(cells):
            return cells
        return self._diagrams.relevel(
            cells, after, lambda mask: self._diagrams.literal(before, self._preimage(mask, before, after))
        )

    def _preimage(self, mask: Mask, before: int, after: int) -> Mask:
        found = 0
        for region in regions_in(self._levels.regions(before).full):
            reached = self._levels.image(region, before, after)
            if not reached & ~mask:
                found |= 1 << region
            elif reached & mask:
                raise Blocked("the column's change of type mixes values that the condition tells apart")
        return found

    def _refuse_retyped(self, fact: Fact, effect: Effect, action: Replace | Random) -> None:
        before = effect.requirement.before[action.column].type
        after = effect.requirement.after[action.column].type
        if before == after:
            return
        is_counted = action.column == fact.column and fact.function is Function.COUNT_DISTINCT
        if action.column == fact.column and not is_counted:
            raise Blocked("the aggregated column changes its type")
        if (is_counted or action.column in fact.groups) and not _keeps_values_apart(before, after):
            raise Blocked("the column's change of type can merge or split its values")

    def _regrouped(
        self,
        fact: Fact,
        earlier: Fact,
        effect: Effect,
        action: Replace | Random,
        moved: Cells,
        level: int,
        written: Mask,
    ) -> Fact:
        """Rule of the merge: classes that are moved whole join those of the written value."""
        kept = self._pulled(fact.allowed, effect, action)
        if self._diagrams.both(moved, effect.care) is NONE:
            return replace(earlier, allowed=kept)
        if not self._levels.single(level, written):
            raise Blocked("it draws the values that make the classes")
        if action.column == fact.column:
            raise Blocked("it writes the column that is both grouped and aggregated")
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("it can merge classes")
        care = self._diagrams.both(effect.care, earlier.where)
        keys = self._laws.group_levels(earlier)
        if self._laws.is_constant(moved, keys, care):
            deciding = self._diagrams.only(self._diagrams.both(care, moved), keys)
        else:
            deciding = moved
            readers = {self._levels.column_of(own) for own in self._diagrams.support(moved)}
            earlier = replace(earlier, groups=earlier.groups | readers)
        literal = self._diagrams.literal(level, written)
        joined = self._diagrams.some(self._diagrams.both(fact.allowed, literal), frozenset((level,)))
        allowed = self._diagrams.either(
            self._diagrams.both(deciding, joined), self._diagrams.minus(kept, deciding)
        )
        return replace(earlier, allowed=allowed)

    def _revalued(
        self, fact: Fact, earlier: Fact, effect: Effect, moved: Cells, left: Cells, written: Mask
    ) -> Fact | None:
        """Rule of the new value: the rewritten records alone are allowed, and so are the others alone."""
        touched = self._diagrams.both(moved, effect.care)
        if touched is NONE:
            return earlier
        possible = self._diagrams.literal(
            self._laws.aggregates.level(fact), self._laws.aggregates.of_values(fact, written)
        )
        keys = self._diagrams.only(touched, self._laws.group_levels(earlier))
        if self._diagrams.minus(self._diagrams.both(keys, possible), fact.allowed) is not NONE:
            raise Blocked("the value it writes is not what the claim allows")
        if self._diagrams.both(left, effect.care) is NONE:
            return None
        if fact.function is Function.COUNT_DISTINCT or not self._laws.is_kept_by_merging(fact):
            raise Blocked("it rewrites the aggregated values of a part of a class")
        return replace(earlier, where=left)


def _keeps_values_apart(before: Type, after: Type) -> bool:
    """Whether equal values stay equal and different ones different."""
    if after.kind is Kind.TEXT:
        return before.kind in (Kind.INTEGER, Kind.DATE, Kind.BOOLEAN)
    return before.kind in (Kind.INTEGER, Kind.DECIMAL) and after.kind is Kind.DECIMAL
