"""Origins: initial records that the policy can turn into a record of a given set.

The search goes back through the requirements and chooses at random whether the record was affected. Whether a
class is affected depends on the rest of the table, so an origin is only a guess; the replay decides.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from acompass.checked.effects import plain_of, random_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.checked.types import Value
from acompass.prove.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.regions import Mask, regions_in


@dataclass(frozen=True, slots=True)
class Origin:
    """A region for each variable that matters at the start; by step, the values that RANDOM has to draw, and
    whether a coin has to hit."""

    cell: dict[Variable, int]
    draws: dict[int, Value] = field(default_factory=dict)
    hits: dict[int, bool] = field(default_factory=dict)


class Origins:
    def __init__(self, reachability: Reachability, rng: random.Random):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._rng = rng

    def find(self, target: Diagram) -> Origin | None:
        """An origin of a record that ends in the target; None where no record can."""
        origin = Origin({})
        target = self._diagrams.intersection(target, self._reachability.reach[-1])
        for transition in reversed(self._reachability.transitions):
            target = self._before(transition, target, origin)
            if target is EMPTY:
                return None
        return replace(origin, cell=self._random_cell(target)) if target is not EMPTY else None

    def _before(self, transition: Transition, target: Diagram, origin: Origin) -> Diagram:
        """The origin is given what coins and draws have to show."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case None:
                return self._untouched(transition, target) if transition.is_known else target
            case Reject():
                origin.hits[transition.step] = False
                return self._untouched(transition, target)
            case Replace(column) | Random(column) | Draw(column):
                return self._before_write(transition, column, target, origin)
            case Generalize():
                return self._before_labels(transition, plain, target, origin)
            case Drop():
                return self._diagrams.intersection(transition.care, target)
            case _:
                assert_never(plain)

    def _untouched(self, transition: Transition, target: Diagram) -> Diagram:
        return self._diagrams.intersection(self._reachability.untouched(transition), target)

    def _before_write(self, transition: Transition, column: int, target: Diagram, origin: Origin) -> Diagram:
        earlier = self._variables.before_conversion(target, transition.step, column, self._preimage)
        untouched = self._untouched(transition, earlier)
        variable = self._variables.column(transition.step + 1, column)
        written = self._diagrams.literal(variable, self._reachability.written(transition))
        hit = self._diagrams.intersection(target, written)
        rest = self._diagrams.exists(hit, frozenset((variable,)))
        affected = self._diagrams.intersection(transition.may, rest)
        before = self._either(transition, untouched, affected, origin)
        if origin.hits[transition.step]:
            self._choose_draw(transition, variable, hit, origin)
        return before

    def _before_labels(
        self, transition: Transition, action: Generalize, target: Diagram, origin: Origin
    ) -> Diagram:
        step, column = transition.step, action.column
        earlier = self._variables.before_conversion(target, step, column, self._preimage)
        untouched = self._untouched(transition, earlier)
        labelled = self._variables.before_labels(target, step, column, action.map)
        affected = self._diagrams.intersection(transition.may, labelled)
        return self._either(transition, untouched, affected, origin)

    def _either(
        self, transition: Transition, untouched: Diagram, affected: Diagram, origin: Origin
    ) -> Diagram:
        """One of the two that is possible: the record was left alone, or it was rewritten."""
        is_hit = untouched is EMPTY or (affected is not EMPTY and self._rng.random() < 0.5)
        origin.hits[transition.step] = is_hit
        return affected if is_hit else untouched

    def _choose_draw(self, transition: Transition, variable: Variable, hit: Diagram, origin: Origin) -> None:
        action = random_of(transition.requirement.action)
        if action is None:
            return
        values = self._drawn(action, variable, self._diagrams.mask_of(hit, variable))
        if values:
            origin.draws[transition.step] = self._rng.choice(values)

    def _drawn(self, action: Random | Draw, variable: Variable, hit: Mask) -> Sequence[Value]:
        """Values that the action can draw, in the regions of the mask, which has no others for an urn."""
        regions = self._variables.regions(variable)
        match action:
            case Random(lower=lower, upper=upper):
                found = (
                    _as_integer(value) for region in regions_in(hit) for value in regions.values(region, 3)
                )
                return [value for value in found if value is not None and lower <= value <= upper]
            case Draw():
                points = (regions.constant(region) for region in regions_in(hit))
                return [value for value in points if value is not None]
            case _:
                assert_never(action)

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
