"""The state of a table after some steps, and a search space that computes the states after many chains of steps.

All labels of a combination are packed as bit fields into one word or several. Of its sensitive values, up to l are
kept, which is enough to decide l-diversity, and of its persons up to k. Most problems fit one word, which is four
times as fast."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import expm1, log1p
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from acompass.author.suggest.search_problem import WORD, IntArray, Problem, Sensitive, Step, sorted_distinct
from acompass.dataclasses import dataclass
from acompass.measure.levels import ColumnLevels

OVER = 10.0  # penalty for dropping too many records, above any loss
LAST = np.iinfo(np.int64).max
FEW = 4  # most words per combination for bit sets, unless l is more


class State(NamedTuple):
    keys: IntArray  # all labels of each violating combination, packed
    counts: IntArray
    value_sets: tuple[ValueSets, ...]  # for each column whose distinct values the goal counts
    shares: tuple[int, ...]  # for each column, the rows covered by each record's current label, summed over all records
    left: int  # records that still violate the goal
    settled: IntArray  # packed labels of the classes that satisfy the goal and that others may join

    @property
    def size(self) -> int:
        return len(self.counts)

    @property
    def nbytes(self) -> int:
        arrays = (self.keys, self.counts, self.settled, *(each.array for each in self.value_sets))
        return 500 + sum(array.nbytes for array in arrays)


class SearchSpace(ABC):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.records = problem.records
        self.fields = Fields.of(problem.ladders)
        self._moves: dict[Step, Move] = {}

    @cached_property
    def start(self) -> State:
        return self.state_after(())

    def state_after(self, always: Sequence[Step]) -> State:
        """The state of the whole table after these steps for all records."""
        labels = [np.ascontiguousarray(column) for column in self.problem.combinations.T]
        for step in always:
            up = np.asarray(self.problem.ladders[step.column].up[step.level - 1], np.int64)
            labels[step.column] = up[labels[step.column]]
        shares = (
            int(self.problem.counts @ sizes[column]) for sizes, column in zip(self.fields.sizes, labels, strict=True)
        )
        return self._begin(self.fields.pack(labels), tuple(shares))

    @abstractmethod
    def after(self, state: State, step: Step) -> State:
        """The state after one step; the same object if the step changes nothing."""

    @abstractmethod
    def _begin(self, keys: IntArray, shares: tuple[int, ...]) -> State: ...

    @abstractmethod
    def _rows(self, state: State) -> list[int]:
        """For each column, the rows covered by the labels of the remaining records, summed over them."""

    def loss(self, state: State) -> float:
        """The weighted loss if the remaining records are dropped, with the penalty for dropping too many."""
        return self.price(self._final_shares(state)) + self._penalty(state)

    def plain_loss(self, state: State) -> float:
        """The loss as it is reported, without the weights of columns; with the same penalty."""
        shares = zip(self._final_shares(state), self._scales, strict=True)
        logs = [log1p((share - self.records) * scale) for share, (scale, _) in shares]
        return expm1(sum(logs) / len(logs)) + self._penalty(state)

    def _final_shares(self, state: State) -> Sequence[int]:
        if not state.left:
            return state.shares
        return [
            share + state.left * ladder.rows - rows
            for share, ladder, rows in zip(state.shares, self.problem.ladders, self._rows(state), strict=True)
        ]

    def _penalty(self, state: State) -> float:
        over = state.left - self.problem.most_dropped
        return OVER * (1 + over / self.records) if over > 0 else 0.0

    def price(self, shares: Sequence[int]) -> float:
        """The weighted loss of these shares; for a state's own shares, a lower bound for all later states."""
        total = 0.0
        for share, (scale, weight) in zip(shares, self._scales, strict=True):
            total += weight * log1p((share - self.records) * scale)
        return expm1(total / self.weights)

    def part(self, column: int, share: int) -> float:
        """One column's term of the sum in `price`."""
        scale, weight = self._scales[column]
        return weight * log1p((share - self.records) * scale)

    @cached_property
    def weights(self) -> float:
        """The sum of the weights, by which a weighted loss is divided: it is at most 1, and below OVER."""
        return sum(weight for _, weight in self._scales)

    @cached_property
    def _scales(self) -> list[tuple[float, float]]:
        """For each column, the factor that converts extra rows per record into loss, and the column's weight."""
        return [
            (1 / max(1, self.records * (ladder.rows - 1)), self.problem.importance.get(column, 1.0))
            for column, ladder in enumerate(self.problem.ladders)
        ]

    def _move(self, step: Step) -> Move:
        if step not in self._moves:
            self._moves[step] = self.fields.move(step, self.problem.ladders[step.column].up)
        return self._moves[step]


