"""The board for most problems, and four times as fast: labels and the number of records fit one word.

Combinations that violate have fewer than k records. So the number is the last field of a key, and sorting
keys carries it along. Written for few calls of numpy: most states are small.
"""

from __future__ import annotations

import numpy as np

from acompass.suggest.problem import IntArray, Problem, Step
from acompass.suggest.search.board import Board, State
from acompass.suggest.search.fields import WORD, Fields

LAST = np.iinfo(np.int64).max


def fits(problem: Problem) -> bool:
    fields = Fields.of(problem.ladders)
    return problem.l is None and fields.words == 1 and fields.bits + problem.k.bit_length() <= WORD


class NarrowBoard(Board):
    """Keys: labels, then records; settled: labels, then k."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._room = problem.k.bit_length()
        self._tail = (1 << self._room) - 1

    def after(self, state: State, step: Step) -> State:
        move = self._move(step)
        shift, mask = move.shift + self._room, move.mask
        labels = (state.keys >> shift) & mask
        rise = move.rise.take(labels)
        if not rise.any():
            return state
        shares = list(state.shares)
        shares[move.column] += int(state.counts.dot(move.added.take(labels)))
        settled = state.settled
        if len(settled):
            settled = settled[move.met.take((settled >> shift) & mask)]
        return self._settle(state.keys + (rise << self._room), tuple(shares), settled)

    def _begin(self, keys: IntArray, shares: tuple[int, ...]) -> State:
        capped = np.minimum(self.problem.counts, self.problem.k)
        return self._settle((keys[0] << self._room) | capped, shares, keys[0][:0])

    def _rows(self, state: State) -> list[int]:
        return [
            int(state.counts.dot(sizes.take((state.keys >> (shift + self._room)) & mask)))
            for (_, shift, mask), sizes in zip(self.fields.places, self.fields.sizes, strict=True)
        ]

    def _settle(self, keys: IntArray, shares: tuple[int, ...], settled: IntArray) -> State:
        """Equal combinations merged; those that satisfy the assertion or join a settled class set aside."""
        both = np.concatenate((keys, settled, (LAST,)))
        both.sort()
        labels = both >> self._room
        ends = (labels[1:] != labels[:-1]).nonzero()[0]
        counts = (both & self._tail).cumsum().take(ends)
        counts[1:] -= counts[:-1].copy()
        labels = labels.take(ends) << self._room
        bad = counts < self.problem.k
        left = counts[bad]
        return State(labels[bad] | left, left, (), shares, int(left.sum()), labels[~bad] | self.problem.k)
