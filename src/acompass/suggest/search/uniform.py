"""One level of each column for all records: the vector of levels that loses least, and provably so.

A vector's loss without drops bounds its loss from below. A vector that drops too many records, or that is
not close enough, rules out all vectors below it, since lower levels only split classes.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from acompass.suggest.problem import Problem, Step
from acompass.suggest.search.board import OVER, Board
from acompass.suggest.search.closeness import is_close
from acompass.suggest.search.effort import Effort

Levels = tuple[int, ...]

MOST_VECTORS = 4_000_000


def best_levels(board: Board, most: int, effort: Effort) -> tuple[Step, ...]:
    """At most `most` columns are generalized. Of too many vectors, only some are looked at."""
    heights = [len(ladder.up) + 1 for ladder in board.problem.ladders]
    if prod(heights) <= MOST_VECTORS:
        return _steps(_Lattice(board, heights, most).least(effort))
    return _steps(_descent(board, [height - 1 for height in heights], most, effort))


def _steps(levels: Levels) -> tuple[Step, ...]:
    return tuple(Step(column, level) for column, level in enumerate(levels) if level)


def _loss(board: Board, levels: Levels) -> float:
    steps = _steps(levels)
    loss = board.loss(board.under(steps))
    return loss if loss >= OVER or is_close(board.problem, steps, ()) else OVER


class _Lattice:
    def __init__(self, board: Board, heights: list[int], most: int) -> None:
        self._board = board
        self._bounds = _bounds(board, heights)
        self._open = _raised(heights) <= most

    def least(self, effort: Effort) -> Levels:
        """Checks the middle one of the open vectors, by their bounds, until none is open."""
        best, loss = self._some_vector(), np.inf
        while len(open_places := np.flatnonzero(self._open)) and not effort.over():
            effort.spend(len(self._board.problem.counts))
            order = np.argsort(self._bounds.flat[open_places], kind="stable")
            levels = self._levels(int(open_places[order[len(order) // 2]]))
            found = self._checked(levels)
            if found < loss:
                best, loss = levels, found
                self._open &= self._bounds < loss
                effort.tell(loss)
        return best

    def _checked(self, levels: Levels) -> float:
        """The loss of a vector. It is open no more, nor are those below it where it drops too many."""
        found = _loss(self._board, levels)
        self._open[levels] = False
        if found >= OVER:
            self._open[tuple(slice(0, level + 1) for level in levels)] = False
        return found

    def _some_vector(self) -> Levels:
        """The highest vector: nothing drops less."""
        return self._levels(int(np.flatnonzero(self._open)[-1]))

    def _levels(self, place: int) -> Levels:
        return tuple(int(level) for level in np.unravel_index(place, self._open.shape))


def _bounds(board: Board, heights: list[int]) -> NDArray[np.float64]:
    """The loss of every vector, were nothing dropped."""
    total = np.zeros([1] * len(heights))
    for column, height in enumerate(heights):
        shape = [1] * len(heights)
        shape[column] = height
        parts = [board.part(column, rows) for rows in _rows_by_level(board.problem, column)]
        total = total + np.asarray(parts).reshape(shape)
    return np.expm1(total / len(heights))


def _rows_by_level(problem: Problem, column: int) -> list[int]:
    """Rows of the labels of all records, at each level from 0."""
    ladder, labels = problem.ladders[column], problem.combinations[:, column]
    sizes = np.asarray(ladder.sizes, np.int64)
    by_level = [labels, *(np.asarray(up, np.int64)[labels] for up in ladder.up)]
    return [int(problem.counts @ sizes[each]) for each in by_level]


def _raised(heights: list[int]) -> NDArray[np.int64]:
    """How many levels of each vector are above 0."""
    raised = np.zeros(heights, np.int64)
    for levels in np.indices(heights, sparse=True):
        raised += levels > 0
    return raised


def _descent(board: Board, levels: list[int], most: int, effort: Effort) -> Levels:
    """From the highest vector down, each time by the level that gains most."""
    loss = _loss(board, tuple(levels))
    while not effort.over():
        lower = [
            (*levels[:column], level - 1, *levels[column + 1 :])
            for column, level in enumerate(levels)
            if level
        ]
        tried = [(_loss(board, each), each) for each in lower]
        effort.spend(len(tried) * len(board.problem.counts))
        found, best = min(tried, default=(np.inf, tuple(levels)))
        if found >= loss and sum(level > 0 for level in levels) <= most:
            break
        loss, levels = found, list(best)
        effort.tell(loss)
    return tuple(levels)
