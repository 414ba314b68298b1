"""The problem that a search solves, and its answer, as arrays and numbers without engine or text.

`evaluate` computes what steps do to the whole table: slowly, exactly and independently of the search's bookkeeping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acompass.dataclasses import dataclass, field
from acompass.measure.answer import column_loss, total_loss
from acompass.measure.levels import ColumnLevels

IntArray = NDArray[np.int64]

WORD = 62  # bits of a packed key that leave an int64 positive


@dataclass(frozen=True, slots=True, eq=False)
class Sensitive:
    """The distinct pairs of a combination and a sensitive value, with their numbers of records; if persons are counted,
    the distinct triples with a person."""

    rows: IntArray
    values: IntArray
    counts: IntArray
    persons: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    ladders: tuple[ColumnLevels, ...]
    combinations: IntArray  # a row for each distinct combination of quasi-identifiers, as positions in labels
    counts: IntArray
    sensitive: tuple[Sensitive, ...]
    k: int
    l: int | None  # noqa: E741
    most_dropped: int
    #: weights of the losses of columns, 1 by default: they steer the search, the reported loss has none
    importance: Mapping[int, float] = field(default_factory=dict)
    t: Fraction | None = None
    named: frozenset[int] = field(default_factory=frozenset)  # columns whose labels WHERE may name: not numbers
    persons: Sensitive | None = None  # the persons of each combination, of which a class has k; None to count records

    @property
    def records(self) -> int:
        return int(self.counts.sum())

    @property
    def distinct_goals(self) -> list[tuple[Sensitive, int]]:
        """Columns, and the number of distinct values that every class must have in each."""
        persons = [] if self.persons is None else [(self.persons, self.k)]
        return persons if self.l is None else [*persons, *((each, self.l) for each in self.sensitive)]


class Step(NamedTuple):
    """GENERALIZE a column to a level of its ladder."""

    column: int  # position in the ladders
    level: int  # from 1
    but: tuple[int, ...] = ()  # labels to leave unchanged: WHERE column != label AND …


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of the steps does, by the semantics of the language."""

    affected: tuple[int, ...]  # records in violating classes before each step and before the final REJECT
    dropped: int
    per_column: tuple[float, ...]
    loss: float


@dataclass(frozen=True, slots=True)
class Found:
    always: tuple[Step, ...]  # ALWAYS : GENERALIZE; empty for a cascade
    steps: tuple[Step, ...]  # in the THEN chain, before the final REJECT
    outcome: Outcome
    finished: bool  # False if the time limit or the caller stopped the search
    k: int  # in the policy's assertion: at least the requested one

    @property
    def lines(self) -> int:
        """The number of steps of the policy, including the final REJECT."""
        return len(self.always) + len(self.steps) + 1


