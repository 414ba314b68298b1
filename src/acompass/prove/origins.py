"""Origins: initial records that the policy can turn into a record of a given set.

The search goes back through the requirements and chooses at random whether the record was affected. If that
leads nowhere, it tries the other way. Whether a class is affected depends on the rest of the table, so an
origin is only a guess; the replay decides.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from acompass.checked.effects import plain_of, random_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.checked.types import Value
from acompass.prove.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.regions import Mask, regions_in

#: places that are tried for each requirement before the search gives up: it is soon repeated, with other
#: choices at random
MOST_TRIED = 5
#: the same for a search that is to be complete
MOST_TRIED_IN_ALL = 20


@dataclass(frozen=True, slots=True)
class Origin:
    """A region for each variable that matters at the start; by step, the values that RANDOM has to draw, and
    whether a coin has to hit."""

    cell: dict[Variable, int]
    draws: dict[int, Value] = field(default_factory=dict)
    hits: dict[int, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """Final records, of runs in which the checks at the steps `known` hold: the prover may know fewer."""

    records: Diagram
    known: frozenset[int]


@dataclass(slots=True)
class _Place:
    """Records at a step, on a way back from the target. They come to the place `after` this one if the
    requirement between them hits them, or does not; None where that makes no difference. `drawn` are the
    records that a draw must leave, `draw` is the value that it shows."""

    step: int
    records: Diagram
    after: "_Place | None" = None
    is_hit: bool | None = None
    drawn: Diagram | None = None
    draw: Value | None = None


@dataclass(frozen=True, slots=True)
class _Search:
    """The place at the start that was found, if any, and whether all ways back were tried."""

    start: _Place | None
    is_complete: bool


class Origins:
    def __init__(self, reachability: Reachability, rng: random.Random):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._rng = rng

    def find(self, target: Target) -> Origin | None:
        """An origin of a record that ends in the target; None where no record can, or none is found soon."""
        start = self._search(target, MOST_TRIED).start
        return None if start is None else self._origin(start)

    def has_none(self, target: Diagram) -> bool:
        """Whether no record can end in the target: every way back from it was tried, and none leads to the
        start."""
        search = self._search(Target(target, frozenset()), MOST_TRIED_IN_ALL)
        return search.start is None and search.is_complete

    def _search(self, target: Target, most_tried: int) -> _Search:
        last = len(self._reachability.transitions)
        ways = [_Place(last, self._diagrams.intersection(target.records, self._reachability.reach[-1]))]
        tried: set[tuple[int, Diagram]] = set()
        while ways and len(tried) <= most_tried * (last + 1):
            place = ways.pop()
            if place.records is EMPTY or (place.step, place.records) in tried:
                continue
            tried.add((place.step, place.records))
            place.draw = self._choose_draw(place)
            if place.step == 0:
                return _Search(place, is_complete=False)
            transition = self._reachability.transitions[place.step - 1]
            ways += self._before(transition, place, transition.is_known or transition.step in target.known)
        return _Search(None, is_complete=not ways)

    def _origin(self, place: _Place) -> Origin:
        """What coins and draws have to show on the way to the target."""
        origin = Origin(self._random_cell(place.records))
        at: _Place | None = place
        while at is not None:
            if at.is_hit is not None:
                origin.hits[at.step] = at.is_hit
            if at.draw is not None:
                origin.draws[at.step] = at.draw
            at = at.after
        return origin

    def _before(self, transition: Transition, place: _Place, is_known: bool) -> list[_Place]:
        """The ways back through the requirement, the one to try first last."""
        step, target = transition.step, place.records
        plain = plain_of(transition.requirement.action)
        match plain:
            case None:
                before = self._untouched(transition, target) if is_known else target
                return [_Place(step, before, place)]
            case Reject():
                return [_Place(step, self._untouched(transition, target), place, is_hit=False)]
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                written = self._variables.column(step + 1, column)
                if written not in self._diagrams.support(target):
                    return [_Place(step, self._diagrams.intersection(transition.care, target), place)]
                return self._before_write(transition, plain, place)
            case Drop():
                return [_Place(step, self._diagrams.intersection(transition.care, target), place)]
            case _:
                assert_never(plain)

    def _untouched(self, transition: Transition, target: Diagram) -> Diagram:
        return self._diagrams.intersection(self._reachability.untouched(transition), target)

    def _before_write(
        self, transition: Transition, action: Replace | Random | Draw | Generalize, place: _Place
    ) -> list[_Place]:
        step, column = transition.step, action.column
        earlier = self._variables.before_conversion(place.records, step, column, self._preimage)
        untouched = _Place(step, self._untouched(transition, earlier), place, is_hit=False)
        drawn, rewritten = self._before_rewriting(transition, action, place.records)
        affected = self._diagrams.intersection(transition.may, rewritten)
        hit = _Place(step, affected, place, is_hit=True, drawn=drawn)
        if untouched.records is EMPTY or (affected is not EMPTY and self._rng.random() < 0.5):
            return [untouched, hit]
        return [hit, untouched]

    def _before_rewriting(
        self, transition: Transition, action: Replace | Random | Draw | Generalize, target: Diagram
    ) -> tuple[Diagram | None, Diagram]:
        """The records of the target that the action can write, and those that it can write them for."""
        match action:
            case Generalize(column, map_):
                return None, self._variables.before_labels(target, transition.step, column, map_)
            case Replace(column) | Random(column) | Draw(column):
                variable = self._variables.column(transition.step + 1, column)
                written = self._diagrams.literal(variable, self._reachability.written(transition))
                hit = self._diagrams.intersection(target, written)
                return hit, self._diagrams.exists(hit, frozenset((variable,)))
            case _:
                assert_never(action)

    def _choose_draw(self, place: _Place) -> Value | None:
        if place.drawn is None:
            return None
        action = random_of(self._reachability.transitions[place.step].requirement.action)
        if action is None:
            return None
        variable = self._variables.column(place.step + 1, action.column)
        values = self._drawn(action, variable, self._diagrams.mask_of(place.drawn, variable))
        return self._rng.choice(values) if values else None

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
