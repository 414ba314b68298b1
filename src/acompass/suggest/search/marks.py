"""Which sensitive values a combination has, as bits, so that the union of two is one operation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acompass.suggest.problem import IntArray, Problem, Sensitive

Words = NDArray[np.uint64]  # words × combinations
Marks = tuple[Words, ...]  # of each sensitive column; empty where no l is asked

MOST = 4  # words of a column, unless l needs more


def marks_of(problem: Problem) -> Marks:
    if problem.l is None:
        return ()
    return tuple(_marks(each, len(problem.counts), problem.l) for each in problem.sensitive)


def _marks(sensitive: Sensitive, combinations: int, least: int) -> Words:
    """Where there are more values than bits, some share one: fewer are counted than there are, never more."""
    values = int(sensitive.values.max(initial=0)) + 1
    size = min(-(-values // 64), max(MOST, -(-least // 16)))
    words = np.zeros((size, combinations), np.uint64)
    bits = sensitive.values % (64 * size)
    np.bitwise_or.at(words, (bits // 64, sensitive.rows), np.uint64(1) << (bits % 64).astype(np.uint64))
    return words


def with_all(marks: Marks, size: int) -> Marks:
    """Further combinations that have every value."""
    every = np.uint64(2**64 - 1)
    return tuple(np.concatenate((words, np.full((len(words), size), every)), axis=1) for words in marks)


def merged(marks: Marks, order: IntArray, starts: IntArray) -> Marks:
    return tuple(np.bitwise_or.reduceat(words[:, order], starts, axis=1) for words in marks)


def diverse(marks: Marks, problem: Problem) -> NDArray[np.bool_]:
    """Which combinations have l values of every sensitive column."""
    enough = np.ones(marks[0].shape[1], np.bool_)
    for words in marks:
        enough &= np.bitwise_count(words).sum(axis=0) >= (problem.l or 0)
    return enough