def evaluate(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Outcome:
    """The outcome of `always` for every record, then of a THEN chain of `steps` that ends in REJECT."""
    columns, affected = initial_labels(problem), []
    for records, columns in perform_steps(problem, always, steps):  # noqa: B007
        affected.append(records)
    bad = violating_rows(problem, columns)
    dropped = int(problem.counts[bad].sum())
    per_column = losses(problem, columns, np.where(bad, 0, problem.counts), dropped)
    return Outcome((*affected[len(always) :], dropped), dropped, per_column, total_loss(per_column))


def perform_steps(
    problem: Problem, always: Sequence[Step], steps: Sequence[Step]
) -> Iterator[tuple[int, list[IntArray]]]:
    """For each step, the number of records it changes, and the labels of all columns after it."""
    columns = initial_labels(problem)
    for place, step in enumerate((*always, *steps)):
        before = columns[step.column]
        hit = ~np.isin(before, step.but)
        if place >= len(always):
            hit &= violating_rows(problem, columns)
        up = np.asarray(problem.ladders[step.column].up[step.level - 1], np.int64)
        columns = [*columns[: step.column], np.where(hit, up[before], before), *columns[step.column + 1 :]]
        yield int(problem.counts[hit].sum()), columns


def initial_labels(problem: Problem) -> list[IntArray]:
    return [np.ascontiguousarray(column) for column in problem.combinations.T]


def final_labels(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> list[IntArray]:
    """The labels of all columns after the last step."""
    return [initial_labels(problem), *(columns for _, columns in perform_steps(problem, always, steps))][-1]


def losses(problem: Problem, columns: list[IntArray], kept: IntArray, dropped: int) -> tuple[float, ...]:
    """The loss of each column, from integer sums, so that the order of rows does not change a digit."""
    out = []
    for ladder, labels in zip(problem.ladders, columns, strict=True):
        carried = int(kept @ np.asarray(ladder.sizes, np.int64)[labels])
        out.append(column_loss((carried + dropped * ladder.rows) / ladder.rows, problem.records, ladder.rows))
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Changes:
    """What the steps leave of the released records."""

    cells: int  # quasi-identifiers of released records whose value differs from that of the table
    smallest: int | None  # records, or persons, of the smallest released class; None if nothing is released


def count_changes(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Changes:
    before, after = initial_labels(problem), final_labels(problem, always, steps)
    kept = ~violating_rows(problem, after)
    cells = sum(int(problem.counts[kept & (old != new)].sum()) for old, new in zip(before, after, strict=True))
    if not kept.any():
        return Changes(cells, None)
    ids = _classes(problem, after)
    classes = int(ids.max()) + 1
    if problem.persons is None:
        sizes = np.zeros(classes, np.int64)
        np.add.at(sizes, ids, problem.counts)
    else:
        sizes = distinct(ids[problem.persons.rows], problem.persons.values, classes)
    return Changes(cells, int(sizes[ids[kept]].min()))


def is_close(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Whether the released classes are t-close, or no t was requested."""
    return problem.t is None or closeness(problem, always, steps) <= float(problem.t) + 1e-12


def closeness(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> float:
    """The largest distance between the distribution in a released class and that in the whole release."""
    columns = final_labels(problem, always, steps)
    ids = _classes(problem, columns)
    kept = ~violating_rows(problem, columns)
    return max((_distance(each, ids, kept) for each in problem.sensitive), default=0.0)


def _distance(sensitive: Sensitive, ids: IntArray, kept: NDArray[np.bool_]) -> float:
    """The largest Σ max(0, q − p) over the values of a class. If persons are counted, a pair of a person and a value
    counts once in a class and once in the release."""
    present = kept[sensitive.rows]
    classes, values, counts = (ids[sensitive.rows][present], sensitive.values[present], sensitive.counts[present])
    if not len(counts):
        return 0.0
    width = int(values.max()) + 1
    total = np.bincount(values, counts)
    pairs = classes * width + values
    if sensitive.persons is not None:
        persons = sensitive.persons[present]
        pairs, counts = _distinct_pairs(pairs, persons)
        classes, total = pairs // width, np.bincount(_distinct_pairs(values, persons)[0])
    pairs, places = np.unique(pairs, return_inverse=True)
    records = np.bincount(places, counts)
    sizes, total = np.bincount(classes, counts), total / total.sum()
    gained = np.maximum(0.0, records / sizes[pairs // width] - total[pairs % width])
    return float(np.bincount(pairs // width, gained).max())


def _distinct_pairs(ids: IntArray, persons: IntArray) -> tuple[IntArray, IntArray]:
    """The first of each distinct pair, and a count of 1 for each."""
    first = np.unique(class_ids([ids, persons], [int(ids.max()) + 1, int(persons.max()) + 1]), return_index=True)[1]
    return ids[first], np.ones(len(first), np.int64)


def _classes(problem: Problem, columns: list[IntArray]) -> IntArray:
    """The number of each row's class, from the labels of its columns."""
    return class_ids(columns, [len(ladder.labels) for ladder in problem.ladders])


def class_ids(columns: list[IntArray], sizes: list[int]) -> IntArray:
    """Number the rows so that only equal rows have equal numbers; `sizes` bounds the labels of each column."""
    ids, bound = columns[0], sizes[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if (bound * size).bit_length() > WORD:
            ids = rank_ids(ids)
            bound = len(ids)
        ids, bound = ids * size + column, bound * size
    return rank_ids(ids)


def rank_ids(ids: IntArray) -> IntArray:
    return np.unique(ids, return_inverse=True)[1].astype(np.int64).reshape(-1)


def violating_rows(problem: Problem, columns: list[IntArray]) -> NDArray[np.bool_]:
    """Rows in classes of fewer than k records or persons or, in a sensitive column, of fewer than l distinct values."""
    ids = _classes(problem, columns)
    classes = int(ids.max(initial=-1)) + 1
    records = np.zeros(classes, np.int64)
    np.add.at(records, ids, problem.counts)
    bad = records < problem.k  # a class has no more persons than records
    for column, least in problem.distinct_goals:
        bad |= distinct(ids[column.rows], column.values, classes) < least
    return bad[ids]


def distinct(ids: IntArray, values: IntArray, classes: int) -> IntArray:
    """The number of distinct values in each class."""
    width = int(values.max(initial=0)) + 1
    pairs = sorted_distinct(ids * width + values)
    return np.bincount(pairs // width, minlength=classes)


def sorted_distinct(numbers: IntArray) -> IntArray:
    """Like `np.unique`, which since numpy 2.3 hashes and takes a minute for ten million numbers."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
