"""The search for a chain: a few greedy ones, made to fit the lines, then walks from them, kicked onwards."""

from __future__ import annotations

from random import Random

from acompass.suggest.search.board import Board, State
from acompass.suggest.search.chains import Chains, Trail
from acompass.suggest.search.effort import Effort
from acompass.suggest.search.greedy import greedy
from acompass.suggest.search.improve import improved, kicked, shortened
from acompass.suggest.search.menu import Menu, top_menu

POWERS = (1.05, 0.95)
PATIENCE = 12  # kicks in vain


def best_chain(board: Board, start: State, menu: Menu, most: int, effort: Effort) -> Trail:
    """The chain of at most `most` steps that loses least of those seen."""
    chains, random = Chains(board, start, effort), Random(0)
    best = _first(chains, most)
    for power in POWERS:
        begin = Trail(chains, shortened(chains, greedy(chains, menu, power), most))
        best = _better(best, improved(chains, menu, begin, most, random))
        effort.tell(best.loss)
        if effort.over():
            break
    in_vain = 0
    while in_vain < PATIENCE and best.chain and not effort.over():
        elsewhere = Trail(chains, kicked(menu, best.chain, most, random))
        trail = improved(chains, menu, elsewhere, most, random)
        in_vain = 0 if trail.burden < best.burden else in_vain + 1
        best = _better(best, trail)
        effort.tell(best.loss)
    return best


def _first(chains: Chains, most: int) -> Trail:
    """All columns to their last level: nothing settles more."""
    first = Trail(chains, shortened(chains, top_menu(chains.board.problem).steps, most))
    chains.effort.tell(first.loss)
    return first


def _better(one: Trail, other: Trail) -> Trail:
    return other if other.burden < one.burden else one
