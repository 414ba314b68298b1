"""A problem made ready for many runs of steps.

A state has only the combinations that still violate the assertion, merged where their labels are equal.
Classes that satisfy it stay as they are, and only their labels are remembered, while a combination can still
come to have the same ones and join them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import expm1, log1p
from typing import NamedTuple

import numpy as np

from acompass.suggest.problem import IntArray, Problem, Step
from acompass.suggest.search.fields import Fields, Move
from acompass.suggest.search.marks import Marks

KEPT = 20.0  # how much dearer the loss of a column is that is to be kept
OVER = 10.0  # the price of dropping too many records, above any loss


class State(NamedTuple):
    """Keys have all labels of a combination, and settled ones of a class, as a board packs them."""

    keys: IntArray
    counts: IntArray
    marks: tuple[Marks, ...]  # of each sensitive column
    shares: tuple[
        int, ...
    ]  # of each column: rows of the labels that records have now, summed over all records
    left: int  # records that still violate
    settled: IntArray  # classes that satisfy and that others may join

    @property
    def size(self) -> int:
        return len(self.counts)

    @property
    def nbytes(self) -> int:
        arrays = (self.keys, self.counts, self.settled, *(each.array for each in self.marks))
        return 500 + sum(array.nbytes for array in arrays)


class Board(ABC):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.records = problem.records
        self.fields = Fields.of(problem.ladders)
        self._moves: dict[Step, Move] = {}

    @cached_property
    def start(self) -> State:
        return self.under(())

    def under(self, always: Sequence[Step]) -> State:
        """The state of the whole table after the steps of `always`."""
        labels = [np.ascontiguousarray(column) for column in self.problem.combinations.T]
        for step in always:
            up = np.asarray(self.problem.ladders[step.column].up[step.level - 1], np.int64)
            labels[step.column] = up[labels[step.column]]
        shares = (
            int(self.problem.counts @ sizes[column])
            for sizes, column in zip(self.fields.sizes, labels, strict=True)
        )
        return self._begin(self.fields.packed(labels), tuple(shares))

    @abstractmethod
    def after(self, state: State, step: Step) -> State:
        """The state after one step; the same object if the step changes nothing."""

    @abstractmethod
    def _begin(self, keys: IntArray, shares: tuple[int, ...]) -> State: ...

    @abstractmethod
    def _rows(self, state: State) -> list[int]:
        """Of each column: rows of the labels of the records that are left, summed over them."""

    def loss(self, state: State) -> float:
        """The loss if what is left is dropped, with the price of dropping too much and of columns to keep."""
        if not state.left:
            return self.price(state.shares)
        shares = [
            share + state.left * ladder.rows - rows
            for share, ladder, rows in zip(state.shares, self.problem.ladders, self._rows(state), strict=True)
        ]
        over = state.left - self.problem.most_dropped
        return self.price(shares) + (OVER * (1 + over / self.records) if over > 0 else 0.0)

    def price(self, shares: Sequence[int]) -> float:
        """What these shares lose; of a state's own shares, a bound of all that can follow it."""
        total = 0.0
        for share, (scale, weight) in zip(shares, self._scales, strict=True):
            total += weight * log1p((share - self.records) * scale)
        return expm1(total / len(shares))

    def part(self, column: int, share: int) -> float:
        """What one column's share has in the sum within the price."""
        scale, weight = self._scales[column]
        return weight * log1p((share - self.records) * scale)

    @cached_property
    def _scales(self) -> list[tuple[float, float]]:
        """Of each column: what takes rows above one a record to a loss, and its weight."""
        return [
            (1 / max(1, self.records * (ladder.rows - 1)), KEPT if column in self.problem.keep else 1.0)
            for column, ladder in enumerate(self.problem.ladders)
        ]

    def _move(self, step: Step) -> Move:
        if step not in self._moves:
            self._moves[step] = self.fields.move(step, self.problem.ladders[step.column].up)
        return self._moves[step]
