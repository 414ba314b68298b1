"""Chances: what the coins and the draws of a candidate run show, and traces that make them show it.

They are patterns over the affected records in canonical order, without a length: a table from which records
are taken still has a run with the same chances.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, cycle, islice, pairwise
from typing import TypeAlias, assert_never

from acompass.checked.effects import draws, probability_of, random_of
from acompass.checked.program import Action, Draw, Program, Random
from acompass.checked.types import Value
from acompass.prove.origins import Origin

#: how many values of one urn are tried
MOST_BALLS = 12
#: how often the chances of a table are those that its origin needs
AIMED = 0.6


@dataclass(frozen=True, slots=True)
class Stream:
    """Values of a trace without end: `first`, then `rest` again and again."""

    first: tuple[Fraction, ...]
    rest: tuple[Fraction, ...]

    def take(self, count: int) -> list[Fraction]:
        return list(islice(chain(self.first, cycle(self.rest)), count))


@dataclass(frozen=True, slots=True)
class Chance:
    """The coins of a requirement, one for each affected record, and its draws, one for each that is hit."""

    coins: Stream
    draws: Stream

    def trace(self, action: Action | None, affected: int) -> list[Fraction]:
        """What the requirement consumes of the trace."""
        probability = probability_of(action)
        coins = [] if probability is None else self.coins.take(affected)
        hit = affected if probability is None else sum(rho < probability for rho in coins)
        return coins + ([] if random_of(action) is None else self.draws.take(hit))


#: by step, for the requirements that consume the trace
Chances: TypeAlias = Mapping[int, Chance]


class RandomChances:
    def __init__(self, program: Program, rng: random.Random):
        self._rng = rng
        actions = enumerate(requirement.action for requirement in program.requirements)
        self._actions = {step: action for step, action in actions if draws(action)}
        self._rhos = _useful_rhos(self._actions.values())

    def toward(self, origin: Origin, aimed: float = AIMED) -> Chances:
        """Chances with which a record that begins as the origin may end where it should. `aimed` is how often
        they are what the origin needs; the others are random."""
        return {
            step: Chance(self._coins(step, origin, aimed), self._draws(step, origin, aimed))
            for step in self._actions
        }

    def _coins(self, step: int, origin: Origin, aimed: float) -> Stream:
        hit, miss = Fraction(0), rho_of_miss(self._actions[step])
        if step in origin.hits and self._rng.random() < aimed:
            return Stream((), (hit if origin.hits[step] else miss,))
        mixed = tuple(self._rng.choices((hit, miss), k=7))
        return self._rng.choice(
            (
                *(Stream((), (hit,)), Stream((), (miss,))),
                *(Stream((hit,), (miss,)), Stream((miss,), (hit,)), Stream((), mixed)),
            )
        )

    def _draws(self, step: int, origin: Origin, aimed: float) -> Stream:
        action = random_of(self._actions[step])
        if action is not None and step in origin.draws and self._rng.random() < aimed:
            return Stream((), (rho_for(action, origin.draws[step]),))
        return Stream((), tuple(self._rng.choices(self._rhos, k=self._rng.choice((1, 2, 5, 12)))))


def rho_for(action: Random | Draw, value: Value) -> Fraction:
    """A short decimal ρ with which the action draws the value."""
    match action:
        case Random(lower=lower, upper=upper):
            assert isinstance(value, int)
            width = upper - lower + 1
            return _short_decimal(Fraction(value - lower, width), Fraction(value - lower + 1, width))
        case Draw(balls=balls):
            cuts, at = action.cuts, [ball.value for ball in balls].index(value)
            return _short_decimal(cuts[at - 1] if at else Fraction(0), cuts[at])
        case _:
            assert_never(action)


def rho_of_miss(action: Action | None) -> Fraction:
    """A short decimal ρ with which a coin does not hit; 0 where no coin is tossed."""
    probability = probability_of(action)
    return Fraction(0) if probability is None else _short_decimal(probability, Fraction(1))


def _short_decimal(low: Fraction, high: Fraction) -> Fraction:
    """A decimal with few digits, at least `low` and below `high`."""
    scale = 1
    while -(-low * scale // 1) >= high * scale:
        scale *= 10
    return Fraction(-(-low * scale // 1), scale)


def _useful_rhos(actions: Iterable[Action | None]) -> Sequence[Fraction]:
    """Values of ρ with which every RANDOM draws its bounds, their neighbours and its middle, or the first
    values of its urn."""
    rhos = {Fraction(0), Fraction(1, 2), Fraction(999, 1000)}
    for action in actions:
        drawn = random_of(action)
        if drawn is not None:
            rhos.update(_rhos_of(drawn))
    return sorted(rhos)


def _rhos_of(action: Random | Draw) -> list[Fraction]:
    match action:
        case Random(lower=lower, upper=upper):
            near = {lower, lower + 1, (lower + upper) // 2, upper - 1, upper}
            return [rho_for(action, value) for value in near if lower <= value <= upper]
        case Draw():
            return [
                _short_decimal(low, high) for low, high in pairwise((Fraction(0), *action.cuts[:MOST_BALLS]))
            ]
        case _:
            assert_never(action)
