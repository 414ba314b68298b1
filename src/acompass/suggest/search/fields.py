"""All labels of a combination as bit fields of one number, or of a few where one has too few bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acompass.propose.ladder import Ladder
from acompass.suggest.problem import IntArray, Step

WORD = 62


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A step as tables that are looked up by a label: what its key and the rows of a cell's label rise by.

    `met` are the labels that a combination can still have after the step, or get by a later one of a lower
    level: settled classes with other labels are not met again.
    """

    column: int
    word: int
    shift: int
    mask: int
    rise: IntArray
    added: IntArray
    met: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    places: tuple[tuple[int, int, int], ...]  # of each column: word, shift, mask
    sizes: tuple[IntArray, ...]  # of each column: rows that carry a label

    @staticmethod
    def of(ladders: Sequence[Ladder]) -> Fields:
        places, word, used = [], 0, 0
        for ladder in ladders:
            width = max(1, (len(ladder.labels) - 1).bit_length())
            if used + width > WORD:
                word, used = word + 1, 0
            places.append((word, used, (1 << width) - 1))
            used += width
        return Fields(tuple(places), tuple(np.asarray(ladder.sizes, np.int64) for ladder in ladders))

    @property
    def words(self) -> int:
        return self.places[-1][0] + 1

    @property
    def bits(self) -> int:
        """Used in the last word."""
        _, shift, mask = self.places[-1]
        return shift + mask.bit_length()

    def packed(self, labels: Sequence[IntArray]) -> IntArray:
        """Words × combinations."""
        keys = np.zeros((self.words, len(labels[0])), np.int64)
        for (word, shift, _), column in zip(self.places, labels, strict=True):
            keys[word] |= column << shift
        return keys

    def move(self, step: Step, ups: Sequence[Sequence[int]]) -> Move:
        """`ups`: of each level of the column."""
        word, shift, mask = self.places[step.column]
        after = np.array(ups[step.level - 1], np.int64)
        after[list(step.but)] = step.but
        rise, sizes = after - np.arange(len(after)), self.sizes[step.column]
        met = rise == 0
        met[[up[label] for up in ups[: step.level - 1] for label in step.but]] = True
        return Move(step.column, word, shift, mask, rise << shift, sizes[after] - sizes, met)
