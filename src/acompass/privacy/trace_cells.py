"""The cells of the trace: values of ρ between two cuts of a draw, which all draw the same, or the like."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, prod
from typing import NamedTuple, TypeAlias, assert_never

from acompass.checked.program import Action, Draw, Drop, Generalize, Random, Reject, Replace, Sometimes
from acompass.privacy.weights import Weights, probability


class Cell(NamedTuple):
    """A short decimal of the cell, and how probable the cell is."""

    rho: Fraction
    probability: Fraction


class Box(NamedTuple):
    """As many values of the trace as an action consumes, and the probability of all their cells."""

    trace: tuple[Fraction, ...]
    probability: Fraction


#: where the cells of a RANDOM end
RandomCuts: TypeAlias = Callable[[Random], Sequence[Fraction]]


class Cells:
    """The cells of every draw, without those that are never drawn."""

    def __init__(self, weights: Weights, random_cuts: RandomCuts):
        self._weights = weights
        self._random_cuts = random_cuts
        self._known: dict[tuple[Fraction, ...], list[Cell]] = {}

    def boxes(self, action: Action | None, affected: int) -> Iterator[Box]:
        """All ways to draw for so many affected records."""
        if not affected:
            yield Box((), Fraction(1))
            return
        match action:
            case None | Reject() | Replace() | Generalize() | Drop():
                yield Box((), Fraction(1))
            case Random():
                yield from _products(self._between(self._random_cuts(action)), affected)
            case Draw():
                yield from _products(self._between(action.cuts), affected)
            case Sometimes(threshold, inner):
                for coins in _products(self._between((threshold, Fraction(1))), affected):
                    for drawn in self.boxes(inner, sum(rho < threshold for rho in coins.trace)):
                        yield Box(coins.trace + drawn.trace, coins.probability * drawn.probability)
            case _:
                assert_never(action)

    def _between(self, cuts: Iterable[Fraction]) -> list[Cell]:
        ends = tuple(cuts)
        if ends not in self._known:
            cells = (
                Cell(short_decimal(low, high), probability(self._weights, low, high))
                for low, high in pairwise((Fraction(0), *ends))
            )
            self._known[ends] = [cell for cell in cells if cell.probability]
        return self._known[ends]


def _products(cells: Sequence[Cell], count: int) -> Iterator[Box]:
    for chosen in product(cells, repeat=count):
        yield Box(
            tuple(cell.rho for cell in chosen), prod((cell.probability for cell in chosen), start=Fraction(1))
        )


def short_decimal(low: Fraction, high: Fraction) -> Fraction:
    """The ρ of fewest digits with low ≤ ρ < high."""
    scale = 1
    while True:
        rho = Fraction(ceil(low * scale), scale)
        if rho < high:
            return rho
        scale *= 10
