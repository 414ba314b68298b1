"""Origins: input records that the policy can turn into a record of a given set.

If there is none, that proves a claim; otherwise, a counterexample starts from one.
"""

import random
from collections.abc import Sequence
from typing import assert_never

from acompass.dataclasses import dataclass, field
from acompass.language.program.effects import as_random, plain_of
from acompass.language.program.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.language.program.types import Value
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask, regions_in
from acompass.prove.rules.reachability import Reachability, Transition

#: places tried for each requirement before a search gives up; it is soon repeated with other random choices
MOST_TRIED = 5
#: the same for a search that tries to be complete
MOST_TRIED_IN_ALL = 20


@dataclass(frozen=True, slots=True)
class Origin:
    cell: dict[Variable, int]  # a region for each variable that matters at the start
    draws: dict[int, Value] = field(default_factory=dict)  # by step, the value that RANDOM must draw
    hits: dict[int, bool] = field(default_factory=dict)  # by step, whether the coin must hit


@dataclass(frozen=True, slots=True)
class Target:
    """The final records to reach."""

    records: Diagram
    known: frozenset[int]  # the steps of checks that must hold; the prover may use fewer


@dataclass(slots=True)
class _Place:
    """Records at a step, on a path back from the target."""

    step: int
    records: Diagram
    after: "_Place | None" = None  # the place that the records lead to
    is_hit: bool | None = None  # whether the requirement must hit them to get there; None if it makes no difference
    drawn: Diagram | None = None  # the records that a draw must produce
    draw: Value | None = None  # the value that it draws


@dataclass(frozen=True, slots=True)
class _Search:
    start: _Place | None  # a place at the start, if one was found
    is_complete: bool  # whether all paths back were tried


class Origins:
    def __init__(self, reachability: Reachability, rng: random.Random):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._rng = rng

    def find(self, target: Target) -> Origin | None:
        """An origin of a record that ends in the target; None if none exists or the search gives up."""
        start = self._search(target, MOST_TRIED).start
        return None if start is None else self._origin(start)

    def has_none(self, target: Diagram) -> bool:
        """Whether no record can end in the target: every path back was tried, and none leads to the start."""
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
        """The outcomes of coins and draws on the path to the target."""
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
        """The paths back through the requirement; the one to try first comes last."""
        step, target = transition.step, place.records
        plain = plain_of(transition.requirement.action)
        match plain:
            case None:
                before = self._untouched_records(transition, target) if is_known else target
                return [_Place(step, before, place)]
            case Reject():
                return [_Place(step, self._untouched_records(transition, target), place, is_hit=False)]
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                written = self._variables.column(step + 1, column)
                if written not in self._diagrams.support(target):
                    return [_Place(step, self._diagrams.intersection(transition.care, target), place)]
                return self._before_write(transition, plain, place)
            case Drop():
                return [_Place(step, self._diagrams.intersection(transition.care, target), place)]
            case _:
                assert_never(plain)

    def _untouched_records(self, transition: Transition, target: Diagram) -> Diagram:
        return self._diagrams.intersection(self._reachability.untouched_records(transition), target)

    def _before_write(
        self, transition: Transition, action: Replace | Random | Draw | Generalize, place: _Place
    ) -> list[_Place]:
        step, column = transition.step, action.column
        earlier = self._variables.before_conversion(place.records, step, column, self._variables.preimage)
        untouched = _Place(step, self._untouched_records(transition, earlier), place, is_hit=False)
        drawn, rewritten = self._before_rewriting(transition, action, place.records)
        affected = self._diagrams.intersection(transition.may, rewritten)
        hit = _Place(step, affected, place, is_hit=True, drawn=drawn)
        if untouched.records is EMPTY or (affected is not EMPTY and self._rng.random() < 0.5):
            return [untouched, hit]
        return [hit, untouched]

    def _before_rewriting(
        self, transition: Transition, action: Replace | Random | Draw | Generalize, target: Diagram
    ) -> tuple[Diagram | None, Diagram]:
        """The records of the target that the action can produce, and the records that it can produce them from."""
        match action:
            case Generalize(column, map_):
                return None, self._variables.before_labels(target, transition.step, column, map_)
            case Replace(column) | Random(column) | Draw(column):
                variable = self._variables.column(transition.step + 1, column)
                written = self._diagrams.literal(variable, self._reachability.written_regions(transition))
                hit = self._diagrams.intersection(target, written)
                return hit, self._diagrams.exists(hit, frozenset((variable,)))
            case _:
                assert_never(action)

    def _choose_draw(self, place: _Place) -> Value | None:
        if place.drawn is None:
            return None
        action = as_random(self._reachability.transitions[place.step].requirement.action)
        if action is None:
            return None
        variable = self._variables.column(place.step + 1, action.column)
        values = self._drawable_values(action, variable, self._diagrams.mask_of(place.drawn, variable))
        return self._rng.choice(values) if values else None

    def _drawable_values(self, action: Random | Draw, variable: Variable, hit: Mask) -> Sequence[Value]:
        """The values in the regions of the mask that the action can draw."""
        regions = self._variables.regions(variable)
        match action:
            case Random(lower=lower, upper=upper):
                found = (_as_integer(value) for region in regions_in(hit) for value in regions.values(region, 3))
                return [value for value in found if value is not None and lower <= value <= upper]
            case Draw():
                points = (regions.constant(region) for region in regions_in(hit))
                return [value for value in points if value is not None]
            case _:
                assert_never(action)

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
