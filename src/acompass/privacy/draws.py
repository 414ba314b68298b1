"""What every RANDOM of a policy draws: some integers one by one, others in runs that are treated alike."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias, assert_never

from acompass.checked.convert import convert
from acompass.checked.effects import random_of
from acompass.checked.program import Draw, Random, Requirement
from acompass.checked.types import INTEGER, Kind, Value
from acompass.privacy.domain import Domain
from acompass.privacy.trace_cells import Cells, short_decimal
from acompass.privacy.undecided import Undecided
from acompass.privacy.weights import Weights
from acompass.prove.reading import read_text
from acompass.semantics import random

#: a RANDOM whose every integer matters is followed up to this many of them
MOST_APART = 64

#: the values of a column that may also be there before anything is drawn
ValuesOf: TypeAlias = Callable[[int], Iterable[Value]]


class Draws:
    """`values_of` are the values of a column that outputs are asked for. Lines over classes compare the
    values of several records in the columns `apart`, so that every integer of these matters."""

    def __init__(self, domain: Domain, values_of: ValuesOf, apart: frozenset[int] = frozenset()):
        self._domain = domain
        self._values_of = values_of
        self._apart = apart
        self._runs: dict[Random, list[range]] = {}
        self._vague: dict[Random, frozenset[Value]] = {}

    def cells(self, weights: Weights) -> Cells:
        return Cells(weights, self._cuts)

    def is_vague(self, column: int, value: Value) -> bool:
        """Whether a value stands for all those of a run. Only what cells were asked for has been drawn."""
        return any(value in self._vague_of(action) for action in self._runs if action.column == column)

    def _vague_of(self, action: Random) -> frozenset[Value]:
        if action not in self._vague:
            drawn = list(self._drawn_for_others(action))
            forms = (
                form
                for at, requirement in enumerate(self._domain.requirements)
                if _random_in(requirement) == action
                for each in drawn
                for form in self._forms(each, action.column, at)
            )
            self._vague[action] = frozenset(forms)
        return self._vague[action]

    def _drawn_for_others(self, action: Random) -> Iterator[int]:
        """The integer that stands for each run."""
        ends = pairwise((Fraction(0), *self._cuts(action)))
        for run, (low, high) in zip(self._runs_of(action), ends, strict=True):
            if len(run) > 1:
                yield random(action.lower, action.upper, short_decimal(low, high))

    def _forms(self, drawn: int, column: int, at: int) -> Iterator[Value]:
        """The integer that a requirement draws, in each type that its column has from there on."""
        requirements = self._domain.requirements
        value = convert(drawn, INTEGER, requirements[at].after[column].type)
        yield value
        for requirement in requirements[at + 1 :]:
            before, after = requirement.before[column].type, requirement.after[column].type
            if after.kind is Kind.DROPPED:
                return
            value = convert(value, before, after)
            yield value

    def _cuts(self, action: Random) -> list[Fraction]:
        width = action.upper - action.lower + 1
        return [Fraction(run.stop - action.lower, width) for run in self._runs_of(action)]

    def _runs_of(self, action: Random) -> list[range]:
        if action not in self._runs:
            self._runs[action] = self._fresh_runs(action)
        return self._runs[action]

    def _fresh_runs(self, action: Random) -> list[range]:
        integers = range(action.lower, action.upper + 1)
        if action.column in self._apart:
            if len(integers) > MOST_APART:
                raise Undecided(None, f"classes depend on more than {MOST_APART} integers of a RANDOM")
            return [range(each, each + 1) for each in integers]
        known = self._domain.representatives(action.column)
        # the first is there so that some output has no run
        values = (action.lower, *known.points, *self._values_of(action.column))
        single = {each for value in values if (each := _as_integer(value)) is not None and each in integers}
        starts = {*known.splits, *single, *(each + 1 for each in single)}
        inner = sorted(start for start in starts if start in integers)
        return [range(first, end) for first, end in pairwise((*inner, integers.stop))]


def _random_in(requirement: Requirement) -> Random | None:
    action = random_of(requirement.action)
    match action:
        case Random():
            return action
        case Draw() | None:
            return None
        case _:
            assert_never(action)


def _as_integer(value: Any) -> int | None:
    """The integer that a number is, or that a text has the digits of."""
    if isinstance(value, str):
        read = read_text(value, INTEGER)
        return read if isinstance(read, int) else None
    return int(value) if isfinite(value) and value == int(value) else None
