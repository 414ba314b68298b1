"""The values of each column that some lines tell apart, and the cells of the trace that draw them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, assert_never

from acompass.checked.convert import convert
from acompass.checked.effects import random_of
from acompass.checked.program import Draw, Random, Requirement
from acompass.checked.types import INTEGER, Kind, Schema, Value
from acompass.privacy.mentions import Mentions, mentions_of
from acompass.privacy.representatives import Representatives, representatives
from acompass.privacy.trace_cells import Cells, short_decimal
from acompass.privacy.undecided import Undecided
from acompass.privacy.weights import Weights
from acompass.semantics import random

#: a RANDOM whose every integer matters is followed up to this many of them
MOST_APART = 64


class Domain:
    """Every integer that RANDOM draws for one of the columns `apart` is told apart, because a line compares
    the values of several records."""

    def __init__(
        self, schema: Schema, requirements: Sequence[Requirement], apart: frozenset[int] = frozenset()
    ):
        self._schema = schema
        self._requirements = requirements
        self._apart = apart
        self._mentions: dict[int, Mentions] = {}
        self._representatives: dict[int, Representatives] = {}
        self._cuts: dict[Random, list[Fraction]] = {}

    def mentions(self, column: int) -> Mentions:
        if column not in self._mentions:
            type_ = self._schema[column].type
            self._mentions[column] = mentions_of(column, type_, self._requirements)
        return self._mentions[column]

    def representatives(self, column: int) -> Representatives:
        if column not in self._representatives:
            self._representatives[column] = representatives(self.mentions(column))
        return self._representatives[column]

    def cells(self, weights: Weights) -> Cells:
        return Cells(weights, self._random_cuts)

    def is_vague(self, column: int, value: Value) -> bool:
        """Whether a value stands for all those of a run that RANDOM draws."""
        return (column, value) in self._vague

    @cached_property
    def _vague(self) -> frozenset[tuple[int, Value]]:
        found: set[tuple[int, Value]] = set()
        for at, requirement in enumerate(self._requirements):
            action = _random_in(requirement)
            if action is not None:
                forms = (self._forms(drawn, at) for drawn in self._drawn_for_others(action, requirement.line))
                found.update((action.column, form) for each in forms for form in each)
        return frozenset(found)

    def _forms(self, drawn: int, at: int) -> Iterator[Value]:
        """The integer that the requirement draws, in each type that its column has from there on."""
        column = self._column(at)
        value = convert(drawn, INTEGER, self._requirements[at].after[column].type)
        yield value
        for requirement in self._requirements[at + 1 :]:
            before, after = requirement.before[column].type, requirement.after[column].type
            if after.kind is Kind.DROPPED:
                return
            value = convert(value, before, after)
            yield value

    def _column(self, at: int) -> int:
        action = _random_in(self._requirements[at])
        assert action is not None
        return action.column

    def _drawn_for_others(self, action: Random, line: int) -> Iterator[int]:
        ends = pairwise((Fraction(0), *self._random_cuts(action)))
        for run, (low, high) in zip(self._runs(action, line), ends, strict=True):
            if len(run) > 1:
                yield random(action.lower, action.upper, short_decimal(low, high))

    def _random_cuts(self, action: Random) -> list[Fraction]:
        if action not in self._cuts:
            width = action.upper - action.lower + 1
            runs = self._runs(action, self._line_of(action))
            self._cuts[action] = [Fraction(run.stop - action.lower, width) for run in runs]
        return self._cuts[action]

    def _line_of(self, action: Random) -> int:
        return next(each.line for each in self._requirements if _random_in(each) == action)

    def _runs(self, action: Random, line: int) -> list[range]:
        """The integers that RANDOM draws: some are told apart one by one, others are in runs of one kind."""
        integers = range(action.lower, action.upper + 1)
        if self._is_drawn_as_text(action):
            return [range(each, each + 1) for each in integers]
        if action.column not in self._apart:
            return _runs_of_kinds(integers, self.representatives(action.column))
        if len(integers) > MOST_APART:
            raise Undecided(
                line, f"RANDOM draws more than {MOST_APART} integers, which a line over classes reads"
            )
        return [range(each, each + 1) for each in integers]

    def _is_drawn_as_text(self, action: Random) -> bool:
        """Such integers are few (`mentions.MOST_DRAWN`)."""
        self.mentions(action.column)
        types = (r.after[action.column].type for r in self._requirements if _random_in(r) == action)
        return any(type_.kind is Kind.TEXT for type_ in types)


def _random_in(requirement: Requirement) -> Random | None:
    action = random_of(requirement.action)
    match action:
        case Random():
            return action
        case Draw() | None:
            return None
        case _:
            assert_never(action)


def _runs_of_kinds(integers: range, known: Representatives) -> list[range]:
    values: Sequence[Any] = known.values
    inside = (value for value in values if integers.start <= value < integers.stop)
    single = {int(value) for value in inside if value == int(value)}
    starts = {integers.start, *known.splits, *single, *(each + 1 for each in single)}
    inner = sorted(start for start in starts if start in integers)
    return [range(first, end) for first, end in pairwise((*inner, integers.stop))]
