"""Origins: input records that the policy can turn into a record of a given set.

If there is none, that proves a claim; otherwise, a counterexample starts from one.
"""

import random
from collections.abc import Sequence

from acompass.dataclasses import dataclass, field
from acompass.language.program.effects import drawing_kernel, removes_records
from acompass.language.program.kernels import Kernel
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
    draw: Value | None = None  # the value that it must draw


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
        step, target, action = transition.step, place.records, transition.requirement.action
        if action is None:
            before = self._untouched_records(transition, target) if is_known else target
            return [_Place(step, before, place)]
        if removes_records(action):
            return [_Place(step, self._untouched_records(transition, target), place, is_hit=False)]
        written = self._variables.columns(step + 1, transition.columns)
        if not written.isdisjoint(self._diagrams.support(target)):
            return self._before_write(transition, place)
        return [_Place(step, self._diagrams.intersection(transition.care, target), place)]

    def _untouched_records(self, transition: Transition, target: Diagram) -> Diagram:
        return self._diagrams.intersection(self._reachability.untouched_records(transition), target)

    def _before_write(self, transition: Transition, place: _Place) -> list[_Place]:
        step, earlier = transition.step, place.records
        for column in transition.columns:
            earlier = self._variables.before_conversion(earlier, step, column, self._variables.preimage)
        untouched = _Place(step, self._untouched_records(transition, earlier), place, is_hit=False)
        rewritten = self._reachability.before_rewriting(transition, place.records)
        affected = self._diagrams.intersection(transition.may, rewritten)
        hit = _Place(step, affected, place, is_hit=True)
        if untouched.records is EMPTY or (affected is not EMPTY and self._rng.random() < 0.5):
            return [untouched, hit]
        return [hit, untouched]

    def _choose_draw(self, place: _Place) -> Value | None:
        """A value that leads from a place to the next one, if the requirement must draw it."""
        if not place.is_hit or place.after is None:
            return None
        transition = self._reachability.transitions[place.step]
        kernel = drawing_kernel(transition.requirement.action)
        if kernel is None or kernel.reads_value:  # for a sum, any number is drawn
            return None
        drawn = self._reachability.with_written_value(transition, place.after.records)
        variable = self._variables.column(place.step + 1, transition.write.column)
        values = self._drawable_values(kernel, variable, self._diagrams.mask_of(drawn, variable))
        return self._rng.choice(values) if values else None

    def _drawable_values(self, kernel: Kernel, variable: Variable, hit: Mask) -> Sequence[Value]:
        """The values in the regions of the mask that the kernel can draw."""
        regions, integers = self._variables.regions(variable), kernel.integers()
        if integers is not None:
            found = (_as_integer(value) for region in regions_in(hit) for value in regions.values(region, 3))
            return [value for value in found if value is not None and value in integers]
        points = (regions.constant(region) for region in regions_in(hit))
        return [value for value in points if value is not None]

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