def fits(problem: Problem) -> bool:
    """Whether the labels and the number of records fit one word."""
    fields = Fields.of(problem.ladders)
    return not problem.distinct_goals and fields.words == 1 and fields.bits + problem.k.bit_length() <= WORD


class NarrowSpace(SearchSpace):
    """The search space of most problems, in which a key has all labels and then the number of records.

    Violating combinations have fewer than k records, so sorting keys carries the number along; keys of settled classes
    end in k. The code makes few calls to numpy, because most states are small.
    """

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
        """Merge equal combinations, and set aside those that satisfy the goal or join a settled class."""
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


class WideSpace(SearchSpace):
    """A search space with several words for each combination: `keys` and `settled` are words × combinations."""

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
        return self._settle(State(keys, state.counts, state.value_sets, tuple(shares), 0, settled))

    def _begin(self, keys: IntArray, shares: tuple[int, ...]) -> State:
        value_sets = sensitive_value_sets(self.problem)
        return self._settle(State(keys, self.problem.counts, value_sets, shares, 0, keys[:, :0]))

    def _rows(self, state: State) -> list[int]:
        return [
            int(state.counts @ sizes[(state.keys[word] >> shift) & mask])
            for (word, shift, mask), sizes in zip(self.fields.places, self.fields.sizes, strict=True)
        ]

    def _settle(self, state: State) -> State:
        """Merge equal combinations, and set aside those that satisfy the goal or join a settled class."""
        if not state.size:
            return state
        merged = self._merge(_with_settled(state, self.problem.k))
        keys, counts, value_sets = merged.keys, merged.counts, merged.value_sets
        bad = counts < self.problem.k
        for each in value_sets:  # persons are among them
            bad |= ~each.are_diverse()
        left = counts[bad]
        value_sets = tuple(each.where(bad) for each in value_sets)
        return State(keys[:, bad], left, value_sets, state.shares, int(left.sum()), keys[:, ~bad])

    def _merge(self, state: State) -> State:
        order, ordered = _sort_keys(state.keys, self.fields.bits)
        starts = _starts(ordered)
        counts = np.add.reduceat(state.counts[order], starts)
        value_sets = tuple(each.merge(order, starts) for each in state.value_sets)
        return state._replace(keys=ordered[:, starts], counts=counts, value_sets=value_sets)


def _labels(keys: IntArray, move: Move) -> IntArray:
    labels: IntArray = (keys[move.word] >> move.shift) & move.mask
    return labels


def _with_settled(state: State, enough: int) -> State:
    """Add settled classes as combinations that satisfy the goal on their own."""
    size = state.settled.shape[1]
    if not size:
        return state
    return state._replace(
        keys=np.concatenate((state.keys, state.settled), axis=1),
        counts=np.concatenate((state.counts, np.full(size, enough))),
        value_sets=tuple(each.with_enough(size) for each in state.value_sets),
    )


