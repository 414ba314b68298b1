"""Runs of chains of steps: what chains begin alike is run once, and a run that will not win is cut short."""

from __future__ import annotations

from itertools import pairwise

from acompass.suggest.problem import Step
from acompass.suggest.search.board import Board, State
from acompass.suggest.search.effort import Effort

Chain = tuple[Step, ...]

ROOM = 256 * 2**20  # bytes of remembered states
DOUBT = 1e-3  # by which an estimate may exceed the loss to beat, as a part of it
STEP, BLOCK = 1e-4, 2e-4  # what a step, and an assertion of its own, must gain to be worth reading


class Trail:
    """A chain and its loss, with what is lost and left after each of its steps."""

    def __init__(self, chains: Chains, chain: Chain) -> None:
        self.chain: Chain = ()
        self.passed: list[tuple[float, int]] = []
        state = chains.start
        for step in (*chain, None):
            self.passed.append((chains.board.price(state.shares), state.left))
            following = chains.after(self.chain, state, step) if step else state
            if following is not state and step:
                self.chain = (*self.chain, step)
            elif step:
                self.passed.pop()
            state = following
        self.loss = chains.board.loss(state)
        self.burden = self.loss * burden(self.chain)

    def estimate(self, to_come: int, price: float, left: int) -> float:
        """The loss of another chain that has this price and so many left, and ends in the same steps."""
        lost, remained = self.passed[len(self.chain) - to_come]
        return price + left * (self.loss - lost) / remained if remained else price


class Chains:
    def __init__(self, board: Board, start: State, effort: Effort) -> None:
        self.board, self.start, self.effort = board, start, effort
        self._known: dict[Chain, State] = {}
        self._room = ROOM

    def beats(self, chain: Chain, best: Trail) -> bool:
        """Whether a chain loses less; a few that do are missed, since most runs end at an estimate."""
        same = _common_end(chain, best.chain)
        limit = best.loss * (1 + DOUBT)
        state, at = self._longest(chain)
        while at < len(chain) and state.left:
            price, to_come = self.board.price(state.shares), len(chain) - at
            if price >= best.loss or (to_come <= same and best.estimate(to_come, price, state.left) > limit):
                return False
            state, at = self.after(chain[:at], state, chain[at]), at + 1
        return self.board.loss(state) * burden(chain) < best.burden - 1e-9

    def loss(self, chain: Chain) -> float:
        state, at = self._longest(chain)
        while at < len(chain) and state.left:
            state, at = self.after(chain[:at], state, chain[at]), at + 1
        return self.board.loss(state)

    def after(self, begin: Chain, state: State, step: Step) -> State:
        chain = (*begin, step)
        known = self._known.get(chain)
        if known is None:
            known = self.board.after(state, step)
            self.effort.spend(0 if known is state else state.size)
            self._remember(chain, known)
        return known

    def _longest(self, chain: Chain) -> tuple[State, int]:
        """The state after as much of the chain as is known."""
        for at in range(len(chain), 0, -1):
            known = self._known.get(chain[:at])
            if known is not None:
                return known, at
        return self.start, 0

    def _remember(self, chain: Chain, state: State) -> None:
        self._known[chain] = state
        self._room -= state.nbytes
        while self._room < 0 and len(self._known) > 1:
            self._room += self._known.pop(next(iter(self._known))).nbytes


def burden(chain: Chain) -> float:
    """By how much a reader's trouble makes a loss greater."""
    asserted = [(step.column, step.but) if step.but else None for step in chain]
    blocks = sum(one != other for one, other in pairwise((*asserted, None)))
    return 1 + STEP * len(chain) + BLOCK * blocks


def _common_end(one: Chain, other: Chain) -> int:
    """How many steps two chains end alike with."""
    same = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        same += 1
    return same
