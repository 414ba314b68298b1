"""Runs of chains of steps: what chains begin alike is run once, and a run that cannot win is cut short."""

from __future__ import annotations

from math import inf

from acompass.suggest.problem import Step
from acompass.suggest.search.board import Board, State
from acompass.suggest.search.effort import Effort

Chain = tuple[Step, ...]

ROOM = 256 * 2**20  # bytes of remembered states


class Chains:
    def __init__(self, board: Board, start: State, effort: Effort) -> None:
        self.board, self.effort = board, effort
        self._known: dict[Chain, State] = {(): start}
        self._room = ROOM

    def loss(self, chain: Chain, limit: float = inf) -> float:
        """The loss of a chain, or infinity where it is at least `limit`."""
        state, at = self._longest(chain)
        while at < len(chain):
            if not state.left or self.board.price(state.shares) >= limit:
                break
            state, at = self.after(chain[:at], state, chain[at]), at + 1
        loss = self.board.loss(state) if at == len(chain) or not state.left else inf
        return loss if loss < limit else inf

    def after(self, begin: Chain, state: State, step: Step) -> State:
        chain = (*begin, step)
        if chain not in self._known:
            self.effort.spend(state.size)
            self._remember(chain, self.board.after(state, step))
        return self._known[chain]

    def without_idle(self, chain: Chain) -> Chain:
        """The chain without steps that change nothing."""
        kept: Chain = ()
        state, _ = self._longest(())
        for step in chain:
            following = self.after(kept, state, step)
            if following is not state:
                kept, state = (*kept, step), following
        return kept

    def _longest(self, chain: Chain) -> tuple[State, int]:
        at = len(chain)
        while chain[:at] not in self._known:
            at -= 1
        return self._known[chain[:at]], at

    def _remember(self, chain: Chain, state: State) -> None:
        self._known[chain] = state
        self._room -= state.nbytes
        while self._room < 0 and len(self._known) > 2:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        oldest = next(each for each in self._known if each)
        self._room += self._known.pop(oldest).nbytes