def _sort_keys(keys: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """An order that brings equal keys together, and the keys in that order."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A step as tables to look up by a label."""

    column: int
    word: int
    shift: int
    mask: int
    rise: IntArray  # the increase of the key
    added: IntArray  # the increase of the rows that the label covers
    #: labels that a combination can still have after the step, or get from a later step of a lower level; settled
    #: classes with other labels can no longer be joined
    met: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    places: tuple[tuple[int, int, int], ...]  # word, shift and mask of each column
    sizes: tuple[IntArray, ...]  # for each column, the rows that a label covers

    @staticmethod
    def of(ladders: Sequence[ColumnLevels]) -> Fields:
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
        """The number of bits used in the last word."""
        _, shift, mask = self.places[-1]
        return shift + mask.bit_length()

    def pack(self, labels: Sequence[IntArray]) -> IntArray:
        """Pack the labels into words × combinations."""
        keys = np.zeros((self.words, len(labels[0])), np.int64)
        for (word, shift, _), column in zip(self.places, labels, strict=True):
            keys[word] |= column << shift
        return keys

    def move(self, step: Step, ups: Sequence[Sequence[int]]) -> Move:
        """Tabulate a step. `ups` maps labels upward, for each level of the column."""
        word, shift, mask = self.places[step.column]
        after = np.array(ups[step.level - 1], np.int64)
        after[list(step.but)] = step.but
        rise, sizes = after - np.arange(len(after)), self.sizes[step.column]
        met = rise == 0
        met[[up[label] for up in ups[: step.level - 1] for label in step.but]] = True
        return Move(step.column, word, shift, mask, rise << shift, sizes[after] - sizes, met)


class ValueSets(ABC):
    """The values of one column in each combination, which is a column of `array`.

    Both kinds are exact. Bit sets are faster; lists take no more memory for more values.
    """

    def __init__(self, array: NDArray[Any], least: int) -> None:
        self.array, self._least = array, least

    def where(self, chosen: NDArray[np.bool_]) -> Self:
        return type(self)(self.array[:, chosen], self._least)

    def with_enough(self, size: int) -> Self:
        """Add combinations that have enough values."""
        further = np.repeat(self._enough()[:, np.newaxis], size, axis=1)
        return type(self)(np.concatenate((self.array, further), axis=1), self._least)

    def merge(self, order: IntArray, starts: IntArray) -> Self:
        """Merge each run of combinations, in this order, between consecutive `starts`."""
        return type(self)(self._unite(self.array[:, order], starts), self._least)

    @abstractmethod
    def are_diverse(self) -> NDArray[np.bool_]:
        """Which combinations have enough values."""

    @abstractmethod
    def _enough(self) -> NDArray[Any]:
        """The values of a combination that has enough of them."""

    @abstractmethod
    def _unite(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]: ...


class BitSets(ValueSets):
    """A bit for each value, in words of 64, so that a union is a single operation."""

    @classmethod
    def of(cls, sensitive: Sensitive, combinations: int, least: int) -> BitSets:
        words = np.zeros((_words(sensitive), combinations), np.uint64)
        bits = np.uint64(1) << (sensitive.values % 64).astype(np.uint64)
        np.bitwise_or.at(words, (sensitive.values // 64, sensitive.rows), bits)
        return cls(words, least)

    def are_diverse(self) -> NDArray[np.bool_]:
        enough: NDArray[np.bool_] = np.bitwise_count(self.array).sum(axis=0) >= self._least
        return enough

    def _enough(self) -> NDArray[Any]:
        return np.full(len(self.array), 2**64 - 1, np.uint64)

    def _unite(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]:
        return np.bitwise_or.reduceat(array, starts, axis=1)


class ValueLists(ValueSets):
    """The least values of each combination, as many as are enough: those of a union are among those of its members."""

    NONE = np.iinfo(np.int32).max

    @classmethod
    def of(cls, sensitive: Sensitive, combinations: int, least: int) -> ValueLists:
        return cls(cls._least_values(sensitive.rows, sensitive.values, combinations, least), least)

    @classmethod
    def _least_values(cls, rows: IntArray, values: IntArray, combinations: int, least: int) -> NDArray[Any]:
        pairs = sorted_distinct((rows << 31) | values)
        rows = pairs >> 31
        places = np.arange(len(rows)) - np.searchsorted(rows, np.arange(combinations))[rows]
        few = places < least
        lists = np.full((least, combinations), cls.NONE, np.int32)
        lists[places[few], rows[few]] = pairs[few] & cls.NONE
        return lists

    def are_diverse(self) -> NDArray[np.bool_]:
        enough: NDArray[np.bool_] = self.array[-1] != self.NONE
        return enough

    def _enough(self) -> NDArray[Any]:
        return np.arange(self._least, dtype=np.int32)

    def _unite(self, array: NDArray[Any], starts: IntArray) -> NDArray[Any]:
        sizes = np.diff(np.append(starts, array.shape[1]))
        present = array != self.NONE
        rows = np.broadcast_to(np.repeat(np.arange(len(starts)), sizes), array.shape)[present]
        return self._least_values(rows, array[present].astype(np.int64), len(starts), self._least)


def sensitive_value_sets(problem: Problem) -> tuple[ValueSets, ...]:
    """The value sets of each column whose distinct values the goal counts."""
    combinations = len(problem.counts)
    return tuple(
        (BitSets if _words(each) <= max(FEW, least) else ValueLists).of(each, combinations, least)
        for each, least in problem.distinct_goals
    )


def _words(sensitive: Sensitive) -> int:
    """The number of words that hold a bit for each value."""
    return int(sensitive.values.max(initial=0)) // 64 + 1
