"""Equivalence classes of rows of label ids, and which of them violate the assertion of a cascade."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acompass.suggest.problem import IntArray, Problem

WORD = 62  # bits of a packed key that leave an int64 positive


def class_ids(columns: list[IntArray], sizes: list[int]) -> IntArray:
    """A number for each row, the same for rows of equal labels only; `sizes` bounds the labels of columns."""
    ids, bound = columns[0], sizes[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if (bound * size).bit_length() > WORD:
            ids = ranked(ids)
            bound = len(ids)
        ids, bound = ids * size + column, bound * size
    return ranked(ids)


def ranked(ids: IntArray) -> IntArray:
    return np.unique(ids, return_inverse=True)[1].astype(np.int64).reshape(-1)


def violating(problem: Problem, columns: list[IntArray]) -> NDArray[np.bool_]:
    """Rows in classes of fewer than k records or, in a sensitive column, of fewer than l distinct values."""
    ids = class_ids(columns, [len(ladder.labels) for ladder in problem.ladders])
    classes = int(ids.max(initial=-1)) + 1
    records = np.zeros(classes, np.int64)
    np.add.at(records, ids, problem.counts)
    bad = records < problem.k
    if problem.l is not None:
        for sensitive in problem.sensitive:
            bad |= distinct(ids[sensitive.rows], sensitive.values, classes) < problem.l
    return bad[ids]


def distinct(ids: IntArray, values: IntArray, classes: int) -> IntArray:
    """Distinct values in each class."""
    width = int(values.max(initial=0)) + 1
    pairs = sorted_distinct(ids * width + values)
    return np.bincount(pairs // width, minlength=classes)


def sorted_distinct(numbers: IntArray) -> IntArray:
    """As `np.unique`, which hashes from numpy 2.3 on: a minute for ten million numbers."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
