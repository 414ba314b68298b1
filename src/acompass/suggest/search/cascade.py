"""The search for a chain: a few greedy ones, made to fit the lines, then walks from them, kicked onwards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from acompass.suggest.search.board import Board, State
from acompass.suggest.search.chains import Chains, Trail
from acompass.suggest.search.effort import Effort
from acompass.suggest.search.greedy import greedy
from acompass.suggest.search.improve import improved, kicked, shortened
from acompass.suggest.search.menu import Menu, top_menu

POWERS = (1.05, 0.95)
WALKS = 2  # from the best beginnings
PATIENCE = 12  # kicks in vain


def best_chain(board: Board, start: State, menu: Menu, most: int, effort: Effort) -> Trail:
    """The chain of at most `most` steps that loses least of those seen."""
    chains, random = Chains(board, start, effort), Random(0)
    begin = sorted(_beginnings(chains, menu, most), key=lambda trail: trail.burden)
    best = begin[0]
    for trail in begin[:WALKS]:
        effort.tell(best.loss)
        best = _better(best, improved(chains, menu, trail, most, random))
    in_vain = 0
    while in_vain < PATIENCE and best.chain and not effort.over():
        elsewhere = Trail(chains, kicked(menu, best.chain, most, random))
        trail = improved(chains, menu, elsewhere, most, random)
        in_vain = 0 if trail.burden < best.burden else in_vain + 1
        best = _better(best, trail)
        effort.tell(best.loss)
    return best


def _beginnings(chains: Chains, menu: Menu, most: int) -> Iterator[Trail]:
    """First all columns to their last level: nothing settles more."""
    top = top_menu(chains.board.problem).steps
    first = Trail(chains, shortened(chains, top, most))
    chains.effort.tell(first.loss)
    yield first
    for power in POWERS:
        yield Trail(chains, shortened(chains, greedy(chains, menu, power), most))


def _better(one: Trail, other: Trail) -> Trail:
    return other if other.burden < one.burden else one
