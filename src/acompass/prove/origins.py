"""Records to start from, so that something the policy leaves is in a given set of cells.

Backwards through one requirement after the other, at random where both ways are open. Whether a class is
really affected depends on the rest of the table, so an origin is only a good guess; the replay decides.
"""

import random
from dataclasses import dataclass, field

from acompass.checked.program import Random, Reject, Replace
from acompass.checked.types import Value
from acompass.prove.cells import NONE, Cells
from acompass.prove.effects import Effect, Effects
from acompass.prove.regions import Mask, regions_in


@dataclass(frozen=True, slots=True)
class Origin:
    """A region for each level that matters at the start, and what the RANDOMs on the way have to draw."""

    cell: dict[int, int]
    draws: dict[int, int] = field(default_factory=dict)


class Origins:
    def __init__(self, effects: Effects, rng: random.Random):
        self._effects = effects
        self._levels = effects.laws.levels
        self._diagrams = effects.laws.diagrams
        self._rng = rng

    def find(self, target: Cells) -> Origin | None:
        """Of a record that ends in the target; None where no record can."""
        draws: dict[int, int] = {}
        target = self._diagrams.both(target, self._effects.reach[-1])
        for effect in reversed(self._effects.effects):
            target = self._before(effect, target, draws)
            if target is NONE:
                return None
        return Origin(self._random_cell(target), draws) if target is not NONE else None

    def _before(self, effect: Effect, target: Cells, draws: dict[int, int]) -> Cells:
        action = effect.requirement.action
        if action is None:
            return target
        untouched = self._diagrams.both(
            self._diagrams.minus(effect.care, effect.must), self._pulled(effect, target)
        )
        if isinstance(action, Reject):
            return untouched
        level = self._levels.column(effect.step + 1, action.column)
        written = self._diagrams.literal(level, self._effects.written(effect.step, action))
        hit = self._diagrams.both(target, written)
        touched = self._diagrams.both(effect.may, self._diagrams.some(hit, frozenset((level,))))
        if touched is NONE or (untouched is not NONE and self._rng.random() < 0.5):
            return untouched
        if isinstance(action, Random):
            self._choose_draw(effect.step, action, self._diagrams.mask_of(hit, level), draws)
        return touched

    def _choose_draw(self, step: int, action: Random, mask: Mask, draws: dict[int, int]) -> None:
        regions = self._levels.regions(self._levels.column(step + 1, action.column))
        values = [v for r in regions_in(mask) for v in regions.values(r, 3)]
        inside = [v for v in map(_as_integer, values) if v is not None and action.lower <= v <= action.upper]
        if inside:
            draws[step] = self._rng.choice(inside)

    def _pulled(self, effect: Effect, target: Cells) -> Cells:
        """What can be converted into the target (D12)."""
        action = effect.requirement.action
        if not isinstance(action, Replace | Random):
            return target
        before = self._levels.column(effect.step, action.column)
        after = self._levels.column(effect.step + 1, action.column)
        if before == after or after not in self._diagrams.support(target):
            return target
        return self._diagrams.relevel(
            target, after, lambda mask: self._diagrams.literal(before, self._reaching(mask, before, after))
        )

    def _reaching(self, mask: Mask, before: int, after: int) -> Mask:
        regions = regions_in(self._levels.regions(before).full)
        reaching = (region for region in regions if self._levels.image(region, before, after) & mask)
        return sum(1 << region for region in reaching)

    def _random_cell(self, node: Cells) -> dict[int, int]:
        cell: dict[int, int] = {}
        while node.edges:
            mask, child = self._rng.choice(node.edges)
            cell[node.level] = self._rng.choice(list(regions_in(mask)))
            node = child
        return cell


def _as_integer(value: Value) -> int | None:
    try:
        return int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
