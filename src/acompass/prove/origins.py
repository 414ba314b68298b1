"""Origins: initial records that the policy can turn into a record of a given set.

The search goes back through the requirements and chooses at random whether the record was affected. Whether a
class is affected depends on the rest of the table, so an origin is only a guess; the replay decides.
"""

import random
from dataclasses import dataclass, field
from typing import assert_never

from acompass.checked.effects import random_of
from acompass.checked.program import Drop, Generalize, Random, Reject, Replace
from acompass.checked.types import Value
from acompass.prove.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.regions import Mask, regions_in


@dataclass(frozen=True, slots=True)
class Origin:
    """A region for each variable that matters at the start; by step, the values that RANDOM has to draw."""

    cell: dict[Variable, int]
    draws: dict[int, int] = field(default_factory=dict)


class Origins:
    def __init__(self, reachability: Reachability, rng: random.Random):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._rng = rng

    def find(self, target: Diagram) -> Origin | None:
        """An origin of a record that ends in the target; None where no record can."""
        draws: dict[int, int] = {}
        target = self._diagrams.intersection(target, self._reachability.reach[-1])
        for transition in reversed(self._reachability.transitions):
            target = self._before(transition, target, draws)
            if target is EMPTY:
                return None
        return Origin(self._random_cell(target), draws) if target is not EMPTY else None

    def _before(self, transition: Transition, target: Diagram, draws: dict[int, int]) -> Diagram:
        action = transition.requirement.action
        match action:
            case None:
                return self._unaffected(transition, target) if transition.is_known else target
            case Reject():
                return self._unaffected(transition, target)
            case Replace(column) | Random(column):
                return self._before_write(transition, column, target, draws)
            case Generalize():
                return self._before_labels(transition, action, target)
            case Drop():
                return self._diagrams.intersection(transition.care, target)
            case _:
                assert_never(action)

    def _unaffected(self, transition: Transition, target: Diagram) -> Diagram:
        possible = self._diagrams.difference(transition.care, transition.must)
        return self._diagrams.intersection(possible, target)

    def _before_write(
        self, transition: Transition, column: int, target: Diagram, draws: dict[int, int]
    ) -> Diagram:
        earlier = self._variables.before_conversion(target, transition.step, column, self._preimage)
        unaffected = self._unaffected(transition, earlier)
        variable = self._variables.column(transition.step + 1, column)
        written = self._diagrams.literal(variable, self._reachability.written(transition))
        hit = self._diagrams.intersection(target, written)
        rest = self._diagrams.exists(hit, frozenset((variable,)))
        affected = self._diagrams.intersection(transition.may, rest)
        if affected is EMPTY or (unaffected is not EMPTY and self._rng.random() < 0.5):
            return unaffected
        self._choose_draw(transition, variable, hit, draws)
        return affected

    def _before_labels(self, transition: Transition, action: Generalize, target: Diagram) -> Diagram:
        step, column = transition.step, action.column
        earlier = self._variables.before_conversion(target, step, column, self._preimage)
        unaffected = self._unaffected(transition, earlier)
        labelled = self._variables.before_labels(target, step, column, action.map)
        affected = self._diagrams.intersection(transition.may, labelled)
        if affected is EMPTY or (unaffected is not EMPTY and self._rng.random() < 0.5):
            return unaffected
        return affected

    def _choose_draw(
        self, transition: Transition, variable: Variable, hit: Diagram, draws: dict[int, int]
    ) -> None:
        action = random_of(transition.requirement.action)
        if action is None:
            return
        regions = self._variables.regions(variable)
        hits = regions_in(self._diagrams.mask_of(hit, variable))
        values = [_as_integer(value) for region in hits for value in regions.values(region, 3)]
        inside = [value for value in values if value is not None and action.lower <= value <= action.upper]
        if inside:
            draws[transition.step] = self._rng.choice(inside)

    def _preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        regions = regions_in(self._variables.regions(before).full)
        reaching = (region for region in regions if self._variables.image(region, before, after) & mask)
        return sum(1 << region for region in reaching)

    def _random_cell(self, diagram: Diagram) -> dict[Variable, int]:
        cell: dict[Variable, int] = {}
        while diagram.edges:
            mask, child = self._rng.choice(diagram.edges)
            cell[diagram.variable] = self._rng.choice(list(regions_in(mask)))
            diagram = child
        return cell


def _as_integer(value: Value) -> int | None:
    try:
        return int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
