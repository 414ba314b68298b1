"""The board for any problem: keys of several words, and sensitive values."""

from __future__ import annotations

import numpy as np

from acompass.suggest.problem import IntArray, Step
from acompass.suggest.search.board import Board, State
from acompass.suggest.search.fields import WORD, Move
from acompass.suggest.search.marks import marks_of


class WideBoard(Board):
    """Keys and settled: words × combinations."""

    def after(self, state: State, step: Step) -> State:
        move = self._move(step)
        labels = _labels(state.keys, move)
        rise = move.rise[labels]
        if not rise.any():
            return state
        keys = state.keys.copy()
        keys[move.word] += rise
        shares = list(state.shares)
        shares[move.column] += int(state.counts @ move.added[labels])
        settled = state.settled[:, move.met[_labels(state.settled, move)]]
        return self._settle(State(keys, state.counts, state.marks, tuple(shares), 0, settled))

    def _begin(self, keys: IntArray, shares: tuple[int, ...]) -> State:
        marks = marks_of(self.problem)
        return self._settle(State(keys, self.problem.counts, marks, shares, 0, keys[:, :0]))

    def _rows(self, state: State) -> list[int]:
        return [
            int(state.counts @ sizes[(state.keys[word] >> shift) & mask])
            for (word, shift, mask), sizes in zip(self.fields.places, self.fields.sizes, strict=True)
        ]

    def _settle(self, state: State) -> State:
        """Equal combinations merged; those that satisfy the assertion or join a settled class set aside."""
        if not state.size:
            return state
        merged_state = self._merged(_with_settled(state, self.problem.k))
        keys, counts, marks = merged_state.keys, merged_state.counts, merged_state.marks
        bad = counts < self.problem.k
        for each in marks:
            bad |= ~each.diverse()
        left = counts[bad]
        marks = tuple(each.where(bad) for each in marks)
        return State(keys[:, bad], left, marks, state.shares, int(left.sum()), keys[:, ~bad])

    def _merged(self, state: State) -> State:
        order, ordered = _sorted(state.keys, self.fields.bits)
        starts = _starts(ordered)
        counts = np.add.reduceat(state.counts[order], starts)
        marks = tuple(each.merged(order, starts) for each in state.marks)
        return state._replace(keys=ordered[:, starts], counts=counts, marks=marks)


def _labels(keys: IntArray, move: Move) -> IntArray:
    labels: IntArray = (keys[move.word] >> move.shift) & move.mask
    return labels


def _with_settled(state: State, enough: int) -> State:
    """Settled classes as combinations that alone satisfy the assertion."""
    size = state.settled.shape[1]
    if not size:
        return state
    return state._replace(
        keys=np.concatenate((state.keys, state.settled), axis=1),
        counts=np.concatenate((state.counts, np.full(size, enough))),
        marks=tuple(each.with_enough(size) for each in state.marks),
    )


def _sorted(keys: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """An order that brings equal keys together, and the keys in it."""
    size = keys.shape[1]
    below = max(1, (size - 1).bit_length())
    if len(keys) == 1 and bits + below <= WORD:
        both = np.sort((keys[0] << below) | np.arange(size))
        return both & ((1 << below) - 1), (both >> below)[np.newaxis]
    order = np.lexsort(keys)
    return order, keys[:, order]


def _starts(ordered: IntArray) -> IntArray:
    new = np.empty(ordered.shape[1], np.bool_)
    new[0] = True
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    return np.flatnonzero(new)
