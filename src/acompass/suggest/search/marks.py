"""Which sensitive values each combination has: as many of them as it takes to know whether there are l.

Both kinds are exact. Bits are faster, and lists need no more room for more values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from acompass.suggest.problem import IntArray, Problem, Sensitive
from acompass.suggest.search.classes import sorted_distinct

FEW = 4  # words that a combination may take, where l is less


class Marks(ABC):
    """Those of one sensitive column; `array` has a column for each combination."""

    def __init__(self, array: NDArray[Any], least: int) -> None:
        self.array, self._least = array, least

    def where(self, chosen: NDArray[np.bool_]) -> Self:
        return type(self)(self.array[:, chosen], self._least)

    def with_enough(self, size: int) -> Self:
        """Further combinations, which have l values."""
        further = np.repeat(self._enough()[:, np.newaxis], size, axis=1)
        return type(self)(np.concatenate((self.array, further), axis=1), self._least)

    def merged(self, order: IntArray, starts: IntArray) -> Self:
        """One for the combinations from each start to the next, in this order."""
        return type(self)(self._united(self.array[:, order], starts), self._least)

    @abstractmethod
    def diverse(self) -> NDArray[np.bool_]:
        """Which combinations have l values."""

    @abstractmethod
    def _enough(self) -> NDArray[Any]:
        """The marks of a combination with l values."""

    @abstractmethod
    def _united(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]: ...


class Bits(Marks):
    """A bit for each value, in words of 64, so that the union of two is one operation."""

    @classmethod
    def of(cls, sensitive: Sensitive, combinations: int, least: int) -> Bits:
        words = np.zeros((_words(sensitive), combinations), np.uint64)
        bits = np.uint64(1) << (sensitive.values % 64).astype(np.uint64)
        np.bitwise_or.at(words, (sensitive.values // 64, sensitive.rows), bits)
        return cls(words, least)

    def diverse(self) -> NDArray[np.bool_]:
        enough: NDArray[np.bool_] = np.bitwise_count(self.array).sum(axis=0) >= self._least
        return enough

    def _enough(self) -> NDArray[Any]:
        return np.full(len(self.array), 2**64 - 1, np.uint64)

    def _united(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]:
        return np.bitwise_or.reduceat(array, starts, axis=1)


class Lists(Marks):
    """The l least values of each combination: those of a union are among those of its parts."""

    NONE = np.iinfo(np.int32).max

    @classmethod
    def of(cls, sensitive: Sensitive, combinations: int, least: int) -> Lists:
        return cls(cls._least_of(sensitive.rows, sensitive.values, combinations, least), least)

    @classmethod
    def _least_of(cls, rows: IntArray, values: IntArray, combinations: int, least: int) -> NDArray[Any]:
        pairs = sorted_distinct((rows << 31) | values)
        rows = pairs >> 31
        places = np.arange(len(rows)) - np.searchsorted(rows, np.arange(combinations))[rows]
        few = places < least
        lists = np.full((least, combinations), cls.NONE, np.int32)
        lists[places[few], rows[few]] = pairs[few] & cls.NONE
        return lists

    def diverse(self) -> NDArray[np.bool_]:
        enough: NDArray[np.bool_] = self.array[-1] != self.NONE
        return enough

    def _enough(self) -> NDArray[Any]:
        return np.arange(self._least, dtype=np.int32)

    def _united(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]:
        sizes = np.diff(np.append(starts, array.shape[1]))
        present = array != self.NONE
        rows = np.broadcast_to(np.repeat(np.arange(len(starts)), sizes), array.shape)[present]
        return self._least_of(rows, array[present].astype(np.int64), len(starts), self._least)


def marks_of(problem: Problem) -> tuple[Marks, ...]:
    """Of each sensitive column; none where no l is asked."""
    return () if problem.l is None else tuple(_marks(problem, each, problem.l) for each in problem.sensitive)


def _marks(problem: Problem, sensitive: Sensitive, least: int) -> Marks:
    kind = Bits if _words(sensitive) <= max(FEW, least) else Lists
    return kind.of(sensitive, len(problem.counts), least)


def _words(sensitive: Sensitive) -> int:
    """For a bit for each value."""
    return int(sensitive.values.max(initial=0)) // 64 + 1
